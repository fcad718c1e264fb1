package fetch

import (
	"fmt"
	"net/url"
	"time"
)

// place is one of the URLs of a request.
type place struct {
	url     *url.URL
	raw     string // as declared
	mirror  string // raw, or "" for the request's own URL
	bare    bool   // declared headers stay at home
	breaker *breaker
}

// places are the request's own URL and its mirrors. Mirrors are declared for
// the same origin, so that its headers were declared for them, too. The one
// exception is a mirror by http of an https URL: what was meant for an
// encrypted way leaves on no other.
func (c *Client) places(req *Request, own *url.URL) ([]place, error) {
	if req.Bare && len(req.Body) > 0 {
		return nil, fmt.Errorf("%w: a body is not sent to a place that it was not declared for", ErrInvalidRequest)
	}
	list := make([]place, 1, 1+len(req.Mirrors))
	list[0] = place{url: own, raw: req.URL, bare: req.Bare, breaker: c.breaker}
	if !req.CanRepeat() {
		return list, nil
	}
	for i, raw := range req.Mirrors {
		u, err := parseURL(raw)
		if err != nil {
			return nil, fmt.Errorf("mirror %d: %w", i, err)
		}
		p := place{url: u, raw: raw, mirror: raw, bare: req.Bare || own.Scheme == "https" && u.Scheme == "http", breaker: c.mirrorBreaker(u)}
		if p.bare && len(req.Body) > 0 {
			return nil, fmt.Errorf("mirror %d: %w: a body declared for https is not sent by http", i, ErrInvalidRequest)
		}
		list = append(list, p)
	}
	return list, nil
}

// mirrorBreaker gives the breaker of a mirror: one for each scheme, host and
// port.
func (c *Client) mirrorBreaker(u *url.URL) *breaker {
	if c.cfg.Breaker == nil {
		return nil
	}
	key := u.Scheme + "://" + u.Hostname() + ":" + portOf(u)
	c.mirrorMu.Lock()
	defer c.mirrorMu.Unlock()
	if c.mirrors == nil {
		c.mirrors = map[string]*breaker{}
	}
	if c.mirrors[key] == nil {
		c.mirrors[key] = newBreaker(c.cfg.Breaker)
	}
	return c.mirrors[key]
}

// at makes the n-th place the one that is asked. Each place has its own count
// of retries, and its fair share of what is left of the budget: after that no
// retry begins there while another place has not been asked.
func (t *trip) at(n int) {
	t.where, t.place, t.tried = n, &t.places[n], 0
	t.url = t.place.url
	left := t.left()
	t.share = left / time.Duration(len(t.places)-n)
	t.arrived = t.c.clock.Now()
}

// isLast reports whether no other place is left to ask.
func (t *trip) isLast() bool { return t.where == len(t.places)-1 }

// shareLeft is what is left of the place's share of the budget.
func (t *trip) shareLeft() time.Duration {
	if t.isLast() {
		return t.left()
	}
	return min(t.left(), t.share-t.c.since(t.arrived))
}

// failover goes on to the next place, at once, when the failure is one of the
// place: its retries are used up, its next wait does not fit, its breaker is
// open, or its name or certificate is what fails. What the origin refuses it
// refuses everywhere, and our own limits hold everywhere. It gives "" when it
// went on, and else why the trip ends.
func (t *trip) failover(stop Stop, e *Error) Stop {
	switch {
	case t.isLast() || !t.ofThePlace(stop, e):
		return stop
	case t.left() <= 0:
		return StopBudget
	}
	t.log.Unfit = 0
	t.at(t.where + 1)
	return ""
}

// ofThePlace reports whether another place may do better.
func (t *trip) ofThePlace(stop Stop, e *Error) bool {
	switch stop {
	case StopRetries, StopCircuit, StopNoRecording:
		return true
	case StopBudget:
		return t.log.Unfit > 0
	case StopNotRetryable:
		return e != nil && e.Kind == Network && e.Detail.NeverRetried()
	}
	return false
}
