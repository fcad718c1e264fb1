package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"
)

// RateLimit is how many requests may leave for an origin: never more than Max
// in any Window, whatever they are (first attempts, retries, redirects, replays
// by the transport, mirrors). A Max or Window that is not positive is no limit.
type RateLimit struct {
	Max    int
	Window time.Duration
	// PerIdentity counts apart for each set of credentials.
	PerIdentity bool
	// Credentials names the request headers that make an identity; nil means
	// Authorization, Cookie, Proxy-Authorization and X-Api-Key.
	Credentials []string
}

// ErrOwnLimit is the end of a trip whose budget our own rate limit used up.
var ErrOwnLimit = errors.New("the rate limit leaves no time to ask")

var defaultCredentials = []string{"Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key"}

// limits are the limiters of one client: one for all, or one per identity.
type limits struct {
	policy RateLimit
	clock  Clock

	mu   sync.Mutex
	each map[[sha256.Size]byte]*limiter
}

func newLimits(p *RateLimit, clock Clock) *limits {
	if p == nil || p.Max <= 0 || p.Window <= 0 {
		return nil
	}
	l := &limits{policy: *p, clock: clock, each: map[[sha256.Size]byte]*limiter{}}
	if l.policy.Credentials == nil {
		l.policy.Credentials = defaultCredentials
	}
	return l
}

// of gives the limiter for requests with these headers; nil without a limit.
func (l *limits) of(h http.Header) *limiter {
	if l == nil {
		return nil
	}
	var id [sha256.Size]byte
	if l.policy.PerIdentity {
		id = identity(l.policy.Credentials, h)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.each[id] == nil {
		l.each[id] = &limiter{max: l.policy.Max, window: l.policy.Window, clock: l.clock}
	}
	return l.each[id]
}

// identity is a digest of the credentials: nothing keeps them themselves. The
// lengths keep two lists of values apart that read the same in a row.
func identity(names []string, h http.Header) (id [sha256.Size]byte) {
	sum := sha256.New()
	for _, name := range names {
		for _, v := range h.Values(name) {
			part := sha256.Sum256([]byte(v))
			sum.Write([]byte(name))
			sum.Write([]byte{0})
			sum.Write(part[:])
		}
	}
	sum.Sum(id[:0])
	return id
}

// limiter is a sliding log: a slot is held from the admission of a request
// until a whole window after it left, and there are max slots. Two requests
// that left within one half-open window [a, a+window) hold their slots at the
// same time, hence never more than max can have. Those who wait are served in
// the order in which they came.
type limiter struct {
	max    int
	window time.Duration
	clock  Clock

	mu    sync.Mutex
	base  time.Time // what held counts from
	given uint64    // slots so far
	held  []hold    // ascending by free
	queue []*turn   // the head sleeps for all
}

// hold is a slot in the log. It has no pointers, so that a log of many costs
// the garbage collector nothing.
type hold struct {
	id   uint64
	free time.Duration // since base: when it is anybody's again
}

// slot is the right to send one request.
type slot struct {
	l  *limiter
	id uint64
}

// turn is somebody who waits. ready is closed when it becomes the head; wake
// interrupts the head's sleep.
type turn struct {
	ready chan struct{}
	wake  context.CancelFunc
}

// wait gives a slot, at the latest before left has passed, and how long that
// took. When the wait cannot fit it is not begun: the error is ErrOwnLimit and
// the time is what it would have been at least. A context that ends gives its
// cause.
func (l *limiter) wait(ctx context.Context, left time.Duration) (*slot, time.Duration, error) {
	l.mu.Lock()
	now := l.clock.Now()
	if len(l.queue) == 0 {
		if s := l.take(now); s != nil {
			l.mu.Unlock()
			return s, 0, nil
		}
	}
	if need := l.ahead(now, len(l.queue)); need >= left {
		l.mu.Unlock()
		return nil, need, ErrOwnLimit
	}
	me := &turn{ready: make(chan struct{})}
	l.queue = append(l.queue, me)
	if len(l.queue) == 1 {
		close(me.ready)
	}
	l.mu.Unlock()
	ctx, cancel := context.WithTimeoutCause(ctx, left, ErrOwnLimit)
	defer cancel()
	s, err := l.stand(ctx, me)
	return s, max(0, l.clock.Now().Sub(now)), err
}

// stand waits in the queue, and at its head for a slot.
func (l *limiter) stand(ctx context.Context, me *turn) (*slot, error) {
	defer l.leave(me)
	select {
	case <-me.ready:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var slept time.Time // a given clock may sleep without moving
	for {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		l.mu.Lock()
		now := l.clock.Now()
		if now.Before(slept) {
			now = slept
		}
		if s := l.take(now); s != nil {
			l.mu.Unlock()
			return s, nil
		}
		nap, wake := context.WithCancel(ctx)
		me.wake = wake
		until := l.base.Add(l.held[0].free)
		l.mu.Unlock()
		if l.clock.Sleep(nap, until.Sub(now)) == nil {
			slept = until
		}
		wake()
	}
}

// leave goes out of the queue, and hands the head on.
func (l *limiter) leave(me *turn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.Index(l.queue, me)
	l.queue = slices.Delete(l.queue, i, i+1)
	if i == 0 && len(l.queue) > 0 {
		close(l.queue[0].ready)
	}
}

// take gives a slot when there is one now.
func (l *limiter) take(now time.Time) *slot {
	if l.base.IsZero() {
		l.base = now
	}
	n := 0
	for n < len(l.held) && l.held[n].free <= now.Sub(l.base) {
		n++
	}
	l.held = l.held[n:]
	if len(l.held) >= l.max {
		return nil
	}
	l.given++
	l.hold(l.given, now)
	return &slot{l: l, id: l.given}
}

// ahead is how long somebody with n before them waits at least.
func (l *limiter) ahead(now time.Time, n int) time.Duration {
	k := len(l.held) + n - l.max // the slot whose end they wait for
	rounds := time.Duration(0)
	for ; k >= len(l.held); k -= l.max {
		rounds++
	}
	if k < 0 {
		return rounds * l.window
	}
	return max(0, l.held[k].free-now.Sub(l.base)) + rounds*l.window
}

func (l *limiter) hold(id uint64, left time.Time) {
	h := hold{id: id, free: left.Sub(l.base) + l.window}
	i := len(l.held)
	for i > 0 && l.held[i-1].free > h.free { // only a clock that goes back
		i--
	}
	l.held = slices.Insert(l.held, i, h)
}

// left says that the request of this slot left now, later than its admission:
// the slot is held a window from here. It is false when the slot has run out
// meanwhile and may be somebody else's, so that the request needs another.
func (s *slot) left() bool {
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	if !s.drop() {
		return false
	}
	s.l.hold(s.id, s.l.clock.Now())
	return true
}

// giveBack frees the slot of a request that did not leave.
func (s *slot) giveBack() {
	if s == nil {
		return
	}
	s.l.mu.Lock()
	defer s.l.mu.Unlock()
	if s.drop() && len(s.l.queue) > 0 && s.l.queue[0].wake != nil {
		s.l.queue[0].wake()
	}
}

// drop takes the slot out of the log, where it is near the end: it was put
// there not long ago. It is false when the slot was not there any more.
func (s *slot) drop() bool {
	for i := len(s.l.held) - 1; i >= 0; i-- {
		if s.l.held[i].id == s.id {
			s.l.held = slices.Delete(s.l.held, i, i+1)
			return true
		}
	}
	return false
}
