package fetch

import (
	"fmt"
	"net"
	"net/http"
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
