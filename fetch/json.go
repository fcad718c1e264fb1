package fetch

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json/jsontext"
)

// duplicates are legal in RFC 8259 §4, and real origins send them.
var duplicates = jsontext.AllowDuplicateNames(true)

// ValidJSON reports whether data is exactly one JSON value (RFC 8259) in valid
// UTF-8. Object names may repeat.
func ValidJSON(data []byte) bool { return jsontext.Value(data).IsValid(duplicates) }

// maxJSONDepth is the nesting that jsontext follows.
const maxJSONDepth = 10_000

// jsonFault is where and why a text is not exactly one JSON value.
type jsonFault struct {
	offset int64
	cut    bool // the text ended too early
	more   bool // one whole value, and then something else
	deep   bool // it may go on well, but deeper than we follow
	err    error
}

// checkJSON gives nil when data is exactly one JSON value (RFC 8259) in valid
// UTF-8.
func checkJSON(data []byte) *jsonFault {
	if ValidJSON(data) {
		return nil
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), duplicates)
	f := &jsonFault{}
	if f.err = dec.SkipValue(); f.err == nil {
		f.more = true
		f.offset = dec.InputOffset() + int64(leadingSpace(data[dec.InputOffset():]))
		f.err = errors.New("more data after the JSON value")
		return f
	}
	var syntax *jsontext.SyntacticError
	if errors.As(f.err, &syntax) {
		f.offset = syntax.ByteOffset
	}
	f.deep = dec.StackDepth() >= maxJSONDepth
	f.cut = errors.Is(f.err, io.ErrUnexpectedEOF) || errors.Is(f.err, io.EOF)
	return f
}

// TooDeep reports a text that is JSON as far as we follow it, and goes on
// deeper than that.
func TooDeep(data []byte) bool {
	f := checkJSON(data)
	return f != nil && f.deep
}

// faultOffset is where a person would say that the text stops being JSON: the
// begin of a guard in front of it, or of a word that JSON does not know, rather
// than somewhere inside.
func faultOffset(text []byte, f *jsonFault) int64 {
	if lead := leadingSpace(text); hasXSSIPrefix(text[lead:]) {
		return int64(lead)
	}
	at := min(f.offset, int64(len(text)))
	for at > 0 && !f.cut && isWord(text[at-1]) && (at == int64(len(text)) || isWord(text[at])) {
		at--
	}
	return at
}

// isWord is a byte of a literal or of a number's sign.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c == '-' || c == '+'
}

func leadingSpace(b []byte) int {
	return len(b) - len(bytes.TrimLeft(b, " \t\r\n"))
}
