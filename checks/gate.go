package checks

import (
	"context"
	"sync"
	"time"
)

// gate admits work: at most parallel pieces at a time over all origins, and at
// most max of one lane (an origin). A re-trip that has waited goes before work
// that has not begun, so that what was started is finished.
type gate struct {
	mu     sync.Mutex
	cond   *sync.Cond
	free   int
	closed bool // no more work is admitted
	lanes  []*lane
	next   int // where the search for startable work goes on, for fairness

	blocked map[*job]bool // those that wait for other jobs to end
}

// lane is the queue of one origin.
type lane struct {
	max     int // 0 means no limit
	active  int
	waiting int // re-trips that wait for a place
	pending []*job
}

func newGate(parallel int, lanes []*lane) *gate {
	g := &gate{free: max(parallel, 1), lanes: lanes}
	g.cond = sync.NewCond(&g.mu)
	return g
}

// queue puts jobs into their lanes; those that wait for others are put there
// when the last of these has ended. Needs never go round in a circle, so that
// whatever is blocked waits for something that is pending or at work.
func (g *gate) queue(jobs []*job) {
	g.blocked = map[*job]bool{}
	for _, j := range jobs {
		if j.waits > 0 {
			g.blocked[j] = true
		} else {
			j.lane.pending = append(j.lane.pending, j)
		}
	}
}

// ended frees the jobs that waited for this one alone. They go before what has
// not begun, so that a chain that was begun is finished.
func (g *gate) ended(done *job) {
	freed := map[*lane][]*job{}
	for _, j := range done.frees {
		if j.waits--; j.waits == 0 {
			delete(g.blocked, j)
			freed[j.lane] = append(freed[j.lane], j)
		}
	}
	for l, jobs := range freed {
		l.pending = append(jobs, l.pending...)
	}
	if len(freed) > 0 {
		g.cond.Broadcast()
	}
}

func (l *lane) open() bool { return l.max <= 0 || l.active < l.max }

// run starts every pending job of every lane and returns once none is left to
// start or ctx has ended. What was never started stays in its lane. A goroutine
// that has ended a job goes on with the next one that may start.
func (g *gate) run(ctx context.Context, do func(*job)) {
	stop := context.AfterFunc(ctx, g.close)
	defer stop()
	for {
		j, l := g.take(ctx)
		if j == nil {
			return
		}
		go func() {
			for j != nil {
				do(j)
				j, l = g.follow(ctx, j, l)
			}
		}()
	}
}

// take waits for a job that may start; nil when there will be none.
func (g *gate) take(ctx context.Context) (*job, *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for {
		j, l, left := g.startable(ctx)
		if j != nil || !left {
			return j, l
		}
		g.cond.Wait()
	}
}

// follow gives the place of an ended job back and takes the next job that may
// start, if there is one now.
func (g *gate) follow(ctx context.Context, done *job, at *lane) (*job, *lane) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(at)
	g.ended(done)
	j, l, _ := g.startable(ctx)
	if j == nil || g.promised() > 0 {
		g.cond.Broadcast()
	}
	return j, l
}

// startable takes a job that may start now, nil when there is none; left is
// whether any is pending that may still be started.
func (g *gate) startable(ctx context.Context) (j *job, l *lane, left bool) {
	if g.closed || ctx.Err() != nil {
		return nil, nil, false
	}
	left = len(g.blocked) > 0
	for i := range g.lanes {
		l := g.lanes[(g.next+i)%len(g.lanes)]
		if len(l.pending) == 0 {
			continue
		}
		left = true
		if l.waiting == 0 && l.open() && g.free > g.promised() {
			g.next = (g.next + i + 1) % len(g.lanes)
			j := l.pending[0]
			l.pending = l.pending[1:]
			g.enter(l)
			return j, l, true
		}
	}
	return nil, nil, left
}

// promised is how many places belong to re-trips that could go now.
func (g *gate) promised() int {
	n := 0
	for _, l := range g.lanes {
		if l.max <= 0 {
			n += l.waiting
		} else {
			n += min(l.waiting, max(l.max-l.active, 0))
		}
	}
	return n
}

func (g *gate) enter(l *lane) { g.free--; l.active++ }

func (g *gate) leave(l *lane) { g.free++; l.active-- }

// release gives a place back.
func (g *gate) release(l *lane) {
	g.mu.Lock()
	g.leave(l)
	g.mu.Unlock()
	g.cond.Broadcast()
}

// acquire takes a place again, for a re-trip, and tells how long that took;
// false when the gate closed first.
func (g *gate) acquire(l *lane, now func() time.Time) (time.Duration, bool) {
	start := now()
	g.mu.Lock()
	defer g.mu.Unlock()
	l.waiting++
	for !g.closed && (g.free <= 0 || !l.open()) {
		g.cond.Wait()
	}
	l.waiting--
	// Places are counted even when closed: the caller releases what it holds.
	g.enter(l)
	return now().Sub(start), !g.closed
}

func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.cond.Broadcast()
}

// left lists the probes whose jobs have not been taken. It is final once run
// has returned or the gate has closed.
func (g *gate) left() map[*planned]bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := map[*planned]bool{}
	for _, l := range g.lanes {
		for _, j := range l.pending {
			for _, pl := range j.probes {
				left[pl] = true
			}
		}
	}
	for j := range g.blocked {
		for _, pl := range j.probes {
			left[pl] = true
		}
	}
	return left
}
