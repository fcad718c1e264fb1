package fetch

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ProxyError is a proxy that could not be reached, that refused, or a proxy
// setting that cannot be used: our own side's failure, not the origin's. With
// Upstream it is the other way round: the proxy did its part and says that it
// could not reach the origin.
type ProxyError struct {
	Status   int    // what the proxy answered to CONNECT (RFC 9110 §9.3.6), or 0
	Reply    byte   // what a SOCKS proxy answered (RFC 1928 §6), or 0
	Upstream bool   // the origin is what failed
	Detail   Detail // how, with Upstream
	Err      error  // nil with a Status or a Reply
}

// Error says what the proxy did.
func (e *ProxyError) Error() string {
	switch {
	case e.Err != nil:
		return "proxy: " + e.Err.Error()
	case e.Reply != 0:
		return fmt.Sprintf("proxy: SOCKS reply %d", e.Reply)
	}
	return fmt.Sprintf("proxy: CONNECT answered with status %d", e.Status)
}

// Unwrap gives the underlying error.
func (e *ProxyError) Unwrap() error { return e.Err }

// proxyDialer opens connections through one proxy. net/http could do so
// itself, but it has no types for what goes wrong then, and would show an
// origin's client certificate to the proxy.
type proxyDialer struct {
	proxy *url.URL
	addr  string // of the proxy, host:port
	direct
	tls    *tls.Config // to the proxy itself
	header http.Header // of CONNECT
}

// direct is what a proxyDialer has to do by itself.
type direct struct {
	open    dialFunc
	resolve func(ctx context.Context, host string) ([]string, error) // for socks5
}

func newProxyDialer(cfg Config, proxy *url.URL) *proxyDialer {
	p := &proxyDialer{proxy: proxy, addr: proxyAddr(proxy), direct: direct{open: dialing(cfg)}}
	d := newDialer(cfg.Resolver, cfg.Way)
	p.resolve = func(ctx context.Context, host string) ([]string, error) {
		found, err := d.resolve(ctx, host)
		list := make([]string, len(found))
		for i, a := range found {
			list[i] = a.String()
		}
		return list, err
	}
	p.tls = &tls.Config{ServerName: proxy.Hostname(), RootCAs: cfg.Way.Roots, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	agent := cfg.UserAgent
	if agent == "" {
		agent = DefaultUserAgent
	}
	p.header = http.Header{"User-Agent": {agent}}
	if u := proxy.User; u != nil {
		password, _ := u.Password()
		p.header["Proxy-Authorization"] = []string{"Basic " + base64.StdEncoding.EncodeToString([]byte(u.Username()+":"+password))}
	}
	return p
}

func proxyAddr(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = proxySchemes[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

func (p *proxyDialer) socks() bool { return strings.HasPrefix(p.proxy.Scheme, "socks5") }

// forPlain is http.Transport.Proxy: plain requests are handed to the proxy
// itself. The scheme is always http, because dial has put TLS beneath where
// the proxy wants it.
func (p *proxyDialer) forPlain(r *http.Request) (*url.URL, error) {
	if r.URL.Scheme != "http" {
		return nil, nil
	}
	return &url.URL{Scheme: "http", Host: p.addr, User: p.proxy.User}, nil
}

// dial gives a connection to addr: to the proxy itself for plain requests, and
// a tunnel through it for everything else. Until it has one, the proxy is what
// is waited for, unless it has shown that it waits for the origin itself.
func (p *proxyDialer) dial(ctx context.Context, _, addr string) (c net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	tracker := trackerOf(ctx)
	switch {
	case p.socks():
		c, err = p.throughSOCKS(ctx, tracker, addr)
	case addr == p.addr:
		c, err = p.reach(ctx, tracker)
	default:
		c, err = p.tunnel(ctx, tracker, addr)
	}
	if err == nil {
		tracker.proxying(false)
	}
	return c, err
}

// tunnel connects to addr through an HTTP proxy.
func (p *proxyDialer) tunnel(ctx context.Context, tracker *tracker, addr string) (net.Conn, error) {
	c, err := p.reach(ctx, tracker)
	if err != nil {
		return nil, err
	}
	defer p.watch(tracker, func() { tracker.proxying(false) })()
	if err := during(ctx, c, func() error { return p.connect(c, addr) }); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// reach connects to the proxy, with TLS where it is an https one.
func (p *proxyDialer) reach(ctx context.Context, tracker *tracker) (net.Conn, error) {
	tracker.proxying(true)
	c, err := p.open(ctx, "tcp", p.addr)
	if err != nil {
		return nil, &ProxyError{Err: err}
	}
	if p.proxy.Scheme != "https" {
		return c, nil
	}
	secure := tls.Client(c, p.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, &ProxyError{Err: err}
	}
	return secure, nil
}

// during runs a conversation on c that the end of ctx cuts short.
func during(ctx context.Context, c net.Conn, talk func() error) error {
	stop := context.AfterFunc(ctx, func() { c.SetDeadline(time.Unix(1, 0)) })
	err := talk()
	if !stop() {
		return context.Cause(ctx)
	}
	return err
}

// gateways are the answers to CONNECT with which a proxy says that it could not
// reach the origin (RFC 9110 §15.6.3 to §15.6.5).
var gateways = map[int]bool{
	http.StatusBadGateway: true, http.StatusServiceUnavailable: true, http.StatusGatewayTimeout: true,
}

// connect asks for a tunnel (RFC 9110 §9.3.6).
func (p *proxyDialer) connect(c net.Conn, addr string) error {
	r := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: addr}, Host: addr, Header: p.header}
	if err := r.Write(c); err != nil {
		return &ProxyError{Err: err}
	}
	br := bufio.NewReader(io.LimitReader(c, maxHeaderBytes))
	res, err := http.ReadResponse(br, r)
	if err != nil {
		return &ProxyError{Err: err}
	}
	switch {
	case res.StatusCode/100 == 2 && br.Buffered() == 0: // the origin does not speak first
		return nil
	case res.StatusCode/100 == 2:
		return &ProxyError{Err: errors.New("data came before the tunnel was used")}
	case gateways[res.StatusCode], res.StatusCode == http.StatusInternalServerError && fromTinyproxy(res):
		return &ProxyError{Status: res.StatusCode, Upstream: true, Detail: ProxyUpstream}
	}
	return &ProxyError{Status: res.StatusCode}
}

// squidRefusals are the errors of Squid, in X-Squid-Error, that say no by a
// rule of its own.
var squidRefusals = []string{"ERR_ACCESS_DENIED", "ERR_CACHE_ACCESS_DENIED", "ERR_FORWARDING_DENIED", "ERR_TOO_BIG"}

// rfc9209Refusals are the values of Proxy-Status's error parameter (RFC 9209
// §2.3) that say the same.
var rfc9209Refusals = []string{"http_request_denied", "proxy_loop_detected", "proxy_configuration_error", "proxy_internal_error"}

// refusedByProxy reports an answer in which the proxy itself declines, by what
// proxies add to such an answer and to no other. A 403 without any of it may be
// the origin's, and is taken for that.
func refusedByProxy(res *http.Response) bool {
	switch {
	case res.StatusCode < 400:
		return false
	case res.StatusCode == http.StatusProxyAuthRequired:
		return true
	}
	code, _, _ := strings.Cut(res.Header.Get("X-Squid-Error"), " ")
	if slices.Contains(squidRefusals, code) {
		return true
	}
	for _, line := range res.Header.Values("Proxy-Status") {
		for part := range strings.SplitSeq(line, ";") {
			name, value, _ := strings.Cut(trimOWS(part), "=")
			if name == "error" && slices.Contains(rfc9209Refusals, value) {
				return true
			}
		}
	}
	return tinyproxyRefusals[res.StatusCode] && fromTinyproxy(res)
}

// tinyproxyRefusals are the statuses in which tinyproxy says no: it has 407 for
// a password that is missing, and 401 for a wrong one.
var tinyproxyRefusals = map[int]bool{http.StatusForbidden: true, http.StatusUnauthorized: true}

// fromTinyproxy reports an answer that tinyproxy wrote itself: what it passes
// on has Via. An origin that it cannot connect to is a 500.
func fromTinyproxy(res *http.Response) bool {
	return res.Header.Get("Via") == "" && strings.HasPrefix(res.Header.Get("Server"), "tinyproxy/")
}
