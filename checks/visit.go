package checks

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/verdict"
)

// visit is when a probe was at its source, and from when on it may come again.
type visit struct {
	began, ended, until time.Time
	once                bool // what was sent may not be sent twice: never
}

// after is how long it was between an earlier visit and this one; of those that
// did not both take place, the pause between their rounds.
func (v visit) after(earlier visit, pause time.Duration) time.Duration {
	if v.began.IsZero() || earlier.ended.IsZero() {
		return pause
	}
	return max(0, v.began.Sub(earlier.ended))
}

// leave notes when a probe was at its source, what that asked for last, which
// is to be left alone for so long, and whether the request allows another.
func (r *runner) leave(g *journey) {
	v := visit{began: g.began, ended: g.ended, once: g.calls.Retrieval() != nil && !g.request.CanRepeat()}
	if n := len(g.trips); n > 0 {
		if fe := verdict.Find(g.trips[n-1].err); fe != nil && fe.RetryAfter != nil && g.planned.origin.origin.Policy.HonorRetryAfter {
			v.until = g.ended.Add(*fe.RetryAfter)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.visits[g.planned.probe] = v
}

// visited gives the visits of the probes that have ended.
func (r *runner) visited() map[*Probe]visit {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.visits)
}

// due picks the probes that the next round asks, and how long it waits for
// them: at least interval, and until the first of them may come again. A source
// that has asked for a longer wait is left alone for as long, what may not be
// sent twice is not, and neither are those whose captures come from there.
func due(again []*Probe, visits map[*Probe]visit, now time.Time, interval time.Duration) ([]*Probe, time.Duration) {
	left := make(map[*Probe]time.Duration, len(again))
	doors := openings{visits: visits, known: map[*Probe]opening{}}
	again = slices.DeleteFunc(again, func(p *Probe) bool {
		next := doors.of(p)
		left[p] = max(0, next.at.Sub(now))
		return next.never
	})
	if len(again) == 0 {
		return nil, interval
	}
	first := slices.MinFunc(again, func(a, b *Probe) int { return cmp.Compare(left[a], left[b]) })
	pause := max(interval, left[first])
	return slices.DeleteFunc(again, func(p *Probe) bool { return left[p] > pause }), pause
}

// opening is when a probe and all that it needs may be asked again.
type opening struct {
	at    time.Time
	never bool
}

// openings finds them, of each probe once: what many need has many ways to it.
type openings struct {
	visits map[*Probe]visit
	known  map[*Probe]opening
}

// of is the opening of a probe. Needs are no circle.
func (o openings) of(p *Probe) opening {
	if found, ok := o.known[p]; ok {
		return found
	}
	found := opening{at: o.visits[p].until, never: o.visits[p].once}
	for _, need := range p.Needs {
		later := o.of(need)
		found.never = found.never || later.never
		if later.at.After(found.at) {
			found.at = later.at
		}
	}
	o.known[p] = found
	return found
}
