package checks

import (
	"context"
	"crypto/sha256"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/verdict"
)

// sentry is the sentinel of one origin in one run.
type sentry struct {
	once  *once
	seen  *SentinelTrip // nil until it was asked
	print [sha256.Size]byte
}

// ask makes the sentinel's one trip. It is a trip like any other: under the
// origin's policy, rules, limits and breaker.
func (r *runner) askSentinel(ctx context.Context, o *originRun, s *sentry) {
	req := o.sentinel
	req.Header = traced(nil, o.origin.TraceHeaders, r.trace, r.tracer.code("sentinel of "+o.origin.Name))
	l := leg{}
	l.answer, l.err = o.client.Do(ctx, &req)
	if l.err != nil {
		l.err = r.redactError(cutBy(l.err))
		l.finding = Finding(verdict.Of(l.err).Verdict)
	} else {
		l.finding = soundOf(l.answer)
		s.print = fingerprint(l.answer.Body)
	}
	trip := tripOf(&l)
	s.seen = &SentinelTrip{Finding: l.finding, Trip: trip}
}

// soundOf is what the answer of a sentinel says of its source. One that reads
// text takes any body: the page of a guard, of an error or of a login is no sign
// of health. A body without anything may be.
func soundOf(a *fetch.Answer) Finding {
	if a.Rule != nil {
		if a.Rule.Means == fetch.MeansDrift {
			return Drift
		}
		return OK
	}
	if looks := fetch.StandIn(a); refusals[looks] {
		return Ambiguo
	}
	return OK
}

// consult settles a persistent ambiguo by the origin's sentinel.
func (r *runner) consult(ctx context.Context, o *originRun, g *journey) {
	s := r.sentries[o]
	if s == nil || !g.ruling.needsSentinel() || ctx.Err() != nil {
		return
	}
	if !s.once.do(ctx, func() { r.askSentinel(ctx, o, s) }) || s.seen == nil {
		return
	}
	g.sentinel = s.seen
	said := s.seen.Finding
	print, same := g.print()
	if said == OK && same && print == s.print && !g.undecoded() {
		said = Ambiguo // the known-good request gets the same page
	}
	g.ruling = g.ruling.weigh(said, same, g.looks())
}

// print is the fingerprint of the wrong body of every trip, and whether it is
// the same each time.
func (g *journey) print() (print [sha256.Size]byte, same bool) {
	for i := range g.trips {
		e := verdict.Find(g.trips[i].err)
		if e == nil {
			return print, false
		}
		p := fingerprint(e.Body)
		if i > 0 && p != print {
			return print, false
		}
		print = p
	}
	return print, true
}

// undecoded reports whether what is wrong with the latest body is its coding:
// its bytes may then be those of a right answer.
func (g *journey) undecoded() bool {
	e := verdict.Find(g.trips[len(g.trips)-1].err)
	return e != nil && e.Detail == fetch.BadEncoding
}

// looks is what the latest wrong body looks like.
func (g *journey) looks() fetch.LooksLike {
	if e := verdict.Find(g.trips[len(g.trips)-1].err); e != nil {
		return e.LooksLike
	}
	return ""
}
