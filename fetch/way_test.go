package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestWayCheck(t *testing.T) {
	for _, w := range []Way{
		{}, {MinTLS: tls.VersionTLS12}, {MinTLS: tls.VersionTLS13}, {IP: 4}, {IP: 6}, {Proxy: "none"},
		{Proxy: "http://proxy.test:3128"}, {Proxy: "https://u:p@proxy.test/"}, {Proxy: "socks5://[::1]"}, {Proxy: "socks5h://127.0.0.1:9050"},
		{DNS: "127.0.0.1:53"}, {DNS: "[::1]:5353"},
	} {
		if err := w.Check(); err != nil {
			t.Errorf("%+v: %v", w, err)
		}
	}
	for _, w := range []Way{
		{MinTLS: tls.VersionTLS11}, {MinTLS: 0x0305}, {IP: 5}, {IP: -4},
		{Proxy: "proxy.test:3128"}, {Proxy: "ftp://proxy.test"}, {Proxy: "http://"}, {Proxy: "http://proxy.test:0"}, {Proxy: "http://proxy.test:99999"},
		{Proxy: "http://proxy.test/path"}, {Proxy: "http://proxy.test?x=s3cret"}, {Proxy: "http://u:s3cret@pro xy"}, {Proxy: "None"},
		{DNS: "127.0.0.1"}, {DNS: ":53"}, {DNS: "127.0.0.1:"}, {DNS: "127.0.0.1:domain"}, {DNS: "127.0.0.1:0"},
	} {
		err := w.Check()
		if !errors.Is(err, ErrInvalidWay) {
			t.Errorf("%+v: %v", w, err)
		} else if strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%v says the password", err)
		}
	}
}

// TestImpassableWay: a client that was made of a wrong way asks nobody.
func TestImpassableWay(t *testing.T) {
	c := newClient(t, Config{Policy: once(), Way: Way{Proxy: "ftp://proxy.test"}})
	_, err := c.Do(t.Context(), &Request{URL: "http://127.0.0.1:1/"})
	if e := failed(t, err); e.Cause != CauseProxy || !errors.Is(e, ErrInvalidWay) {
		t.Errorf("%v", err)
	}
}

// TestWayTLS: the server's demands against the way's.
func TestWayTLS(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	base := func(change func(*tls.Config)) string {
		cfg := ca.named(t, "127.0.0.1")
		change(cfg)
		return secure(t, cfg)
	}
	plain := base(func(*tls.Config) {})
	twelve := base(func(c *tls.Config) { c.MaxVersion = tls.VersionTLS12 })
	eleven := base(func(c *tls.Config) { c.MinVersion, c.MaxVersion = tls.VersionTLS10, tls.VersionTLS11 })
	mutual := func(max uint16) string {
		return base(func(c *tls.Config) {
			c.ClientAuth, c.ClientCAs, c.MaxVersion = tls.RequireAndVerifyClientCert, ca.pool, max
		})
	}
	// net/http's HTTP/2 forgets why a connection ended when it ended before the
	// first request was on it; the next attempt tells.
	patient := once()
	patient.Retries, patient.Backoff.Base = 20, 0
	off, on := false, true
	for _, tt := range []struct {
		name    string
		url     string
		way     Way
		user    *tls.Config
		detail  Detail // "" means delivered
		version uint16
		proto   string
	}{
		{"our roots", plain, Way{Roots: ca.pool}, nil, "", tls.VersionTLS13, "HTTP/2.0"},
		{"other roots", plain, Way{Roots: stranger.pool}, nil, TLSUnknownAuthority, 0, ""},
		{"the system's roots", plain, Way{}, nil, TLSUnknownAuthority, 0, ""},
		{"the way's roots are above the caller's", plain, Way{Roots: ca.pool}, &tls.Config{RootCAs: stranger.pool}, "", tls.VersionTLS13, "HTTP/2.0"},
		{"1.2 is enough", twelve, Way{Roots: ca.pool}, nil, "", tls.VersionTLS12, "HTTP/2.0"},
		{"1.2 is not enough", twelve, Way{Roots: ca.pool, MinTLS: tls.VersionTLS13}, nil, TLSPolicy, 0, ""},
		{"1.1 is never enough", eleven, Way{Roots: ca.pool}, &tls.Config{MinVersion: tls.VersionTLS10}, TLSPolicy, 0, ""},
		{"HTTP/2 off", plain, Way{Roots: ca.pool, HTTP2: &off}, nil, "", tls.VersionTLS13, "HTTP/1.1"},
		{"HTTP/2 on", plain, Way{Roots: ca.pool, HTTP2: &on}, nil, "", tls.VersionTLS13, "HTTP/2.0"},
		{"client certificate", mutual(0), Way{Roots: ca.pool, ClientCert: ca.clientOf(t)}, nil, "", tls.VersionTLS13, "HTTP/2.0"},
		{"client certificate, 1.2", mutual(tls.VersionTLS12), Way{Roots: ca.pool, ClientCert: ca.clientOf(t)}, nil, "", tls.VersionTLS12, "HTTP/2.0"},
		{"no client certificate", mutual(0), Way{Roots: ca.pool, HTTP2: &off}, nil, TLSPolicy, 0, ""},
		{"no client certificate, HTTP/2", mutual(0), Way{Roots: ca.pool}, nil, TLSPolicy, 0, ""},
		{"a stranger's client certificate", mutual(0), Way{Roots: ca.pool, HTTP2: &off, ClientCert: stranger.clientOf(t)}, nil, TLSPolicy, 0, ""},
		{"a stranger's client certificate, 1.2", mutual(tls.VersionTLS12), Way{Roots: ca.pool, ClientCert: stranger.clientOf(t)}, nil, TLSPolicy, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := newClient(t, Config{Policy: patient, Way: tt.way, TLS: tt.user}).Do(t.Context(), &Request{URL: tt.url})
			if tt.detail != "" {
				if e := failed(t, err); e.Kind != Network || e.Detail != tt.detail || e.Retryable == e.Detail.NeverRetried() || e.Cause != "" {
					t.Errorf("got %s/%s retryable %v: %v", e.Kind, e.Detail, e.Retryable, e.Err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(a.Body) != tt.proto || a.TLS.Version != tt.version {
				t.Errorf("%s, %x", a.Body, a.TLS.Version)
			}
			if i := a.TLS; i.Subject != "CN=127.0.0.1" || i.Issuer != "CN=Test CA" || i.Cipher == 0 || time.Until(i.NotAfter) > time.Hour || time.Until(i.NotAfter) < 58*time.Minute ||
				!i.NotBefore.Before(time.Now()) || i.NotAfter.Location() != time.UTC {
				t.Errorf("%+v", i)
			}
		})
	}
}

// TestCertificateDates: the failure says when.
func TestCertificateDates(t *testing.T) {
	ca := newAuthority(t)
	for _, tt := range []struct {
		from, to time.Duration
		detail   Detail
	}{{-time.Hour, -time.Minute, TLSExpired}, {time.Minute, time.Hour, TLSNotYetValid}} {
		cert := ca.issue(t, tt.from, tt.to, "127.0.0.1")
		url := secure(t, &tls.Config{Certificates: []tls.Certificate{cert}})
		_, err := newClient(t, Config{Policy: once(), Way: Way{Roots: ca.pool}}).Do(t.Context(), &Request{URL: url})
		e := failed(t, err)
		if e.Detail != tt.detail || (e.CertificateExpiry != nil) != (tt.detail == TLSExpired) || (e.CertificateStart != nil) != (tt.detail == TLSNotYetValid) {
			t.Fatalf("%s, %v, %v", e.Detail, e.CertificateExpiry, e.CertificateStart)
		}
		if at := e.CertificateExpiry; at != nil && (time.Since(*at) < time.Minute || time.Since(*at) > time.Minute+10*time.Second) {
			t.Errorf("ended %s", at)
		}
		if at := e.CertificateStart; at != nil && (time.Until(*at) > time.Minute || time.Until(*at) < 50*time.Second) {
			t.Errorf("begins %s", at)
		}
	}
	url := secure(t, ca.named(t, "other.test"))
	_, err := newClient(t, Config{Policy: once(), Way: Way{Roots: ca.pool}}).Do(t.Context(), &Request{URL: url})
	if e := failed(t, err); e.Detail != TLSWrongHost || e.CertificateExpiry != nil || e.CertificateStart != nil {
		t.Errorf("%+v", e)
	}
}

// TestClientCertificateIsNotForTheProxy: an https proxy that asks for one gets
// none.
func TestClientCertificateIsNotForTheProxy(t *testing.T) {
	ca := newAuthority(t)
	p := &testProxy{}
	shown := make(chan int, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		shown <- len(r.TLS.PeerCertificates)
		p.ServeHTTP(w, r)
	}))
	s.TLS = ca.named(t, "127.0.0.1")
	s.TLS.ClientAuth = tls.RequestClientCert
	s.StartTLS()
	defer s.Close()
	cfg := ca.named(t, "127.0.0.1")
	cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, ca.pool
	url := secure(t, cfg)
	c := newClient(t, Config{Policy: once(), Way: Way{Roots: ca.pool, ClientCert: ca.clientOf(t), Proxy: s.URL}})
	if _, err := c.Do(t.Context(), &Request{URL: url}); err != nil {
		t.Fatal(err)
	}
	if n := <-shown; n != 0 {
		t.Errorf("the proxy saw %d certificates", n)
	}
}

func TestReachable(t *testing.T) {
	ca := newAuthority(t)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/500":
			w.WriteHeader(500)
		case "/302":
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(302)
		case "/drops-head":
			if r.Method == "HEAD" {
				panic(http.ErrAbortHandler)
			}
		}
	}))
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	defer s.Close()
	over := secure(t, ca.named(t, "127.0.0.1"))
	at := s.Listener.Addr().String()
	locked := (&testProxy{password: "u:p"}).start(t)
	open := (&testProxy{}).start(t)
	socks := "socks5://" + (&socksProxy{}).start(t)
	for _, tt := range []struct {
		name, target string
		way          Way
		ok           bool
	}{
		{"tcp", at, Way{}, true},
		{"tcp through socks5", at, Way{Proxy: socks}, true},
		{"tcp, past an HTTP proxy", at, Way{Proxy: locked}, true},
		{"tcp refused", strings.TrimPrefix(refusing(t), "http://"), Way{}, false},
		{"tcp refused behind socks5", strings.TrimPrefix(refusing(t), "http://"), Way{Proxy: socks}, false},
		{"url", s.URL, Way{}, true},
		{"any status", s.URL + "/500", Way{}, true},
		{"a redirect, not followed", s.URL + "/302", Way{}, true},
		{"HEAD is dropped", s.URL + "/drops-head", Way{}, true},
		{"url through a proxy", s.URL, Way{Proxy: open}, true},
		{"the proxy refuses", s.URL, Way{Proxy: locked}, false},
		{"https", over, Way{Roots: ca.pool}, true},
		{"https that does not verify", over, Way{}, false},
		{"refused", refusing(t), Way{}, false},
		{"neither", "example.org", Way{}, false},
		{"no port", "example.org:", Way{}, false},
		{"another scheme", "ftp://127.0.0.1/", Way{}, false},
		{"a wrong way", at, Way{IP: 5}, false},
	} {
		if err := Reachable(t.Context(), tt.target, tt.way); (err == nil) != tt.ok {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	for target, ok := range map[string]bool{at: true, "[::1]:53": true, s.URL: true, "x": false, "ftp://x/": false, "http://u:p@x/": false} {
		if err := CheckTarget(target); (err == nil) != ok {
			t.Errorf("%s: %v", target, err)
		}
	}
}

// TestReachableEnds: a target that says nothing costs no more than the
// caller's own clock.
func TestReachableEnds(t *testing.T) {
	late := errors.New("late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, late)
	defer cancel()
	if err := Reachable(ctx, "http://"+silent(t)+"/", Way{Proxy: noProxy}); !errors.Is(err, late) {
		t.Error(err)
	}
	if err := Reachable(ctx, net.JoinHostPort("192.0.2.1", "9"), Way{}); err == nil {
		t.Error("an ended context reaches nothing")
	}
}
