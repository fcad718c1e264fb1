package fetch

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestCookies: what an origin sets goes back to it, through retries, redirects
// and trips, and only when asked for.
func TestCookies(t *testing.T) {
	var home seen
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		home.add(r)
		switch r.URL.Path {
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "1", Path: "/"})
			http.SetCookie(w, &http.Cookie{Name: "deep", Value: "2", Path: "/deep"})
			w.Header().Set("Location", "/in")
			w.WriteHeader(302)
		case "/out":
			http.SetCookie(w, &http.Cookie{Name: "sid", Path: "/", MaxAge: -1})
		}
	}))
	defer s.Close()
	ask := func(c *Client, path string) {
		t.Helper()
		if _, err := c.Do(t.Context(), &Request{URL: s.URL + path, Header: http.Header{"Cookie": {"own=0"}}}); err != nil {
			t.Fatal(err)
		}
	}
	got := func() (list []string) {
		for _, r := range home.reqs {
			list = append(list, r.URL.Path+" "+r.Header.Get("Cookie"))
		}
		home.reqs = nil
		return list
	}
	with := newClient(t, Config{Policy: once(), Way: Way{Cookies: true}})
	for _, path := range []string{"/login", "/deep/x", "/out", "/in"} {
		ask(with, path)
	}
	want := []string{"/login own=0", "/in own=0; sid=1", "/deep/x own=0; deep=2; sid=1", "/out own=0; sid=1", "/in own=0"}
	if d := cmp.Diff(want, got()); d != "" {
		t.Error(d)
	}
	without := newClient(t, Config{Policy: once()})
	ask(without, "/login")
	ask(without, "/in")
	other := newClient(t, Config{Policy: once(), Way: Way{Cookies: true}})
	ask(other, "/in")
	if d := cmp.Diff([]string{"/login own=0", "/in own=0", "/in own=0", "/in own=0"}, got()); d != "" {
		t.Error(d)
	}
}

// TestCookiesStayHome: no Domain attribute, no redirect and no way back takes a
// cookie to another scheme, host or port, nor brings one from there.
func TestCookiesStayHome(t *testing.T) {
	ca := newAuthority(t)
	var away, home seen
	var homeURL string
	serveAway := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		away.add(r)
		w.Header().Add("Set-Cookie", "stranger=x; Path=/")
		w.Header().Add("Set-Cookie", "stranger=x; Path=/; Domain=localhost")
		if r.URL.Path == "/back" {
			w.Header().Set("Location", homeURL+"/returned")
			w.WriteHeader(302)
		}
	})
	other := httptest.NewServer(serveAway)
	defer other.Close()
	locked := httptest.NewUnstartedServer(serveAway)
	locked.TLS = ca.named(t, "localhost")
	locked.StartTLS()
	defer locked.Close()
	_, otherPort, _ := net.SplitHostPort(other.Listener.Addr().String())
	_, lockedPort, _ := net.SplitHostPort(locked.Listener.Addr().String())

	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		home.add(r)
		w.Header().Add("Set-Cookie", "sid=s3cret; Path=/")
		w.Header().Add("Set-Cookie", "wide=s3cret; Path=/; Domain=localhost")
		if to := r.URL.Query().Get("to"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(302)
		}
	}))
	defer origin.Close()
	_, port, _ := net.SplitHostPort(origin.Listener.Addr().String())
	homeURL = "http://localhost:" + port
	p := once()
	p.Redirects = RedirectsFollow
	c := newClient(t, Config{Policy: p, Way: Way{Cookies: true, Roots: ca.pool}})
	for _, to := range []string{
		"http://localhost:" + otherPort + "/port", "https://localhost:" + lockedPort + "/scheme",
		"http://127.0.0.1:" + otherPort + "/host", "http://localhost:" + otherPort + "/back",
	} {
		if _, err := c.Do(t.Context(), &Request{URL: homeURL + "/?to=" + to}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Do(t.Context(), &Request{URL: "http://localhost:" + otherPort + "/asked"}); err != nil {
		t.Fatal(err)
	}
	if len(away.reqs) != 5 {
		t.Fatalf("%d requests away", len(away.reqs))
	}
	assertClean(t, &away)
	for i, r := range home.reqs {
		cookie := r.Header.Get("Cookie")
		if strings.Contains(cookie, "stranger") || r.URL.Path == "/returned" && cookie != "" || i > 0 && r.URL.Path == "/" && !strings.Contains(cookie, "sid=s3cret") {
			t.Errorf("home got %s with %q", r.URL, cookie)
		}
	}
}

// TestCookiesAreBounded: a place cannot store with us without an end, and can
// always renew what it stored.
func TestCookiesAreBounded(t *testing.T) {
	n := 0
	var sent []string
	f := script(func(r *http.Request) (*http.Response, error) {
		sent = r.Header["Cookie"]
		res, _ := say(200, "")(r)
		for range 50 {
			res.Header.Add("Set-Cookie", fmt.Sprintf("c%d=x", n))
			n++
		}
		res.Header.Add("Set-Cookie", fmt.Sprintf("c0=renewed%d", n))
		res.Header.Add("Set-Cookie", "big="+strings.Repeat("x", maxCookieBytes))
		return res, nil
	})
	jar := newCookieTransport(idle{f})
	for range 10 {
		r, _ := http.NewRequest("GET", origin, nil)
		if _, err := jar.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
	}
	all := strings.Split(strings.Join(sent, "; "), "; ")
	if len(all) != maxCookies || strings.Contains(sent[0], "big=") || !strings.Contains(sent[0], "c0=renewed450") {
		t.Errorf("%d cookies: %.80q", len(all), sent)
	}
}

// idle makes a transport of our own of any.
type idle struct{ http.RoundTripper }

func (idle) CloseIdleConnections() {}

// TestCredentialsStayOnTheirScheme: between http and https on one host name, to
// another port of it, with every kind of credential.
func TestCredentialsStayOnTheirScheme(t *testing.T) {
	ca := newAuthority(t)
	var away seen
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { away.add(r); io.WriteString(w, "away") })
	https := func() *httptest.Server {
		s := httptest.NewUnstartedServer(handler)
		s.TLS = ca.named(t, "127.0.0.1")
		s.StartTLS()
		t.Cleanup(s.Close)
		return s
	}
	redirecting := func(secure bool, to string, home *seen) string {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			home.add(r)
			w.Header().Set("Set-Cookie", "jar=s3cret; Path=/")
			w.Header().Set("Location", to)
			w.WriteHeader(307)
		}))
		if s.Start(); secure {
			s.Close()
			s = httptest.NewUnstartedServer(s.Config.Handler)
			s.TLS = ca.named(t, "127.0.0.1")
			s.StartTLS()
		}
		t.Cleanup(s.Close)
		return s.URL
	}
	for _, tt := range []struct {
		name   string
		from   bool
		policy RedirectPolicy
	}{
		{"http to https, same-host", false, RedirectsSameHost},
		{"http to https, follow", false, RedirectsFollow},
		{"https to another port, follow", true, RedirectsFollow},
	} {
		t.Run(tt.name, func(t *testing.T) {
			away = seen{}
			var home seen
			url := redirecting(tt.from, https().URL+"/next", &home)
			p := once()
			p.Redirects = tt.policy
			header := secrets.Clone()
			header.Del("Host")
			header.Set("Authorization", "Basic dTpzM2NyZXQ=")
			c := newClient(t, Config{Policy: p, Header: header, Way: Way{Roots: ca.pool, Cookies: true}})
			a, err := c.Do(t.Context(), &Request{URL: url + "/first?key=s3cret"})
			if err != nil || !a.Withheld || len(away.reqs) != 1 {
				t.Fatalf("%v, %d away", err, len(away.reqs))
			}
			assertClean(t, &away)
			if got := home.reqs[0].Header; got.Get("Authorization") == "" || got.Get("Cookie") == "" || got.Get("Proxy-Authorization") != "" {
				t.Errorf("the origin got %v", got)
			}
		})
	}
}

// TestProxyPasswordGoesToTheProxyOnly, at first and after a redirect.
func TestProxyPasswordGoesToTheProxyOnly(t *testing.T) {
	var home, away seen
	b := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { away.add(r) }))
	defer b.Close()
	a := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		home.add(r)
		w.Header().Set("Location", b.URL+"/next")
		w.WriteHeader(302)
	}))
	defer a.Close()
	proxy := &testProxy{password: "u:s3cret"}
	p := once()
	p.Redirects = RedirectsFollow
	c := newClient(t, Config{
		Policy: p, Way: Way{Proxy: strings.Replace(proxy.start(t), "//", "//u:s3cret@", 1)},
		Header: http.Header{"Proxy-Authorization": {"Basic mine"}},
	})
	if _, err := c.Do(t.Context(), &Request{URL: a.URL, Header: http.Header{"Proxy-Authorization": {"Basic mine"}}}); err != nil {
		t.Fatal(err)
	}
	if len(proxy.auth) != 2 || proxy.auth[0] == "" || proxy.auth[0] == "Basic mine" {
		t.Errorf("the proxy got %q", proxy.auth)
	}
	for _, r := range append(home.reqs, away.reqs...) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Errorf("%s got %v", r.Host, r.Header)
		}
	}
	direct := newClient(t, Config{Policy: p, Header: http.Header{"Proxy-Authorization": {"Basic mine"}}})
	home = seen{}
	if _, err := direct.Do(t.Context(), &Request{URL: a.URL}); err != nil {
		t.Fatal(err)
	}
	if got := home.reqs[0].Header.Get("Proxy-Authorization"); got != "" {
		t.Errorf("the origin got %q", got)
	}
}
