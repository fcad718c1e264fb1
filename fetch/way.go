package fetch

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
)

// Way is the way out to an origin. The zero value is what Go does by itself:
// the system's roots and resolver, the environment's proxies, TLS 1.2 and
// above, HTTP/2 where a server offers it, no cookies. Nothing in it, and
// nothing anywhere in this package, turns the verification of certificates off.
type Way struct {
	// Roots are what a server's certificate has to lead to, instead of the
	// system's; an https proxy has to lead there, too. See LoadCA.
	Roots *x509.CertPool
	// ClientCert is shown to an origin that asks for one, never to a proxy. See
	// LoadClientCert.
	ClientCert *tls.Certificate
	// MinTLS is tls.VersionTLS12 or tls.VersionTLS13; 0 means TLS 1.2.
	MinTLS uint16
	// Proxy is an http, https, socks5 or socks5h URL, with the proxy's
	// credentials as its userinfo. It is used for every request, those to
	// localhost included. With socks5 names are looked up here, with socks5h by
	// the proxy. "" means the environment's proxies under the environment's
	// rules (HTTP_PROXY, HTTPS_PROXY, NO_PROXY; localhost is exempt); "none"
	// means no proxy at all.
	Proxy string
	// Cookies keeps what an origin sets, as long as the Client lives. A cookie
	// goes back only to the scheme, host and port that set it, whatever its
	// Domain says, and neither comes from nor goes to a place that a redirect
	// led away to.
	Cookies bool
	// HTTP2 false speaks HTTP/1.1 only; nil and true offer HTTP/2 over TLS.
	HTTP2 *bool
	// IP is the family that is tried first: 4, 6, or 0 for the system's order.
	// It is a preference: when the family has no address, no route or no answer
	// within 300 ms, the other one is tried, too.
	IP int
	// DNS is the host:port of a name server that is asked, over UDP or TCP,
	// instead of the system's. The hosts file still comes first; search domains
	// are not used.
	DNS string
}

// noProxy is the Way.Proxy that goes out directly.
const noProxy = "none"

// ErrInvalidWay is wrapped by every error about a Way that cannot be gone.
var ErrInvalidWay = errors.New("invalid way out")

// Check says what is wrong with the way, or nil. Nothing is dialled. It repeats
// no part of the proxy's URL, which may hold a password.
func (w Way) Check() error {
	if w.MinTLS != 0 && w.MinTLS != tls.VersionTLS12 && w.MinTLS != tls.VersionTLS13 {
		return fmt.Errorf("%w: the minimum TLS version is neither 1.2 nor 1.3", ErrInvalidWay)
	}
	if w.IP != 0 && w.IP != 4 && w.IP != 6 {
		return fmt.Errorf("%w: the preferred IP version is neither 4 nor 6", ErrInvalidWay)
	}
	if _, err := w.proxy(); err != nil {
		return err
	}
	if w.DNS == "" {
		return nil
	}
	host, port, err := net.SplitHostPort(w.DNS)
	if err != nil || host == "" || port == "" || !validPort(port) {
		return fmt.Errorf("%w: the name server is not host:port", ErrInvalidWay)
	}
	return nil
}

// proxySchemes are the proxies that can be spoken to, with their default ports.
var proxySchemes = map[string]string{"http": "80", "https": "443", "socks5": "1080", "socks5h": "1080"}

// proxy parses the declared proxy; nil means none is declared.
func (w Way) proxy() (*url.URL, error) {
	if w.Proxy == "" || w.Proxy == noProxy {
		return nil, nil
	}
	u, err := url.Parse(w.Proxy)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the proxy is not a URL", ErrInvalidWay)
	case proxySchemes[u.Scheme] == "":
		return nil, fmt.Errorf("%w: the proxy's scheme is not http, https, socks5 or socks5h", ErrInvalidWay)
	case u.Hostname() == "" || !validPort(u.Port()):
		return nil, fmt.Errorf("%w: the proxy has no host, or no valid port", ErrInvalidWay)
	case u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("%w: the proxy's URL has more than a scheme, a host and a port", ErrInvalidWay)
	}
	return u, nil
}

// ProxyFor is the proxy that a request to u goes through: the declared one, else
// what the environment names for u; nil for none.
func (w Way) ProxyFor(u *url.URL) (*url.URL, error) {
	declared, err := w.proxy()
	if declared != nil || err != nil || w.Proxy == noProxy {
		return declared, err
	}
	choose := environment()
	if choose == nil {
		return nil, nil
	}
	return choose(u)
}
