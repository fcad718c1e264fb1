package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// recorder is a transport that keeps what goes through it.
type recorder struct {
	next    http.RoundTripper
	tape    *Tape
	now     func() time.Time
	hide    func(string) string
	charset string
	limit   int64 // of a body that is unpacked
}

func newRecorder(cfg *Config, next http.RoundTripper, now func() time.Time) *recorder {
	return &recorder{next: next, tape: cfg.Tape, now: now, hide: cfg.hiding(), charset: cfg.Charset, limit: cfg.Policy.MaxBody}
}

// hiding is the declared Hide, or one that hides nothing.
func (cfg *Config) hiding() func(string) string {
	if cfg.Hide == nil {
		return func(s string) string { return s }
	}
	return cfg.Hide
}

// CloseIdleConnections closes those beneath.
func (r *recorder) CloseIdleConnections() {
	if t, ok := r.next.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// RoundTrip hands the request on. What nobody's name is on is not recorded.
func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	name, ok := takeOf(req.Context())
	if !ok {
		return r.next.RoundTrip(req)
	}
	x, began := r.tape.begin(name), r.now()
	res, err := r.next.RoundTrip(req)
	seen := take{r: r, asked: bodyOf(req)}
	seen.Method, seen.URL, seen.Header = req.Method, req.URL.String(), req.Header.Clone()
	switch {
	case err != nil || res == nil:
		r.tape.end(x, seen.unanswered(req.Context(), err))
		return res, err
	case res.StatusCode < 200: // no final answer
		r.tape.end(x, seen.unanswered(req.Context(), errNoResponse))
		return res, nil
	}
	seen.Status, seen.TLS, seen.TTFB, seen.Answered = res.StatusCode, tlsInfo(res.TLS), max(0, r.now().Sub(began)), res.Header.Clone()
	b := &taped{ReadCloser: res.Body, ctx: req.Context(), x: x, seen: seen, from: r.now(), length: res.ContentLength}
	if req.Method == http.MethodHead || res.StatusCode == http.StatusNoContent || res.StatusCode == http.StatusNotModified {
		b.length = 0 // RFC 9110 §6.4.1
	}
	res.Body = b
	return res, nil
}

// unanswered is the record of a request that got nothing, or not all.
func (x take) unanswered(ctx context.Context, err error) take {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	gap := take{r: x.r, asked: x.asked, whole: true}
	gap.At, gap.Method, gap.URL, gap.Header = x.r.now().UTC(), x.Method, x.URL, x.Header
	gap.Unanswered = ClassifyError(err, PhaseWait).Kind
	return gap
}

// taped is a body that is kept while it is read.
type taped struct {
	io.ReadCloser
	ctx    context.Context
	x      *take
	seen   take
	from   time.Time
	length int64 // negative when not known

	mu   sync.Mutex
	raw  []byte
	over bool
}

// Read keeps what it reads, and ends the record with the body.
func (b *taped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return n, err
	}
	b.raw = append(b.raw, p[:n]...)
	switch {
	case errors.Is(err, io.EOF):
		b.end(true)
	case err != nil:
		b.over = true
		b.seen.r.tape.end(b.x, b.seen.unanswered(b.ctx, err))
	}
	return n, err
}

// Close ends the record; nobody wanted what had not been read by then.
func (b *taped) Close() error {
	err := b.ReadCloser.Close()
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.over {
		b.end(int64(len(b.raw)) == b.length)
	}
	return err
}

func (b *taped) end(whole bool) {
	b.over = true
	now := b.seen.r.now()
	b.seen.At, b.seen.Reading, b.seen.Bytes = now.UTC(), max(0, now.Sub(b.from)), int64(len(b.raw))
	b.seen.Body, b.seen.whole = b.raw, whole
	b.seen.r.tape.end(b.x, b.seen)
}

// bodyOf is the body of a request of this package.
func bodyOf(req *http.Request) []byte {
	if req.GetBody == nil {
		return nil
	}
	body, err := req.GetBody()
	if err != nil {
		return nil
	}
	defer body.Close()
	data, _ := io.ReadAll(body)
	return data
}
