package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestThroughProxies asks an origin that no resolver knows, through every kind
// of proxy: only the proxy can have reached it.
func TestThroughProxies(t *testing.T) {
	ca := newAuthority(t)
	var origins seen
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		origins.add(r)
		io.WriteString(w, "{}")
	})
	plain := httptest.NewServer(handler)
	defer plain.Close()
	tlsOrigin := httptest.NewUnstartedServer(handler)
	tlsOrigin.TLS = ca.named(t, "origin.test")
	tlsOrigin.EnableHTTP2 = true
	tlsOrigin.StartTLS()
	defer tlsOrigin.Close()

	for scheme, upstream := range map[string]string{"http": plain.Listener.Addr().String(), "https": tlsOrigin.Listener.Addr().String()} {
		open, locked := &testProxy{upstream: upstream}, &testProxy{upstream: upstream, password: "u:p"}
		over := httptest.NewUnstartedServer(locked)
		over.TLS = ca.named(t, "127.0.0.1")
		over.StartTLS()
		defer over.Close()
		socks := &socksProxy{upstream: upstream}
		socksLocked := &socksProxy{upstream: upstream, user: "u", password: "p"}
		for _, proxy := range []string{
			open.start(t), strings.Replace(locked.start(t), "http://", "http://u:p@", 1), strings.Replace(over.URL, "https://", "https://u:p@", 1),
			"socks5h://" + socks.start(t), "socks5h://u:p@" + socksLocked.start(t),
		} {
			c := newClient(t, Config{Policy: once(), Way: Way{Proxy: proxy, Roots: ca.pool}})
			for range 2 {
				a, err := c.Do(t.Context(), &Request{URL: scheme + "://origin.test/x", Mode: ModeJSON})
				if err != nil {
					t.Fatalf("%s through %s: %v", scheme, proxy, err)
				}
				if (a.TLS != nil) != (scheme == "https") {
					t.Errorf("%s through %s: TLS %+v", scheme, proxy, a.TLS)
				}
				if scheme == "https" && a.TLS.Protocol != "h2" {
					t.Errorf("through %s: %q", proxy, a.TLS.Protocol)
				}
			}
		}
		if len(socks.asked) != 1 || socks.asked[0] != "origin.test" {
			t.Errorf("socks5h asked for %q", socks.asked)
		}
		if len(locked.asked) == 0 || len(open.asked) == 0 {
			t.Error("a proxy was not asked")
		}
	}
	for _, r := range origins.reqs {
		if r.Header.Get("Proxy-Authorization") != "" || r.Header.Get("Proxy-Connection") != "" {
			t.Errorf("the origin got %v", r.Header)
		}
	}
}

// TestProxyIsOurSide: whatever a proxy fails at is not the origin's fault, and
// what it says about the origin is not ours.
func TestProxyIsOurSide(t *testing.T) {
	denied := &testProxy{refuse: 403}
	squid := &testProxy{refuse: 403, header: http.Header{"X-Squid-Error": {"ERR_ACCESS_DENIED 0"}}}
	tiny := &testProxy{refuse: 403, header: http.Header{"Server": {"tinyproxy/1.11.1"}}}
	tinyLocked := &testProxy{refuse: 401, header: tiny.header}
	tinyCut := &testProxy{refuse: 500, header: tiny.header}
	status := &testProxy{refuse: 503, header: http.Header{"Proxy-Status": {`proxy.test; error=http_request_denied; details="x"`}}}
	locked := &testProxy{password: "u:p"}
	dead := &testProxy{upstream: strings.TrimPrefix(refusing(t), "http://")}
	socksLocked := &socksProxy{user: "u", password: "p"}
	with := func(reply byte) string { return "socks5h://" + (&socksProxy{reply: reply}).start(t) }
	wrong := func(url string) string { return strings.Replace(url, "//", "//u:wrong@", 1) }
	hung := silent(t)
	waiting := &testProxy{waits: true}
	ca := newAuthority(t)
	over := httptest.NewUnstartedServer(waiting)
	over.TLS = ca.named(t, "127.0.0.1")
	over.StartTLS()
	defer over.Close()
	const http1, https1 = "http://origin.test/", "https://origin.test/"
	for _, tt := range []struct {
		name, proxy, url string
		kind             Kind
		detail           Detail
		cause            Cause
		status           int
	}{
		{"unreachable", refusing(t), http1, Network, TCPRefused, CauseProxy, 0},
		{"unreachable tunnel", refusing(t), https1, Network, TCPRefused, CauseProxy, 0},
		{"unreachable socks5", "socks5h" + refusing(t)[4:], http1, Network, TCPRefused, CauseProxy, 0},
		{"unreachable socks5 tunnel", "socks5h" + refusing(t)[4:], https1, Network, TCPRefused, CauseProxy, 0},
		{"unknown proxy", "http://proxy.invalid.:3128", https1, Network, DNSNXDomain, CauseProxy, 0},
		{"unauthorised", locked.start(t), http1, HTTP4xx, "", CauseProxy, 407},
		{"unauthorised tunnel", locked.start(t), https1, Network, "", CauseProxy, 0},
		{"wrong password", wrong(locked.start(t)), http1, HTTP4xx, "", CauseProxy, 407},
		{"wrong password for a tunnel", wrong(locked.start(t)), https1, Network, "", CauseProxy, 0},
		{"no password for socks5", "socks5h://" + socksLocked.start(t), http1, Network, "", CauseProxy, 0},
		{"wrong password for socks5", "socks5h://u:wrong@" + socksLocked.start(t), https1, Network, "", CauseProxy, 0},
		{"refused tunnel", denied.start(t), https1, Network, "", CauseProxy, 0},
		{"refused by squid", squid.start(t), http1, HTTP4xx, "", CauseProxy, 403},
		{"refused by tinyproxy", tiny.start(t), http1, HTTP4xx, "", CauseProxy, 403},
		{"wrong password for tinyproxy", tinyLocked.start(t), http1, HTTP4xx, "", CauseProxy, 401},
		{"refused by RFC 9209", status.start(t), http1, HTTP5xx, "", CauseProxy, 503},
		{"refused by socks5's rules", with(2), http1, Network, "", CauseProxy, 0},
		{"socks5 is broken", with(1), https1, Network, "", CauseProxy, 0},
		{"no proxy of http", "http://" + parrot(t, "SSH-2.0\r\n"), https1, Network, "", CauseProxy, 0},
		{"no socks", "socks5h://" + parrot(t, "HTTP/1.1 400 no\r\n\r\n"), http1, Network, "", CauseProxy, 0},
		{"closed in the tunnel's answer", "http://" + parrot(t, ""), https1, Network, ConnectionClosed, CauseProxy, 0},
		{"not tls", "https://" + parrot(t, "HTTP/1.1 400 no\r\n\r\n"), https1, Network, TLSNotTLS, CauseProxy, 0},
		{"hanging https proxy", "https://" + hung, http1, Timeout, TCPTimeout, CauseProxy, 0},
		{"hanging https proxy of a tunnel", "https://" + hung, https1, Timeout, TCPTimeout, CauseProxy, 0},
		{"hanging in CONNECT", "http://" + hung, https1, Timeout, TCPTimeout, CauseProxy, 0},
		{"hanging with a plain request", "http://" + hung, http1, Timeout, HeaderTimeout, CauseProxy, 0},
		{"an answer to CONNECT that is cut", "http://" + parrot(t, "HTTP/1.1 200 O"), https1, Network, ConnectionClosed, CauseProxy, 0},
		{"an answer to CONNECT without an end", "http://" + parrot(t, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 2<<20)), https1, Network, ConnectionClosed, CauseProxy, 0},
		{"an answer before the tunnel is used", "http://" + parrot(t, "HTTP/1.1 200 OK\r\n\r\nSSH-2.0"), https1, Network, "", CauseProxy, 0},
		{"hanging socks5", "socks5h://" + (&socksProxy{mute: true}).start(t), https1, Timeout, TCPTimeout, CauseProxy, 0},

		{"a 403 that nobody signed may be the origin's", denied.start(t), http1, HTTP4xx, "", "", 403},
		{"a tunnel of tinyproxy to an origin that is dead", tinyCut.start(t), https1, Network, ProxyUpstream, "", 0},
		{"the origin is dead", dead.start(t), http1, HTTP5xx, "", "", 502},
		{"the tunnel's origin is dead", dead.start(t), https1, Network, ProxyUpstream, "", 0},
		{"socks5: refused by the origin", with(5), http1, Network, TCPRefused, "", 0},
		{"socks5: unreachable origin", with(4), https1, Network, TCPUnreachable, "", 0},
		{"the proxy waits for the tunnel's origin", waiting.start(t), https1, Timeout, TCPTimeout, "", 0},
		{"the proxy waits for the origin", waiting.start(t), http1, Timeout, HeaderTimeout, "", 0},
		{"an https proxy waits for the tunnel's origin", "https" + over.URL[5:], https1, Timeout, TCPTimeout, "", 0},
		{"socks5 waits for the origin", "socks5h://" + (&socksProxy{waits: true}).start(t), https1, Timeout, TCPTimeout, "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := once()
			if tt.kind == Timeout {
				p.Timeout = 300 * time.Millisecond
			}
			c := newClient(t, Config{Policy: p, Way: Way{Proxy: tt.proxy, Roots: ca.pool}, Resolver: nameserver(t, 3)})
			_, err := c.Do(t.Context(), &Request{URL: tt.url})
			if e := failed(t, err); e.Kind != tt.kind || e.Detail != tt.detail || e.Cause != tt.cause || e.Status != tt.status {
				t.Errorf("got %s/%s cause %q status %d: %v", e.Kind, e.Detail, e.Cause, e.Status, e.Err)
			}
		})
	}
}

// TestAProxyIsAskedInTime: how long a silent proxy is not asked whether it is
// there depends on the attempt, which may have less time than the client's
// policy gives.
func TestAProxyIsAskedInTime(t *testing.T) {
	waiting := (&testProxy{waits: true}).start(t)
	brief, poor, long := once(), once(), once()
	brief.Timeout, poor.Budget = 400*time.Millisecond, 400*time.Millisecond
	c := newClient(t, Config{Policy: long, Way: Way{Proxy: waiting}, Resolver: nameserver(t, 3)})
	for _, tt := range []struct {
		name   string
		policy *Policy
		mode   Mode
		url    string
	}{
		{"a timeout of the request's own", &brief, ModeText, "http://origin.test/"},
		{"a timeout of the request's own, in a tunnel", &brief, ModeText, "https://origin.test/"},
		{"a timeout of the request's own, in response mode", &brief, ModeResponse, "http://origin.test/"},
		{"what is left of the budget", &poor, ModeText, "http://origin.test/"},
		{"what is left of the budget, in a tunnel", &poor, ModeText, "https://origin.test/"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := c.Do(t.Context(), &Request{URL: tt.url, Mode: tt.mode, Policy: tt.policy})
			if e := failed(t, err); e.Kind != Timeout || e.Cause != "" {
				t.Errorf("got %s/%s cause %q: %v", e.Kind, e.Detail, e.Cause, e.Err)
			}
		})
	}
}

// TestSOCKS5LooksUpHere: the name goes to our resolver, the address to the
// proxy; and a name that does not exist is not the proxy's fault.
func TestSOCKS5LooksUpHere(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "ok") }))
	defer s.Close()
	p := &socksProxy{upstream: s.Listener.Addr().String()}
	proxy := "socks5://" + p.start(t)
	zone := &zone{a: []string{"192.0.2.7"}}
	a, err := newClient(t, Config{Policy: once(), Way: Way{Proxy: proxy, DNS: zone.start(t)}}).Do(t.Context(), &Request{URL: "http://origin.test/"})
	if err != nil || string(a.Body) != "ok" {
		t.Fatal(err)
	}
	if len(p.asked) != 1 || p.asked[0] != "192.0.2.7" {
		t.Errorf("asked for %q", p.asked)
	}
	_, err = newClient(t, Config{Policy: once(), Way: Way{Proxy: proxy}, Resolver: nameserver(t, 3)}).Do(t.Context(), &Request{URL: "http://origin.test/"})
	if e := failed(t, err); e.Detail != DNSNXDomain || e.Cause != "" {
		t.Errorf("got %s cause %q", e.Detail, e.Cause)
	}
}

// TestEnvironmentProxy: the environment's rules are the environment's; a
// declared proxy, or none, stands above them.
func TestEnvironmentProxy(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "direct") }))
	defer s.Close()
	via := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "proxied") }))
	defer via.Close()
	socks := &socksProxy{upstream: via.Listener.Addr().String()}
	socksAt := "socks5h://" + socks.start(t)
	for _, tt := range []struct {
		name  string
		env   map[string]string
		proxy string
		url   string
		want  string
	}{
		{"none", nil, "", s.URL, "direct"},
		{"localhost is exempt", map[string]string{"HTTP_PROXY": via.URL}, "", s.URL, "direct"},
		{"others are not", map[string]string{"HTTP_PROXY": via.URL}, "", "http://origin.test/", "proxied"},
		{"lower case", map[string]string{"http_proxy": via.URL}, "", "http://origin.test/", "proxied"},
		{"a socks5 one", map[string]string{"HTTP_PROXY": socksAt}, "", "http://origin.test/", "proxied"},
		{"declared, and used for localhost", nil, via.URL, s.URL, "proxied"},
		{"declared above the environment", map[string]string{"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "*"}, via.URL, "http://origin.test/", "proxied"},
		{"none, declared", map[string]string{"HTTP_PROXY": "http://127.0.0.1:1"}, "none", s.URL, "direct"},
		{"under CGI", map[string]string{"REQUEST_METHOD": "GET", "HTTP_PROXY": "http://127.0.0.1:1"}, "", s.URL, "direct"},
		{"under CGI, from no header", map[string]string{"REQUEST_METHOD": "GET", "HTTP_PROXY": "http://127.0.0.1:1", "http_proxy": via.URL}, "", "http://origin.test/", "proxied"},
		{"under CGI, declared", map[string]string{"REQUEST_METHOD": "GET"}, via.URL, "http://origin.test/", "proxied"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
				t.Setenv(name, tt.env[name])
			}
			a, err := newClient(t, Config{Policy: once(), Way: Way{Proxy: tt.proxy}}).Do(t.Context(), &Request{URL: tt.url})
			if err != nil || string(a.Body) != tt.want {
				t.Errorf("%v, %+v", err, a)
			}
		})
	}
}

// TestNoProxyOfTheEnvironment: what cannot be read as one, or spoken to, is
// never passed over, or what was meant for it would go out directly.
func TestNoProxyOfTheEnvironment(t *testing.T) {
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer s.Close()
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	direct := func(ctx context.Context, network, addr string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, "127.0.0.1:"+port)
	}
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
	}
	for _, proxy := range []string{"ftp://127.0.0.1:1", "http://bob:s3cret%zz@127.0.0.1:1", "http://127.0.0.1:1\n", " ", "http://[::1", "://"} {
		t.Setenv("HTTP_PROXY", proxy)
		way := Way{}
		_, err := newClient(t, Config{Policy: once(), DialContext: direct}).Do(t.Context(), &Request{URL: "http://origin.test/"})
		if e := failed(t, err); e.Cause != CauseProxy || strings.Contains(err.Error(), "s3cret") || asked.Load() > 0 {
			t.Errorf("%q: %v, %d requests went out", proxy, err, asked.Load())
		}
		if _, err := way.ProxyFor(&url.URL{Scheme: "https", Host: "origin.test"}); err != nil {
			t.Errorf("%q is of http alone: %v", proxy, err)
		}
		t.Setenv("NO_PROXY", "origin.test")
		if _, err := newClient(t, Config{Policy: once(), DialContext: direct}).Do(t.Context(), &Request{URL: "http://origin.test/"}); err != nil {
			t.Errorf("%q, with NO_PROXY: %v", proxy, err)
		}
		t.Setenv("NO_PROXY", "")
		asked.Store(0)
	}
}
