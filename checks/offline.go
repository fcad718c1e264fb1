package checks

import (
	"context"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// control is the control target of a run: asked once, by the first failure
// that our own outage could explain.
type control struct {
	once    *once
	reach   func(context.Context) error
	offline bool // set within once
}

// down reports whether the control target failed as well. Without a target,
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

// blame turns an outage into our own where the control target is down too:
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
