package fetch

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Recorded is one request and what it got, with every secret hidden.
type Recorded struct {
	At     time.Time // when the answer had come whole, or was given up; UTC
	Method string
	URL    string
	Header http.Header // of the request, credentials masked
	// Sum is the SHA-256 of the request's body in hexadecimal, "" without one.
	// It is taken of the body with its secrets hidden, so that it tells nothing
	// about them.
	Sum string

	Unanswered Kind // why nothing came, "" for an answer; all that follows is then zero

	Status   int
	Answered http.Header // of the answer, without a Content-Encoding that was undone
	Coding   []string    // the lines of a Content-Encoding that was undone
	Body     []byte
	Bytes    int64         // of the body, as they came
	Partial  bool          // the body went on, or was left out because of what it holds
	TLS      *TLSInfo      // nil without TLS
	TTFB     time.Duration // from the request to the header of its answer
	Reading  time.Duration // from there to the end of the body
}

// maxTape bounds what bodies a Tape holds, all together. What comes after that
// is recorded without its body.
const maxTape = 512 << 20

// Tape records what is asked and answered, under the name of who asks
// (WithTake). It is safe for concurrent use; the zero value is ready.
type Tape struct {
	mu    sync.Mutex
	held  int64
	takes map[string][]*take
}

// take is a record that is being made. Nothing is hidden in it yet: a secret
// may be learnt after it was seen.
type take struct {
	Recorded
	r     *recorder
	asked []byte // the request's body
	whole bool
	done  bool
}

// Take gives what was recorded under a name, in the order in which it was
// asked, and forgets it. What is a secret by then is hidden in all of it.
func (t *Tape) Take(name string) []Recorded {
	t.mu.Lock()
	takes := t.takes[name]
	delete(t.takes, name)
	takes = slices.DeleteFunc(takes, func(x *take) bool { return !x.done })
	for _, x := range takes {
		t.held -= int64(len(x.Body))
	}
	t.mu.Unlock()
	list := make([]Recorded, len(takes))
	for i, x := range takes {
		list[i] = x.hidden()
	}
	return list
}

func (t *Tape) begin(name string) *take {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.takes == nil {
		t.takes = map[string][]*take{}
	}
	x := &take{}
	t.takes[name] = append(t.takes[name], x)
	return x
}

// end puts what was seen into its place.
func (t *Tape) end(x *take, seen take) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.held += int64(len(seen.Body)); t.held > maxTape {
		t.held -= int64(len(seen.Body))
		seen.Body, seen.whole = nil, false
	}
	seen.done = true
	*x = seen
}

type takeKey struct{}

// WithTake names whose requests those within ctx are, for a Tape and for a
// Replay.
func WithTake(ctx context.Context, name string) context.Context {
	return context.WithValue(ctx, takeKey{}, name)
}

func takeOf(ctx context.Context) (string, bool) {
	name, ok := ctx.Value(takeKey{}).(string)
	return name, ok
}

// hidden is the finished record.
func (x *take) hidden() Recorded {
	rec, hide := x.Recorded, x.r.hide
	rec.Sum = sumOf(x.asked, hide)
	rec.Header, rec.URL = masked(rec.Header, hide), hide(rec.URL)
	if rec.Unanswered == "" {
		x.r.unpack(&rec, x.Header, x.whole)
		rec.Answered = masked(rec.Answered, hide)
	}
	if rec.TLS != nil {
		info := *rec.TLS
		info.Subject, info.Issuer = hide(info.Subject), hide(info.Issuer)
		rec.TLS = &info
	}
	return rec
}

// unpack makes a body readable and hides the secrets in it. A coding that the
// request offered is undone where that goes to the end. Whatever else came
// stays as it came, unless a secret shows in it that cannot be masked in place.
func (r *recorder) unpack(rec *Recorded, asked http.Header, whole bool) {
	rec.Partial = !whole
	lines := rec.Answered["Content-Encoding"]
	if list := codings(lines); len(list) > 0 && len(rec.Body) > 0 {
		data, err := decode(rec.Body, list, r.limit)
		switch {
		case err == nil && whole && asked.Get("Accept-Encoding") != "":
			rec.Body, rec.Coding = data, slices.Clone(lines)
			delete(rec.Answered, "Content-Encoding")
		case r.hide(string(data)) != string(data):
			rec.Body, rec.Partial = nil, true
			return
		}
	}
	rec.Body = []byte(r.hide(string(rec.Body)))
	if text, _, _ := toUTF8(rec.Answered, r.charset, rec.Body); r.hide(string(text)) != string(text) {
		rec.Body, rec.Partial = nil, true
	}
}

func sumOf(data []byte, hide func(string) string) string {
	if len(data) == 0 {
		return ""
	}
	sum := sha256.Sum256([]byte(hide(string(data))))
	return fmt.Sprintf("%x", sum)
}

// masking stands for what is never written, whatever it is.
const masking = "[masked]"

// private are the headers whose values are credentials by their nature.
var private = map[string]bool{
	"Authorization": true, "Proxy-Authorization": true, "Cookie": true, "X-Api-Key": true, "X-Auth-Token": true, "Mcp-Session-Id": true,
}

// masked is a header without credentials and secrets. Of a Set-Cookie the name
// and the attributes stay (RFC 6265 §4.1.1).
func masked(h http.Header, hide func(string) string) http.Header {
	out := make(http.Header, len(h))
	for name, values := range h {
		list := make([]string, len(values))
		for i, v := range values {
			switch {
			case private[name]:
				list[i] = masking
			case name == "Set-Cookie":
				// First of all as a whole: a secret can hold the semicolon at
				// which the value ends.
				list[i] = hide(maskedCookie(hide(v)))
			default:
				list[i] = hide(v)
			}
		}
		out[name] = list
	}
	return out
}

func maskedCookie(v string) string {
	pair, attributes, more := strings.Cut(v, ";")
	name, _, ok := strings.Cut(pair, "=")
	if !ok {
		return masking
	}
	if more {
		attributes = ";" + attributes
	}
	return name + "=" + masking + attributes
}
