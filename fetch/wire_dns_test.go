package fetch

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// nameserver answers every question with rcode on loopback; a negative one
// never answers. It gives a resolver that asks nobody else.
func nameserver(t *testing.T, rcode int) *net.Resolver {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer, ok := dnsAnswer(buf[:n], rcode); ok {
				pc.WriteTo(answer, from)
			}
		}
	}()
	var mu sync.Mutex
	var conns []net.Conn
	ended := false
	t.Cleanup(func() {
		pc.Close()
		<-done
		mu.Lock()
		defer mu.Unlock()
		ended = true
		for _, c := range conns { // a lookup outlives the request that wanted it
			c.Close()
		}
	})
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		mu.Lock()
		defer mu.Unlock()
		if ended {
			return nil, net.ErrClosed
		}
		c, err := (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
		if err == nil {
			conns = append(conns, c)
		}
		return c, err
	}}
}

func dnsAnswer(question []byte, rcode int) ([]byte, bool) {
	var m dnsmessage.Message
	if rcode < 0 || m.Unpack(question) != nil {
		return nil, false
	}
	m.Response, m.RCode, m.Additionals = true, dnsmessage.RCode(rcode), nil
	out, err := m.Pack()
	return out, err == nil
}

func TestWireDNS(t *testing.T) {
	for _, tt := range []struct {
		name   string
		rcode  int
		kind   Kind
		detail Detail
		again  bool
	}{
		{"nxdomain", int(dnsmessage.RCodeNameError), Network, DNSNXDomain, false},
		{"servfail", int(dnsmessage.RCodeServerFailure), Network, DNSServfail, true},
		{"silence", -1, Timeout, DNSTimeout, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := once()
			p.Timeout = 2 * time.Second
			if tt.rcode < 0 {
				p.Timeout = 100 * time.Millisecond
			}
			_, err := newClient(t, Config{Policy: p, Resolver: nameserver(t, tt.rcode)}).Do(t.Context(), &Request{URL: "http://origin.test./"})
			e := failed(t, err)
			if e.Kind != tt.kind || e.Detail != tt.detail || e.Retryable != tt.again || !e.Transport {
				t.Errorf("got %s/%s retryable %v: %v", e.Kind, e.Detail, e.Retryable, e.Err)
			}
		})
	}
}

// TestProxies: what stands between us and the origin is our own side.
func TestProxies(t *testing.T) {
	deny := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Proxy-Authenticate", "Basic")
		w.WriteHeader(407)
	}))
	defer deny.Close()
	for _, tt := range []struct {
		name, proxy, url string
		kind             Kind
		detail           Detail
	}{
		{"nobody there", refusing(t), "http://origin.test/", Network, TCPRefused},
		{"unauthorised", deny.URL, "http://origin.test/", HTTP4xx, ""},
		{"unauthorised tunnel", deny.URL, "https://origin.test/", Network, ""},
		{"no socks", "socks5h" + refusing(t)[4:], "http://origin.test/", Network, TCPRefused},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newClient(t, Config{Policy: once(), Way: Way{Proxy: tt.proxy}}).Do(t.Context(), &Request{URL: tt.url})
			if e := failed(t, err); e.Cause != CauseProxy || e.Kind != tt.kind || e.Detail != tt.detail {
				t.Errorf("got %s/%s cause %q: %v", e.Kind, e.Detail, e.Cause, e.Err)
			}
		})
	}
}

func TestNoMoreFiles(t *testing.T) {
	dial := func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Err: syscall.EMFILE}
	}
	_, err := newClient(t, Config{Policy: once(), DialContext: dial}).Do(t.Context(), &Request{URL: "http://127.0.0.1:1/"})
	if e := failed(t, err); e.Cause != CauseFDLimit || e.Kind != Network {
		t.Errorf("got %+v", e)
	}
}

// TestStarvedLookup: no descriptor is left for the lookup itself, which
// net.DNSError would not tell.
func TestStarvedLookup(t *testing.T) {
	d := newDialer(nil, Way{})
	d.net.Resolver.PreferGo = true
	d.socket = func(context.Context, string, string) (net.Conn, error) { return nil, syscall.EMFILE }
	_, err := newClient(t, Config{Policy: once(), DialContext: d.dial}).Do(t.Context(), &Request{URL: "http://origin.test./"})
	if e := failed(t, err); e.Cause != CauseFDLimit || e.Kind != Network {
		t.Errorf("got %s/%s cause %q: %v", e.Kind, e.Detail, e.Cause, e.Err)
	}
}
