package fetch

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// maxDrain is how much of a redirect's body is read so that its connection can
// be used again.
const maxDrain = 2 << 10

// walk is the way of one attempt to its final answer.
type walk struct {
	caller    context.Context
	began     time.Time
	fuse      fuse
	limited   time.Duration  // waited for the rate limit between its requests
	barred    atomic.Bool    // a replay got no turn
	held      atomic.Bool    // a replay waits for its turn
	idle      bool           // it waits for the rate limit: no clock of its own runs
	short     bool           // only our rate limit left it less than the attempt's timeout
	res       *http.Response // the final answer; nil with err
	err       error
	leg       leg
	header    http.Header // of one request of an exchange; nil: the trip's
	phase     Phase
	heard     bool // a byte of an HTTP answer came
	withheld  bool
	atProxy   bool      // it ended while a proxy was waited for
	denied    bool      // the final answer is a proxy's own refusal
	garbled   bool      // the body is packed, and could not be unpacked
	unread    *Error    // why the body did not come whole, where the status alone names the failure
	location  *Location // of a redirect that is not followed
	why       Detail    // why it is not
	firstByte time.Time
}

// walk sends the request and follows redirects, and counts every leg in rec.
func (t *trip) walk(w *walk, s *slot, rec *Attempt) {
	var seen map[string]bool // made at the first redirect
	for hops := 0; ; hops++ {
		t.send(w, s, rec)
		if w.err != nil || w.res.StatusCode/100 != 3 || t.expects(w.res.StatusCode) {
			return
		}
		next, to, why := follow(t.policy.Redirects, w.leg, w.res.StatusCode, w.res.Header)
		if why == "" && t.req.Exchange != nil && next.method != w.leg.method {
			why = RedirectUnsafe // an exchange has no use for a page
		}
		if why == "" && next.url != nil && next.away && t.tells(next.url) {
			why = RedirectCrossHost
		}
		w.location, w.why = to, why
		if why != "" || next.url == nil || t.stopsAt(w.res) {
			return
		}
		if seen == nil {
			seen = map[string]bool{w.leg.key(): true}
		}
		switch {
		case seen[next.key()]:
			w.why = RedirectLoop
			return
		case hops == maxHops:
			w.why = RedirectTooMany
			return
		}
		seen[next.key()] = true
		drain(w.res)
		w.leg, w.location = next, nil
		if s = t.turn(w); w.err != nil {
			return
		}
	}
}

// tells reports whether an address that an origin chose holds one of our
// secrets: going there would tell it to another place. What a recording holds in
// its place is the mask.
func (t *trip) tells(u *url.URL) bool {
	address := u.String()
	return t.c.cfg.hiding()(address) != address || t.c.cfg.Replay != nil && strings.Contains(address, "[redacted:")
}

func (l leg) key() string { return l.method + " " + l.url.String() }

// send makes one request of the walk. What fails on a kept connection may have
// been spoilt before this request: one that may be repeated is then sent once
// more, on another connection. net/http does the same, but not after bytes that
// are no HTTP.
func (t *trip) send(w *walk, s *slot, rec *Attempt) {
	if !t.hand(w, s, rec) || !t.req.CanRepeat() || w.fuse.ctx.Err() != nil {
		return
	}
	spoilt := w.err
	t.c.CloseIdle()
	if s = t.turn(w); w.err != spoilt {
		return
	}
	t.hand(w, s, rec)
}

// hand gives the request to the transport. It reports whether the connection
// itself failed, and had served before.
func (t *trip) hand(w *walk, s *slot, rec *Attempt) (spoilt bool) {
	tr := newTracker(t.c.clock.Now)
	tr.away, tr.ends = w.leg.away, w.fuse.ends()
	if s != nil {
		tr.leaves = departure{limit: t.limit, slot: s, walk: w, fuse: w.fuse, left: t.left()}
	}
	w.res, w.err = t.c.transport.RoundTrip(t.request(tr.attach(w.fuse.ctx, t.c.cfg.Transport != nil), w))
	phase, heard := tr.into(rec)
	w.phase, w.firstByte = phase, tr.first()
	w.atProxy, w.denied = tr.proxy()
	if w.res != nil && w.err == nil {
		w.phase, heard = PhaseBody, true
		if w.firstByte.IsZero() {
			w.firstByte = t.c.clock.Now()
		}
	} else if w.err == nil {
		w.err = errNoResponse
	}
	w.heard = w.heard || heard
	if w.err != nil && w.phase == PhaseHeader && tr.received() >= maxHeaderBytes {
		w.err = &LimitError{CauseMaxHeader, fmt.Errorf("the header is more than %d bytes: %w", maxHeaderBytes, w.err)}
	}
	return w.err != nil && tr.reused() && spoils[ClassifyError(w.err, w.phase).Detail]
}

// spoils are the details of a connection that was of no use.
var spoils = map[Detail]bool{HTTPMalformed: true, ConnectionClosed: true, TCPReset: true}

// request builds the request of the current leg. Declared headers, Host and
// the body leave only on legs that never went away.
func (t *trip) request(ctx context.Context, w *walk) *http.Request {
	l := w.leg
	r := &http.Request{
		Method: l.method, URL: l.url, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Host: l.url.Host,
		Header: t.header,
	}
	if w.header != nil {
		r.Header = w.header
	}
	switch {
	case l.away:
		var less bool
		r.Header, less = withheld(r.Header)
		w.withheld = w.withheld || less || t.host != "" || len(t.req.Body) > 0
	default:
		if t.host != "" && t.where == 0 {
			r.Host = t.host // a mirror is reached by its own name
		}
		if len(l.body) == 0 && len(t.req.Body) > 0 {
			r.Header = withoutContent(t.header)
		}
	}
	if len(l.body) > 0 {
		r.ContentLength = int64(len(l.body))
		r.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(l.body)), nil }
		r.Body, _ = r.GetBody()
	}
	return r.WithContext(ctx)
}

// drain ends a response whose body nobody wants. A short one is read, so that
// its connection is free again.
func drain(res *http.Response) {
	if res.ContentLength > 0 && res.ContentLength <= maxDrain {
		io.CopyN(io.Discard, res.Body, res.ContentLength)
	}
	res.Body.Close()
}
