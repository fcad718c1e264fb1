package fetch

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/net/http/httpproxy"
)

// UnderCGI reports whether the environment is that of a CGI program (RFC 3875),
// parts of which a stranger has written.
func UnderCGI() bool { return os.Getenv("REQUEST_METHOD") != "" }

// Unbelieved reports whether a request to u would go through the proxy that
// HTTP_PROXY names, were it not for REQUEST_METHOD: under CGI that variable is
// what the Proxy header of a stranger's request said.
func (w Way) Unbelieved(u *url.URL) bool {
	c := httpproxy.FromEnvironment()
	if !c.CGI || c.HTTPProxy == "" || w.Proxy != "" {
		return false
	}
	c.CGI, c.HTTPSProxy = false, ""
	would, err := c.ProxyFunc()(u)
	if err != nil || would == nil {
		return false
	}
	believed, err := w.ProxyFor(u)
	return err == nil && believed == nil
}

// environment reads which proxy the environment names for a URL; nil when it
// names none at all. Under CGI (REQUEST_METHOD is set) HTTP_PROXY is what a
// stranger's header said, and only the lower-case spelling, which no header
// becomes, is believed.
func environment() func(*url.URL) (*url.URL, error) {
	c := httpproxy.FromEnvironment()
	if c.CGI {
		c.CGI, c.HTTPProxy = false, ""
		if runtime.GOOS != "windows" { // there both spellings are one
			c.HTTPProxy = os.Getenv("http_proxy")
		}
	}
	if c.HTTPProxy == "" && c.HTTPSProxy == "" {
		return nil
	}
	c.HTTPProxy, c.HTTPSProxy = readable(c.HTTPProxy), readable(c.HTTPSProxy)
	choose := c.ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		proxy, err := choose(u)
		if err == nil && proxy != nil && proxySchemes[proxy.Scheme] == "" {
			return nil, fmt.Errorf("%w: the environment's proxy is not a URL of http, https, socks5 or socks5h", ErrInvalidWay)
		}
		return proxy, err
	}
}

// readable is an address that httpproxy can read. What it cannot, it passes over
// in silence, and what was meant for a proxy would go out directly; in its place
// stands one of a scheme that no proxy has.
func readable(proxy string) string {
	address := proxy
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	if _, err := url.Parse(address); err != nil && proxy != "" {
		return "unreadable://proxy"
	}
	return proxy
}

// router sends each request through the proxy that the environment names for
// its URL. It keeps one transport for each proxy, three at most.
type router struct {
	cfg    Config
	choose func(*url.URL) (*url.URL, error)

	mu  sync.Mutex
	out map[string]idleCloser // by the proxy's URL, "" for none
}

func newRouter(cfg Config, choose func(*url.URL) (*url.URL, error)) *router {
	return &router{cfg: cfg, choose: choose, out: map[string]idleCloser{}}
}

// RoundTrip sends r on its way.
func (r *router) RoundTrip(req *http.Request) (*http.Response, error) {
	proxy, err := r.choose(req.URL)
	if err != nil {
		return nil, &ProxyError{Err: err}
	}
	return r.through(proxy).RoundTrip(req)
}

func (r *router) through(proxy *url.URL) idleCloser {
	key := ""
	if proxy != nil {
		key = proxy.String()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	t, ok := r.out[key]
	if !ok {
		t = outlet(r.cfg, proxy)
		r.out[key] = t
	}
	return t
}

// CloseIdleConnections closes those of every way.
func (r *router) CloseIdleConnections() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, t := range r.out {
		t.CloseIdleConnections()
	}
}
