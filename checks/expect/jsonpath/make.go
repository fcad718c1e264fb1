package jsonpath

import (
	"strconv"

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
