package fetch

import (
	"fmt"
	"net/http"
)

// LimitError is a limit of ours that an answer goes beyond: we did not follow,
// and nothing is known against the origin. Request.Inspect may give one.
type LimitError struct {
	Cause Cause // which
	Err   error // what it is, for a person
}

// Error says what the limit is.
func (e *LimitError) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e *LimitError) Unwrap() error { return e.Err }

// FormatError is a body that is not written as it should be: Request.Inspect may
// give one, so that a person is told where to look.
type FormatError struct {
	Format string // csv, ndjson or xml
	Line   int    // from 1; 0 for the body as a whole
	Err    error  // what it is, for a person
}

// Error says what is wrong.
func (e *FormatError) Error() string { return e.Err.Error() }

// Unwrap gives the error.
func (e *FormatError) Unwrap() error { return e.Err }

// headerSize is what a header is on the wire of HTTP/1.1 (RFC 9112 §5).
func headerSize(h http.Header) (bytes int) {
	for name, values := range h {
		for _, v := range values {
			bytes += len(name) + len(": ") + len(v) + len("\r\n")
		}
	}
	return bytes
}

// overlong is the failure of an answer whose header is larger than we take.
func (t *trip) overlong(w *walk) *Error {
	e := t.failure(w)
	e.Err = &LimitError{CauseMaxHeader, fmt.Errorf("the header is %d bytes, more than %d", headerSize(w.res.Header), maxHeaderBytes)}
	e.Header = nil // nobody is to carry it on
	e.fault(Fault{Kind: Aborted, Outcome: OutcomeFatal, Cause: CauseMaxHeader})
	return e
}
