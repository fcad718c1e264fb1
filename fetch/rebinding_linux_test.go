package fetch

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// rebinding resolves every name to one address, and after turn to another one:
// answers that live for no time, as an attacker's do.
type rebinding struct {
	at     net.PacketConn
	served sync.WaitGroup
	turned atomic.Bool
}

func rebind(t *testing.T, first, then netip.Addr) (*rebinding, *net.Resolver) {
	t.Helper()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rebinding{at: pc}
	s.served.Go(func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := pc.ReadFrom(buf)
			if err != nil {
				return
			}
			address := first
			if s.turned.Load() {
				address = then
			}
			if answer, ok := addressAnswer(buf[:n], address); ok {
				pc.WriteTo(answer, from) //nolint:errcheck // who asked is told by its own timeout
			}
		}
	})
	t.Cleanup(func() {
		pc.Close() //nolint:errcheck // the test has ended
		s.served.Wait()
	})
	return s, &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "udp", pc.LocalAddr().String())
	}}
}

func (s *rebinding) turn() { s.turned.Store(true) }

func addressAnswer(question []byte, address netip.Addr) ([]byte, bool) {
	var m dnsmessage.Message
	if m.Unpack(question) != nil || len(m.Questions) != 1 {
		return nil, false
	}
	m.Response, m.Additionals = true, nil
	if q := m.Questions[0]; q.Type == dnsmessage.TypeA {
		m.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class},
			Body:   &dnsmessage.AResource{A: address.As4()},
		}}
	}
	out, err := m.Pack()
	return out, err == nil
}

// twoPlaces serves at one port of two addresses, and counts what each is asked.
func twoPlaces(t *testing.T, serve func(s *httptest.Server, second bool)) (address string, asked [2]*atomic.Int64) {
	t.Helper()
	port := 0
	for i, host := range []string{"127.0.0.1", "127.0.0.2"} {
		l, err := net.Listen("tcp", net.JoinHostPort(host, strconv.Itoa(port)))
		if err != nil {
			t.Skipf("no second address of loopback here: %v", err)
		}
		port = l.Addr().(*net.TCPAddr).Port
		count := new(atomic.Int64)
		asked[i], address = count, "example.com:"+strconv.Itoa(port)
		s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			count.Add(1)
			if r.Header.Get("Authorization") != "Bearer t0ken" || r.Host != address {
				w.WriteHeader(http.StatusBadRequest)
			}
		})}}
		serve(s, i == 1)
		t.Cleanup(s.Close)
	}
	return address, asked
}

// TestRebinding has a name lead to another address between two lookups. What
// credentials are bound to is the name: with TLS the new place has to prove that
// it is meant, and is sent nothing until then. An open connection stays where it
// was opened.
func TestRebinding(t *testing.T) {
	roots := x509.NewCertPool()
	address, asked := twoPlaces(t, func(s *httptest.Server, second bool) {
		if second {
			s.TLS = &tls.Config{Certificates: []tls.Certificate{selfMade(t, "example.com")}}
		}
		s.StartTLS()
		if !second {
			roots.AddCert(s.Certificate())
		}
	})
	dns, resolver := rebind(t, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2"))
	c := newClient(t, Config{Policy: once(), Way: Way{Roots: roots, Proxy: noProxy}, Resolver: resolver})
	ask := func() error {
		_, err := c.Do(t.Context(), &Request{URL: "https://" + address + "/", Header: http.Header{"Authorization": {"Bearer t0ken"}}})
		return err
	}
	if err := ask(); err != nil {
		t.Fatal(err)
	}
	dns.turn()
	if err := ask(); err != nil || asked[0].Load() != 2 {
		t.Errorf("the open connection was left: %v, %d requests", err, asked[0].Load())
	}
	c.CloseIdle()
	e := failed(t, ask())
	if e.Kind != Network || e.Detail != TLSUnknownAuthority || e.Retryable || !e.Transport {
		t.Errorf("%s %s, retryable %v: %v", e.Kind, e.Detail, e.Retryable, e.Err)
	}
	if n := asked[1].Load(); n != 0 {
		t.Errorf("the place that the name leads to now was sent %d requests", n)
	}
}

// selfMade is a certificate for a name that no authority stands behind.
func selfMade(t *testing.T, name string) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// TestRebindingWithoutTLS holds what is left where nothing proves who answers:
// the request still names the host that was declared, by which a server that
// was not meant can tell; a later lookup is believed, as it is for every client.
func TestRebindingWithoutTLS(t *testing.T) {
	address, asked := twoPlaces(t, func(s *httptest.Server, _ bool) { s.Start() })
	dns, resolver := rebind(t, netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2"))
	c := newClient(t, Config{Policy: once(), Way: Way{Proxy: noProxy}, Resolver: resolver})
	for i := range 2 {
		a, err := c.Do(t.Context(), &Request{URL: "http://" + address + "/", Header: http.Header{"Authorization": {"Bearer t0ken"}}})
		if err != nil || a.Status != http.StatusOK || asked[i].Load() != 1 {
			t.Errorf("place %d: %v, asked %d times", i+1, err, asked[i].Load())
		}
		dns.turn()
		c.CloseIdle()
	}
}
