package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"sync"
	"time"
)

// tracker watches one RoundTrip. Its hooks are also called by goroutines that
// outlive the request (a dial that lost against a freed connection), hence the
// lock, and hence a tracker is never used twice.
type tracker struct {
	now   func() time.Time
	hooks httptrace.ClientTrace
	away  bool      // the leg leads to a place that nothing was declared for
	ends  time.Time // when the attempt ends; zero where nothing says

	mu                            sync.Mutex
	leaves                        departure // told of each connection
	gets                          int       // times a connection was asked for
	gots                          int       // times one was got: one for each time the request left
	dials                         int       // connections that were opened for it
	kept                          bool      // the last one had served before
	conn                          net.Conn  // the last one
	metered                       int64     // what it had read before
	phase                         Phase
	settled                       bool // the request has its connection: what dials still report is not its own
	atProxy                       bool // waiting for a proxy to take the connection, which no hook of httptrace tells
	muted                         bool // the proxy has the request, and has shown no sign of life
	denied                        bool // the proxy itself refused the request
	dnsStart, connStart, tlsStart time.Time
	firstByte                     time.Time
	dns, connect, tls             time.Duration // negative: did not happen
}

func newTracker(now func() time.Time) *tracker {
	return &tracker{now: now, dns: -1, connect: -1, tls: -1}
}

type trackerKey struct{}

// trackerOf gives the tracker of a request's context, or nil.
func trackerOf(ctx context.Context) *tracker {
	t, _ := ctx.Value(trackerKey{}).(*tracker)
	return t
}

// attach puts the tracker where both httptrace and this package's own
// transports find it. Those watch their dials themselves (see watchDial); only
// a foreign one has to be told before.
func (t *tracker) attach(ctx context.Context, foreign bool) context.Context {
	ctx = context.WithValue(ctx, trackerKey{}, t)
	t.hooks = httptrace.ClientTrace{
		GetConn:              t.getConn,
		GotConn:              t.gotConn,
		TLSHandshakeStart:    t.tlsStarted,
		TLSHandshakeDone:     t.tlsDone,
		GotFirstResponseByte: t.gotFirstByte,
	}
	if foreign {
		t.hooks.DNSStart, t.hooks.DNSDone = t.dnsStarted, t.dnsDone
		t.hooks.ConnectStart, t.hooks.ConnectDone = t.connectStarted, t.connectDone
	}
	return httptrace.WithClientTrace(ctx, &t.hooks)
}

// watchDial watches one dial. Most requests leave on a kept connection, and its
// hooks cost a dozen allocations.
func (t *tracker) watchDial(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		DNSStart:     t.dnsStarted,
		DNSDone:      t.dnsDone,
		ConnectStart: t.connectStarted,
		ConnectDone:  t.connectDone,
	})
}

func (t *tracker) getConn(string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gets++
	t.phase, t.settled = PhaseStart, false
}

func (t *tracker) gotConn(info httptrace.GotConnInfo) {
	t.mu.Lock()
	t.gots++
	t.settled, t.phase, t.kept = true, PhaseWait, info.Reused
	if info.Reused {
		t.dns, t.connect, t.tls = -1, -1, -1
	}
	t.conn = info.Conn
	if m := meterOf(t.conn); m != nil {
		t.metered = m.read.Load()
	}
	first := t.gots == 1
	t.mu.Unlock()
	if t.leaves.limit == nil || t.leaves.connected(first, info.Conn) || first {
		return
	}
	t.mu.Lock()
	t.gots-- // it never left
	t.mu.Unlock()
}

// reused reports whether the request left last on a connection that had served
// before.
func (t *tracker) reused() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.kept
}

// received is how much the last connection has read for the request; 0 where
// that cannot be told.
func (t *tracker) received() int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	if m := meterOf(t.conn); m != nil && !shared(t.conn) {
		return m.read.Load() - t.metered
	}
	return 0
}

// mayDial counts a connection that is to be opened, and refuses one too many.
func (t *tracker) mayDial() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.dials++
	return t.dials <= maxDials
}

// dial runs a hook of the connection phase, unless the request has a
// connection already.
func (t *tracker) dial(hook func(now time.Time)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.settled {
		hook(t.now())
	}
}

func (t *tracker) dnsStarted(httptrace.DNSStartInfo) {
	t.dial(func(now time.Time) { t.phase, t.dnsStart = PhaseDNS, now })
}

func (t *tracker) dnsDone(httptrace.DNSDoneInfo) {
	t.dial(func(now time.Time) { t.dns = now.Sub(t.dnsStart) })
}

func (t *tracker) connectStarted(string, string) {
	t.dial(func(now time.Time) {
		if t.phase < PhaseConnect { // several addresses count as one connecting
			t.phase, t.connStart = PhaseConnect, now
		}
	})
}

func (t *tracker) connectDone(string, string, error) {
	t.dial(func(now time.Time) { t.connect = now.Sub(t.connStart) })
}

func (t *tracker) tlsStarted() {
	t.dial(func(now time.Time) { t.phase, t.tlsStart = PhaseTLS, now })
}

func (t *tracker) tlsDone(tls.ConnectionState, error) {
	t.dial(func(now time.Time) { t.tls = now.Sub(t.tlsStart) })
}

// proxying notes the begin and the end of waiting for a proxy.
func (t *tracker) proxying(on bool) {
	if t != nil {
		t.dial(func(time.Time) { t.atProxy = on })
	}
}

// mute notes whether a proxy that was handed the request itself is yet to show
// that it is there.
func (t *tracker) mute(on bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.muted = on
}

// deny notes that the answer is the proxy's own refusal.
func (t *tracker) deny() {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.denied = true
	}
}

// proxy says whether a proxy is what was waited for, and whether it refused.
func (t *tracker) proxy() (waiting, denied bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.atProxy && !t.settled || t.muted && t.firstByte.IsZero(), t.denied
}

func (t *tracker) gotFirstByte() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.firstByte, t.phase = t.now(), PhaseHeader
}

// into adds what was seen to the attempt's record, and gives the phase that
// was reached and whether a byte of an answer came.
func (t *tracker) into(rec *Attempt) (Phase, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	rec.Requests += max(1, t.gots)
	rec.DNS, rec.Connect, rec.TLS = lasted(rec.DNS, t.dns), lasted(rec.Connect, t.connect), lasted(rec.TLS, t.tls)
	if t.gets == 0 { // a transport that tells nothing
		return PhaseWait, false
	}
	return t.phase, !t.firstByte.IsZero()
}

// first is when the first byte of the answer came; zero when none did.
func (t *tracker) first() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.firstByte
}

// lasted sums durations of which a negative one did not happen.
func lasted(a, b time.Duration) time.Duration {
	if a < 0 {
		return b
	}
	return a + max(0, b)
}
