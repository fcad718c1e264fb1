package fetch

import "time"

// BreakerPolicy is when an origin is no longer asked: at least MinRequests
// attempts in Window said whether it is there, and ErrorThreshold of them
// (0 to 1) that it is not. After HalfOpenAfter one trip may try.
type BreakerPolicy struct {
	ErrorThreshold float64
	MinRequests    int
	Window         time.Duration
	HalfOpenAfter  time.Duration
}

// BreakerState tells whether the origin is being asked: "closed", "open" or
// "half-open", and "" without a breaker.
func (c *Client) BreakerState() string { return "" }
