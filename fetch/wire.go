package fetch

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// ErrOver is what a Wire says once its attempt has ended.
var ErrOver = errors.New("the attempt is over")

// Wire is what an Exchange sends over. Every request counts in the attempt,
// takes its turn under the rate limit, carries the declared headers and is
// measured. It is safe for concurrent use, and useless once the attempt is
// over.
type Wire struct {
	t       *trip
	allowed time.Duration // what is left of the attempt's clock
	cause   error         // what the end of the clock is called
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	armed   time.Time

	sending sync.Mutex // one request at a time: turns are taken in order

	mu   sync.Mutex
	w    *walk
	slot *slot // of the first request; nil once it is taken, or without a rate limit
	rec  *Attempt
	over bool
}

// newWire arms a clock that can stand still: what waits for our own rate limit
// is not the origin's time.
func newWire(t *trip, w *walk, s *slot, rec *Attempt) *Wire {
	x := &Wire{t: t, w: w, slot: s, rec: rec, allowed: t.policy.Timeout, cause: ErrTimeout, armed: time.Now()}
	if left := t.patience(); left < x.allowed {
		x.allowed, x.cause = left, ErrBudget
	}
	w.fuse.put()
	ctx, cancel := context.WithCancelCause(w.caller)
	x.cancel = cancel
	x.timer = time.AfterFunc(x.allowed, func() { cancel(x.cause) })
	w.fuse = fuse{ctx: ctx, put: func() { x.timer.Stop(); cancel(nil) }, fail: cancel, defuse: x.timer.Stop}
	return x
}

// Turn waits until one more request may leave, and counts it. An exchange over
// a pipe calls it before each of its requests.
func (x *Wire) Turn() error {
	x.sending.Lock()
	defer x.sending.Unlock()
	if _, err := x.turn(); err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.rec.Requests++
	x.w.phase = PhaseWait
	return nil
}

// turn takes the slot of the next request. While it waits, the attempt's clock
// stands still; a wait that does not fit is our own limit's.
func (x *Wire) turn() (*slot, error) {
	x.mu.Lock()
	s, over := x.slot, x.over
	x.slot = nil
	x.mu.Unlock()
	switch {
	case over:
		return nil, ErrOver
	case s != nil || x.t.limit == nil:
		return s, nil
	case !x.timer.Stop():
		return nil, context.Cause(x.w.fuse.ctx)
	}
	worked := time.Since(x.armed)
	s, waited, err := x.t.limit.wait(x.w.caller, x.t.left())
	x.mu.Lock()
	if !x.over {
		x.w.limited += waited
		x.w.idle = err != nil
	}
	x.mu.Unlock()
	if err != nil {
		x.cancel(err)
		return nil, err
	}
	x.rearm(worked)
	return s, nil
}

// rearm lets the clock go on with what is left of it.
func (x *Wire) rearm(worked time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.allowed, x.armed = max(1, x.allowed-worked), time.Now()
	if left := x.t.left(); left < x.allowed {
		x.cause, x.allowed = ErrBudget, max(1, left)
		x.w.short = left+x.t.limited+x.w.limited >= x.t.policy.Timeout
	}
	x.timer.Reset(x.allowed)
}

// ends is when the attempt ends, unless its clock stands still until then.
func (x *Wire) ends() time.Time {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.armed.Add(x.allowed)
}

// RoundTrip sends one HTTP request to the place that the attempt asks, with
// what the request's own headers say over the declared ones. Redirects are
// followed as the policy says, where neither method nor body changes. The
// body of the answer is the caller's to close.
func (x *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := contentOf(r)
	if err != nil {
		return nil, err
	}
	x.sending.Lock()
	defer x.sending.Unlock()
	s, err := x.turn()
	if err != nil {
		return nil, err
	}
	w := &walk{
		caller: r.Context(), began: x.w.began, header: x.t.exchangeHeader(r.Header),
		fuse: fuse{ctx: r.Context(), put: func() {}, fail: x.cancel, at: x.ends()},
		leg:  leg{method: r.Method, url: x.t.url, body: body},
	}
	rec := unmeasured(Attempt{})
	x.leaving()
	x.t.walk(w, s, &rec)
	x.sent(w, &rec)
	if w.err != nil {
		return nil, w.err
	}
	w.res.Body = &counted{ReadCloser: w.res.Body, x: x, put: w.fuse.put, began: w.firstByte}
	return w.res, nil
}

// leaving notes that nothing is known yet about the next request.
func (x *Wire) leaving() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.over {
		x.w.phase, x.w.firstByte = PhaseWait, time.Time{}
	}
}

// sent adds what one request was to the attempt's record.
func (x *Wire) sent(w *walk, rec *Attempt) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	to := x.rec
	to.Requests += rec.Requests
	to.DNS, to.Connect, to.TLS = lasted(to.DNS, rec.DNS), lasted(to.Connect, rec.Connect), lasted(to.TLS, rec.TLS)
	into := x.w
	into.phase, into.firstByte, into.leg = w.phase, w.firstByte, w.leg
	into.heard, into.withheld = into.heard || w.heard, into.withheld || w.withheld
	into.atProxy, into.denied = w.atProxy, w.denied
	into.location, into.why = w.location, w.why
	into.limited += w.limited
}

// Heard notes that something came from the origin over a pipe, and how much.
func (x *Wire) Heard(bytes int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.w.heard = true
	x.rec.Bytes += int64(bytes)
	if x.w.firstByte.IsZero() {
		x.w.firstByte = x.t.c.clock.Now()
	}
}

// read adds what was read of an answer's body.
func (x *Wire) read(n int, began time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.over {
		return
	}
	x.rec.Bytes += int64(n)
	x.rec.Body = max(0, x.t.c.since(began))
}

// Timeout is the cap of the attempt.
func (x *Wire) Timeout() time.Duration { return min(x.t.policy.Timeout, x.t.policy.Budget) }

// MaxBody is how much of one answer is taken, in bytes.
func (x *Wire) MaxBody() int64 { return x.t.policy.MaxBody }

// end makes the wire useless: what still runs behind it changes no record.
func (x *Wire) end() {
	x.timer.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
	x.slot.giveBack()
	x.slot = nil
}

// counted is a body whose bytes are the attempt's.
type counted struct {
	io.ReadCloser
	x     *Wire
	put   func()
	began time.Time
}

// Read counts.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.ReadCloser.Read(p)
	c.x.read(n, c.began)
	return n, err
}

// Close closes the body, and frees what a redirect's own clock holds.
func (c *counted) Close() error {
	err := c.ReadCloser.Close()
	c.put()
	return err
}

// exchangeHeader lays the headers of one of an exchange's requests over the
// declared ones. No coding is offered: what comes is read as it is.
func (t *trip) exchangeHeader(own http.Header) http.Header {
	h := t.header.Clone()
	delete(h, "Accept-Encoding")
	overlay(h, own)
	return h
}

func contentOf(r *http.Request) ([]byte, error) {
	if r.Body == nil {
		return nil, nil
	}
	defer r.Body.Close()
	var b bytes.Buffer
	_, err := b.ReadFrom(r.Body)
	return b.Bytes(), err
}

// Farewell sends requests after the attempts that a session was made by: its
// end. They wait for the rate limit no longer than their context allows, and
// appear in no record.
type Farewell struct{ t *trip }

// Farewell gives what ends a session that was opened over this wire.
func (x *Wire) Farewell() *Farewell { return &Farewell{x.t} }

// RoundTrip sends one request; no redirect is followed.
func (f *Farewell) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.t.limit != nil {
		deadline, ok := r.Context().Deadline()
		if !ok {
			return nil, ErrOwnLimit
		}
		if _, _, err := f.t.limit.wait(r.Context(), time.Until(deadline)); err != nil {
			return nil, err
		}
	}
	out := r.Clone(r.Context())
	out.Header = f.t.exchangeHeader(r.Header)
	if f.t.host != "" {
		out.Host = f.t.host
	}
	return f.t.c.transport.RoundTrip(out)
}
