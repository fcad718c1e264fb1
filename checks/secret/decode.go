package secret

import (
	"unicode/utf16"
	"unicode/utf8"
)

// maxLayers is how often a text can have been encoded and still be read: a
// string of JSON that holds a document of JSON, shown as a string of ours; an
// address, percent-encoded as a part of another.
const maxLayers = 3

// decoded is what one encoded character stands for.
type decoded struct {
	text  [utf8.UTFMax]byte
	size  int // of text
	width int // of the encoding in the text; 0 when there is none
}

func one(c byte, width int) decoded {
	return decoded{text: [utf8.UTFMax]byte{c}, size: 1, width: width}
}

func char(r rune, width int) decoded {
	d := decoded{width: width}
	d.size = utf8.EncodeRune(d.text[:], r)
	return d
}

// is tells whether d is the character c.
func (d *decoded) is(c byte) bool { return d.size == 1 && d.text[0] == c }

// choices are the ways to read the character at one place: as it is, and of
// each layer two, as a plus sign is also a space of a query or a form.
type choices [2 + 2*maxLayers]decoded

// read fills in the ways to read what stands at i, with one layer of encodings
// after the other undone.
func (all *choices) read(s string, i int) []decoded {
	if i >= len(s) {
		return nil
	}
	d := one(s[i], 1)
	all[0] = d
	n := 1
	switch s[i] {
	case '+':
		all[1] = one(' ', 1)
		n = 2
	case '%', '\\', '&':
		for below := range maxLayers {
			next := escape(s, i, d, below)
			if next.width == 0 {
				continue
			}
			d = next
			all[n] = d
			n++
			if d.is('+') {
				all[n] = one(' ', d.width)
				n++
			}
		}
	}
	return all[:n]
}

// read reads the character at i with so many layers of encodings undone, or
// fewer where there are no more; of the width 0 at the end of s.
func read(s string, i, layers int) decoded {
	if i >= len(s) {
		return decoded{}
	}
	c := s[i]
	if layers == 0 || c != '%' && c != '\\' && c != '&' {
		return one(c, 1)
	}
	inner := read(s, i, layers-1)
	if d := escape(s, i, inner, layers-1); d.width > 0 {
		return d
	}
	return inner
}

// escape reads an encoded character whose first one is intro; all that it
// consists of can be encoded itself, in so many layers.
func escape(s string, i int, intro decoded, layers int) decoded {
	if intro.size != 1 {
		return decoded{}
	}
	at := i + intro.width
	var d decoded
	switch intro.text[0] {
	case '%':
		if v, end := number(s, at, 16, 2, 2, layers); end > 0 {
			d = one(byte(v), end-i)
		}
	case '\\':
		d = backslashed(s, i, at, layers)
	case '&':
		d = entity(s, i, at, layers)
	}
	return d
}

// number reads least to most digits at i, and tells where they end; 0 when
// there are too few.
func number(s string, i int, base rune, least, most, layers int) (v rune, end int) {
	for n := range most {
		d := read(s, i, layers)
		digit := rune(-1)
		if d.size == 1 {
			digit = digitOf(d.text[0])
		}
		if digit < 0 || digit >= base {
			if n < least {
				return 0, 0
			}
			break
		}
		if v = v*base + digit; v > utf8.MaxRune {
			return 0, 0
		}
		i += d.width
	}
	return v, i
}

func digitOf(c byte) rune {
	switch {
	case c >= '0' && c <= '9':
		return rune(c - '0')
	case c >= 'a' && c <= 'f':
		return rune(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return rune(c-'A') + 10
	}
	return -1
}

// escapes are the one-letter escapes of JSON (RFC 8259 §7) and Go.
var escapes = [...]struct{ letter, char byte }{{'n', '\n'}, {'r', '\r'}, {'t', '\t'}, {'b', '\b'}, {'f', '\f'}, {'v', '\v'}, {'a', '\a'}}

// backslashed reads what follows the backslash at from, which ends before i:
// n, u0026 (two of them for what is outside the basic plane), u{26}, x26,
// U00000026, 046, or a punctuation mark.
func backslashed(s string, from, i, layers int) decoded {
	d := read(s, i, layers)
	if d.size != 1 {
		return decoded{}
	}
	c, at := d.text[0], i+d.width
	switch c {
	case 'u':
		return backslashU(s, from, at, layers)
	case 'U':
		if v, end := number(s, at, 16, 8, 8, layers); end > 0 {
			return char(v, end-from)
		}
		return decoded{}
	case 'x':
		if v, end := number(s, at, 16, 2, 2, layers); end > 0 {
			return one(byte(v), end-from)
		}
		return decoded{}
	case '0', '1', '2', '3':
		if v, end := number(s, i, 8, 3, 3, layers); end > 0 {
			return one(byte(v), end-from)
		}
		return decoded{}
	}
	for _, e := range escapes {
		if e.letter == c {
			return one(e.char, at-from)
		}
	}
	if c > ' ' && c < utf8.RuneSelf && !isBase64(c) || c == '/' || c == '+' || c == '-' || c == '_' {
		return one(c, at-from)
	}
	return decoded{}
}

// backslashU reads what follows \u at i.
func backslashU(s string, from, i, layers int) decoded {
	if d := read(s, i, layers); d.is('{') {
		v, end := number(s, i+d.width, 16, 1, 6, layers)
		if brace := read(s, end, layers); end > 0 && brace.is('}') {
			return char(v, end+brace.width-from)
		}
		return decoded{}
	}
	high, end := number(s, i, 16, 4, 4, layers)
	if end == 0 {
		return decoded{}
	}
	if utf16.IsSurrogate(high) {
		backslash := read(s, end, layers)
		u := read(s, end+backslash.width, layers)
		if backslash.is('\\') && u.is('u') {
			if low, last := number(s, end+backslash.width+u.width, 16, 4, 4, layers); last > 0 {
				return char(utf16.DecodeRune(high, low), last-from)
			}
		}
	}
	return char(high, end-from)
}

// entities are the named references that XML and HTML writers use.
var entities = [...]struct {
	name string
	char byte
}{{"amp;", '&'}, {"lt;", '<'}, {"gt;", '>'}, {"quot;", '"'}, {"apos;", '\''}}

// maxEntity bounds the digits of a numeric reference: &#x10FFFF; with some
// zeros before it.
const maxEntity = 10

// entity reads the character reference whose & stands at from and ends before
// i: &amp;, &#38;, &#x26;, and numbers without the semicolon, as browsers do.
func entity(s string, from, i, layers int) decoded {
	d := read(s, i, layers)
	if !d.is('#') {
		for _, e := range entities {
			if end := literal(s, i, e.name, layers); end > 0 {
				return one(e.char, end-from)
			}
		}
		return decoded{}
	}
	i += d.width
	base := rune(10)
	if d = read(s, i, layers); d.is('x') || d.is('X') {
		i, base = i+d.width, 16
	}
	v, end := number(s, i, base, 1, maxEntity, layers)
	if end == 0 {
		return decoded{}
	}
	if d = read(s, end, layers); d.is(';') {
		end += d.width
	}
	return char(v, end-from)
}

// literal tells where word ends when it stands at i; 0 when it does not.
func literal(s string, i int, word string, layers int) int {
	for k := range len(word) {
		d := read(s, i, layers)
		if !d.is(word[k]) {
			return 0
		}
		i += d.width
	}
	return i
}
