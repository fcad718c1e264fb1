package fetch

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"time"
)

// maxHeaderBytes bounds the header of an answer. The error by which net/http
// refuses one has no type that would tell it from what is no HTTP, so that it is
// let take more: over HTTP/2 nothing else tells.
const (
	maxHeaderBytes = 1 << 20
	mostHeader     = 4 * maxHeaderBytes
)

// dialLimit bounds the opening of one connection. An attempt has its own, and
// smaller, clock; net/http lets what it began go on behind it.
const dialLimit = 2 * time.Minute

// idleCloser is a transport of our own.
type idleCloser interface {
	http.RoundTripper
	CloseIdleConnections()
}

// newTransport builds a client's own transport. It has no clocks: the
// attempt's context bounds every phase.
func newTransport(cfg Config) idleCloser {
	t := routed(cfg)
	if cfg.Way.Cookies {
		return newCookieTransport(t)
	}
	return t
}

// routed chooses between the declared proxy, no proxy, and the environment's,
// which can differ from one URL to the next.
func routed(cfg Config) idleCloser {
	proxy, err := cfg.Way.proxy()
	switch {
	case err != nil:
		return impassable{&ProxyError{Err: err}}
	case proxy != nil || cfg.Way.Proxy == noProxy:
		return outlet(cfg, proxy)
	}
	if choose := environment(); choose != nil {
		return newRouter(cfg, choose)
	}
	return outlet(cfg, nil)
}

// outlet is the transport of one way out: through a proxy, or directly where
// there is none. Compression is asked for and undone by this package, because
// net/http hides whether it did.
func outlet(cfg Config, proxy *url.URL) idleCloser {
	idle := cfg.Policy.MaxInFlight
	if idle <= 0 {
		idle = 64
	}
	t := &http.Transport{
		DialContext:            underWatch(dialing(cfg)),
		TLSClientConfig:        cfg.originTLS(),
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idle,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: mostHeader,
	}
	if on := cfg.Way.HTTP2; on != nil && !*on {
		t.Protocols = new(http.Protocols)
		t.Protocols.SetHTTP1(true)
	}
	if proxy == nil {
		return t
	}
	through := newProxyDialer(cfg, proxy)
	t.DialContext = underWatch(through.dial)
	if through.socks() {
		return t
	}
	t.Proxy = through.forPlain
	return &proxied{t, through}
}

// dialing gives what opens connections to the place next to us: the origin, or
// the proxy.
func dialing(cfg Config) dialFunc {
	if cfg.DialContext != nil {
		return cfg.DialContext
	}
	return newDialer(cfg.Resolver, cfg.Way).dial
}

// originTLS is what is asked of origins.
func (cfg Config) originTLS() *tls.Config {
	c := &tls.Config{}
	if cfg.TLS != nil {
		c = cfg.TLS.Clone()
	}
	c.MinVersion = max(c.MinVersion, cfg.Way.MinTLS, tls.VersionTLS12)
	if cfg.Way.Roots != nil {
		c.RootCAs = cfg.Way.Roots
	}
	if cert := cfg.Way.ClientCert; cert != nil {
		// Shown whatever authorities the server names: whether it takes it is
		// the server's to say.
		c.GetClientCertificate = func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return cert, nil }
	}
	return c
}

// impassable is the transport of a way that cannot be gone.
type impassable struct{ err error }

// RoundTrip gives the reason.
func (i impassable) RoundTrip(*http.Request) (*http.Response, error) { return nil, i.err }

// CloseIdleConnections has nothing to close.
func (i impassable) CloseIdleConnections() {}
