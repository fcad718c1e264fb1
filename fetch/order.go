package fetch

import (
	"context"
	"time"
)

// try makes one attempt, or says why none was made.
type try func(ctx context.Context, p *passage) (outcome, *refusal)

// passage is what the layers hand on to an attempt.
type passage struct {
	rec  Attempt
	slot *slot // of its first request; nil without a rate limit
}

// refusal is why an attempt was not made: nothing left for it.
type refusal struct {
	stop Stop
	wait time.Duration // what did not fit, with StopOwnLimit
	err  error
}

// order is the order of everything around an attempt, from the outside in:
//
//	budget ( rate limit ( breaker ( attempt )))
//
// The retry loop (run) calls it for each attempt. Its first call is the
// admission of the trip; every later attempt passes all layers again. The
// budget is outermost, so that waiting for the rate limit is charged to it. The
// breaker is asked after the wait, because a wait is long enough for it to
// open; a turn that it refuses is given back. In a replay there is neither, and
// what no recording answers is not attempted (recorded); an answer that is there
// is served whatever the budget says.
func (t *trip) order() try {
	return t.withinBudget(t.recorded(t.inTurn(t.unlessOpen(t.aside(t.attempt)))))
}

// withinBudget lets nothing begin when the budget is spent.
func (t *trip) withinBudget(next try) try {
	return func(ctx context.Context, p *passage) (outcome, *refusal) {
		if t.left() <= 0 && !t.isThere() {
			return outcome{}, &refusal{stop: StopBudget, err: ErrBudget}
		}
		return next(ctx, p)
	}
}

// inTurn waits for the rate limit. While the breaker is known to be open nobody
// waits for a turn.
func (t *trip) inTurn(next try) try {
	if t.limit == nil {
		return next
	}
	return func(ctx context.Context, p *passage) (outcome, *refusal) {
		if t.place.breaker.isOpen() {
			return outcome{}, &refusal{stop: StopCircuit}
		}
		s, waited, err := t.limit.wait(ctx, t.left())
		t.limited += waited
		if err != nil {
			return outcome{}, notInTurn(ctx, err, waited)
		}
		if p.slot = s; waited > 0 {
			if waited > p.rec.Wait {
				p.rec.WaitReason = WaitRateLimit
			}
			p.rec.Wait += waited
			p.rec.Limited = waited
		}
		o, no := next(ctx, p)
		if no != nil {
			s.giveBack()
		}
		return o, no
	}
}

func notInTurn(ctx context.Context, err error, wait time.Duration) *refusal {
	if ctx.Err() != nil {
		return &refusal{stop: StopCancelled, err: cancelled(ctx)}
	}
	return &refusal{stop: StopOwnLimit, wait: wait, err: err}
}

// unlessOpen asks the breaker of the place, and tells it how the attempt ended.
func (t *trip) unlessOpen(next try) try {
	return func(ctx context.Context, p *passage) (outcome, *refusal) {
		b := t.place.breaker
		if b == nil {
			return next(ctx, p)
		}
		leave, ok := b.admit()
		if !ok {
			return outcome{}, &refusal{stop: StopCircuit}
		}
		o, no := next(ctx, p)
		said := tallyOf(o.fail)
		if no != nil || said == down && o.fail.Kind == HTTP5xx && !t.seen.first5xx(b) {
			said = neutral
		}
		leave.settle(said)
		return o, no
	}
}
