package fetch

import "time"

// Policy is how an origin is asked: times, tries, waits and limits. The zero
// value is not useful; start from DefaultPolicy.
type Policy struct {
	Timeout         time.Duration // cap of ONE attempt
	Budget          time.Duration // TOTAL of one trip, waits included
	Retries         int           // attempts beyond the first
	Backoff         Backoff
	HonorRetryAfter bool
	RetryOn         *RetryOn // nil: the defaults of the classification table
	Redirects       RedirectPolicy
	MaxBody         int64 // bytes, decoded
	MaxInFlight     int   // trips to one origin at a time; 0 means no limit
}

// Backoff is the wait before a retry: min(Base·2ⁿ, Max) for "exponential",
// min(Base·(n+1), Max) for "linear", min(Base, Max) for "fixed".
type Backoff struct {
	Strategy BackoffStrategy
	Base     time.Duration
	Max      time.Duration
	Jitter   time.Duration // added: a random part of this; ignored with FullJitter
	// FullJitter draws the backoff itself between zero and its value.
	FullJitter bool
}

// BackoffStrategy is the shape of a backoff.
type BackoffStrategy string

// The strategies.
const (
	Exponential BackoffStrategy = "exponential"
	Linear      BackoffStrategy = "linear"
	Fixed       BackoffStrategy = "fixed"
)

// RedirectPolicy says which redirects are followed.
type RedirectPolicy string

// The redirect policies. None follows https to http.
const (
	RedirectsNone     RedirectPolicy = "none"
	RedirectsSameHost RedirectPolicy = "same-host"
	RedirectsFollow   RedirectPolicy = "follow"
)

// RetryOn replaces the default choice of what is retried. Details that are
// never retried (Detail.NeverRetried) stay so.
type RetryOn struct {
	Kinds    []Kind
	Statuses []int
}

// DefaultPolicy is the policy where a declaration is silent.
func DefaultPolicy() Policy {
	return Policy{
		Timeout:         10 * time.Second,
		Budget:          30 * time.Second,
		Retries:         2,
		Backoff:         Backoff{Strategy: Exponential, Base: time.Second, Max: 8 * time.Second, Jitter: 500 * time.Millisecond},
		HonorRetryAfter: true,
		Redirects:       RedirectsSameHost,
		MaxBody:         32 << 20,
		MaxInFlight:     4,
	}
}

// bounded puts the defaults where a policy would leave something without an
// end.
func (p Policy) bounded() Policy {
	d := DefaultPolicy()
	if p.Timeout <= 0 {
		p.Timeout = d.Timeout
	}
	if p.Budget <= 0 {
		p.Budget = d.Budget
	}
	if p.MaxBody <= 0 {
		p.MaxBody = d.MaxBody
	}
	return p
}
