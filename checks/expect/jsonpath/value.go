package jsonpath

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
)

// Kind is a JSON type.
type Kind uint8

// The JSON types.
const (
	Null Kind = iota
	Boolean
	Number
	String
	Array
	Object
)

// String gives the type's JSON name.
func (k Kind) String() string {
	return [...]string{"null", "boolean", "number", "string", "array", "object"}[k]
}

// Value is one node: its JSON text, which it shares with the document.
type Value struct{ raw []byte }

// Raw is the node's JSON text as it came.
func (v Value) Raw() []byte { return v.raw }

// Kind tells the type by the first byte.
func (v Value) Kind() Kind {
	if len(v.raw) == 0 {
		return Null
	}
	switch v.raw[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Boolean
	case '"':
		return String
	case '[':
		return Array
	case '{':
		return Object
	}
	return Number
}

// Text is what a string says. Invalid UTF-8 and lone surrogates become U+FFFD.
func (v Value) Text() string { return unquote(unquoted(v.raw)) }

// Bytes is what Text is; it shares the text of the document where that holds
// no escape, and must not be changed.
func (v Value) Bytes() []byte {
	if inner := unquoted(v.raw); isPlain(inner) {
		return inner
	}
	return []byte(v.Text())
}

// Len counts the characters of a string, the elements of an array, or the
// distinct names of an object; 0 for the others.
func (v Value) Len() int {
	n := 0
	switch v.Kind() {
	case String:
		return utf8.RuneCount(v.Bytes())
	case Array:
		v.Elements(func(int, Value) bool { n++; return true })
	case Object:
		members(v.raw, 0, func(span, span) bool { n++; return true })
	}
	return n
}

// Elements calls visit for every element of an array until it returns false.
func (v Value) Elements(visit func(i int, element Value) bool) {
	c := open(v.raw, 0)
	for i := 0; c.more(); i++ {
		start := c.i
		c.i = skipValue(v.raw, start)
		if !visit(i, Value{v.raw[start:c.i]}) {
			return
		}
	}
}

// members calls visit with the name and the value of every member of the
// object at i, without the shadowed ones, and gives the object's end.
func members(b []byte, i int, visit func(name, value span) bool) int {
	var few [32]span
	names, values := few[:0:16], few[16:16]
	c := open(b, i)
	for c.more() {
		names = append(names, c.name())
		start := c.i
		c.i = skipValue(b, start)
		values = append(values, span{start, c.i})
	}
	shadowed(b, names, func(j int) { names[j].end = -1 })
	for j, name := range names {
		if name.end >= 0 && !visit(name, values[j]) {
			break
		}
	}
	return c.i
}

// maxDepth is beyond what a JSON validator lets through.
const maxDepth = 10_001

// Decode gives the node as Go values: nil, bool, json.Number with its digits,
// string, []any and map[string]any. What is deeper than a validator lets
// through is nil.
func (v Value) Decode() any {
	decoded, _ := decode(v.raw, 0, 0)
	return decoded
}

// decode reads the value at i in one pass, and gives its end.
func decode(b []byte, i, depth int) (any, int) {
	if i >= len(b) || depth > maxDepth {
		return nil, skipValue(b, i)
	}
	switch b[i] {
	case '[':
		return decodeArray(b, i, depth)
	case '{':
		return decodeObject(b, i, depth)
	}
	end := skipValue(b, i)
	v := Value{b[i:end]}
	switch v.Kind() {
	case Boolean:
		return b[i] == 't', end
	case Number:
		return json.Number(v.raw), end
	case String:
		return v.Text(), end
	}
	return nil, end
}

func decodeArray(b []byte, i, depth int) (any, int) {
	list := []any{}
	c := open(b, i)
	for c.more() {
		e, end := decode(b, c.i, depth+1)
		list, c.i = append(list, e), end
	}
	return list, c.i
}

func decodeObject(b []byte, i, depth int) (any, int) {
	m := map[string]any{}
	c := open(b, i)
	for c.more() {
		name := c.name()
		e, end := decode(b, c.i, depth+1)
		m[unquote(unquoted(b[name.start:name.end]))], c.i = e, end
	}
	return m, c.i
}

// Equal reports whether the node is the wanted value, given as Decode gives
// values: numbers are compared as decimals, the order of members is nothing.
func (v Value) Equal(want any) bool {
	switch v.Kind() {
	case Array:
		_, ok := want.([]any)
		return ok && equal(v.Decode(), want)
	case Object:
		_, ok := want.(map[string]any)
		return ok && equal(v.Decode(), want)
	case Number:
		n, ok := want.(json.Number)
		return ok && decimal.Compare(string(v.raw), string(n)) == 0
	case String:
		s, ok := want.(string)
		return ok && wanted{name: s, replaced: true}.is(v.raw)
	}
	return v.Decode() == want
}

func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		n, ok := b.(json.Number)
		return ok && decimal.Compare(string(a), string(n)) == 0
	case []any:
		list, ok := b.([]any)
		if !ok || len(a) != len(list) {
			return false
		}
		for i := range a {
			if !equal(a[i], list[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		m, ok := b.(map[string]any)
		if !ok || len(a) != len(m) {
			return false
		}
		for k, x := range a {
			if y, has := m[k]; !has || !equal(x, y) {
				return false
			}
		}
		return true
	}
	return a == b
}

// unquoted drops the quotes.
func unquoted(quoted []byte) []byte {
	if len(quoted) < 2 {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}

// unquote reads the inner text of a JSON string (RFC 8259 §7).
func unquote(inner []byte) string {
	if bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner)
	}
	out := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			r, n := utf8.DecodeRune(inner[i:])
			out = utf8.AppendRune(out, r)
			i += n
			continue
		}
		r, n := unescape(inner[i:])
		out = utf8.AppendRune(out, r)
		i += n
	}
	return string(out)
}

var escapes = map[byte]rune{'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// unescape reads one escape, or a pair of them that is one character, and
// gives its length.
func unescape(s []byte) (rune, int) {
	if len(s) < 2 {
		return utf8.RuneError, len(s)
	}
	if s[1] != 'u' {
		if r, ok := escapes[s[1]]; ok {
			return r, 2
		}
		return rune(s[1]), 2
	}
	high, ok := hex4(s)
	if !ok {
		return utf8.RuneError, 2
	}
	if utf16.IsSurrogate(high) {
		if low, ok := hex4(s[6:]); ok {
			if r := utf16.DecodeRune(high, low); r != utf8.RuneError {
				return r, 12
			}
		}
		return utf8.RuneError, 6
	}
	return high, 6
}

// hex4 reads \uXXXX at the start of s.
func hex4(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	v, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(v), err == nil
}
