package bodies

import (
	"bytes"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// FromNDJSON makes the text of a JSON array of the values that stand one a
// line. Blank lines are left out. The error is an *Error,
// or one of the limits.
func FromNDJSON(body []byte) ([]byte, error) {
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	out := append(make([]byte, 0, len(body)+2), '[')
	n := 0
	for line := range bytes.Lines(body) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		if !jsontext.Value(line).IsValid(jsontext.AllowDuplicateNames(true)) {
			if isDeep(line) {
				return nil, limit(ErrDeep, strconv.Itoa(maxJSONDepth)+" levels of JSON")
			}
			return nil, &Error{As: "ndjson", Line: n, Reason: "it is not one JSON value"}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, line...)
	}
	if len(out) == 1 {
		return nil, &Error{As: "ndjson", Reason: "it is empty"}
	}
	if len(out) > MaxSize {
		return nil, errTooLarge
	}
	return append(out, ']'), nil
}

// maxJSONDepth is the nesting that jsontext follows.
const maxJSONDepth = 10_000

// isDeep reports whether a line is well as far as it is followed.
func isDeep(line []byte) bool {
	d := jsontext.NewDecoder(bytes.NewBuffer(line), jsontext.AllowDuplicateNames(true))
	return d.SkipValue() != nil && d.StackDepth() >= maxJSONDepth
}
