package fetch

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// once is a policy of a single short attempt.
func once() Policy {
	p := exact()
	p.Retries = 0
	p.Timeout = 5 * time.Second
	return p
}

// raw listens on loopback and gives every connection to serve, after the head
// of its first request was read.
func raw(t *testing.T, serve func(c *net.TCPConn, r *http.Request)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
				serve(c.(*net.TCPConn), r)
			}
			c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-done })
	return "http://" + l.Addr().String()
}

// writes answers every request with the same bytes and closes.
func writes(text string) func(*net.TCPConn, *http.Request) {
	return func(c *net.TCPConn, _ *http.Request) { io.WriteString(c, text) }
}

func newClient(t *testing.T, cfg Config) *Client {
	t.Helper()
	c := NewClient(cfg)
	t.Cleanup(c.CloseIdle)
	return c
}

// refusing is an address that nobody listens on.
func refusing(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return "http://" + l.Addr().String()
}

func TestWireFaults(t *testing.T) {
	rst := func(before string) func(*net.TCPConn, *http.Request) {
		return func(c *net.TCPConn, _ *http.Request) {
			io.WriteString(c, before)
			c.SetLinger(0)
		}
	}
	for _, tt := range []struct {
		name      string
		url       string
		kind      Kind
		detail    Detail
		status    int
		transport bool
		cause     error
	}{
		{"refused", refusing(t), Network, TCPRefused, 0, true, syscall.ECONNREFUSED},
		{"reset", raw(t, rst("")), Network, TCPReset, 0, true, syscall.ECONNRESET},
		{"closed without a word", raw(t, writes("")), Network, ConnectionClosed, 0, true, io.EOF},
		{"closed in the header", raw(t, writes("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n")), Network, ConnectionClosed, 0, false, io.ErrUnexpectedEOF},
		{"cut content-length", raw(t, writes("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")), Network, BodyCut, 200, false, io.ErrUnexpectedEOF},
		{"cut chunk", raw(t, writes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10\r\nabc")), Network, BodyCut, 200, false, io.ErrUnexpectedEOF},
		{"bad chunk", raw(t, writes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n")), Network, BodyCut, 200, false, nil},
		{"no http", raw(t, writes("SSH-2.0-OpenSSH_9.2p1\r\n")), Network, HTTPMalformed, 0, false, nil},
		{"no status", raw(t, writes("HTTP/1.1 abc OK\r\n\r\n")), Network, HTTPMalformed, 0, false, nil},
		{"bad header line", raw(t, writes("HTTP/1.1 200 OK\r\nno colon here\r\n\r\n")), Network, HTTPMalformed, 0, false, nil},
		{"two lengths", raw(t, writes("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab")), Network, HTTPMalformed, 0, false, nil},
		{"unasked upgrade", raw(t, writes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n")), Network, HTTPUpgrade, 101, false, nil},
		{"unregistered status", raw(t, writes("HTTP/1.1 777 Odd\r\nContent-Length: 0\r\n\r\n")), HTTP5xx, "", 777, false, nil},
		{"503 whose body is cut", raw(t, writes("HTTP/1.1 503 No\r\nContent-Length: 100\r\n\r\nabc")), HTTP5xx, "", 503, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := newClient(t, Config{Policy: once()}).Do(t.Context(), &Request{URL: tt.url})
			e := failed(t, err)
			if e.Kind != tt.kind || e.Detail != tt.detail || e.Status != tt.status || e.Transport != tt.transport {
				t.Errorf("got %s/%s status %d transport %v: %v", e.Kind, e.Detail, e.Status, e.Transport, e.Err)
			}
			if tt.cause != nil && !errors.Is(err, tt.cause) {
				t.Errorf("%v does not wrap %v", err, tt.cause)
			}
			if n := e.Trip.Attempts[0].Requests; n != 1 {
				t.Errorf("%d requests", n)
			}
			if !e.Retryable {
				t.Error("not retryable")
			}
		})
	}
}

// TestSilence accepts the connection and says nothing: no byte came, and the
// phase says where it stopped.
func TestSilence(t *testing.T) {
	hold := make(chan struct{})
	url := raw(t, func(*net.TCPConn, *http.Request) { <-hold })
	t.Cleanup(func() { close(hold) })
	p := once()
	p.Timeout = 50 * time.Millisecond
	_, err := newClient(t, Config{Policy: p}).Do(t.Context(), &Request{URL: url})
	e := failed(t, err)
	if e.Kind != Timeout || e.Detail != HeaderTimeout || !e.Transport {
		t.Errorf("got %+v", e)
	}
	if a := e.Trip.Attempts[0]; a.Connect < 0 || a.TLS >= 0 || a.DNS >= 0 || a.TTFB >= 0 || a.Total < p.Timeout {
		t.Errorf("times %+v", a)
	}
}

// TestReplayIsCounted: net/http repeats a request by itself when a connection
// that was used before turns out to be dead. That request left, too.
func TestReplayIsCounted(t *testing.T) {
	var n atomic.Int32
	url := raw(t, func(c *net.TCPConn, _ *http.Request) {
		io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}")
		if n.Add(1) > 1 {
			return
		}
		// Reads the second request on this connection and ends without an answer.
		if r, err := http.ReadRequest(bufio.NewReader(c)); err == nil {
			io.Copy(io.Discard, r.Body)
		}
	})
	c := newClient(t, Config{Policy: once()})
	var requests []int
	for range 2 {
		a, err := c.Do(t.Context(), &Request{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		requests = append(requests, a.Trip.Attempts[0].Requests)
	}
	if requests[0] != 1 || requests[1] != 2 {
		t.Errorf("requests %v, want [1 2]", requests)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	var conns atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/missing" {
			w.WriteHeader(404)
		}
		io.WriteString(w, "{}")
	}))
	s.Config.ConnState = func(_ net.Conn, st http.ConnState) {
		if st == http.StateNew {
			conns.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	c := newClient(t, Config{Policy: once()})
	for i := range 6 {
		if i%2 == 1 {
			_, err := c.Do(t.Context(), &Request{URL: s.URL + "/missing"})
			failed(t, err)
			continue
		}
		a, err := c.Do(t.Context(), &Request{URL: s.URL})
		if err != nil {
			t.Fatal(err)
		}
		at := a.Trip.Attempts[0]
		if reused := i > 0; reused != (at.Connect < 0) || at.TTFB < 0 || at.Body < 0 || at.Bytes != 2 || at.Total < at.TTFB {
			t.Errorf("request %d: %+v", i, at)
		}
	}
	if n := conns.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

func TestHead(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Header().Set("Content-Length", "1000")
		if r.URL.Path == "/esri" {
			w.WriteHeader(405)
		}
	}))
	defer s.Close()
	c := newClient(t, Config{Policy: once()})
	a, err := c.Do(t.Context(), &Request{Method: "HEAD", URL: s.URL, Mode: ModeJSON})
	if err != nil || len(a.Body) != 0 {
		t.Errorf("got %+v, %v", a, err)
	}
	_, err = c.Do(t.Context(), &Request{Method: "HEAD", URL: s.URL + "/esri"})
	if e := failed(t, err); e.Kind != HTTP4xx || e.Status != 405 || e.Outcome != OutcomeClientError || e.LooksLike != "" {
		t.Errorf("got %+v", e)
	}
}
