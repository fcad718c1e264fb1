package fetch

import (
	"math"
	"time"
)

// value is the backoff before retry n (0 is the first), without jitter.
func (b Backoff) value(n int) time.Duration {
	base, most := max(0, b.Base), max(0, b.Max)
	switch b.Strategy {
	case Fixed:
		return min(base, most)
	case Linear:
		if base > 0 && int64(n) >= int64(most/base) {
			return most
		}
		return min(base*time.Duration(n+1), most)
	}
	for range n {
		if base == 0 || base >= most {
			break
		}
		base = saturate(base, base)
	}
	return min(base, most)
}

// Wait is the wait before retry n (0 is the first) with the random number rnd
// in [0,1): the backoff, never above Max, and the jitter on top of it.
func (b Backoff) Wait(n int, rnd float64) time.Duration {
	d, _ := b.WaitAfter(n, rnd, 0)
	return d
}

// WaitAfter is Wait where the origin asked for retryAfter: the longer of the
// two counts, and the reason says which. Jitter comes on top of either; full
// jitter is drawn from the backoff alone, so that it never undercuts the
// origin.
func (b Backoff) WaitAfter(n int, rnd float64, retryAfter time.Duration) (time.Duration, WaitReason) {
	d, jitter := b.value(n), time.Duration(rnd*float64(max(0, b.Jitter)))
	if b.FullJitter {
		d, jitter = time.Duration(rnd*float64(d)), 0
	}
	reason := WaitBackoff
	if retryAfter > d {
		d, reason = retryAfter, WaitRetryAfter
	}
	return saturate(d, jitter), reason
}

// saturate adds two non-negative durations without overflow.
func saturate(a, b time.Duration) time.Duration {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}
