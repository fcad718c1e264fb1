package secret

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// manner is a set of ways to encode a character.
type manner uint8

const (
	percent    manner = 1 << iota // %26, and + for a space
	backslash                     // \u0026, \x26, \n, \&
	reference                     // &amp;, &#38;, &#x26;
	allManners = percent | backslash | reference
)

// maxLayers is how often a text can have been written with backslash escapes
// and still be read: a string of JSON that holds a document of JSON, shown as a
// string of ours.
const maxLayers = 3

// match tells where form ends in s when it starts at i, whichever of its
// characters are encoded; -1 when it does not stand there.
//
// A secret can hold by chance what looks like an encoding (%25), so that every
// set of manners is tried: text that was written in some of them is read
// without the others. Backslashes come in layers: each writer doubles those of
// the one before.
func match(s string, i int, form string) int {
	end, ok := walk(s, i, form, 0, 1)
	if ok {
		return end
	}
	if !strings.ContainsAny(s[i:min(end+1, len(s))], `%\&+`) {
		return -1
	}
	stacked := false
	for m := manner(1); m <= allManners; m++ {
		end, ok := walk(s, i, form, m, 1)
		if ok {
			return end
		}
		stacked = stacked || m&backslash != 0 && strings.Contains(s[i:min(end+2, len(s))], `\\`)
	}
	for layers := 2; stacked && layers <= maxLayers; layers++ {
		for m := manner(1); m <= allManners; m++ {
			if m&backslash == 0 {
				continue
			}
			if end, ok := walk(s, i, form, m, layers); ok {
				return end
			}
		}
	}
	return -1
}

// walk follows form through s from i, and tells how far it came and whether
// that is all of it.
func walk(s string, i int, form string, m manner, layers int) (end int, whole bool) {
	for j := 0; j < len(form); {
		if i >= len(s) {
			return i, false
		}
		if d := decode(s, i, m, layers); d.width > 0 && strings.HasPrefix(form[j:], d.value()) {
			i, j = i+d.width, j+d.size
			continue
		}
		if s[i] != form[j] {
			return i, false
		}
		i, j = i+1, j+1
	}
	return i, true
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

// decode reads the character at i that is encoded in one of the manners, with
// so many layers of backslashes, if there is one.
func decode(s string, i int, m manner, layers int) decoded {
	switch c := s[i]; {
	case c == '+' && m&percent != 0:
		return one(' ', 1)
	case c == '%' && m&percent != 0:
		if v, ok := digitsAt(s, i+1, 2); ok {
			return one(byte(v), 3)
		}
	case c == '\\' && m&backslash != 0:
		return decodeLayers(s, i, layers)
	case c == '&' && m&reference != 0:
		return decodeEntity(s, i)
	}
	return decoded{}
}

func digitsAt(s string, from, digits int) (rune, bool) {
	if from+digits > len(s) {
		return 0, false
	}
	v, err := strconv.ParseUint(s[from:from+digits], 16, 32)
	return rune(v), err == nil
}

// escapes are the one-letter escapes of JSON (RFC 8259 §7) and Go.
var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', 'b': '\b', 'f': '\f', 'v': '\v', 'a': '\a'}

// decodeLayers reads an escape that was written so many times. A backslash
// that begins one has become 2, 4, … of them, one that stands for itself twice
// as many; what lies between begins with the backslashes of a character that an
// inner writer escaped, such as the quotation mark of \\\".
func decodeLayers(s string, i, layers int) decoded {
	intro := 1 << (layers - 1)
	n := 0
	for n < 2*intro && i+n < len(s) && s[i+n] == '\\' {
		n++
	}
	if n == 2*intro {
		return one('\\', n)
	}
	for intro > n { // an escape of an outer writer's, which met a character that the inner ones left alone
		intro /= 2
	}
	d := decodeEscape(s, i+n-1, s[i:i+intro]+"u")
	if d.width > 0 {
		d.width += n - 1
	}
	return d
}

// decodeEscape reads a backslash escape: \n, \u0026 (two of them for what is
// outside the basic plane, the second one after again), \x26, \U00000026, and \
// before a punctuation mark.
func decodeEscape(s string, i int, again string) decoded {
	if i+1 >= len(s) {
		return decoded{}
	}
	switch c := s[i+1]; c {
	case 'u':
		high, ok := digitsAt(s, i+2, 4)
		if !ok {
			return decoded{}
		}
		if utf16.IsSurrogate(high) && strings.HasPrefix(s[i+6:], again) {
			if low, ok := digitsAt(s, i+6+len(again), 4); ok {
				return char(utf16.DecodeRune(high, low), 10+len(again))
			}
		}
		return char(high, 6)
	case 'U':
		if v, ok := digitsAt(s, i+2, 8); ok {
			return char(v, 10)
		}
	case 'x':
		if v, ok := digitsAt(s, i+2, 2); ok {
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
