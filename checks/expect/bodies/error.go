package bodies

import (
	"errors"
	"fmt"
)

// Error says that a body is not what it should be: not CSV, not NDJSON, not
// XML. It is about the body, never about us.
type Error struct {
	As     string // csv, ndjson or xml
	Line   int    // from 1; 0 for the body as a whole
	Reason string // for a person; of the body's own text it holds a few words at most
}

// Error names the place.
func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("the body is not %s: %s", e.As, e.Reason)
	}
	return fmt.Sprintf("the body is not %s: line %d: %s", e.As, e.Line, e.Reason)
}

// MaxSize bounds the JSON text that a body becomes: names that stand once in
// CSV stand in every object.
const MaxSize = 256 << 20

// Limits of ours, which say nothing against a body.
var (
	ErrDeep  = errors.New("the body is nested deeper than is followed here")
	ErrParts = errors.New("the body has more parts than are followed here")
)

// limit is such a limit: which, and what it is.
func limit(which error, most string) error { return fmt.Errorf("%w: %s", which, most) }

// Ours reports whether an error is a limit of ours.
func Ours(err error) bool { return errors.Is(err, ErrDeep) || errors.Is(err, ErrParts) }

// errTooLarge is that MaxSize was reached.
var errTooLarge = limit(ErrParts, "it becomes more than 256 MiB of JSON")
