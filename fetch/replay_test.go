package fetch

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// wire is a server of ours that sees what really arrives.
type wire struct {
	addr string
	idle chan struct{} // closed when the first answer has been read
	mu   sync.Mutex
	at   []time.Time // when each request arrived
}

func (w *wire) arrived() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = append(w.at, time.Now())
	return len(w.at)
}

func (w *wire) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.at)
}

// serve runs handle for each connection, until the test ends.
func serve(t *testing.T, l net.Listener, handle func(net.Conn)) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	var held []net.Conn
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
			wg.Go(func() { defer c.Close(); handle(c) })
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range held {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
}

const okay = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"

// plain is an HTTP/1.1 server: each request gets what reply gives for its
// number, counted over all connections; "" closes without an answer. idle is
// what follows the first answer by itself, once the connection lies idle;
// "close" closes it.
func plain(t *testing.T, reply func(n int) string, idle string) *wire {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{addr: l.Addr().String(), idle: make(chan struct{})}
	serve(t, l, func(c net.Conn) {
		in := bufio.NewReader(c)
		for {
			r, err := http.ReadRequest(in)
			if err != nil {
				return
			}
			io.Copy(io.Discard, r.Body)
			n := w.arrived()
			text := reply(n)
			if text == "" {
				return
			}
			io.WriteString(c, text)
			if n == 1 && idle != "" {
				<-w.idle
				if idle == "close" {
					return
				}
				io.WriteString(c, idle)
			}
		}
	})
	return w
}

// watched tells when the client lets go of its connection.
type watched struct {
	net.Conn
	closed func()
}

func (w *watched) Close() error { w.closed(); return w.Conn.Close() }

// TestReplays: the second trip meets a kept connection that is of no use. It
// delivers nevertheless, nothing is held against the origin, and every request
// that arrived is counted.
func TestReplays(t *testing.T) {
	second := func(text string) func(int) string {
		return func(n int) string {
			if n == 2 {
				return text
			}
			return okay
		}
	}
	for _, tt := range []struct {
		name     string
		reply    func(int) string
		idle     string
		method   string
		requests int  // of the second trip
		kind     Kind // of the second trip
		detail   Detail
	}{
		{"closed after the request was written", second(""), "", "GET", 2, "", ""},
		{"bytes that are no HTTP after the request was written", second("BOOM\r\n\r\n"), "", "GET", 2, "", ""},
		{"closed while idle", second(okay), "close", "GET", 1, "", ""},
		{"garbage while idle", second(okay), "garbage", "GET", 1, "", ""},
		{"an answer that nobody asked for while idle", second(okay), "HTTP/1.1 500 Poison\r\nContent-Length: 0\r\n\r\n", "GET", 1, "", ""},
		{"a post is not sent twice", second("BOOM\r\n\r\n"), "", "POST", 1, Network, HTTPMalformed},
		{"a fresh connection is not excused", func(int) string { return "BOOM\r\n\r\n" }, "", "GET", 1, Network, HTTPMalformed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := plain(t, tt.reply, tt.idle)
			dropped := make(chan struct{})
			drop := sync.OnceFunc(func() { close(dropped) })
			dial := func(ctx context.Context, network, addr string) (net.Conn, error) {
				conn, err := new(net.Dialer).DialContext(ctx, network, addr)
				return &watched{Conn: conn, closed: drop}, err
			}
			c := NewClient(Config{Policy: single(), DialContext: dial})
			t.Cleanup(c.CloseIdle)
			url := "http://" + w.addr + "/"
			first, firstErr := c.Do(t.Context(), &Request{URL: url})
			requests := 0
			if firstErr == nil {
				requests = first.Trip.Attempts[0].Requests
			} else {
				requests = failed(t, firstErr).Trip.Attempts[0].Requests
			}
			close(w.idle)
			if tt.idle != "" {
				<-dropped // nobody has asked yet, and the connection is gone
			}
			call := new(Call)
			a, err := c.Do(t.Context(), &Request{URL: url, Method: tt.method, Call: call})
			var got Attempt
			if err == nil {
				got = a.Trip.Attempts[0]
			} else {
				got = failed(t, err).Trip.Attempts[0]
			}
			if got.Kind != tt.kind || got.Detail != tt.detail || got.Requests != tt.requests {
				t.Errorf("got %+v (%v), want %q/%q with %d requests", got, err, tt.kind, tt.detail, tt.requests)
			}
			if n := len(call.Retrieval().Anomalies); (n > 0) != (tt.kind != "") {
				t.Errorf("%d anomalies", n)
			}
			if w.count() != requests+got.Requests {
				t.Errorf("%d arrived, %d counted", w.count(), requests+got.Requests)
			}
		})
	}
}

// TestAReplayThatWaitsForItsTurn: the kept connection dies with the second
// request, and our own rate limit lets another leave only when the attempt is
// over. The origin was not slow.
func TestAReplayThatWaitsForItsTurn(t *testing.T) {
	w := plain(t, func(n int) string {
		if n == 2 {
			return ""
		}
		return okay
	}, "")
	const window = 400 * time.Millisecond
	p := single()
	p.Timeout, p.Budget, p.Retries, p.Backoff = 100*time.Millisecond, 10*time.Second, 1, Backoff{}
	c := NewClient(Config{Policy: p, RateLimit: &RateLimit{Max: 2, Window: window}})
	t.Cleanup(c.CloseIdle)
	for range 2 {
		a, err := c.Do(t.Context(), &Request{URL: "http://" + w.addr + "/"})
		if err != nil {
			t.Fatal(err)
		}
		if w.count() == 1 {
			continue
		}
		if got := a.Trip.Attempts; len(got) != 2 || got[0].Kind != Network || got[0].Detail != ConnectionClosed || got[0].Requests != 1 || got[1].WaitReason != WaitRateLimit {
			t.Errorf("%+v, want a connection that was closed, and another attempt in its turn", got)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.at) != 3 || w.at[2].Sub(w.at[0]) < window-50*time.Millisecond {
		t.Errorf("arrived at %v, want three and never more than two in %s", w.at, window)
	}
}

// h2 is an HTTP/2 server made of frames: each request is answered by what act
// says for its number.
func h2(t *testing.T, act func(n int) string) (*wire, *tls.Config) {
	ca := httptest.NewUnstartedServer(nil)
	ca.StartTLS()
	cert, roots := ca.TLS.Certificates[0], x509.NewCertPool()
	roots.AddCert(ca.Certificate())
	ca.Close()
	l, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{addr: l.Addr().String()}
	serve(t, l, func(c net.Conn) {
		preface := make([]byte, len(http2.ClientPreface))
		if _, err := io.ReadFull(c, preface); err != nil {
			return
		}
		f := http2.NewFramer(c, c)
		f.WriteSettings()
		for {
			frame, err := f.ReadFrame()
			if err != nil {
				return
			}
			switch frame := frame.(type) {
			case *http2.SettingsFrame:
				if !frame.IsAck() {
					f.WriteSettingsAck()
				}
			case *http2.HeadersFrame:
				switch id := frame.StreamID; act(w.arrived()) {
				case "refuse":
					f.WriteRSTStream(id, http2.ErrCodeRefusedStream)
				case "reset":
					f.WriteRSTStream(id, http2.ErrCodeProtocol)
				case "goaway":
					f.WriteGoAway(0, http2.ErrCodeNo, nil)
				default:
					var block bytes.Buffer
					hpack.NewEncoder(&block).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
					f.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: block.Bytes(), EndHeaders: true})
					f.WriteData(id, true, []byte("{}"))
				}
			}
		}
	})
	return w, &tls.Config{RootCAs: roots}
}

// TestHTTP2Replays: what an HTTP/2 server refuses before it looks at it
// (RFC 9113 §8.7) is sent again by net/http, and counted.
func TestHTTP2Replays(t *testing.T) {
	for _, tt := range []struct {
		name     string
		acts     []string
		requests int
	}{
		{"none", []string{"ok"}, 1},
		{"refused stream", []string{"refuse", "ok"}, 2},
		{"goaway", []string{"goaway", "ok"}, 2},
		{"goaway, then refused", []string{"goaway", "refuse", "ok"}, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, conf := h2(t, func(n int) string { return tt.acts[min(n, len(tt.acts))-1] })
			c := NewClient(Config{Policy: single(), TLS: conf})
			t.Cleanup(c.CloseIdle)
			call := new(Call)
			a, err := c.Do(t.Context(), &Request{URL: "https://" + w.addr + "/", Mode: ModeJSON, Call: call})
			if err != nil {
				t.Fatal(err)
			}
			if n := a.Trip.Attempts[0].Requests; n != tt.requests || w.count() != n || len(a.Trip.Attempts) != 1 {
				t.Errorf("%d counted, %d arrived, want %d", n, w.count(), tt.requests)
			}
			if r := call.Retrieval(); r.Attempts != 1 || len(r.Anomalies) != 0 {
				t.Errorf("retrieval %+v", r)
			}
		})
	}
}

// TestHTTP2ReplaysEnd: net/http has no bound of its own for what it sends again
// on new connections.
func TestHTTP2ReplaysEnd(t *testing.T) {
	for _, act := range []string{"reset", "goaway"} {
		t.Run(act, func(t *testing.T) {
			w, conf := h2(t, func(int) string { return act })
			c := NewClient(Config{Policy: single(), TLS: conf})
			t.Cleanup(c.CloseIdle)
			_, err := c.Do(t.Context(), &Request{URL: "https://" + w.addr + "/"})
			e := failed(t, err)
			if e.Kind != Network || e.Detail != ConnectionClosed || !e.Transport {
				t.Errorf("%s %s, transport %v: %v", e.Kind, e.Detail, e.Transport, e)
			}
			if n := e.Trip.Attempts[0].Requests; n != maxDials || w.count() != n {
				t.Errorf("%d requests counted, %d arrived, want %d", n, w.count(), maxDials)
			}
		})
	}
}

// TestReplaysTakeTurns: what net/http sends again waits for the rate limit as
// everything else does.
func TestReplaysTakeTurns(t *testing.T) {
	limit := &RateLimit{Max: 1, Window: 150 * time.Millisecond}
	check := func(t *testing.T, w *wire, want int) {
		t.Helper()
		if w.count() != want {
			t.Fatalf("%d arrived, want %d", w.count(), want)
		}
		for i := 1; i < want; i++ {
			// Arrival is later than departure, by as much as this machine is slow.
			if gap := w.at[i].Sub(w.at[i-1]); gap < limit.Window-20*time.Millisecond {
				t.Errorf("request %d came %v after the one before it", i+1, gap)
			}
		}
	}
	t.Run("http/2", func(t *testing.T) {
		w, conf := h2(t, func(n int) string { return []string{"goaway", "refuse", "ok"}[min(n, 3)-1] })
		c := NewClient(Config{Policy: single(), TLS: conf, RateLimit: limit})
		t.Cleanup(c.CloseIdle)
		if _, err := c.Do(t.Context(), &Request{URL: "https://" + w.addr + "/"}); err != nil {
			t.Fatal(err)
		}
		check(t, w, 3)
	})
	t.Run("http/1.1", func(t *testing.T) {
		w := plain(t, func(n int) string { return []string{okay, "", "BOOM\r\n\r\n", okay}[min(n, 4)-1] }, "")
		c := NewClient(Config{Policy: exact(), RateLimit: limit})
		t.Cleanup(c.CloseIdle)
		for range 2 {
			if _, err := c.Do(t.Context(), &Request{URL: "http://" + w.addr + "/"}); err != nil {
				t.Fatal(err)
			}
		}
		check(t, w, 4)
	})
	t.Run("a replay that does not fit leaves nothing", func(t *testing.T) {
		w := plain(t, func(n int) string { return []string{okay, "", okay}[min(n, 3)-1] }, "")
		p := single()
		p.Timeout = 500 * time.Millisecond
		c := NewClient(Config{Policy: p, RateLimit: &RateLimit{Max: 2, Window: time.Minute}})
		t.Cleanup(c.CloseIdle)
		if _, err := c.Do(t.Context(), &Request{URL: "http://" + w.addr + "/"}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), &Request{URL: "http://" + w.addr + "/"})
		if e := failed(t, err); e.Cause != CauseOwnLimiter || e.Kind != Aborted || e.Trip.Stopped != StopOwnLimit || w.count() != 2 {
			t.Errorf("got %+v, %d arrived", e, w.count())
		}
	})
}
