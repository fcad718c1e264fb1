package fetch

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"time"
)

// Config is what a Client asks an origin with. Only Policy has no useful zero
// value: start from DefaultPolicy.
type Config struct {
	Name      string // the origin's name, for people
	Policy    Policy
	UserAgent string      // "" means DefaultUserAgent
	Header    http.Header // declared headers, credentials included: sent only to the scheme, host and port that were asked

	// Charset is the IANA name of what bodies are written in, "" for what the
	// answers themselves say. See CheckCharset. It outweighs a Content-Type,
	// and is outweighed by a byte order mark.
	Charset string

	Transport http.RoundTripper // nil: an own transport, shaped by the four fields below
	Way       Way               // the way out; see Way.Check
	Resolver  *net.Resolver     // nil: Way's, or the system's
	TLS       *tls.Config       // nil: Go's defaults; Way adds to it, and TLS 1.2 is the least
	// DialContext opens connections, those to a proxy included; nil: a
	// net.Dialer with Resolver.
	DialContext func(ctx context.Context, network, addr string) (net.Conn, error)

	Clock Clock
	Rand  func() float64 // in [0,1), for jitter; nil: math/rand/v2

	// InspectBody rejects the body of a 2xx by naming a kind; "" accepts it. It
	// is not asked in response mode. The response's own body has been read.
	InspectBody func(*http.Response, []byte) Kind
	// RetryOn decides about every failed attempt that no rule decided, instead of
	// the table and of Policy.RetryOn. What was aborted, and the details that are never retried,
	// it cannot overrule.
	RetryOn func(RetryEvent) bool

	// Rules say what answers mean. They are read in order, before anything
	// else, on every attempt that has an HTTP answer; the first match decides.
	Rules     []Rule
	RateLimit *RateLimit     // nil: no limit
	Breaker   *BreakerPolicy // nil: no breaker

	// Tape records what is asked within a context WithTake, and Replay serves
	// it in place of the network: Transport, Clock, RateLimit and Breaker then
	// have no part in it. Hide masks secrets in what is recorded, and in what is
	// looked up; nil hides nothing.
	Tape   *Tape
	Replay *Replay
	Hide   func(string) string
}

// DefaultUserAgent names the program where a declaration names nothing: some
// origins refuse the generic names of HTTP libraries.
const DefaultUserAgent = "fonteviva (+https://github.com/fonteviva/fonteviva)"

// RetryEvent is a failed attempt, as a RetryOn hook sees it.
type RetryEvent struct {
	URL      string
	Attempt  int // 1 is the first
	Kind     Kind
	Status   int            // 0 when none arrived
	Response *http.Response // nil when none arrived; not to be read from
	Body     []byte         // what was read of it, decoded
	Cause    error          // the underlying error; nil where the status says it all
}

// Clock is the time that a Client lives by. The zero value is real time (which
// testing/synctest replaces). The deadlines of attempts are contexts and always
// run on real time.
type Clock struct {
	Now   func() time.Time
	Sleep func(ctx context.Context, d time.Duration) error // returns early, with the context's cause, when ctx ends
}

func (c Clock) withDefaults() Clock {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Sleep == nil {
		c.Sleep = sleep
	}
	return c
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
