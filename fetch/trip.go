package fetch

import (
	"net/http"
	"strings"
	"time"
)

// Mode is what an answer has to be.
type Mode int

// The modes. In JSON and text mode the attempt's deadline covers the body; in
// response mode it ends at the headers.
const (
	ModeText     Mode = iota // the body as text, whatever it is
	ModeJSON                 // the body must be exactly one valid JSON value (RFC 8259)
	ModeResponse             // the open *http.Response; the caller reads and closes the body
)

// Request is one question to an origin.
type Request struct {
	Method string // "" means GET
	URL    string // absolute
	Header http.Header
	Body   []byte
	// Idempotent lets a request whose method is not idempotent (RFC 9110
	// §9.2.2) be repeated.
	Idempotent bool
	Mode       Mode
	// Expect names statuses that end the trip as an answer, whatever the
	// classification table says; nil expects none. In JSON mode such an answer
	// of a status outside 2xx keeps its body as it is.
	Expect func(status int) bool
	// Charset is what the body is written in, as Config.Charset; "" leaves it to
	// that.
	Charset string
	// Inspect says what is wrong with the body of a 2xx, which is UTF-8 where it
	// is text; with an error it is malformed, unless that is a *LimitError. It is
	// called for every attempt; nil accepts all.
	Inspect func(body []byte) error
	Policy  *Policy // this trip's policy; nil means the client's
	Call    *Call   // the collector; nil collects nothing
	// Epoch is the zero of Attempt.Start; the zero Time means this trip's start.
	Epoch time.Time
	// Mirrors are absolute URLs that give the same answer. They share one budget
	// with URL and are asked in order, only for a request that CanRepeat, when
	// what was asked before them failed in a way that another place may not.
	Mirrors []string
	// Bare keeps what was declared at home: headers, Host and cookies. It is for a
	// URL that another place chose, as after a redirect to one. A body cannot be
	// kept back, and is an error.
	Bare bool
	// Exchange, where there is one, makes each attempt in place of an HTTP
	// request; Method, Body, Expect and Mode then say nothing.
	Exchange Exchange
	// ExpectRPC is what Expect is to a status: a JSON-RPC reply that ends the
	// trip as an answer, whatever rules say; nil expects none.
	ExpectRPC func(*RPC) bool
}

// CanRepeat reports whether the request may be sent twice: an idempotent
// method (RFC 9110 §9.2.2) or one declared so.
func (r *Request) CanRepeat() bool {
	if r.Exchange != nil {
		return r.Idempotent || r.Exchange.CanRepeat()
	}
	switch r.Method {
	case "", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete:
		return true
	}
	return r.Idempotent
}

// Answer is a trip that delivered.
type Answer struct {
	Status      int
	Header      http.Header
	Body        []byte         // decoded, text as UTF-8 without a byte order mark; nil in response mode
	Response    *http.Response // response mode only
	URL         string         // as asked
	FinalURL    string         // after redirects
	Withheld    bool           // declared headers were not sent to the place a redirect led to
	Notes       []Note
	RetrievedAt time.Time
	Rule        *Rule    // the rule that decided; nil when none did
	Mirror      string   // the mirror that answered; "" for URL itself
	TLS         *TLSInfo // of the connection that answered; nil without TLS
	RPC         *RPC     // what a JSON-RPC reply said; nil for any other answer
	Trip        Trip
}

// Note is something about an answer that was set right in passing.
type Note string

// The notes.
const (
	NoteBOM Note = "bom_stripped" // a byte order mark (UTF-8 or UTF-16) stood before the body
)

// transcoded begins the notes about a charset.
const transcoded = "transcoded:"

// NoteTranscoded says that the body came in another charset than UTF-8. The
// name is a known one in lower case, never an origin's text.
func NoteTranscoded(charset string) Note { return Note(transcoded + charset) }

// Charset is what a body was transcoded from, "" for any other note.
func (n Note) Charset() string {
	name, ok := strings.CutPrefix(string(n), transcoded)
	if !ok {
		return ""
	}
	return name
}

// Trip is one journey: its attempts in order, none ever overwritten.
type Trip struct {
	Attempts []Attempt
	Duration time.Duration // from admission to the end, waits included, our own queue excluded
	Queued   time.Duration // spent in our own queue (max_in_flight)
	Stopped  Stop          // why no further attempt was made; "" for a trip that delivered
	Unfit    time.Duration // the wait that did not fit the budget, with StopBudget
}

// Stop is why a failed trip made no further attempt.
type Stop string

// The reasons to stop.
const (
	StopNotRetryable Stop = "not_retryable"
	StopRetries      Stop = "retries"      // all attempts were made
	StopBudget       Stop = "budget"       // the next wait did not fit, or the budget ended
	StopMethod       Stop = "method"       // the request may not be repeated
	StopCancelled    Stop = "cancelled"    // the caller's context ended
	StopCircuit      Stop = "circuit"      // the breaker opened
	StopOwnLimit     Stop = "own_limit"    // one of our own limits ended it
	StopNoRecording  Stop = "no_recording" // a replay has no further answer
)

// Attempt is one try of the retry loop. Durations that did not happen are
// negative (a reused connection has no DNS, connect or TLS time).
type Attempt struct {
	Start      time.Duration // since the request's Epoch
	Wait       time.Duration // waited before this attempt
	WaitReason WaitReason    // what the longest part of the wait was for; "" without a wait
	Limited    time.Duration // waited for our own rate limit: a part of Wait, and between redirects
	Requests   int           // times a request was handed to a connection: redirects and replays by the transport included
	Kind       Kind          // "" for a successful attempt
	Detail     Detail
	Status     int // 0 when none arrived
	DNS        time.Duration
	Connect    time.Duration
	TLS        time.Duration
	TTFB       time.Duration // from the start to the first byte of the final answer
	Body       time.Duration // from the first byte to the end of the body
	Total      time.Duration
	Bytes      int64 // of the body, as they came
}

// WaitReason is what a wait before an attempt was for.
type WaitReason string

// The wait reasons.
const (
	WaitBackoff    WaitReason = "backoff"
	WaitRetryAfter WaitReason = "retry_after"
	WaitRateLimit  WaitReason = "rate_limit"
)
