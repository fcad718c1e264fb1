package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// depart begins the way of one attempt: its context is the smaller of the
// attempt's timeout and what is left of the budget.
func (t *trip) depart(caller context.Context, began time.Time) *walk {
	w := &walk{caller: caller, began: began, leg: leg{method: t.method, url: t.url, body: t.req.Body, away: t.place.bare}}
	if w.leg.away {
		w.leg.body = nil
	}
	t.relight(w, t.policy.Timeout)
	return w
}

// relight gives the walk a context with so much of the attempt's timeout. Where
// the budget ends before that only because our own rate limit took the rest,
// the walk is short.
func (t *trip) relight(w *walk, timeout time.Duration) {
	left := t.left()
	w.short = left < timeout && left+t.limited+w.limited >= timeout
	w.fuse = t.light(w.caller, left, timeout)
}

// turn waits for the rate limit within an attempt, before a redirect is
// followed. That time is not the origin's: the attempt's clock stands still. A
// wait that does not fit is the walk's error.
func (t *trip) turn(w *walk) *slot {
	if t.limit == nil {
		return nil
	}
	worked := t.c.since(w.began) - w.limited
	w.idle = true
	s, waited, err := t.limit.wait(w.caller, t.left())
	if err != nil {
		w.err = err
		return nil
	}
	w.idle = false
	if waited > 0 {
		w.limited += waited
		old := w.fuse
		t.relight(w, max(1, t.policy.Timeout-worked))
		old.put()
	}
	return s
}

// departure is told of every connection that a request gets, right before it
// leaves on it. net/http may send a request again by itself: each time after
// the first is another request, and takes a turn of its own. So does the first
// when connecting took longer than the window of the rate limit.
type departure struct {
	limit *limiter
	slot  *slot
	walk  *walk
	fuse  fuse
	left  time.Duration // of the budget, when the request was handed over
}

// connected blocks until the request may leave, and reports whether it may.
func (d *departure) connected(first bool, conn net.Conn) bool {
	if first && d.slot.left() {
		return true
	}
	d.walk.held.Store(!first)
	_, _, err := d.limit.wait(d.fuse.ctx, d.left)
	if err == nil {
		d.walk.held.Store(false)
		return true
	}
	if errors.Is(err, ErrOwnLimit) {
		d.walk.barred.Store(true)
		if d.fuse.fail != nil {
			d.fuse.fail(ErrOwnLimit)
		} else {
			d.fuse.put()
		}
	}
	if c, ok := conn.(*tls.Conn); conn != nil && !(ok && c.ConnectionState().NegotiatedProtocol == "h2") {
		conn.Close() // HTTP/1 writes whatever the context says; an HTTP/2 connection is shared
	}
	return false
}
