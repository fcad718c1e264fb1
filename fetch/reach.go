package fetch

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// reachTimeout bounds the whole of one Reachable.
const reachTimeout = 5 * time.Second

// Reachable asks a control target whether this machine can reach anything at
// all: nil means that it answered. A host:port answers when it accepts a TCP
// connection (dialled through a SOCKS proxy where the way has one, but not
// through an HTTP one); an http or https URL when any HTTP status comes back,
// redirects included, other than the proxy's own refusal. It takes five seconds
// at most, and less when ctx ends earlier.
func Reachable(ctx context.Context, target string, way Way) error {
	if err := way.Check(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, reachTimeout, ErrTimeout)
	defer cancel()
	if strings.Contains(target, "://") {
		return reachURL(ctx, target, way)
	}
	if err := checkHostPort(target); err != nil {
		return err
	}
	c, err := tcpDial(way)(ctx, "tcp", target)
	if err != nil {
		return causedBy(ctx, err)
	}
	return c.Close()
}

// CheckTarget says whether Reachable can ask this target, or nil.
func CheckTarget(target string) error {
	if strings.Contains(target, "://") {
		_, err := parseURL(target)
		return err
	}
	return checkHostPort(target)
}

// tcpDial dials as a way does, but for HTTP proxies.
func tcpDial(way Way) dialFunc {
	cfg := Config{Way: way}
	if u, _ := way.proxy(); u != nil {
		if p := newProxyDialer(cfg, u); p.socks() {
			return p.dial
		}
	}
	return dialing(cfg)
}

func checkHostPort(target string) error {
	host, port, err := net.SplitHostPort(target)
	if err != nil || host == "" || port == "" || !validPort(port) {
		return fmt.Errorf("%w: the target is neither host:port nor a URL", ErrInvalidRequest)
	}
	return nil
}

// reachURL asks with HEAD, and with GET where that got no answer: some servers
// drop what they do not know.
func reachURL(ctx context.Context, target string, way Way) error {
	u, err := parseURL(target)
	if err != nil {
		return err
	}
	way.Cookies = false
	t := newTransport(Config{Way: way})
	defer t.CloseIdleConnections()
	if err = reachOnce(ctx, t, http.MethodHead, u); err != nil && ctx.Err() == nil {
		err = reachOnce(ctx, t, http.MethodGet, u)
	}
	return causedBy(ctx, err)
}

func reachOnce(ctx context.Context, t http.RoundTripper, method string, u *url.URL) error {
	r := (&http.Request{Method: method, URL: u, Host: u.Host, Header: http.Header{"User-Agent": {DefaultUserAgent}}}).WithContext(ctx)
	res, err := t.RoundTrip(r)
	if err != nil {
		return err
	}
	res.Body.Close()
	if res.StatusCode == http.StatusProxyAuthRequired {
		return &ProxyError{Status: res.StatusCode}
	}
	return nil
}

// causedBy says why ctx ended where that is why err came.
func causedBy(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
