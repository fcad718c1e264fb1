package fetch

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/url"
	"time"
)

// A proxy that is silent may hang, or may wait for an origin that does. SOCKS
// tells the one from the other by its greeting; HTTP has nothing like it, so
// that a proxy that is silent for a while is asked beside the request whether it
// is there. Only one that says so has its silence charged to the origin.

// mostDoubt is how long a proxy may be silent before it is asked.
const mostDoubt = 500 * time.Millisecond

// doubt is how long a proxy may be silent here: most of what is left of the
// attempt is for its answer.
func (t *tracker) doubt() time.Duration {
	if t == nil || t.ends.IsZero() {
		return mostDoubt
	}
	return min(mostDoubt, time.Until(t.ends)/4)
}

// ends is when the attempt ends; zero where nothing says.
func (f *fuse) ends() time.Time {
	if at, ok := f.ctx.Deadline(); ok && (f.at.IsZero() || at.Before(f.at)) {
		return at
	}
	return f.at
}

// watch calls lives once the proxy has said that it is there, which it is asked
// when so much time has passed. The returned function ends the watch.
func (p *proxyDialer) watch(tracker *tracker, lives func()) (end func()) {
	ctx, cancel := context.WithTimeout(context.Background(), dialLimit)
	timer := time.AfterFunc(tracker.doubt(), func() {
		if p.alive(ctx) {
			lives()
		}
	})
	return func() {
		timer.Stop()
		cancel()
	}
}

// alive asks the proxy about itself, on a connection of its own: OPTIONS * with
// Max-Forwards 0 goes no further (RFC 9110 §7.6.2, §9.3.7). Any answer in HTTP
// is a sign of life.
func (p *proxyDialer) alive(ctx context.Context) bool {
	c, err := p.reach(ctx, nil)
	if err != nil {
		return false
	}
	defer c.Close()
	h := p.header.Clone()
	h.Set("Max-Forwards", "0")
	r := &http.Request{Method: http.MethodOptions, URL: &url.URL{Opaque: "*"}, Host: p.addr, Header: h, Close: true}
	return during(ctx, c, func() error {
		if err := r.Write(c); err != nil {
			return err
		}
		_, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, maxHeaderBytes)), r)
		return err
	}) == nil
}

// proxied is the transport of an HTTP proxy. It tells the proxy's own refusal
// of a plain request from an origin's, and its own silence.
type proxied struct {
	*http.Transport
	through *proxyDialer
}

// RoundTrip sends r, through a tunnel when it is https.
func (p *proxied) RoundTrip(r *http.Request) (*http.Response, error) {
	tracker := trackerOf(r.Context())
	if r.URL.Scheme != "http" || tracker == nil {
		return p.Transport.RoundTrip(r)
	}
	tracker.mute(true)
	defer p.through.watch(tracker, func() { tracker.mute(false) })()
	res, err := p.Transport.RoundTrip(r)
	if err == nil {
		tracker.mute(false)
		if refusedByProxy(res) {
			tracker.deny()
		}
	}
	return res, err
}
