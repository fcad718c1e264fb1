package checks

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// blank is the result of a probe before anything is known about it.
func (r *runner) blank(pl *planned) Result {
	res := Result{
		Name: pl.probe.Name, Title: some(pl.probe.Title), Origin: pl.probe.Origin.Name, Trace: pl.trace,
		Tags: pl.probe.Tags, File: pl.probe.Pos.File, Line: pl.probe.Pos.Line,
		URL: r.plan.redactor.String(pl.request.URL), Notes: []string{}, Mismatches: []expect.Mismatch{}, Trips: []Trip{},
	}
	if res.Tags == nil {
		res.Tags = []string{}
	}
	if pl.shared != nil {
		res.SharedWith = &pl.shared.probe.Name
	}
	return res
}

// some is a pointer to s, nil for the zero value.
func some[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

// resultOf turns a journey into its result. broke is what a panic carried, nil
// when there was none.
func (r *runner) resultOf(g *journey, broke any) *Result {
	if (g.unmet != nil || g.barred != "") && broke == nil {
		return r.dependent(g)
	}
	res := r.blank(g.planned)
	res.URL = r.plan.redactor.String(g.request.URL)
	if broke != nil {
		g.add(leg{walked: walked{err: &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CausePanic, Detail: DetailPanic,
			URL: res.URL, Err: fmt.Errorf("panic: %v", broke)}}, finding: Alheio})
		g.ruling = ruling{finding: Alheio, evidence: len(g.trips) - 1}
	}
	res.Finding, res.Persistent, res.Unstable = g.ruling.finding, g.ruling.persistent, g.ruling.unstable
	res.Unstable = res.Unstable || g.planned.probe.Expect.Wavering(g.trips[g.ruling.evidence].seen)
	res.Measured = res.Finding == OK || res.Finding == Drift
	res.Sentinel = g.sentinel
	shown := &g.trips[g.ruling.evidence]
	if shown.mismatches != nil {
		res.Mismatches = shown.mismatches
	}
	r.setFacts(&res, g, shown)
	r.setProvenance(&res, g)
	for i := range g.trips {
		res.Trips = append(res.Trips, tripsOf(&g.trips[i])...)
	}
	if res.Retrieval != nil { // the collector has not read what only the contract could tell
		res.Retrieval.Anomalies = anomalies(res.Trips)
	}
	res.Asked = res.Asked || res.SharedWith != nil && asked(res.Trips)
	if !res.Asked && neverBegun(&res) && broke == nil {
		res.Trips = []Trip{}
	}
	if res.Finding != OK {
		res.Reproduce = some(r.plan.reproduce(g, &res))
	}
	res.DurationMS = g.ended.Sub(g.began).Milliseconds()
	scrub(&res, r.plan.redactor.String)
	return &res
}

// neverBegun reports whether a probe's trip ended before anything left: it was
// cut in our queue, or the breaker of its origin was open.
func neverBegun(res *Result) bool {
	return res.Kind != nil && *res.Kind == fetch.Aborted && res.Cause == nil || deref(res.Detail, "") == string(fetch.CircuitOpen)
}

// setFacts fills what is known of the trip that decided.
func (r *runner) setFacts(res *Result, g *journey, shown *leg) {
	if shown.err != nil {
		r.setFailure(res, shown.err)
		if n := len(shown.before); n > 0 {
			res.Motivo = some("na página " + strconv.Itoa(n+1) + ": " + deref(res.Motivo, ""))
		}
	} else {
		for _, note := range shown.answer.Notes {
			res.Notes = append(res.Notes, string(note))
		}
		res.Status, res.Mirror = some(shown.answer.Status), some(r.plan.redactor.String(shown.answer.Mirror))
		if shown.answer.Rule != nil {
			res.Rule = some(shown.answer.Rule.Name)
		}
		if shown.empty && g.planned.probe.MaxEmpty > 0 {
			res.Detail = some(DetailEmpty)
		}
		if shown.answer.FinalURL != shown.answer.URL {
			res.FinalURL = some(r.plan.redactor.String(shown.answer.FinalURL))
		}
	}
	if !res.Measured {
		res.Verdict = some(string(res.Finding))
	}
	switch g.ruling.detail {
	case DetailUnconfirmed:
		// The deciding facts are those of the trip that could not be measured.
		latest := &g.trips[len(g.trips)-1]
		if latest.err != nil {
			r.setFailure(res, latest.err)
		}
		res.Verdict = some(string(res.Finding))
		res.Motivo = some("uma viagem quebrou o contrato e outra não pôde confirmar: " + deref(res.Motivo, "a execução terminou antes"))
		res.Detail = some(DetailUnconfirmed)
	case DetailSingleTrip:
		res.Detail = some(DetailSingleTrip)
	case DetailSentinel:
		r.setSentinel(res)
	}
}

// setSentinel says what the sentinel made of a persistent ambiguo.
func (r *runner) setSentinel(res *Result) {
	res.Detail = some(DetailSentinel)
	why := deref(res.Motivo, "")
	switch res.Finding {
	case Indisponivel:
		res.Motivo = some("a pergunta que sempre dá certo (sentinel) também falhou, a fonte está fora: " + why)
	case Respondeu:
		res.Motivo = some("a fonte está de pé (sentinel respondeu) e recusa este pedido igual em todas as viagens: " + why)
	case Drift:
		got := "a body that is not, the same on every trip"
		if res.LooksLike != nil {
			got += " (" + string(*res.LooksLike) + ")"
		}
		res.Motivo = nil
		res.Mismatches = []expect.Mismatch{{Code: "format", Severity: expect.Fail, Want: "the format that the probe reads", Got: got}}
	}
}

func deref(s *string, otherwise string) string {
	if s == nil {
		return otherwise
	}
	return *s
}

// setFailure fills the facts of a failed trip.
func (r *runner) setFailure(res *Result, err error) {
	d := verdict.Of(err)
	res.Motivo = some(r.plan.redactor.String(d.Motivo))
	if errors.Is(err, ErrRunBudget) && d.Verdict == verdict.Alheio {
		res.Motivo = some(motivoBudget + " antes da resposta")
	}
	res.Kind, res.Status = some(d.Kind), some(d.Status)
	fe := verdict.Find(err)
	if fe == nil {
		res.Outcome = some(fetch.OutcomeFatal)
		return
	}
	res.Cause, res.Detail, res.Outcome, res.LooksLike = some(fe.Cause), some(string(fe.Detail)), some(fe.Outcome), some(fe.LooksLike)
	res.Transport, res.Mirror = fe.Transport, some(r.plan.redactor.String(fe.Mirror))
	if fe.Rule != nil {
		res.Rule = some(fe.Rule.Name)
	}
	if fe.FinalURL != fe.URL {
		res.FinalURL = some(fe.FinalURL)
	}
	if fe.Location != nil {
		res.Redirect = &Redirect{Location: fe.Location.URL, CrossHost: fe.Location.CrossHost}
	}
}

// setProvenance fills how the origin was asked for this result. A probe that
// was judged on another's trip asked nothing itself.
func (r *runner) setProvenance(res *Result, g *journey) {
	if at, ok := retrievedAt(g); ok {
		res.RetrievedAt = &at
	}
	res.ServedFromCache = g.planned.shared != nil || r.plan.opt.Replay != nil
	if g.planned.shared != nil {
		return
	}
	res.Retrieval = g.calls.Retrieval()
	res.Asked = res.Retrieval != nil
}

// retrievedAt is when the answer that the result is judged on arrived.
func retrievedAt(g *journey) (time.Time, bool) {
	last := &g.trips[len(g.trips)-1]
	if last.answer == nil {
		return time.Time{}, false
	}
	return last.answer.RetrievedAt.UTC(), true
}

func asked(trips []Trip) bool {
	for i := range trips {
		if len(trips[i].Attempts) > 0 {
			return true
		}
	}
	return false
}

// anomalies are the kinds of the failed attempts that say something odd; never
// nil.
func anomalies(trips []Trip) []fetch.Kind {
	list := []fetch.Kind{}
	for i := range trips {
		for j := range trips[i].Attempts {
			if k := trips[i].Attempts[j].Kind; k != nil && k.IsAnomaly() {
				list = append(list, *k)
			}
		}
	}
	return list
}

// tripsOf writes a leg as the result shows it: a trip for each page, of which
// the last one says what was found of all.
func tripsOf(l *leg) []Trip {
	var list []Trip
	for i := range l.before {
		list = append(list, writeTrip(&l.before[i], OK))
	}
	list = append(list, tripOf(l))
	list[0].WaitMS, list[0].QueuedMS = l.wait.Milliseconds(), list[0].QueuedMS+l.queued.Milliseconds()
	return list
}

// tripOf writes the trip that ended a leg.
func tripOf(l *leg) Trip {
	return writeTrip(l.trip(), l.finding)
}

func writeTrip(t *fetch.Trip, finding Finding) Trip {
	out := Trip{
		QueuedMS: t.Queued.Milliseconds(), Finding: finding,
		Stopped: some(string(t.Stopped)), Attempts: make([]Attempt, 0, len(t.Attempts)),
	}
	if t.Unfit > 0 {
		out.UnfitMS = some(t.Unfit.Milliseconds())
	}
	for i := range t.Attempts {
		out.Attempts = append(out.Attempts, attemptOf(&t.Attempts[i]))
	}
	return out
}

func attemptOf(a *fetch.Attempt) Attempt {
	return Attempt{
		StartMS: a.Start.Milliseconds(), WaitMS: a.Wait.Milliseconds(), WaitReason: some(string(a.WaitReason)),
		Requests: a.Requests, Kind: some(a.Kind), Detail: some(string(a.Detail)), Status: some(a.Status),
		DNSMS: phase(a.DNS), ConnectMS: phase(a.Connect), TLSMS: phase(a.TLS), TTFBMS: phase(a.TTFB), BodyMS: phase(a.Body),
		TotalMS: a.Total.Milliseconds(), Bytes: a.Bytes,
	}
}

// phase is a duration in milliseconds, nil for one that did not happen.
func phase(d time.Duration) *int64 {
	if d < 0 {
		return nil
	}
	ms := d.Milliseconds()
	return &ms
}

// motivoBudget is what the end of the run's budget is called.
const motivoBudget = "o orçamento de tempo da execução acabou"

// fillUnasked gives a result to every probe that has none: those that were
// never started, and those that did not end when the run was cut.
func (r *runner) fillUnasked(ctx context.Context, report *Report) {
	r.gate.close()
	left := r.gate.left()
	detail, motivo := DetailInterrupted, "a execução foi interrompida"
	if errors.Is(context.Cause(ctx), ErrRunBudget) {
		detail, motivo = DetailRunBudget, motivoBudget
	}
	for i, pl := range r.plan.probes {
		if r.done[i] {
			res := &r.results[i]
			report.BudgetEnded = report.BudgetEnded || !res.Asked && deref(res.Detail, "") == DetailRunBudget
			continue
		}
		res := r.blank(pl)
		res.Finding, res.Verdict = Alheio, some(string(Alheio))
		res.Kind, res.Outcome, res.Detail = some(fetch.Aborted), some(fetch.OutcomeFatal), some(detail)
		res.Asked = !left[pl]
		if res.Asked {
			res.Motivo = some(motivo + " antes da resposta")
		} else {
			res.Motivo = some(motivo + " antes desta pergunta")
			report.BudgetEnded = report.BudgetEnded || detail == DetailRunBudget
		}
		res.Reproduce = some(r.plan.reproduce(pl.begin(), &res))
		r.results[i] = res
	}
}
