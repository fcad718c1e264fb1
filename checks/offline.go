package checks

import (
	"context"
	"errors"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// control are the control targets of a run: asked once, by the first failure
// that our own outage could explain.
type control struct {
	once    *once
	reach   func(context.Context) error
	offline bool // set within once
}

// anyReached asks every target beside the others, and gives nil when one
// answers, which ends the asking: one target may be down itself, or be kept from
// us alone.
func anyReached(ctx context.Context, targets []string, ask func(ctx context.Context, target string) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	errs := make(chan error, len(targets))
	for _, target := range targets {
		go func() { errs <- ask(ctx, target) }()
	}
	reached := false
	var failed []error
	for range targets {
		err := <-errs
		if err == nil {
			reached = true
			cancel()
		}
		failed = append(failed, err)
	}
	if reached {
		return nil
	}
	return errors.Join(failed...)
}

// down reports whether every control target failed as well. Without a target,
// and where the run ends first, it did not.
func (c *control) down(ctx context.Context) bool {
	if c == nil {
		return false
	}
	asked := c.once.do(ctx, func() {
		// What our own end cut short says nothing.
		c.offline = c.reach(ctx) != nil && ctx.Err() == nil
	})
	return asked && c.offline
}

// suspect reports whether a failure could be our own outage: nothing at all
// came from the origin.
func suspect(e *fetch.Error) bool {
	return e != nil && e.Cause == "" && e.Transport && (e.Kind == fetch.Network || e.Kind == fetch.Timeout)
}

// blame turns an outage into our own where the control targets are down too:
// what the origin was asked, and what was not asked of it because of that.
func (r *runner) blame(ctx context.Context, o *originRun, g *journey) {
	last := &g.trips[len(g.trips)-1]
	e := verdict.Find(last.err)
	if e == nil || g.ruling.finding != Indisponivel || g.ruling.detail != "" {
		return
	}
	switch {
	case suspect(e):
		o.silent.Store(true)
	case e.Detail == fetch.CircuitOpen && o.silent.Load():
	default:
		return
	}
	if !r.control.down(ctx) {
		return
	}
	ours := *e
	ours.Cause = fetch.CauseRunnerOffline
	last.err = &ours
	g.ruling.finding, g.ruling.evidence = Alheio, len(g.trips)-1
}
