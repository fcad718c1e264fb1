package fetch

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// TestWhatIsOursAndWhatIsNot holds answers whose fault is easily given to the
// wrong side.
func TestWhatIsOursAndWhatIsNot(t *testing.T) {
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	cases := []struct {
		name, answer string
		mode         Mode
		kind         Kind
		cause        Cause
		detail       Detail
		status       int
	}{
		{"JSON deeper than we follow is our limit", "HTTP/1.1 200 OK\r\nContent-Length: 40000\r\n\r\n" + deep, ModeJSON, Aborted, CauseMaxDepth, "", 200},
		{"a header larger than we take is our limit", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX: " + strings.Repeat("x", 3<<20) + "\r\n\r\n{}", ModeJSON, Aborted, CauseMaxHeader, "", 200},
		{"many lines of one", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n" + strings.Repeat("X: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", 40_000) + "\r\n{}", ModeResponse, Aborted, CauseMaxHeader, "", 200},
		{"a header without an end", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", 200_000), ModeJSON, Aborted, CauseMaxHeader, "", 0},
		{"a header that is cut", "HTTP/1.1 200 OK\r\n" + strings.Repeat("X: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\n", 40_000), ModeJSON, Aborted, CauseMaxHeader, "", 0},
		{"a short header that is cut", "HTTP/1.1 200 OK\r\nX: 1\r\n", ModeJSON, Network, "", ConnectionClosed, 0},
		{"a header that is large enough", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nX: " + strings.Repeat("x", 1<<19) + "\r\n\r\n{", ModeJSON, MalformedBody, "", "", 200},
		{"the status line wins over its size", "HTTP/1.1 503 X\r\nContent-Length: 2\r\nX: " + strings.Repeat("x", 3<<20) + "\r\n\r\n{}", ModeJSON, HTTP5xx, "", "", 503},
		{"deep and broken is broken", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n[[[]", ModeJSON, MalformedBody, "", "", 200},
		{"a 407 that no proxy said is the origin's", "HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n", ModeText, HTTP4xx, "", "", 407},
		{"a number below 100 is no status", "HTTP/1.1 099 X\r\nContent-Length: 0\r\n\r\n", ModeText, Network, "", HTTPMalformed, 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			url := raw(t, func(conn *net.TCPConn, _ *http.Request) { fmt.Fprint(conn, c.answer) })
			_, err := NewClient(Config{Policy: once()}).Do(t.Context(), &Request{URL: url, Mode: c.mode})
			e, ok := err.(*Error)
			if !ok {
				t.Fatalf("%v, want an *Error", err)
			}
			if e.Kind != c.kind || e.Cause != c.cause || e.Detail != c.detail || e.Status != c.status {
				t.Errorf("%s %q %q %d, want %s %q %q %d", e.Kind, e.Cause, e.Detail, e.Status, c.kind, c.cause, c.detail, c.status)
			}
			if got := e.Trip.Attempts[0].Status; got != c.status {
				t.Errorf("the attempt says status %d, want %d", got, c.status)
			}
		})
	}
}

// TestHeadersOverTLS holds that a header beyond our limit is known for one over
// TLS and over HTTP/2, too.
func TestHeadersOverTLS(t *testing.T) {
	ca := newAuthority(t)
	for _, h2 := range []bool{false, true} {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			size, _ := strconv.Atoi(r.URL.RawQuery)
			for range size >> 10 {
				w.Header().Add("X", strings.Repeat("x", 1<<10))
			}
		}))
		s.TLS, s.EnableHTTP2 = ca.named(t, "127.0.0.1"), h2
		s.StartTLS()
		t.Cleanup(s.Close)
		c := newClient(t, Config{Policy: once(), Way: Way{Roots: ca.pool, HTTP2: &h2}})
		for _, size := range []int{1 << 19, 3 << 20, 1 << 19, 6 << 20} {
			if h2 && size > mostHeader {
				continue // net/http ends the stream by an error without a type
			}
			_, err := c.Do(t.Context(), &Request{URL: s.URL + "/?" + strconv.Itoa(size)})
			if size < maxHeaderBytes {
				if err != nil {
					t.Errorf("h2 %t, %d bytes: %v", h2, size, err)
				}
				continue
			}
			if e := failed(t, err); e.Kind != Aborted || e.Cause != CauseMaxHeader {
				t.Errorf("h2 %t, %d bytes: %s %q %s %v", h2, size, e.Kind, e.Cause, e.Detail, e.Err)
			}
		}
	}
}
