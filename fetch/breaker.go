package fetch

import (
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// BreakerPolicy is when an origin is no longer asked: at least MinRequests
// attempts in Window said whether it is there, and ErrorThreshold of them
// (above 0, up to 1) that it is not. After HalfOpenAfter one trip may try.
// Whatever is not positive becomes the default.
type BreakerPolicy struct {
	ErrorThreshold float64
	MinRequests    int
	Window         time.Duration // slides in twelve steps
	HalfOpenAfter  time.Duration
}

// DefaultBreaker is the breaker where a declaration is silent.
func DefaultBreaker() BreakerPolicy {
	return BreakerPolicy{ErrorThreshold: 0.5, MinRequests: 5, Window: time.Minute, HalfOpenAfter: 30 * time.Second}
}

func (p BreakerPolicy) bounded() BreakerPolicy {
	d := DefaultBreaker()
	if p.ErrorThreshold <= 0 {
		p.ErrorThreshold = d.ErrorThreshold
	}
	if p.MinRequests <= 0 {
		p.MinRequests = d.MinRequests
	}
	if p.Window <= 0 {
		p.Window = d.Window
	}
	if p.HalfOpenAfter <= 0 {
		p.HalfOpenAfter = d.HalfOpenAfter
	}
	return p
}

// breaker watches one place. It lives on real time, like the deadlines of
// attempts. What an attempt said is counted when it ends: the library dates a
// count by its beginning and drops it when the window has passed meanwhile,
// which would never open on timeouts longer than the window.
type breaker struct {
	mu         sync.Mutex
	cb         *gobreaker.TwoStepCircuitBreaker[struct{}]
	state      gobreaker.State // the last one told; only an open one changes with time alone
	generation int             // counts the changes of state
}

// tally is what an attempt says about whether the origin is there.
type tally int

const (
	neutral tally = iota // nothing
	there
	down
)

var (
	errDown    = errors.New("down")
	errNeutral = errors.New("neutral")

	tallyErr = map[tally]error{neutral: errNeutral, there: nil, down: errDown}
)

const breakerSteps = 12

func newBreaker(p *BreakerPolicy) *breaker {
	if p == nil {
		return nil
	}
	q := p.bounded()
	b := &breaker{}
	b.cb = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Interval:     q.Window,
		BucketPeriod: max(1, q.Window/breakerSteps),
		Timeout:      max(1, q.HalfOpenAfter-1), // the library lets go after this, not at it
		ReadyToTrip: func(c gobreaker.Counts) bool {
			said := c.TotalSuccesses + c.TotalFailures
			return said >= uint32(q.MinRequests) && float64(c.TotalFailures) >= q.ErrorThreshold*float64(said)
		},
		OnStateChange: func(_ string, _, to gobreaker.State) {
			b.state = to
			b.generation++
		},
		IsSuccessful: func(err error) bool { return err == nil },
		IsExcluded:   func(err error) bool { return err == errNeutral },
	})
	return b
}

// permit is the leave to make one attempt; it has to be settled.
type permit struct {
	b          *breaker
	generation int
	trial      func(error) // the one trip of a half-open breaker; nil while it is closed
}

// now is the state of now.
func (b *breaker) now() gobreaker.State {
	if b.state == gobreaker.StateOpen {
		return b.cb.State()
	}
	return b.state
}

// admit gives leave for one attempt, unless the breaker is open or its one
// trial is under way.
func (b *breaker) admit() (p permit, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch b.now() {
	case gobreaker.StateOpen:
		return p, false
	case gobreaker.StateHalfOpen:
		var err error
		if p.trial, err = b.cb.Allow(); err != nil {
			return p, false
		}
	}
	p.b, p.generation = b, b.generation
	return p, true
}

// settle counts what the attempt said. What began before the state changed says
// nothing about the new one.
func (p permit) settle(t tally) {
	p.b.mu.Lock()
	defer p.b.mu.Unlock()
	switch {
	case p.trial != nil:
		p.trial(tallyErr[t])
	case t == neutral || p.generation != p.b.generation: // closed when it began, and something else since
	default:
		if done, err := p.b.cb.Allow(); err == nil {
			done(tallyErr[t])
		}
	}
}

// isOpen reports whether asking is futile now; false without a breaker.
func (b *breaker) isOpen() bool {
	if b == nil {
		return false
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now() == gobreaker.StateOpen
}

// BreakerState tells whether the origin's own URL is being asked: "closed",
// "open" or "half-open", and "" without a breaker.
func (c *Client) BreakerState() string {
	if c.breaker == nil {
		return ""
	}
	c.breaker.mu.Lock()
	defer c.breaker.mu.Unlock()
	return c.breaker.now().String()
}

// tallyOf reads an attempt by what it means after the rules. A failure of our
// own side says nothing about the origin, and neither does its limit on us.
func tallyOf(e *Error) tally {
	switch {
	case e == nil:
		return there
	case e.Rule != nil && e.Kind != RateLimited:
		return meaning[e.Rule.Means]
	case e.Rule != nil && e.Rule.Means != MeansIndisponivel:
		return meaning[e.Rule.Means]
	case e.Cause != "" || e.Kind == Aborted || e.Kind == RateLimited:
		return neutral
	case e.Kind == Timeout || e.Kind == Network || e.Kind == HTTP5xx:
		return down
	}
	return there
}

// meaning is what the verdict of a rule says to the breaker.
var meaning = map[Means]tally{
	MeansIndisponivel: down, MeansRespondeu: there, MeansAmbiguo: there, MeansAlheio: neutral,
}
