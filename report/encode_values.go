package report

import (
	"strconv"
	"time"
	"unicode/utf8"
)

// appendKey appends a member's name, with the comma and colon around it. Names
// are plain ASCII.
func appendKey(b []byte, name string) []byte {
	if b[len(b)-1] != '{' {
		b = append(b, ',')
	}
	b = append(b, '"')
	b = append(b, name...)
	return append(b, '"', ':')
}

func appendStringKey[T ~string](b []byte, name string, v T) []byte {
	return appendString(appendKey(b, name), string(v))
}

func appendOptString[T ~string](b []byte, name string, v *T) []byte {
	if v == nil {
		return append(appendKey(b, name), "null"...)
	}
	return appendString(appendKey(b, name), string(*v))
}

func appendInt[T ~int | ~int64](b []byte, name string, v T) []byte {
	return strconv.AppendInt(appendKey(b, name), int64(v), 10)
}

func appendOptInt[T ~int | ~int64](b []byte, name string, v *T) []byte {
	if v == nil {
		return append(appendKey(b, name), "null"...)
	}
	return strconv.AppendInt(appendKey(b, name), int64(*v), 10)
}

func appendBool(b []byte, name string, v bool) []byte {
	return strconv.AppendBool(appendKey(b, name), v)
}

func appendTime(b []byte, t time.Time) []byte {
	b = append(b, '"')
	b = t.UTC().AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

func appendOptTime(b []byte, name string, t *time.Time) []byte {
	if t == nil {
		return append(appendKey(b, name), "null"...)
	}
	return appendTime(appendKey(b, name), *t)
}

func appendList[T any](b []byte, name string, list []T, item func([]byte, *T) []byte) []byte {
	b = append(appendKey(b, name), '[')
	for i := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = item(b, &list[i])
	}
	return append(b, ']')
}

func appendWord[T ~string](b []byte, s *T) []byte { return appendString(b, string(*s)) }

// appendString appends a JSON string (RFC 8259 §7). Beside what JSON demands
// it escapes whatever could act on a terminal or on a CI log that shows the
// document raw, and what would end a script element.
func appendString(b []byte, s string) []byte {
	b = append(b, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if !jsonSpecial[c] || (c == '[' && !logCommand(s, i)) {
				i++
				continue
			}
			b = appendEscaped(append(b, s[start:i]...), c)
			i++
			start = i
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			b = utf8.AppendRune(append(b, s[start:i]...), utf8.RuneError)
			i++
			start = i
			continue
		}
		if acts(r) {
			b = appendUnicode(append(b, s[start:i]...), r)
			start = i + n
		}
		i += n
	}
	return append(append(b, s[start:]...), '"')
}

// inertJSON escapes in a JSON document what appendString escapes in a string:
// what could act stands in strings only, where an escape means the same.
func inertJSON(data []byte) []byte {
	s, start := string(data), 0
	var b []byte
	for i, r := range s {
		if r == '\n' || !acts(r) && !(r == '[' && logCommand(s, i)) {
			continue
		}
		b = appendUnicode(append(b, s[start:i]...), r)
		start = i + utf8.RuneLen(r)
	}
	return append(b, s[start:]...)
}

// jsonSpecial are the ASCII characters that may need an escape.
var jsonSpecial = func() (t [utf8.RuneSelf]bool) {
	for c := range byte(0x20) {
		t[c] = true
	}
	for _, c := range []byte{'"', '\\', '<', '>', '&', '[', 0x7f} {
		t[c] = true
	}
	return t
}()

func appendEscaped(b []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(b, '\\', c)
	case '\n':
		return append(b, '\\', 'n')
	case '\r':
		return append(b, '\\', 'r')
	case '\t':
		return append(b, '\\', 't')
	}
	return appendUnicode(b, rune(c))
}

// appendUnicode appends \uXXXX, or a pair of surrogates.
func appendUnicode(b []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		return appendUnicode(appendUnicode(b, 0xd800+r>>10), 0xdc00+r&0x3ff)
	}
	const hex = "0123456789abcdef"
	return append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
