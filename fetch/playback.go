package fetch

import (
	"context"
	"time"
)

// played is the client that one asker of a replay asks: its own clock, its own
// place in the recordings, and nothing that protects an origin which is not
// there (queue, rate limit, breaker).
func (c *Client) played(ctx context.Context) *Client {
	name, _ := takeOf(ctx)
	p := c.cfg.Replay.player(name)
	return &Client{
		cfg: c.cfg, transport: playback{p, c.cfg.hiding()}, clock: p.clock(), rand: c.rand, foreign: c.foreign,
		closed: c.closed, open: c.open, host: c.host, headerErr: c.headerErr, player: p,
	}
}

// recorded refuses an attempt that nothing recorded answers. An exchange is
// asked anyway, and finds out, but never over a pipe: that would be live.
func (t *trip) recorded(next try) try {
	if t.c.player == nil {
		return next
	}
	return func(ctx context.Context, p *passage) (outcome, *refusal) {
		no := &refusal{stop: StopNoRecording, err: ErrNoRecording}
		if x := t.req.Exchange; x != nil {
			if x.Piped() {
				return outcome{}, no
			}
			return next(ctx, p)
		}
		if any, _ := t.ahead(); !any {
			return outcome{}, no
		}
		return next(ctx, p)
	}
}

// ahead asks the player about the trip's next attempt.
func (t *trip) ahead() (any, fresh bool) {
	if t.c.player == nil || t.req.Exchange != nil {
		return false, false
	}
	hide, body := t.c.cfg.hiding(), t.req.Body
	if t.place.bare {
		body = nil
	}
	return t.c.player.ahead(question{t.method, hide(t.url.String()), sumOf(body, hide)})
}

// isThere reports a recorded answer that was not served before: it is served
// whatever the budget says.
func (t *trip) isThere() bool { _, fresh := t.ahead(); return fresh }

// patience is what is left on the clock that code runs on: in a replay the
// budget passes on another.
func (t *trip) patience() time.Duration {
	if t.c.player != nil {
		return t.policy.Budget
	}
	return t.left()
}

// came is how many bytes a body of n bytes had when it came.
func (t *trip) came(n int) int64 {
	if t.c.player != nil {
		if x := t.c.player.served(); x != nil && n == len(x.Body) {
			return x.Bytes
		}
	}
	return int64(n)
}

// retrieved is when the answer of a walk was obtained, and over which TLS.
func (t *trip) retrieved(w *walk) (time.Time, *TLSInfo) {
	if t.c.player != nil {
		if x := t.c.player.served(); x != nil {
			return x.At, x.TLS
		}
	}
	if w.res == nil {
		return t.c.clock.Now().UTC(), nil
	}
	return t.c.clock.Now().UTC(), tlsInfo(w.res.TLS)
}
