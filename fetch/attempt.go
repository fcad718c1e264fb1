package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"time"
)

// maxErrorBody is how much is kept of the body of an error status.
const maxErrorBody = 64 << 10

var errNoResponse = errors.New("the transport gave neither a response nor an error")

// PanicError is a panic of a hook or of a transport, caught.
type PanicError struct {
	Value any
	Stack []byte
}

// Error gives the panic's value.
func (e *PanicError) Error() string { return fmt.Sprintf("panic: %v", e.Value) }

// CancelledError is the caller's context, ended. It unwraps to both the
// context's error and its cause.
type CancelledError struct {
	Ctx   error // context.Canceled or context.DeadlineExceeded
	Cause error // context.Cause
}

// Error gives the cause.
func (e *CancelledError) Error() string { return e.Cause.Error() }

// Unwrap gives both errors.
func (e *CancelledError) Unwrap() []error { return []error{e.Ctx, e.Cause} }

func cancelled(ctx context.Context) error {
	return &CancelledError{Ctx: ctx.Err(), Cause: context.Cause(ctx)}
}

// outcome is what one attempt came to: an answer or a failure.
type outcome struct {
	rec    Attempt
	answer *Answer
	fail   *Error
	heard  bool
	// limited is what redirects waited for the rate limit.
	limited time.Duration
}

// attempt makes one try under the smaller of the attempt's timeout and what is
// left of the budget.
func (t *trip) attempt(ctx context.Context, p *passage) (o outcome, _ *refusal) {
	began := t.c.clock.Now()
	o.rec = unmeasured(p.rec)
	o.rec.Start = began.Sub(t.epoch)
	w := t.depart(ctx, began)
	defer func() {
		if v := recover(); v != nil {
			w.fuse.put()
			o.answer, o.fail = nil, t.panicked(v)
			o.rec.Kind = Aborted
		}
		o.rec.Requests = max(1, o.rec.Requests)
		o.rec.Total = t.c.since(began)
		o.heard, o.limited = w.heard, w.limited
		o.rec.Limited += w.limited
	}()
	if t.req.Exchange != nil {
		o.answer, o.fail = t.exchange(ctx, w, p.slot, &o.rec)
		o.answer, o.fail = t.judgeExchange(w, o.answer, o.fail)
	} else {
		t.walk(w, p.slot, &o.rec)
		o.answer, o.fail = t.settle(ctx, w, &o.rec)
		o.answer, o.fail = t.judge(w, o.answer, o.fail)
	}
	if !w.firstByte.IsZero() {
		o.rec.TTFB = w.firstByte.Sub(began)
	}
	if o.fail != nil {
		o.rec.Kind, o.rec.Detail = o.fail.Kind, o.fail.Detail
	}
	return o, nil
}

// unmeasured marks what did not happen yet.
func unmeasured(rec Attempt) Attempt {
	rec.DNS, rec.Connect, rec.TLS, rec.TTFB, rec.Body = -1, -1, -1, -1, -1
	return rec
}

// fuse is an attempt's context. In response mode it is defused at the headers,
// while the caller's context and put still end it.
type fuse struct {
	ctx    context.Context
	put    func()      // ends everything
	fail   func(error) // ends it for a reason of ours; nil where only put can
	defuse func() bool // false when it went off already
	at     time.Time   // when it goes off, where the context does not say; zero for never
}

func (t *trip) light(ctx context.Context, left, timeout time.Duration) fuse {
	if t.c.player != nil { // nothing takes time
		ctx, cancel := context.WithCancelCause(ctx)
		return fuse{ctx: ctx, put: func() { cancel(nil) }, fail: cancel, defuse: func() bool { return true }}
	}
	d, cause := timeout, ErrTimeout
	if left < d {
		d, cause = left, ErrBudget
	}
	if t.req.Mode == ModeResponse {
		ctx, cancel := context.WithCancelCause(ctx)
		timer := time.AfterFunc(d, func() { cancel(cause) })
		return fuse{ctx: ctx, put: func() { timer.Stop(); cancel(nil) }, fail: cancel, defuse: timer.Stop, at: time.Now().Add(d)}
	}
	ctx, cancel := context.WithTimeoutCause(ctx, d, cause)
	return fuse{ctx: ctx, put: cancel, defuse: func() bool { return true }}
}

// settle makes an answer or a failure out of what a walk ended with.
func (t *trip) settle(caller context.Context, w *walk, rec *Attempt) (*Answer, *Error) {
	f := w.fuse
	if w.err == nil && w.res.StatusCode >= 100 {
		rec.Status = w.res.StatusCode
	}
	switch {
	case w.err != nil:
		defer f.put()
		return nil, t.broken(caller, f.ctx, w, w.err)
	case w.res.StatusCode < 200:
		f.put()
		w.res.Body.Close()
		return nil, t.noFinalStatus(w)
	case headerSize(w.res.Header) > maxHeaderBytes && t.named(w) == nil:
		f.put()
		w.res.Body.Close()
		return nil, t.overlong(w)
	case t.req.Mode == ModeResponse:
		return t.open(caller, f, w)
	}
	defer f.put()
	defer w.res.Body.Close()
	return t.closed(caller, f.ctx, w, rec)
}

// broken is the failure of a walk, or of a body, that did not come to its end.
func (t *trip) broken(caller, ctx context.Context, w *walk, err error) *Error {
	e := t.failure(w)
	switch {
	case w.barred.Load() || errors.Is(err, ErrOwnLimit): // said while no clock of the attempt ran
		err = ErrOwnLimit
	case caller.Err() != nil && (ourDeadline(ctx) == nil || w.idle):
		e.Err = cancelled(caller)
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
		return e
	case w.held.Load() && ourDeadline(ctx) == ErrTimeout:
		// Our own rate limit used the attempt up. What the origin did was to
		// close the connection that the request had left on.
		e.Err = context.Cause(ctx)
		e.fault(Fault{Kind: Network, Outcome: OutcomeRetryable, Detail: ConnectionClosed})
		return e
	case w.held.Load() && ourDeadline(ctx) == ErrBudget:
		err = ErrOwnLimit
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	}
	e.Err = err
	f := ClassifyError(err, w.phase)
	if f.Detail == BudgetSpent && w.short {
		f.Cause = CauseOwnLimiter
	}
	if f.Kind == Timeout && w.atProxy {
		f.Cause = CauseProxy
	}
	e.fault(f)
	e.dateCertificate()
	return e
}

// ourDeadline gives which of our own clocks ended ctx, or nil.
func ourDeadline(ctx context.Context) error {
	if cause := context.Cause(ctx); cause == ErrTimeout || cause == ErrBudget {
		return cause
	}
	return nil
}

// noFinalStatus is an answer that is none: an unasked upgrade, or a number that
// is no status.
func (t *trip) noFinalStatus(w *walk) *Error {
	e := t.failure(w)
	if e.Status < 100 { // RFC 9110 §15: a status has three digits, from 1 on
		e.Status = 0
	}
	d := HTTPMalformed
	if w.res.StatusCode == http.StatusSwitchingProtocols {
		d = HTTPUpgrade
	}
	e.fault(Fault{Kind: Network, Outcome: OutcomeRetryable, Detail: d})
	return e
}

// failure starts the error of an attempt with what is known about its answer.
func (t *trip) failure(w *walk) *Error {
	e := &Error{Offset: -1, URL: t.req.URL, FinalURL: t.finalURL(w), Mirror: t.place.mirror, Withheld: w.withheld, Location: w.location}
	if w.res != nil && w.err == nil {
		e.Status, e.Header, e.raw = w.res.StatusCode, w.res.Header, w.res
		if d, ok := ParseRetryAfter(w.res.Header, t.c.clock.Now()); ok {
			e.RetryAfter = &d
		}
	}
	return e
}

func (e *Error) fault(f Fault) {
	e.Kind, e.Outcome, e.Detail, e.Cause = f.Kind, f.Outcome, f.Detail, f.Cause
}

func (t *trip) finalURL(w *walk) string {
	if w.leg.url == t.url {
		return t.place.raw
	}
	return w.leg.url.String()
}

// named is the failure that a status line says, or nil for an answer.
func (t *trip) named(w *walk) *Error {
	status := w.res.StatusCode
	kind, out := ClassifyStatus(status, w.res.Header)
	if kind == "" || t.expects(status) && !w.denied {
		return nil
	}
	e := t.failure(w)
	e.fault(Fault{Kind: kind, Outcome: out})
	if kind == Redirect {
		e.Detail = w.why
	}
	if w.denied {
		e.Cause = CauseProxy
	}
	return e
}

func (t *trip) expects(status int) bool { return t.req.Expect != nil && t.req.Expect(status) }

// open hands over the response with its body unread (response mode). From here
// on only the caller's context, or closing the body, ends it.
func (t *trip) open(caller context.Context, f fuse, w *walk) (*Answer, *Error) {
	if !f.defuse() {
		w.res.Body.Close()
		defer f.put()
		return nil, t.broken(caller, f.ctx, w, ErrTimeout)
	}
	w.res.Body = &stream{ReadCloser: w.res.Body, put: f.put}
	if e := t.named(w); e != nil {
		e.Response = w.res
		return nil, e
	}
	a := t.delivered(w)
	a.Response = w.res
	return a, nil
}

// stream is a body that ends its attempt's context when it is closed.
type stream struct {
	io.ReadCloser
	put func()
}

// Close closes the body and frees the attempt's context.
func (s *stream) Close() error {
	err := s.ReadCloser.Close()
	s.put()
	return err
}

// delivered starts an answer.
func (t *trip) delivered(w *walk) *Answer {
	a := &Answer{
		Status: w.res.StatusCode, Header: w.res.Header, URL: t.req.URL, FinalURL: t.finalURL(w), Mirror: t.place.mirror,
		Withheld: w.withheld,
	}
	a.RetrievedAt, a.TLS = t.retrieved(w)
	return a
}

func (t *trip) panicked(v any) *Error {
	e := t.blank(&PanicError{Value: v, Stack: debug.Stack()})
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CausePanic})
	return e
}
