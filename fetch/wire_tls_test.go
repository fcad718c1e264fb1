package fetch

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// authority is a certificate authority of the test's own.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key := newKey(t)
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "Test CA"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, tpl, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &authority{cert: cert, key: key, pool: pool}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (a *authority) issue(t *testing.T, from, to time.Duration, ip string) tls.Certificate {
	t.Helper()
	key := newKey(t)
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "origin"}, IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: time.Now().Add(from), NotAfter: time.Now().Add(to), ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

func secure(t *testing.T, cfg *tls.Config) string {
	t.Helper()
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) }))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.EnableHTTP2 = true
	s.TLS = cfg
	s.StartTLS()
	t.Cleanup(s.Close)
	return s.URL
}

func TestWireTLS(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	good := ca.issue(t, -time.Minute, time.Minute, "127.0.0.1")
	with := func(c tls.Certificate) *tls.Config { return &tls.Config{Certificates: []tls.Certificate{c}} }
	for _, tt := range []struct {
		name   string
		url    string
		client func(*tls.Config)
		detail Detail // "" means delivered
		final  bool
	}{
		{"good", secure(t, with(good)), nil, "", false},
		{"expired", secure(t, with(ca.issue(t, -time.Hour, -time.Minute, "127.0.0.1"))), nil, TLSExpired, true},
		{"not yet valid", secure(t, with(ca.issue(t, time.Minute, time.Hour, "127.0.0.1"))), nil, TLSNotYetValid, true},
		{"wrong host", secure(t, with(ca.issue(t, -time.Minute, time.Minute, "127.0.0.2"))), nil, TLSWrongHost, true},
		{"unknown authority", secure(t, with(stranger.issue(t, -time.Minute, time.Minute, "127.0.0.1"))), nil, TLSUnknownAuthority, true},
		{"the server is too old", secure(t, &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}), nil, TLSPolicy, true},
		{"the server is too new", secure(t, &tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS13}), func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 }, TLSPolicy, true},
		{"a client certificate is missing", secure(t, &tls.Config{Certificates: []tls.Certificate{good}, ClientAuth: tls.RequireAnyClientCert, MaxVersion: tls.VersionTLS12}), nil, TLSPolicy, true},
		{"not tls", "https" + plain.URL[4:], nil, TLSNotTLS, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			cfg := &tls.Config{RootCAs: ca.pool}
			if tt.client != nil {
				tt.client(cfg)
			}
			a, err := newClient(t, Config{Policy: once(), TLS: cfg}).Do(t.Context(), &Request{URL: tt.url})
			if tt.detail == "" {
				if err != nil {
					t.Fatal(err)
				}
				if at := a.Trip.Attempts[0]; at.TLS < 0 || at.Requests != 1 || string(a.Body) != "HTTP/2.0" {
					t.Errorf("%+v %s", at, a.Body)
				}
				return
			}
			e := failed(t, err)
			if e.Kind != Network || e.Detail != tt.detail || e.Retryable == tt.final || (e.Outcome == OutcomeFatal) != tt.final || !e.Transport {
				t.Errorf("got %s/%s %s retryable %v: %v (%T)", e.Kind, e.Detail, e.Outcome, e.Retryable, e.Err, e.Err)
			}
		})
	}
}

// TestHTTP2CountsOnce: a second request on the same connection is one request.
func TestHTTP2CountsOnce(t *testing.T) {
	ca := newAuthority(t)
	url := secure(t, &tls.Config{Certificates: []tls.Certificate{ca.issue(t, -time.Minute, time.Minute, "127.0.0.1")}})
	c := newClient(t, Config{Policy: once(), TLS: &tls.Config{RootCAs: ca.pool}})
	for i := range 3 {
		a, err := c.Do(t.Context(), &Request{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		if at := a.Trip.Attempts[0]; at.Requests != 1 || (at.TLS < 0) != (i > 0) {
			t.Errorf("request %d: %+v", i, at)
		}
	}
}

// TestTLSSilence: the attempt's timeout ends in the handshake.
func TestTLSSilence(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	p := once()
	p.Timeout = 50 * time.Millisecond
	_, err = newClient(t, Config{Policy: p}).Do(t.Context(), &Request{URL: "https://" + l.Addr().String()})
	if e := failed(t, err); e.Kind != Timeout || e.Detail != TLSTimeout || !e.Transport {
		t.Errorf("got %+v", e)
	}
}

// named is a server's configuration with a certificate for a name or an
// address.
func (a *authority) named(t *testing.T, host string) *tls.Config {
	t.Helper()
	key := newKey(t)
	tpl := &x509.Certificate{
		SerialNumber: big.NewInt(3), Subject: pkix.Name{CommonName: host}, NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		tpl.IPAddresses = []net.IP{ip}
	} else {
		tpl.DNSNames = []string{host}
	}
	der, err := x509.CreateCertificate(rand.Reader, tpl, a.cert, &key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}
}
