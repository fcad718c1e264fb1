package checks

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/verdict"
)

// visit is when a probe was at its source, and from when on that lets it come
// again.
type visit struct{ began, ended, until time.Time }

// after is how long it was between an earlier visit and this one; of those that
// did not both take place, the pause between their rounds.
func (v visit) after(earlier visit, pause time.Duration) time.Duration {
	if v.began.IsZero() || earlier.ended.IsZero() {
		return pause
	}
	return max(0, v.began.Sub(earlier.ended))
}

// leave notes when a probe was at its source, and what that asked for last: to
// be left alone for so long.
func (r *runner) leave(g *journey) {
	v := visit{began: g.began, ended: g.ended}
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
// that has asked for a longer wait is left alone for as long, and so are those
// whose captures come from there.
func due(again []*Probe, visits map[*Probe]visit, now time.Time, interval time.Duration) ([]*Probe, time.Duration) {
	if len(again) == 0 {
		return nil, interval
	}
	left := make(map[*Probe]time.Duration, len(again))
	for _, p := range again {
		left[p] = max(0, opens(p, visits).Sub(now))
	}
	first := slices.MinFunc(again, func(a, b *Probe) int { return cmp.Compare(left[a], left[b]) })
	pause := max(interval, left[first])
	return slices.DeleteFunc(again, func(p *Probe) bool { return left[p] > pause }), pause
}

// opens is when a probe and all that it needs may be asked again. Needs are no
// circle.
func opens(p *Probe, visits map[*Probe]visit) time.Time {
	at := visits[p].until
	for _, need := range p.Needs {
		if later := opens(need, visits); later.After(at) {
			at = later
		}
	}
	return at
}
