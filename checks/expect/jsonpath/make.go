package jsonpath

import (
	"strconv"
	"unsafe"

	"github.com/go-json-experiment/json/jsontext"
)

// NewString makes a value of a text; what is not UTF-8 in it becomes U+FFFD.
func NewString(s string) Value {
	raw, _ := jsontext.AppendQuote(nil, s)
	return Value{raw}
}

// NewBool makes a value of a boolean.
func NewBool(b bool) Value { return Value{strconv.AppendBool(nil, b)} }

// ParseNumber makes a value of a text that is a JSON number (RFC 8259 §6).
func ParseNumber(s string) (Value, bool) {
	if s == "" || (s[0] != '-' && (s[0] < '0' || s[0] > '9')) || !jsontext.Value(s).IsValid() {
		return Value{}, false
	}
	return Value{[]byte(s)}, true
}

// Peek is what Text is, without a copy where the text of the document holds no
// escape. The document's text never changes, so that the string does not.
func (v Value) Peek() string {
	if inner := unquoted(v.raw); isPlain(inner) {
		return unsafe.String(unsafe.SliceData(inner), len(inner))
	}
	return v.Text()
}

// PeekRaw is what Raw is, as a string and without a copy.
func (v Value) PeekRaw() string { return unsafe.String(unsafe.SliceData(v.raw), len(v.raw)) }
