package checks

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// ErrRunBudget is the cause of the context of a run whose budget has ended.
var ErrRunBudget = errors.New("the run's budget ended")

// grace is how long a run waits, once it has been cut, for probes that do not
// stop by themselves.
const grace = 500 * time.Millisecond

// Run makes every trip of the plan and returns one result per probe, in the
// declaration's order. It ends when all is done, when its budget ends or when
// ctx does; what was not asked by then says so.
func (p *Plan) Run(ctx context.Context) *Report {
	report := p.round(ctx)
	p.decl.applyKnown(report)
	return report
}

// round is Run without a word on what was known before.
func (p *Plan) round(ctx context.Context) *Report {
	r := &runner{plan: p, clock: p.opt.Clock, results: make([]Result, len(p.probes)), done: make([]bool, len(p.probes))}
	if r.clock.Now == nil {
		r.clock.Now = time.Now
	}
	start := r.clock.Now()
	r.prepare()
	runCtx, cancel := ctx, context.CancelFunc(func() {})
	if p.opt.Budget > 0 {
		runCtx, cancel = context.WithTimeoutCause(ctx, p.opt.Budget, ErrRunBudget)
	}
	defer cancel()
	r.run(runCtx)
	report := &Report{Trace: r.trace, StartedAt: start.UTC(), Results: r.results}
	r.fillUnasked(runCtx, report)
	p.noteUnbelieved(report)
	p.rescrub(report.Results)
	p.visits = r.visited()
	report.Duration = r.clock.Now().Sub(start)
	report.Interrupted = ctx.Err() != nil
	p.closePeers()
	for _, o := range p.origins {
		report.Origins = append(report.Origins, OriginState{Name: o.origin.Name, Breaker: some(o.client.BreakerState())})
		o.client.CloseIdle()
	}
	return report
}

// runner is the state of one run. Results come over a channel, so that a probe
// that never ends cannot hold the run nor write into a finished report.
type runner struct {
	plan    *Plan
	clock   fetch.Clock
	gate    *gate
	results []Result
	done    []bool

	tracer   tracer
	trace    string
	sentries map[*originRun]*sentry
	control  *control // nil: none is declared

	mu     sync.Mutex
	gifts  map[*planned]given // of finished probes
	visits map[*Probe]visit   // of those, too
}

// prepare gives the run its codes, and what is asked once at most.
func (r *runner) prepare() {
	p := r.plan
	r.tracer = newTracer(p.opt.TraceSeed)
	r.trace = r.tracer.code("")
	for _, pl := range p.probes {
		pl.trace = r.tracer.code(pl.probe.Name)
	}
	r.sentries, r.gifts, r.visits = map[*originRun]*sentry{}, map[*planned]given{}, map[*Probe]visit{}
	for _, o := range p.origins {
		if o.origin.Sentinel != nil {
			r.sentries[o] = &sentry{once: newOnce()}
		}
	}
	if p.reach != nil {
		r.control = &control{once: newOnce(), reach: p.reach}
	}
}

// outcome is the finished result of one probe.
type outcome struct {
	index  int
	result *Result
}

func (r *runner) run(ctx context.Context) {
	// What an earlier run of the plan has left behind may still give its place
	// back: lanes are this run's own.
	var lanes []*lane
	of := map[*originRun]*lane{}
	for _, o := range r.plan.origins {
		of[o] = &lane{max: o.origin.Policy.MaxInFlight}
		lanes = append(lanes, of[o])
	}
	jobs := r.plan.jobs()
	for _, j := range jobs {
		j.lane = of[j.origin]
	}
	r.gate = newGate(r.plan.opt.Parallel, lanes)
	r.gate.queue(jobs)
	outcomes := make(chan outcome, len(r.plan.probes))
	dispatched := make(chan int, 1)
	go func() {
		r.gate.run(ctx, func(j *job) { r.do(ctx, j, outcomes) })
		dispatched <- len(r.gate.left())
	}()
	r.collect(ctx, dispatched, outcomes)
}

// jobs joins every probe to the owner of its trip, in order, and lets each wait
// for those whose captures it needs.
func (p *Plan) jobs() []*job {
	byProbe := make(map[*planned]*job)
	jobs := make([]*job, 0, len(p.probes))
	for _, pl := range p.probes {
		if pl.shared != nil {
			j := byProbe[pl.shared]
			j.probes = append(j.probes, pl)
			byProbe[pl] = j
			continue
		}
		j := &job{origin: pl.origin, probes: []*planned{pl}}
		jobs = append(jobs, j)
		byProbe[pl] = j
	}
	for _, j := range jobs {
		for _, need := range j.probes[0].needs {
			j.after(byProbe[need])
		}
	}
	return jobs
}

// collect takes results until those of every started probe are there, or the
// run was cut and the grace is over.
func (r *runner) collect(ctx context.Context, dispatched <-chan int, outcomes <-chan outcome) {
	expected := len(r.results)
	cut := ctx.Done()
	var late <-chan time.Time
	for received := 0; received < expected; {
		select {
		case o := <-outcomes:
			r.results[o.index], r.done[o.index] = *o.result, true
			received++
		case unstarted := <-dispatched:
			expected -= unstarted
			dispatched = nil
		case <-cut:
			cut = nil
			timer := time.NewTimer(grace)
			defer timer.Stop()
			late = timer.C
		case <-late:
			return
		}
	}
}

// do makes the trips of one job and sends a result for each of its probes,
// whatever happens.
func (r *runner) do(ctx context.Context, j *job, outcomes chan<- outcome) {
	journeys := make([]*journey, len(j.probes))
	for i, pl := range j.probes {
		journeys[i] = pl.begin()
	}
	defer func() {
		broke := recover()
		for _, g := range journeys {
			result := r.resultOf(g, broke)
			r.give(g, result)
			r.leave(g)
			r.observe(Event{Kind: EventDone, Probe: g.planned.probe.Name, Result: result, Answer: g.seen(result)})
			outcomes <- outcome{index: g.planned.index, result: result}
		}
	}()
	if !r.meet(journeys[0]) {
		return
	}
	for _, pl := range j.probes {
		r.observe(Event{Kind: EventStart, Probe: pl.probe.Name})
	}
	r.travel(ctx, j, journeys)
}

func (r *runner) observe(e Event) {
	if r.plan.opt.Observe != nil {
		r.plan.opt.Observe(e)
	}
}

// journey is what one probe has been through so far.
type journey struct {
	planned  *planned
	request  fetch.Request         // what is asked, captures filled in
	values   map[source.Ref]string // the captures of other probes in it
	unmet    *given                // the need that has no value for it; nil where all have
	barred   string                // why its captures may not go where it asks; "" where they may
	detail   string                // of that
	calls    *fetch.Call
	began    time.Time
	ended    time.Time
	trips    []leg
	findings []Finding
	ruling   ruling
	sentinel *SentinelTrip // what it was judged by, where it was
}

// begin is the journey of a probe of which nothing has happened yet.
func (pl *planned) begin() *journey {
	return &journey{planned: pl, calls: &fetch.Call{}, request: pl.request}
}

func (g *journey) add(l leg) {
	g.trips = append(g.trips, l)
	g.findings = append(g.findings, l.finding)
}

// seen is the answer that the expectations have judged for the result; nil
// where it was not measured, or a rule said what it meant.
func (g *journey) seen(res *Result) *expect.Observation {
	if !res.Measured {
		return nil
	}
	return g.trips[g.ruling.evidence].seen
}

// travel makes trips until no probe of the job asks for another. Every probe is
// judged on every trip, so that all see the same latest one.
func (r *runner) travel(ctx context.Context, j *job, journeys []*journey) {
	owner := j.probes[0]
	ctx, clock := r.onTape(ctx, owner)
	began := clock.Now()
	var wait, queued time.Duration
	for {
		req := journeys[0].request
		req.Call, req.Epoch = journeys[0].calls, began
		req.Header = traced(req.Header, j.origin.origin.TraceHeaders, r.trace, owner.trace)
		w := r.walk(ctx, j.origin, owner.probe, req)
		cut := ctx.Err() != nil
		again, pause := false, time.Duration(0)
		for _, g := range journeys {
			g.began, g.ended = began, clock.Now()
			g.add(r.judgeLeg(ctx, g.planned, leg{wait: wait, queued: queued, walked: w, needed: g.needed()}))
			g.ruling = judge(g.findings, req.CanRepeat(), j.origin.origin.Ambiguous, j.origin.origin.Confirm, cut)
			again, pause = again || g.ruling.again, max(pause, g.ruling.wait)
		}
		if !again {
			for _, g := range journeys {
				r.consult(ctx, j.origin, g)
				r.blame(ctx, j.origin, g)
			}
			return
		}
		var ok bool
		if queued, ok = r.pause(ctx, clock, j, pause); !ok {
			for _, g := range journeys {
				g.ruling = judge(g.findings, true, j.origin.origin.Ambiguous, j.origin.origin.Confirm, true)
			}
			return
		}
		wait = pause
	}
}

// pause gives the job's place away while it waits for its next trip. A wait
// that the run's deadline would cut is not begun.
func (r *runner) pause(ctx context.Context, clock fetch.Clock, j *job, d time.Duration) (queued time.Duration, ok bool) {
	for _, pl := range j.probes {
		r.observe(Event{Kind: EventRetrip, Probe: pl.probe.Name, Wait: d})
	}
	if deadline, has := ctx.Deadline(); has && time.Until(deadline) <= d && r.plan.opt.Replay == nil {
		return 0, false
	}
	r.gate.release(j.lane)
	err := sleep(ctx, clock, d)
	queued, open := r.gate.acquire(j.lane, clock.Now)
	return queued, err == nil && open
}

// onTape names whose requests those within the context are, where they are
// recorded or replayed, and gives the clock that a probe lives by.
func (r *runner) onTape(ctx context.Context, owner *planned) (context.Context, fetch.Clock) {
	name := owner.probe.Name
	switch {
	case r.plan.opt.Replay != nil:
		return fetch.WithTake(ctx, name), r.plan.opt.Replay.Clock(name)
	case r.plan.opt.Tape != nil:
		return fetch.WithTake(ctx, name), r.clock
	}
	return ctx, r.clock
}

func sleep(ctx context.Context, clock fetch.Clock, d time.Duration) error {
	if clock.Sleep != nil {
		return clock.Sleep(ctx, d)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
