package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// SOCKS version 5 (RFC 1928), with a user name and password (RFC 1929).
const (
	socksVersion   = 5
	socksNoAuth    = 0
	socksPassword  = 2
	socksNoMethod  = 0xff
	socksConnect   = 1
	socksIPv4      = 1
	socksName      = 3
	socksIPv6      = 4
	socksSucceeded = 0
	passwordAuth   = 1 // the version of RFC 1929's own exchange
)

// socksUpstream are the replies (RFC 1928 §6) that are about the origin.
var socksUpstream = map[byte]Detail{
	3: TCPUnreachable, // network unreachable
	4: TCPUnreachable, // host unreachable
	5: TCPRefused,
	6: TCPTimeout, // TTL expired
}

// maxAddresses is how many addresses of a name are tried through a proxy.
const maxAddresses = 4

var errSOCKS = errors.New("not an answer of SOCKS version 5")

// throughSOCKS connects to addr. Names are looked up here for socks5, by the
// proxy for socks5h.
func (p *proxyDialer) throughSOCKS(ctx context.Context, tracker *tracker, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	targets := []string{host}
	if p.proxy.Scheme == "socks5" {
		if targets, err = p.resolve(ctx, host); err != nil {
			return nil, err
		}
	}
	for i, target := range targets {
		c, dialErr := p.throughSOCKSTo(ctx, tracker, target, port)
		if dialErr == nil {
			return c, nil
		}
		if err == nil {
			err = dialErr
		}
		var refused *ProxyError
		if !errors.As(dialErr, &refused) || !refused.Upstream || i+1 == maxAddresses {
			break
		}
	}
	return nil, err
}

func (p *proxyDialer) throughSOCKSTo(ctx context.Context, tracker *tracker, host, port string) (net.Conn, error) {
	c, err := p.reach(ctx, tracker)
	if err != nil {
		return nil, err
	}
	err = during(ctx, c, func() error {
		if err := p.greet(c); err != nil {
			return err
		}
		tracker.proxying(false) // from here on it may be the origin that is slow
		return socksTo(c, host, port)
	})
	if err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// greet agrees on a method (RFC 1928 §3) and gives the credentials.
func (p *proxyDialer) greet(c net.Conn) error {
	methods := []byte{socksNoAuth}
	if p.proxy.User != nil {
		methods = append(methods, socksPassword)
	}
	var answer [2]byte
	if err := ask(c, append([]byte{socksVersion, byte(len(methods))}, methods...), answer[:]); err != nil {
		return err
	}
	switch {
	case answer[0] != socksVersion:
		return &ProxyError{Err: errSOCKS}
	case answer[1] == socksNoAuth:
		return nil
	case answer[1] == socksPassword && p.proxy.User != nil:
		return p.authenticate(c)
	case answer[1] == socksNoMethod:
		return &ProxyError{Err: errors.New("it wants to be authorised in a way that is not declared")}
	}
	return &ProxyError{Err: errSOCKS}
}

// authenticate is RFC 1929 §2.
func (p *proxyDialer) authenticate(c net.Conn) error {
	user := p.proxy.User.Username()
	password, _ := p.proxy.User.Password()
	if user == "" || len(user) > 255 || len(password) > 255 {
		return &ProxyError{Err: errors.New("SOCKS takes a user name of 1 to 255 bytes, and a password of at most 255")}
	}
	out := append([]byte{passwordAuth, byte(len(user))}, user...)
	out = append(append(out, byte(len(password))), password...)
	var answer [2]byte
	if err := ask(c, out, answer[:]); err != nil {
		return err
	}
	if answer[1] != socksSucceeded {
		return &ProxyError{Err: errors.New("the user name and password were not accepted")}
	}
	return nil
}

// socksTo asks for a connection (RFC 1928 §4) and reads the whole reply.
func socksTo(c net.Conn, host, port string) error {
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("port %q: %w", port, err)
	}
	out, err := socksAddress([]byte{socksVersion, socksConnect, 0}, host)
	if err != nil {
		return &ProxyError{Err: err}
	}
	var head [5]byte // to the first byte of the bound address, which no form lacks
	if err := ask(c, append(out, byte(n>>8), byte(n)), head[:]); err != nil {
		return err
	}
	if head[0] != socksVersion {
		return &ProxyError{Err: errSOCKS}
	}
	if reply := head[1]; reply != socksSucceeded {
		detail, upstream := socksUpstream[reply]
		return &ProxyError{Reply: reply, Upstream: upstream, Detail: detail}
	}
	rest := map[byte]int{socksIPv4: net.IPv4len - 1, socksIPv6: net.IPv6len - 1, socksName: int(head[4])}
	left, ok := rest[head[3]]
	if !ok {
		return &ProxyError{Err: errSOCKS}
	}
	if _, err := io.ReadFull(c, make([]byte, left+2)); err != nil {
		return &ProxyError{Err: err}
	}
	return nil
}

// socksAddress appends a host in one of the forms of RFC 1928 §5.
func socksAddress(out []byte, host string) ([]byte, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		if a = a.Unmap().WithZone(""); a.Is4() {
			return append(append(out, socksIPv4), a.AsSlice()...), nil
		}
		return append(append(out, socksIPv6), a.AsSlice()...), nil
	}
	if host = strings.TrimSuffix(host, "."); host == "" || len(host) > 255 {
		return nil, errors.New("SOCKS takes a name of 1 to 255 bytes")
	}
	return append(append(out, socksName, byte(len(host))), host...), nil
}

// ask writes, and reads an answer of a known length.
func ask(c net.Conn, out, answer []byte) error {
	_, err := c.Write(out)
	if err == nil {
		_, err = io.ReadFull(c, answer)
	}
	if err != nil {
		return &ProxyError{Err: err}
	}
	return nil
}
