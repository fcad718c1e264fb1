package secret

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// match tells where form ends in s when it starts at i, whichever of its
// characters are encoded; -1 when it does not stand there.
//
// Text can hold by chance what looks like an encoding, so that both readings
// are tried: a character as it is first, and its decoded value first.
func match(s string, i int, form string) int {
	if end := walk(s, i, form, true); end >= 0 {
		return end
	}
	return walk(s, i, form, false)
}

func walk(s string, i int, form string, rawFirst bool) int {
	for j := 0; j < len(form); {
		if i >= len(s) {
			return -1
		}
		raw := s[i] == form[j]
		if raw && rawFirst {
			i, j = i+1, j+1
			continue
		}
		if d := decode(s, i); d.width > 0 && strings.HasPrefix(form[j:], d.value()) {
			i, j = i+d.width, j+d.size
			continue
		}
		if !raw {
			return -1
		}
		i, j = i+1, j+1
	}
	return i
}

// decoded is what one encoded character stands for.
type decoded struct {
	text  [utf8.UTFMax]byte
	size  int // of text
	width int // of the encoding in the text; 0 when there is none
}

func (d *decoded) value() string { return string(d.text[:d.size]) }

func one(c byte, width int) decoded {
	return decoded{text: [utf8.UTFMax]byte{c}, size: 1, width: width}
}

func char(r rune, width int) decoded {
	d := decoded{width: width}
	d.size = utf8.EncodeRune(d.text[:], r)
	return d
}

// decode reads the encoded character at i, if there is one.
func decode(s string, i int) decoded {
	switch s[i] {
	case '+':
		return one(' ', 1)
	case '%':
		if v, ok := hex(s, i+1, 2); ok {
			return one(byte(v), 3)
		}
	case '\\':
		return decodeEscape(s, i)
	case '&':
		return decodeEntity(s, i)
	}
	return decoded{}
}

func hex(s string, from, digits int) (rune, bool) {
	if from+digits > len(s) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[from:from+digits], 16, 32)
	return rune(v), err == nil
}

// escapes are the one-letter escapes of JSON (RFC 8259 §7) and Go.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a'}

// decodeEscape reads a backslash escape: \n, \u0026 (two of them for what is
// outside the basic plane), \x26, \U00000026, and \ before a punctuation mark.
func decodeEscape(s string, i int) decoded {
	if i+1 >= len(s) {
		return decoded{}
	}
	switch c := s[i+1]; c {
	case 'u':
		high, ok := hex(s, i+2, 4)
		if !ok {
			return decoded{}
		}
		if utf16.IsSurrogate(high) && strings.HasPrefix(s[i+6:], `\u`) {
			if low, ok := hex(s, i+8, 4); ok {
				return char(utf16.DecodeRune(high, low), 12)
			}
		}
		return char(high, 6)
	case 'U':
		if v, ok := hex(s, i+2, 8); ok {
			return char(v, 10)
		}
	case 'x':
		if v, ok := hex(s, i+2, 2); ok {
			return one(byte(v), 4)
		}
	default:
		if v, ok := escapes[c]; ok {
			return one(v, 2)
		}
		if c > ' ' && c < utf8.RuneSelf && !isBase64(c) || c == '/' || c == '+' || c == '-' || c == '_' {
			return one(c, 2)
		}
	}
	return decoded{}
}

// entities are the named references that XML and HTML writers use.
var entities = []struct {
	name string
	char byte
}{{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}}

// maxEntity bounds a numeric reference: &#x10FFFF; with some zeros before it.
const maxEntity = 12

// decodeEntity reads a character reference: &amp;, &#38;, &#x26;.
func decodeEntity(s string, i int) decoded {
	rest := s[i+1:]
	for _, e := range entities {
		if strings.HasPrefix(rest, e.name) {
			return one(e.char, 1+len(e.name))
		}
	}
	if !strings.HasPrefix(rest, "#") {
		return decoded{}
	}
	end := strings.IndexByte(rest[:min(len(rest), maxEntity)], ';')
	if end < 2 {
		return decoded{}
	}
	digits, base := rest[1:end], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	v, err := strconv.ParseUint(digits, base, 32)
	if err != nil || v > utf8.MaxRune {
		return decoded{}
	}
	return char(rune(v), end+2)
}
