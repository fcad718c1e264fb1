package fetch

import (
	"fmt"
	"net/http"
	"time"
)

// Error is a trip that did not deliver. It describes the last attempt and
// carries all of them; a plain error means that our own code broke instead.
type Error struct {
	Kind       Kind
	Outcome    Outcome
	Cause      Cause     // a local cause, or ""
	Detail     Detail    // a finer fact, or ""
	LooksLike  LooksLike // evidence about the body, or ""
	Status     int       // HTTP status of the last attempt, 0 when none arrived
	Header     http.Header
	Body       []byte         // decoded, at most the first 64 KiB of an error status; the whole of a rejected 2xx
	Offset     int64          // byte offset in Body where it stopped being JSON, or text of its charset; -1 when not known
	Response   *http.Response // response mode only; its body is the caller's to close
	Retryable  bool           // another trip may succeed
	Transport  bool           // nothing at all arrived from the origin, in any attempt
	RetryAfter *time.Duration // what the last answer asked for; nil when it asked for nothing valid
	Location   *Location      // where an unfollowed redirect points
	URL        string         // as asked
	FinalURL   string         // after redirects
	Withheld   bool           // declared headers were not sent to the place a redirect led to
	RPC        *RPC           // what a JSON-RPC reply said; nil where none came
	Rule       *Rule          // the rule that decided; nil when none did
	Mirror     string         // the mirror that failed last; "" for URL itself
	// CertificateExpiry is when the certificate ended (Detail TLSExpired), and
	// CertificateStart when it begins (TLSNotYetValid); else nil. UTC.
	CertificateExpiry *time.Time
	CertificateStart  *time.Time
	Trip              Trip   // every attempt, with its waits
	Previous          *Error // the last attempt that ended by itself, where this error is a cut (aborted, budget)
	Err               error  // the underlying error, for errors.Is and errors.As

	raw *http.Response // for hooks, in every mode
}

// Location is the target of a redirect that was not followed.
type Location struct {
	URL       string
	CrossHost bool // another scheme, host or port
}

// Error says what happened in one line of English; nothing is ever decided by
// this text.
func (e *Error) Error() string {
	s := string(e.Kind)
	if e.Status != 0 {
		s = fmt.Sprintf("%s (status %d)", s, e.Status)
	}
	if e.Detail != "" {
		s += ": " + string(e.Detail)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap gives the underlying error.
func (e *Error) Unwrap() error { return e.Err }

// IsAnomaly reports whether the failure belongs to the provenance vocabulary.
func (e *Error) IsAnomaly() bool { return e.Kind.IsAnomaly() }

// Attempts is the number of attempts that were made.
func (e *Error) Attempts() int { return len(e.Trip.Attempts) }
