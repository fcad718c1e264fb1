package fetch

import (
	"context"
	"errors"
	"time"
)

// grace is how long foreign code may take to notice that its context ended.
const grace = 250 * time.Millisecond

// ErrHook is a hook that did not return within the trip's budget.
var ErrHook = errors.New("a hook did not return")

// aside lets attempts that run foreign code (a given transport, a hook) run
// beside the trip, so that what ignores its context cannot hold it. An outcome
// that comes too late is closed and dropped.
func (t *trip) aside(next try) try {
	if !t.c.foreign && t.req.Exchange == nil {
		return next
	}
	return func(ctx context.Context, p *passage) (outcome, *refusal) {
		began, left := t.c.clock.Now(), t.patience()
		attempt := func() outcome { o, _ := next(ctx, p); return o }
		o, ended := beside(ctx, left+grace, attempt, func(o outcome) { o.drop() })
		if !ended {
			o = t.abandoned(ctx, p, began)
		}
		return o, nil
	}
}

// beside runs f on a goroutine of its own and gives its result, unless limit
// passes, or grace after the end of ctx. What f gives after that goes to late.
func beside[T any](ctx context.Context, limit time.Duration, f func() T, late func(T)) (result T, ended bool) {
	done, gone := make(chan T), make(chan struct{})
	go func() {
		v := f()
		select {
		case done <- v:
		case <-gone:
			late(v)
		}
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	defer context.AfterFunc(ctx, func() { timer.Reset(grace) })()
	select {
	case result = <-done:
		return result, true
	case <-timer.C:
		close(gone)
		return result, false
	}
}

// drop frees what a late outcome holds.
func (o outcome) drop() {
	if o.answer != nil && o.answer.Response != nil {
		o.answer.Response.Body.Close()
	}
	if o.fail != nil {
		discard(o.fail)
	}
}

// abandoned is the outcome of an attempt that did not come back.
func (t *trip) abandoned(ctx context.Context, p *passage, began time.Time) outcome {
	rec := unmeasured(p.rec)
	rec.Start, rec.Requests, rec.Total = began.Sub(t.epoch), 1, t.c.since(began)
	e := t.blank(ErrBudget)
	switch {
	case ctx.Err() != nil:
		e.Err = cancelled(ctx)
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Detail: Cancelled})
	case t.hooking.Load():
		e.Err = ErrHook
		e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CausePanic})
	default:
		e.fault(Fault{Kind: Timeout, Outcome: OutcomeRetryable, Detail: BudgetSpent})
	}
	rec.Kind, rec.Detail = e.Kind, e.Detail
	return outcome{rec: rec, fail: e}
}
