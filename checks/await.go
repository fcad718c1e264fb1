package checks

import (
	"context"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

// Await runs a selection again and again until every probe of it is measured or
// refused, or until wait is over: each round asks only the probes whose source
// did not deliver (indisponivel, ambiguo), and none before the time that its
// source has asked for (Retry-After), nor what may not be sent twice. No round
// begins after wait; a zero wait is one round. opt.Budget holds for all rounds
// together. What earlier rounds saw stays in each result's trips, and in the
// breakers of the origins.
func Await(ctx context.Context, d *Declaration, probes []*Probe, wait time.Duration, opt Options) (*Report, error) {
	probes = d.WithNeeds(probes)
	plan, err := NewPlan(d, probes, opt)
	if err != nil {
		return nil, err
	}
	r := &runner{clock: plan.opt.Clock}
	if r.clock.Now == nil {
		r.clock.Now = time.Now
	}
	start := r.clock.Now()
	clients := make(map[*Origin]*fetch.Client, len(plan.origins))
	for _, o := range plan.origins {
		clients[o.origin] = o.client
	}
	report := plan.round(ctx)
	defer func() { d.applyKnown(report) }()
	interval := min(max(wait/20, 200*time.Millisecond), 30*time.Second)
	visits := plan.visits
	for round := 1; ; round++ {
		now := r.clock.Now()
		again, pause := due(undelivered(report.Results, probes), visits, now, interval)
		spent := now.Sub(start)
		over := wait-spent < pause || opt.Budget > 0 && opt.Budget-spent <= pause
		if len(again) == 0 || over || report.Interrupted || report.BudgetEnded {
			return report, nil
		}
		if sleep(ctx, r.clock, pause) != nil {
			report.Interrupted = ctx.Err() != nil
			return report, nil
		}
		rest := opt
		rest.clients, rest.redactor = clients, plan.redactor
		if opt.Budget > 0 {
			rest.Budget = opt.Budget - r.clock.Now().Sub(start)
		}
		again = d.WithNeeds(again) // what was captured in an earlier round is not kept
		if plan, err = NewPlan(d, again, rest); err != nil {
			return nil, err
		}
		next := plan.round(ctx)
		for i := range next.Results {
			p := again[i]
			later := plan.visits[p]
			appendRound(&report.Results[slices.Index(probes, p)], &next.Results[i], later.after(visits[p], pause))
			if next.Results[i].Asked || visits[p].ended.IsZero() {
				visits[p] = later
			}
		}
		plan.rescrub(report.Results)
		report.Origins = latest(report.Origins, next.Origins)
		report.Duration = r.clock.Now().Sub(start)
		report.Interrupted = next.Interrupted
	}
}

// latest puts the states of the origins of a later round in the place of their
// earlier ones.
func latest(origins, later []OriginState) []OriginState {
	for i := range origins {
		if at := slices.IndexFunc(later, func(o OriginState) bool { return o.Name == origins[i].Name }); at >= 0 {
			origins[i] = later[at]
		}
	}
	return origins
}

// undelivered picks the probes whose source did not deliver:
// those that were not asked, because a breaker was open, go first, so that one
// that fails again and again cannot keep the others from their turn.
func undelivered(results []Result, probes []*Probe) (again []*Probe) {
	for _, asked := range []bool{false, true} {
		for i := range results {
			if f := results[i].Finding; results[i].Asked == asked && (f == Indisponivel || f == Ambiguo) {
				again = append(again, probes[i])
			}
		}
	}
	return again
}

// appendRound puts a later round's result in the place of an earlier one and
// keeps the earlier one's trips and attempts as evidence. A round that did not
// ask changes nothing.
func appendRound(into *Result, later *Result, pause time.Duration) {
	if !later.Asked {
		return
	}
	earlier := *into
	*into = *later
	into.Trace = earlier.Trace
	shift := earlier.DurationMS + pause.Milliseconds()
	for i := range later.Trips {
		for j := range later.Trips[i].Attempts {
			later.Trips[i].Attempts[j].StartMS += shift
		}
	}
	if len(later.Trips) > 0 {
		later.Trips[0].WaitMS = pause.Milliseconds()
	}
	into.Trips = append(earlier.Trips, later.Trips...)
	into.Retrieval = addRetrieval(earlier.Retrieval, later.Retrieval)
	into.Asked = earlier.Asked || later.Asked
	// What was not asked has said nothing that could be taken back.
	into.Unstable = into.Unstable || earlier.Unstable || earlier.Asked && earlier.Finding != later.Finding
	into.DurationMS += earlier.DurationMS + pause.Milliseconds()
}

func addRetrieval(a, b *fetch.Retrieval) *fetch.Retrieval {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return &fetch.Retrieval{
		Requests: a.Requests + b.Requests, Attempts: a.Attempts + b.Attempts,
		Anomalies: append(append([]fetch.Kind{}, a.Anomalies...), b.Anomalies...),
	}
}
