package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"
)

// Client asks one origin. It is safe for concurrent use.
type Client struct {
	cfg       Config
	transport http.RoundTripper
	clock     Clock
	rand      func() float64
	slots     chan struct{} // nil: no limit
	limits    *limits       // nil: no rate limit
	breaker   *breaker      // of the origin's own URL; nil without one
	foreign   bool          // attempts run code that may ignore its context
	player    *player       // nil: the network

	mirrorMu sync.Mutex
	mirrors  map[string]*breaker // by place

	// What every request without headers of its own sends; shared by all of
	// them and never written to. Response mode has no coding of ours.
	closed, open http.Header
	host         string
	headerErr    error
}

// NewClient makes a client for one origin. A timeout, budget or body limit that
// is not positive becomes the default: nothing is unbounded.
func NewClient(cfg Config) *Client {
	cfg.Policy = cfg.Policy.bounded()
	if cfg.Replay != nil {
		cfg.Transport, cfg.RateLimit, cfg.Breaker = nil, nil, nil
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = DefaultUserAgent
	}
	c := &Client{cfg: cfg, transport: cfg.Transport, clock: cfg.Clock.withDefaults(), rand: cfg.Rand}
	if c.transport == nil && cfg.Replay == nil {
		c.transport = newTransport(cfg)
	}
	if cfg.Tape != nil && cfg.Replay == nil {
		c.transport = newRecorder(&c.cfg, c.transport, c.clock.Now)
	}
	if c.rand == nil {
		c.rand = rand.Float64
	}
	if n := cfg.Policy.MaxInFlight; n > 0 {
		c.slots = make(chan struct{}, n)
	}
	c.limits, c.breaker = newLimits(cfg.RateLimit, c.clock), newBreaker(cfg.Breaker)
	c.foreign = cfg.Transport != nil || cfg.InspectBody != nil
	c.closed, c.host, c.headerErr = outgoing(cfg.UserAgent, cfg.Header, true)
	c.open, _, _ = outgoing(cfg.UserAgent, cfg.Header, false)
	return c
}

// ErrInvalidRequest is wrapped by every error about a request that cannot be
// sent; nothing was dialled.
var ErrInvalidRequest = errors.New("invalid request")

// Do makes one trip: up to 1+Retries attempts under one budget. It returns an
// answer or an *Error that carries every attempt. Any other error is about the
// request itself (ErrInvalidRequest) and means that nothing was asked.
//
// Cancelling ctx, or a deadline of ctx, is the caller's decision and ends the
// trip as aborted; the policy's own clocks end it as timeout.
func (c *Client) Do(ctx context.Context, req *Request) (*Answer, error) {
	if c.cfg.Replay != nil {
		c = c.played(ctx)
	}
	t, err := c.newTrip(ctx, req)
	if err != nil {
		return nil, err
	}
	asked := c.clock.Now()
	err = c.acquire(ctx)
	t.begin(asked)
	if err != nil {
		return nil, t.end(t.cutQueued(err), StopCancelled)
	}
	defer c.release()
	return t.run(ctx)
}

// CloseIdle closes the connections that no request uses.
func (c *Client) CloseIdle() {
	if t, ok := c.transport.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}

// acquire takes a place among the trips in flight, unless the caller's context
// ends first.
func (c *Client) acquire(ctx context.Context) error {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if c.slots == nil {
		return nil
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return cancelled(ctx)
	}
}

func (c *Client) release() {
	if c.slots != nil {
		<-c.slots
	}
}

// since is the time from a to now, never negative.
func (c *Client) since(a time.Time) time.Duration { return max(0, c.clock.Now().Sub(a)) }
