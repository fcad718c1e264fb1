package checks

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"
)

// fake is an origin in memory: reply answers the n-th request (from 1) for a
// path.
type fake struct {
	mu     sync.Mutex
	counts map[string]int
	at     map[string][]time.Time
	active int
	peak   int
	reply  func(r *http.Request, n int) (*http.Response, error)
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	if f.counts == nil {
		f.counts, f.at = map[string]int{}, map[string][]time.Time{}
	}
	path := r.URL.Path
	f.counts[path]++
	f.at[path] = append(f.at[path], time.Now())
	n := f.counts[path]
	f.active++
	f.peak = max(f.peak, f.active)
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.active--; f.mu.Unlock() }()
	return f.reply(r, n)
}

func respond(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// script answers each path with a list of "STATUS BODY", the last one again and
// again.
func script(answers map[string][]string) *fake {
	return &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
		list := answers[r.URL.Path]
		status, body, _ := strings.Cut(list[min(n, len(list))-1], " ")
		code := 0
		fmt.Sscan(status, &code)
		return respond(r, code, body), nil
	}}
}

const header = `
version: 1
origins:
  o: {url: https://o.example, retries: 0}
probes:
`

func declare(t *testing.T, yaml string) *Declaration {
	t.Helper()
	d, err := LoadBytes("t.yaml", []byte(strings.TrimLeft(yaml, "\n")), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runPlan(t *testing.T, ctx context.Context, d *Declaration, tr http.RoundTripper, opt Options) *Report {
	t.Helper()
	opt.Transport = func(*Origin) http.RoundTripper { return tr }
	opt.Parallel = max(opt.Parallel, 4)
	opt.Rand = func() float64 { return 0 }
	opt.TraceSeed = []byte("0123456789abcdef")
	p, err := NewPlan(d, d.Probes, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(ctx)
}
