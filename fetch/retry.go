package fetch

import (
	"context"
	"net/http"
	"net/url"
	"time"
)

// trip is one journey in progress.
type trip struct {
	c      *Client
	req    *Request
	policy Policy
	method string
	url    *url.URL
	header http.Header // declared, and what is sent on our own account
	host   string      // a declared Host, or ""
	start  time.Time   // admission
	epoch  time.Time
	heard  bool // a byte of an HTTP answer came
	log    Trip
}

// newTrip checks the request; nothing has been dialled when it fails.
func (c *Client) newTrip(req *Request) (*trip, error) {
	u, err := parseURL(req.URL)
	if err != nil {
		return nil, err
	}
	if err := checkMethod(req.Method); err != nil {
		return nil, err
	}
	t := &trip{c: c, req: req, policy: c.cfg.Policy, method: req.Method, url: u}
	if t.method == "" {
		t.method = http.MethodGet
	}
	if req.Policy != nil {
		t.policy = req.Policy.bounded()
	}
	if t.header, t.host, err = c.headerFor(req); err != nil {
		return nil, err
	}
	return t, nil
}

// begin starts the clock of the trip: time in our own queue is not charged.
func (t *trip) begin(asked time.Time) {
	t.start = t.c.clock.Now()
	t.log.Queued = max(0, t.start.Sub(asked))
	if t.epoch = t.req.Epoch; t.epoch.IsZero() {
		t.epoch = t.start
	}
}

// run makes attempts until one delivers or nothing allows another.
func (t *trip) run(ctx context.Context) (*Answer, error) {
	var rec Attempt
	var last *Error
	for {
		o := t.attempt(ctx, t.left(), rec)
		t.log.Attempts = append(t.log.Attempts, o.rec)
		t.heard = t.heard || o.heard
		if o.answer != nil {
			return t.deliver(o.answer), nil
		}
		e := o.fail
		if e.Previous == nil && e.isCut() {
			e.Previous = last
		}
		var stop Stop
		if rec, stop = t.next(e); stop != "" {
			return nil, t.end(e, stop)
		}
		discard(e)
		if err := t.c.clock.Sleep(ctx, rec.Wait); err != nil || ctx.Err() != nil {
			return nil, t.end(t.cutWaiting(ctx, e, err), StopCancelled)
		}
		if t.left() <= 0 {
			return nil, t.end(e, StopBudget)
		}
		last = e
	}
}

// left is what remains of the budget.
func (t *trip) left() time.Duration { return t.policy.Budget - t.c.since(t.start) }

// next says why there is no further attempt, or what the next one waits for.
func (t *trip) next(e *Error) (rec Attempt, stop Stop) {
	e.Retryable = t.wanted(e)
	n := len(t.log.Attempts) - 1
	switch {
	case e.Detail == Cancelled:
		return rec, StopCancelled
	case e.Detail == BudgetSpent:
		return rec, StopBudget
	case e.Cause == CauseMaxBody:
		return rec, StopOwnLimit
	case !e.Retryable:
		return rec, StopNotRetryable
	case !t.req.CanRepeat():
		return rec, StopMethod
	case n >= t.policy.Retries:
		return rec, StopRetries
	}
	var asked time.Duration
	if e.RetryAfter != nil && t.policy.HonorRetryAfter {
		asked = *e.RetryAfter
	}
	wait, reason := t.policy.Backoff.WaitAfter(n, t.c.rand(), asked)
	if wait >= t.left() {
		t.log.Unfit = wait
		return rec, StopBudget
	}
	if wait > 0 {
		rec.Wait, rec.WaitReason = wait, reason
	}
	return rec, ""
}

// wanted asks whoever decides about repeating: the hook, the policy's list, or
// the table. None of them overrules what cannot help.
func (t *trip) wanted(e *Error) bool {
	switch {
	case e.Kind == Aborted || e.Detail.NeverRetried():
		return false
	case t.c.cfg.RetryOn != nil:
		return t.hooked(e)
	case t.policy.RetryOn != nil:
		return t.policy.RetryOn.listed(e.Kind, e.Status)
	}
	return Fault{Kind: e.Kind, Outcome: e.Outcome}.retryable()
}

// hooked asks the hook. When it panics, the failure becomes our own, and what
// it was asked about stays as Previous.
func (t *trip) hooked(e *Error) (again bool) {
	defer func() {
		if v := recover(); v != nil {
			discard(e)
			asked := *e
			*e, again = *t.panicked(v), false
			e.Previous = &asked
		}
	}()
	return t.c.cfg.RetryOn(t.event(e))
}

func (t *trip) event(e *Error) RetryEvent {
	return RetryEvent{
		URL: e.URL, Attempt: len(t.log.Attempts), Kind: e.Kind, Status: e.Status,
		Response: e.raw, Body: e.Body, Cause: e.Err,
	}
}

// deliver closes the trip with an answer.
func (t *trip) deliver(a *Answer) *Answer {
	t.log.Duration = t.c.since(t.start)
	a.Trip = t.log
	t.req.Call.RecordAnswer(a)
	return a
}

// end closes the trip with a failure.
func (t *trip) end(e *Error, stop Stop) *Error {
	t.log.Stopped = stop
	t.log.Duration = t.c.since(t.start)
	e.Trip = t.log
	e.Transport = !t.heard && len(t.log.Attempts) > 0
	t.req.Call.RecordTrip(t.log)
	return e
}

// isCut reports a failure that did not end by itself.
func (e *Error) isCut() bool { return e.Kind == Aborted || e.Detail == BudgetSpent }

// cutWaiting is the caller's cancel during a wait, after the failure last.
func (t *trip) cutWaiting(ctx context.Context, last *Error, err error) *Error {
	if ctx.Err() != nil {
		err = cancelled(ctx)
	}
	e := &Error{Offset: -1, Status: last.Status, URL: last.URL, FinalURL: last.FinalURL, Previous: last, Err: err}
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	return e
}

// cutQueued is the caller's cancel before anything was sent.
func (t *trip) cutQueued(err error) *Error {
	e := &Error{Offset: -1, URL: t.req.URL, FinalURL: t.req.URL, Err: err}
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	return e
}

// discard frees the open body of a failure that is not handed over.
func discard(e *Error) {
	if e.Response != nil {
		e.Response.Body.Close()
		e.Response = nil
	}
}
