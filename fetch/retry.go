package fetch

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"
)

// trip is one journey in progress.
type trip struct {
	c      *Client
	req    *Request
	policy Policy
	method string
	url    *url.URL    // of the place that is asked
	header http.Header // declared, and what is sent on our own account
	host   string      // a declared Host, or ""
	start  time.Time   // admission
	epoch  time.Time
	heard  bool // a byte of an HTTP answer came
	log    Trip
	call   *Call    // the collector; nil collects nothing
	seen   *Call    // what is counted once per probe: call, or one of the trip's own
	limit  *limiter // nil: no rate limit

	places  []place
	where   int // the place that is asked
	place   *place
	tried   int           // attempts there
	arrived time.Time     // when its turn came
	share   time.Duration // what it had of the budget then
	limited time.Duration // waited for the rate limit so far
	hooking atomic.Bool   // a hook runs
}

// newTrip checks the request; nothing has been dialled when it fails.
func (c *Client) newTrip(ctx context.Context, req *Request) (*trip, error) {
	u, err := req.parse()
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
	if t.places, err = c.places(req, u); err != nil {
		return nil, err
	}
	t.limit = c.limits.of(t.header)
	if t.call = req.Call; t.call == nil {
		t.call = CurrentCall(ctx)
	}
	if t.seen = t.call; t.seen == nil && c.breaker != nil {
		t.seen = new(Call)
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
	t.at(0)
}

// run makes attempts until one delivers or nothing allows another.
func (t *trip) run(ctx context.Context) (*Answer, error) {
	try := t.order()
	var rec Attempt
	var last *Error
	for {
		o, no := try(ctx, &passage{rec: rec})
		rec = Attempt{}
		if no != nil {
			if no.stop = t.failover(no.stop, nil); no.stop == "" {
				continue
			}
			return nil, t.refused(no, last)
		}
		t.note(o)
		if o.answer != nil {
			return t.deliver(o.answer), nil
		}
		e := o.fail
		if e.Previous == nil && e.isCut() {
			e.Previous = last
		}
		var stop Stop
		if rec, stop = t.next(e); stop != "" {
			if stop = t.failover(stop, e); stop != "" {
				return nil, t.end(e, stop)
			}
		}
		discard(e)
		if err := t.pause(ctx, rec.Wait); err != nil {
			return nil, t.end(t.cutWaiting(ctx, e, err), StopCancelled)
		}
		last = e
	}
}

// note appends what an attempt was.
func (t *trip) note(o outcome) {
	t.log.Attempts = append(t.log.Attempts, o.rec)
	t.heard = t.heard || o.heard
	t.limited += o.limited
	t.tried++
}

// pause waits, and gives an error when the caller's context has ended.
func (t *trip) pause(ctx context.Context, d time.Duration) error {
	if err := t.c.clock.Sleep(ctx, d); err != nil {
		return err
	}
	return ctx.Err()
}

// left is what remains of the budget.
func (t *trip) left() time.Duration { return t.policy.Budget - t.c.since(t.start) }

// next says why there is no further attempt, or what the next one waits for.
func (t *trip) next(e *Error) (rec Attempt, stop Stop) {
	e.Retryable = t.wanted(e)
	n := t.tried - 1
	switch {
	case e.Detail == Cancelled:
		return rec, StopCancelled
	case e.Cause == CauseMaxBody || e.Cause == CauseOwnLimiter:
		return rec, StopOwnLimit
	case e.Detail == BudgetSpent:
		return rec, StopBudget
	case !e.Retryable:
		return rec, StopNotRetryable
	case !t.req.CanRepeat():
		return rec, StopMethod
	case t.place.breaker.isOpen():
		return rec, StopCircuit
	case n >= t.policy.Retries:
		return rec, StopRetries
	}
	var asked time.Duration
	if e.RetryAfter != nil && t.policy.HonorRetryAfter {
		asked = *e.RetryAfter
	}
	wait, reason := t.policy.Backoff.WaitAfter(n, t.c.rand(), asked)
	if wait >= t.shareLeft() && !t.isThere() {
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
	case e.Rule != nil:
		return e.Rule.Retries()
	case t.c.cfg.RetryOn != nil:
		return t.hooked(e)
	case t.policy.RetryOn != nil:
		return t.policy.RetryOn.listed(e.Kind, e.Status)
	}
	return Fault{Kind: e.Kind, Outcome: e.Outcome}.retryable()
}

// hooked asks the hook. When it panics or does not return, the failure becomes
// our own, and what it was asked about stays as Previous.
func (t *trip) hooked(e *Error) bool {
	event := t.event(e)
	type said struct {
		again bool
		broke *Error
	}
	ask := func() (s said) {
		defer func() {
			if v := recover(); v != nil {
				s.broke = t.panicked(v)
			}
		}()
		s.again = t.c.cfg.RetryOn(event)
		return s
	}
	s, ended := beside(context.Background(), max(0, t.patience())+grace, ask, func(said) {})
	if !ended {
		s.broke = t.panicked(ErrHook)
		s.broke.Err = ErrHook
	}
	if s.broke != nil {
		discard(e)
		asked := *e
		*e = *s.broke
		e.Previous = &asked
	}
	return s.again
}

func (t *trip) event(e *Error) RetryEvent {
	return RetryEvent{
		URL: e.URL, Attempt: len(t.log.Attempts), Kind: e.Kind, Status: e.Status,
		Response: e.raw, Body: e.Body, Cause: e.Err,
	}
}
