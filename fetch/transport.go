package fetch

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// maxHeaderBytes bounds the header of an answer.
const maxHeaderBytes = 1 << 20

// ProxyError is a proxy that refused, or a proxy setting that cannot be used.
// It is our own side's failure, not the origin's.
type ProxyError struct {
	Status int   // what the proxy answered to CONNECT (RFC 9110 §9.3.6), or 0
	Err    error // nil with a Status
}

// Error says what the proxy did.
func (e *ProxyError) Error() string {
	if e.Err != nil {
		return "proxy: " + e.Err.Error()
	}
	return "proxy: CONNECT answered with status " + strconv.Itoa(e.Status)
}

// Unwrap gives the underlying error.
func (e *ProxyError) Unwrap() error { return e.Err }

// newTransport builds a transport without clocks of its own: the attempt's
// context bounds every phase. Compression is asked for and undone by this
// package, because net/http hides whether it did.
func newTransport(cfg Config) *http.Transport {
	dial := cfg.DialContext
	if dial == nil {
		dial = newDialer(cfg.Resolver).dial
	}
	idle := cfg.Policy.MaxInFlight
	if idle <= 0 {
		idle = 64
	}
	t := &http.Transport{
		Proxy:                  environmentProxy,
		DialContext:            dial,
		ForceAttemptHTTP2:      true,
		DisableCompression:     true,
		MaxIdleConnsPerHost:    idle,
		IdleConnTimeout:        90 * time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes,
		OnProxyConnectResponse: func(_ context.Context, _ *url.URL, _ *http.Request, res *http.Response) error {
			if res.StatusCode == http.StatusOK {
				return nil
			}
			return &ProxyError{Status: res.StatusCode}
		},
	}
	if cfg.TLS != nil {
		t.TLSClientConfig = cfg.TLS.Clone()
	}
	return t
}

func environmentProxy(r *http.Request) (*url.URL, error) {
	u, err := http.ProxyFromEnvironment(r)
	if err != nil {
		return nil, &ProxyError{Err: err}
	}
	return u, nil
}
