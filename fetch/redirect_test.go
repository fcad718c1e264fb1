package fetch

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRedirectDecisions fixes which redirects are followed: the chain is what
// is asked, in order.
func TestRedirectDecisions(t *testing.T) {
	to := func(status int, location string) func(*http.Request) (*http.Response, error) {
		return say(status, "", "Location", location)
	}
	end := say(200, "end")
	const http1, https1 = "http://a.test/1", "https://a.test/1"
	for _, tt := range []struct {
		name   string
		policy RedirectPolicy
		req    Request
		steps  []func(*http.Request) (*http.Response, error)
		chain  []string
		detail Detail
		failed bool
		status int
	}{
		{name: "same host", req: Request{URL: http1}, steps: list(to(302, "/2"), end), chain: []string{"GET http://a.test/1", "GET http://a.test/2"}},
		{name: "relative, with a query", req: Request{URL: "http://a.test/x/1?key=s"}, steps: list(to(307, "2?p=1#f"), end), chain: []string{"GET http://a.test/x/1?key=s", "GET http://a.test/x/2?p=1"}},
		{name: "default port is the same port", req: Request{URL: http1}, steps: list(to(301, "http://A.test:80/2"), end), chain: []string{"GET http://a.test/1", "GET http://A.test:80/2"}},
		{name: "http to https on the same host", req: Request{URL: http1}, steps: list(to(301, https1), end), chain: []string{"GET http://a.test/1", "GET https://a.test/1"}},
		{name: "http to https on another host", req: Request{URL: http1}, steps: list(to(301, "https://b.test/1")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectCrossHost, status: 301},
		{name: "other port", req: Request{URL: http1}, steps: list(to(301, "http://a.test:81/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectCrossHost, status: 301},
		{name: "other host", req: Request{URL: http1}, steps: list(to(302, "http://b.test/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectCrossHost, status: 302},
		{name: "subdomain is another host", req: Request{URL: http1}, steps: list(to(302, "http://x.a.test/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectCrossHost, status: 302},
		{name: "other host, follow", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "//b.test/"), end), chain: []string{"GET http://a.test/1", "GET http://b.test/"}},
		{name: "downgrade", req: Request{URL: https1}, steps: list(to(301, http1)), chain: []string{"GET https://a.test/1"}, failed: true, detail: RedirectDowngrade, status: 301},
		{name: "downgrade, follow", policy: RedirectsFollow, req: Request{URL: https1}, steps: list(to(301, "http://b.test/")), chain: []string{"GET https://a.test/1"}, failed: true, detail: RedirectDowngrade, status: 301},
		{name: "up and down again", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(301, https1), to(302, http1)), chain: []string{"GET http://a.test/1", "GET https://a.test/1"}, failed: true, detail: RedirectDowngrade, status: 302},
		{name: "none", policy: RedirectsNone, req: Request{URL: http1}, steps: list(to(302, "/2")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectRefused, status: 302},
		{name: "loop", req: Request{URL: http1}, steps: list(to(302, "/2"), to(302, "/1")), chain: []string{"GET http://a.test/1", "GET http://a.test/2"}, failed: true, detail: RedirectLoop, status: 302},
		{name: "to itself", req: Request{URL: http1}, steps: list(to(302, "")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "no location", req: Request{URL: http1}, steps: list(say(302, "")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "two locations", req: Request{URL: http1}, steps: list(say(302, "", "Location", "/2", "Location", "/3")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "the same location twice", req: Request{URL: http1}, steps: list(say(302, "", "Location", "/2", "Location", "/2"), end), chain: []string{"GET http://a.test/1", "GET http://a.test/2"}},
		{name: "a port that is none", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "http://a.test:65536/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "no URL at all", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "http://[::1/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "not http", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "ftp://a.test/")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "script", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "javascript:alert(1)")), chain: []string{"GET http://a.test/1"}, failed: true, detail: RedirectNoLocation, status: 302},
		{name: "userinfo is dropped", policy: RedirectsFollow, req: Request{URL: http1}, steps: list(to(302, "http://u:p@b.test/"), end), chain: []string{"GET http://a.test/1", "GET http://b.test/"}},
		{name: "300", req: Request{URL: http1}, steps: list(to(300, "/2")), chain: []string{"GET http://a.test/1"}, failed: true, status: 300},
		{name: "304", req: Request{URL: http1}, steps: list(say(304, "")), chain: []string{"GET http://a.test/1"}, failed: true, detail: NotModified, status: 304},
		{name: "expected", req: Request{URL: http1, Expect: func(s int) bool { return s == 302 }}, steps: list(to(302, "/2")), chain: []string{"GET http://a.test/1"}, status: 302},
		{name: "301 of a post", req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(301, "/2")), chain: []string{"POST http://a.test/1 b"}, failed: true, detail: RedirectUnsafe, status: 301},
		{name: "303 of a post", req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(303, "/2"), end), chain: []string{"POST http://a.test/1 b", "GET http://a.test/2"}},
		{name: "303 of a post to its own url", req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(303, "/1"), end), chain: []string{"POST http://a.test/1 b", "GET http://a.test/1"}},
		{name: "303 of a head", req: Request{URL: http1, Method: "HEAD"}, steps: list(to(303, "/2"), end), chain: []string{"HEAD http://a.test/1", "HEAD http://a.test/2"}},
		{name: "308 of a post", req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(308, "/2"), end), chain: []string{"POST http://a.test/1 b", "POST http://a.test/2 b"}},
		{name: "307 of a post to another port", policy: RedirectsFollow, req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(307, "http://a.test:81/")), chain: []string{"POST http://a.test/1 b"}, failed: true, detail: RedirectUnsafe, status: 307},
		{name: "307 of a post to https", req: Request{URL: http1, Method: "POST", Body: []byte("b")}, steps: list(to(307, https1)), chain: []string{"POST http://a.test/1 b"}, failed: true, detail: RedirectUnsafe, status: 307},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := exact()
			p.Redirects = tt.policy
			f := script(tt.steps...)
			a, err := NewClient(Config{Policy: p, Transport: f}).Do(t.Context(), &tt.req)
			var chain []string
			for i, r := range f.got {
				chain = append(chain, strings.TrimSpace(r.Method+" "+r.URL.String()+" "+string(f.sent[i])))
			}
			if d := cmp.Diff(tt.chain, chain); d != "" {
				t.Error(d)
			}
			if !tt.failed {
				if err != nil {
					t.Fatal(err)
				}
				if last := f.got[len(f.got)-1].URL.String(); a.FinalURL != last || a.Trip.Attempts[0].Requests != len(chain) {
					t.Errorf("final %s, want %s; %d requests", a.FinalURL, last, a.Trip.Attempts[0].Requests)
				}
				return
			}
			e := failed(t, err)
			if e.Kind != Redirect || e.Outcome != OutcomeRedirect || e.Detail != tt.detail || e.Status != tt.status || e.Retryable || e.IsAnomaly() {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestTooManyRedirects(t *testing.T) {
	f := script(func(r *http.Request) (*http.Response, error) {
		return say(302, "", "Location", r.URL.Path+"x")(r)
	})
	_, err := NewClient(Config{Policy: exact(), Transport: f}).Do(t.Context(), &Request{URL: origin})
	if e := failed(t, err); e.Kind != Redirect || e.Detail != RedirectTooMany || f.count() != 11 || e.Trip.Attempts[0].Requests != 11 {
		t.Errorf("got %+v after %d requests", e, f.count())
	}
}

func TestUnfollowedRedirectSaysWhereItPoints(t *testing.T) {
	for location, want := range map[string]Location{
		"/login":               {URL: "http://origin.test/login"},
		"https://origin.test/": {URL: "https://origin.test/", CrossHost: true},
		"http://b.test/x":      {URL: "http://b.test/x", CrossHost: true},
	} {
		p := exact()
		p.Redirects = RedirectsNone
		_, err := NewClient(Config{Policy: p, Transport: script(say(302, "", "Location", location))}).Do(t.Context(), &Request{URL: origin})
		if e := failed(t, err); e.Location == nil || *e.Location != want {
			t.Errorf("%s: got %+v", location, e.Location)
		}
	}
}

// seen is what arrived at a server.
type seen struct {
	mu   sync.Mutex
	reqs []*http.Request
	body []string
}

func (s *seen) add(r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reqs, s.body = append(s.reqs, r), append(s.body, string(b))
}

// secrets are declared for the origin in every way there is.
var secrets = http.Header{
	"Authorization": {"Bearer s3cret"}, "X-Api-Key": {"s3cret"}, "Cookie": {"sid=s3cret"}, "Referer": {"http://x/?k=s3cret"},
	"Proxy-Authorization": {"Basic s3cret"}, "Mcp-Session-Id": {"s3cret"}, "Www-Authenticate": {"s3cret"}, "Accept-Language": {"pt"}, "Host": {"s3cret.test"},
}

// assertClean fails when anything of the secrets is in a request.
func assertClean(t *testing.T, s *seen) {
	t.Helper()
	for i, r := range s.reqs {
		var dump strings.Builder
		r.Header.Write(&dump)
		if all := dump.String() + r.RequestURI + r.Host + s.body[i]; strings.Contains(all, "s3cret") {
			t.Errorf("leaked: %s", all)
		}
		for name := range r.Header {
			switch name {
			case "User-Agent", "Accept", "Accept-Encoding", "Accept-Language":
			default:
				t.Errorf("%s arrived", name)
			}
		}
	}
}

// TestCredentialsStayHome proves over real sockets that nothing declared
// arrives at another port or another host name, and nothing on the way back.
func TestCredentialsStayHome(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, where := range []string{"other port", "other host"} {
			for _, back := range []bool{false, true} {
				var home, away seen
				var homeURL string
				b := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					away.add(r)
					if back {
						w.Header().Set("Location", homeURL+"/returned")
						w.WriteHeader(307)
						return
					}
					io.WriteString(w, "away")
				}))
				a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					home.add(r)
					if r.URL.Path == "/returned" {
						return
					}
					target := b.URL
					if where == "other host" {
						_, port, _ := net.SplitHostPort(b.Listener.Addr().String())
						target = "http://localhost:" + port
					}
					w.Header().Set("Location", target+"/next")
					w.WriteHeader(status)
				}))
				homeURL = a.URL
				p := once()
				p.Redirects = RedirectsFollow
				c := newClient(t, Config{Policy: p, Header: secrets})
				answer, err := c.Do(t.Context(), &Request{URL: a.URL + "/first?key=s3cret", Header: http.Header{"X-Per-Request": {"s3cret"}}})
				if err != nil {
					t.Fatal(err)
				}
				if !answer.Withheld || len(away.reqs) != 1 {
					t.Errorf("%d %s: withheld %v, %d requests away", status, where, answer.Withheld, len(away.reqs))
				}
				assertClean(t, &away)
				if got := home.reqs[0]; got.Header.Get("Authorization") != "Bearer s3cret" || got.Header.Get("X-Per-Request") != "s3cret" || got.Host != "s3cret.test" {
					t.Errorf("the origin itself got %v", got.Header)
				}
				if back {
					assertClean(t, &seen{reqs: home.reqs[1:], body: home.body[1:]})
				}
				c.CloseIdle()
				a.Close()
				b.Close()
			}
		}
	}
}

// TestBodyStaysHome: 307 and 308 never carry a body to another place; 303
// becomes a GET without one.
func TestBodyStaysHome(t *testing.T) {
	for _, status := range []int{301, 302, 303, 307, 308} {
		var away seen
		b := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { away.add(r) }))
		a := httptest.NewServer(http.RedirectHandler(b.URL, status))
		p := once()
		p.Redirects = RedirectsFollow
		c := newClient(t, Config{Policy: p, Header: http.Header{"Content-Type": {"s3cret/type"}}})
		answer, err := c.Do(t.Context(), &Request{Method: "POST", URL: a.URL, Body: []byte("s3cret")})
		if status == 303 {
			if err != nil || !answer.Withheld || len(away.reqs) != 1 || away.reqs[0].Method != "GET" {
				t.Errorf("303: %v, %d requests away", err, len(away.reqs))
			}
		} else if e := failed(t, err); e.Detail != RedirectUnsafe || len(away.reqs) != 0 {
			t.Errorf("%d: %s, %d requests away", status, e.Detail, len(away.reqs))
		}
		assertClean(t, &away)
		c.CloseIdle()
		a.Close()
		b.Close()
	}
}

func TestSameHostRedirectKeepsHeaders(t *testing.T) {
	f := script(say(303, "", "Location", "/2"), say(200, ""))
	a, err := NewClient(Config{Policy: exact(), Transport: f, Header: http.Header{"Authorization": {"x"}, "Content-Type": {"a/b"}}}).
		Do(t.Context(), &Request{URL: origin, Method: "POST", Body: []byte("b")})
	if err != nil {
		t.Fatal(err)
	}
	if h := f.got[1].Header; a.Withheld || h.Get("Authorization") != "x" || h.Get("Content-Type") != "" || f.got[0].Header.Get("Content-Type") != "a/b" {
		t.Errorf("withheld %v, %v", a.Withheld, h)
	}
}

func TestNothingWithheldWhereNothingWasDeclared(t *testing.T) {
	p := exact()
	p.Redirects = RedirectsFollow
	a, err := NewClient(Config{Policy: p, Transport: script(say(302, "", "Location", "http://b.test/"), say(200, ""))}).Do(t.Context(), &Request{URL: origin})
	if err != nil || a.Withheld {
		t.Errorf("%v, %+v", err, a)
	}
}

// TestNoSecretIsToldElsewhere: an origin that reflects a secret into Location
// cannot have it carried to another place; at home it may stay.
func TestNoSecretIsToldElsewhere(t *testing.T) {
	hide := func(s string) string { return strings.ReplaceAll(s, "s3cret", "[redacted:TOKEN]") }
	for path, told := range map[string]bool{"/got?k=s3cret": true, "/s3cret/x": true, "/plain": false} {
		var away seen
		b := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { away.add(r) }))
		a := httptest.NewServer(http.RedirectHandler(b.URL+path, http.StatusFound))
		p := once()
		p.Redirects = RedirectsFollow
		c := newClient(t, Config{Policy: p, Hide: hide})
		_, err := c.Do(t.Context(), &Request{URL: a.URL})
		switch {
		case !told && (err != nil || len(away.reqs) != 1):
			t.Errorf("%s: %v, %d requests away", path, err, len(away.reqs))
		case told:
			e := failed(t, err)
			if e.Kind != Redirect || e.Detail != RedirectCrossHost || e.Location == nil || !e.Location.CrossHost || len(away.reqs) != 0 {
				t.Errorf("%s: %+v, %d requests away", path, e, len(away.reqs))
			}
		}
		c.CloseIdle()
		a.Close()
		b.Close()
	}
	f := script(say(302, "", "Location", "/2?k=s3cret"), say(200, ""))
	if _, err := NewClient(Config{Policy: exact(), Transport: f, Hide: hide}).Do(t.Context(), &Request{URL: origin}); err != nil || f.count() != 2 {
		t.Errorf("at home: %v after %d requests", err, f.count())
	}
}
