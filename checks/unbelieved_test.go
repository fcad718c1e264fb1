package checks

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures/nameserver"
)

// TestAProxyThatIsNotBelievedIsSaid runs under the environment of a CGI program,
// whose HTTP_PROXY may be the Proxy header of a stranger's request: nothing goes
// there, and the run says so where something would have gone.
func TestAProxyThatIsNotBelievedIsSaid(t *testing.T) {
	dns, err := nameserver.Start(net.IPv4(127, 0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { dns.Close() }) //nolint:errcheck // the test has ended
	say := func(what string) *httptest.Server {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, what) })) //nolint:errcheck // the client sees it
		t.Cleanup(s.Close)
		return s
	}
	source, stranger, proxy := say("source"), say("stranger"), say("proxy")
	u, err := url.Parse(source.URL)
	if err != nil {
		t.Fatal(err)
	}
	named := "http://" + nameserver.Here + ":" + u.Port()
	for _, c := range []struct {
		name, method, upper, lower, no, declared, url string
		from                                          string
		said                                          bool
	}{
		{name: "under CGI", method: "GET", upper: stranger.URL, url: named, from: "source", said: true},
		{name: "not under CGI", upper: proxy.URL, url: named, from: "proxy"},
		{name: "the spelling that no header becomes", method: "GET", upper: stranger.URL, lower: proxy.URL, url: named, from: "proxy"},
		{name: "declared", method: "GET", upper: stranger.URL, declared: proxy.URL, url: named, from: "proxy"},
		{name: "declared none", method: "GET", upper: stranger.URL, declared: "none", url: named, from: "source"},
		{name: "loopback goes through none", method: "GET", upper: stranger.URL, url: source.URL, from: "source"},
		{name: "NO_PROXY", method: "GET", upper: stranger.URL, no: "origin.test", url: named, from: "source"},
		{name: "no proxy at all", method: "GET", url: named, from: "source"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, value := range map[string]string{
				"REQUEST_METHOD": c.method, "HTTP_PROXY": c.upper, "http_proxy": c.lower, "NO_PROXY": c.no,
				"no_proxy": "", "HTTPS_PROXY": "", "https_proxy": "",
			} {
				t.Setenv(name, value)
			}
			out := ""
			if c.declared != "" {
				out = ", proxy: " + c.declared
			}
			y := fmt.Sprintf("version: 1\norigins: {o: {url: %s, dns: %q, retries: 0, confirm: {trips: 1}%s}}\n"+
				"probes: [{name: p, origin: o, get: /, expect: {body: {contains: %s}}}]\n", c.url, dns.Address(), out, c.from)
			d := loadText(t, y)
			p, err := NewPlan(d, d.Probes, Options{Parallel: 1})
			if err != nil {
				t.Fatal(err)
			}
			rep := p.Run(t.Context())
			if rep.Results[0].Finding != OK {
				t.Errorf("%s %+v", rep.Results[0].Finding, rep.Results[0].Mismatches)
			}
			said := len(rep.Degraded) == 1 && rep.Degraded[0].Feature == "proxy" && strings.Contains(rep.Degraded[0].Reason, "REQUEST_METHOD")
			if said != c.said || !c.said && len(rep.Degraded) > 0 {
				t.Errorf("%+v", rep.Degraded)
			}
		})
	}
	if t.Setenv("REQUEST_METHOD", ""); fetch.UnderCGI() {
		t.Error("a variable that is empty makes no CGI program")
	}
}
