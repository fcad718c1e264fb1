package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"testing"
	"time"
)

// fake is a transport of functions: the n-th request gets the n-th step, the
// last one for good.
type fake struct {
	mu    sync.Mutex
	steps []func(*http.Request) (*http.Response, error)
	got   []*http.Request
	sent  [][]byte
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	n := len(f.got)
	f.got = append(f.got, r)
	var body []byte
	if r.Body != nil {
		body, _ = io.ReadAll(r.Body)
	}
	f.sent = append(f.sent, body)
	step := f.steps[min(n, len(f.steps)-1)]
	f.mu.Unlock()
	return step(r)
}

func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.got)
}

func script(steps ...func(*http.Request) (*http.Response, error)) *fake { return &fake{steps: steps} }

// say answers with a status, a body and headers in pairs.
func say(status int, body string, pairs ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{}
		for i := 0; i < len(pairs); i += 2 {
			h.Add(pairs[i], pairs[i+1])
		}
		return &http.Response{
			StatusCode: status, Header: h, Body: io.NopCloser(bytes.NewReader([]byte(body))), ContentLength: int64(len(body)),
			Request: r, Status: strconv.Itoa(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		}, nil
	}
}

func fail(err error) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) { return nil, err }
}

// silence never answers.
func silence(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// after lets time pass before a step.
func after(d time.Duration, step func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		if err := sleep(r.Context(), d); err != nil {
			return nil, err
		}
		return step(r)
	}
}

// hanging is a body that gives its text and then nothing, until the context
// ends.
type hanging struct {
	ctx  context.Context
	text io.Reader
}

func (h *hanging) Read(p []byte) (int, error) {
	if n, err := h.text.Read(p); err == nil {
		return n, nil
	}
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

func (h *hanging) Close() error { return nil }

func hangingBody(status int, text string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		res, _ := say(status, "")(r)
		res.ContentLength = -1
		res.Body = &hanging{ctx: r.Context(), text: bytes.NewReader([]byte(text))}
		return res, nil
	}
}

// failed asserts that err is an *Error.
func failed(t *testing.T, err error) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v (%T), want a *fetch.Error", err, err)
	}
	return e
}

// exact is a policy without chance: 1s, 2s, 4s, no jitter.
func exact() Policy {
	p := DefaultPolicy()
	p.Backoff.Jitter = 0
	return p
}

const origin = "http://origin.test/data"
