package jsonpath

import (
	"bytes"
	"unicode/utf8"
)

// The scanner trusts that the text is valid JSON: it finds where values end
// and checks nothing. On a text that is not valid it gives wrong ranges, but
// always ends and never leaves the text.

// span is a range of bytes of the text.
type span struct{ start, end int }

func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// skipString gives the end of the string whose opening quote is at i.
func skipString(b []byte, i int) int {
	i++
	// Names and short values end within a few bytes, where a call costs more
	// than it saves.
	for near := min(i+24, len(b)); i < near; i++ {
		switch b[i] {
		case '"':
			return i + 1
		case '\\':
			return skipEscaped(b, i)
		}
	}
	return skipEscaped(b, i)
}

// skipEscaped goes on with a string from anywhere inside but an escape. Each quote
// is looked for once and each backslash counted once, before the quote that may
// be escaped by it: a long string of either costs no more than its length.
func skipEscaped(b []byte, i int) int {
	for {
		quote := bytes.IndexByte(b[i:], '"')
		if quote < 0 {
			return len(b)
		}
		quote += i
		first := quote
		for first > i && b[first-1] == '\\' {
			first--
		}
		i = quote + 1
		if (quote-first)%2 == 0 {
			return i
		}
	}
}

// skipValue gives the end of the value that starts at i; always after i, when
// i is in the text.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return len(b)
	}
	switch b[i] {
	case '"':
		return skipString(b, i)
	case '{', '[':
		return skipContainer(b, i)
	}
	for i++; i < len(b); i++ {
		switch b[i] {
		case ',', '}', ']', ' ', '\n', '\t', '\r', ':':
			return i
		}
	}
	return len(b)
}

func skipContainer(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch c := b[i]; {
		case c == '"':
			i = skipString(b, i)
			continue
		case c|0x20 == '{': // { or [
			depth++
		case c|0x20 == '}': // } or ]
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(b)
}

// cursor reads the children of one array or object.
type cursor struct {
	b []byte
	i int // after open: at a child, or between children
}

// open enters the container at i.
func open(b []byte, i int) cursor { return cursor{b, i + 1} }

// more moves to the next child; at the end of the container it moves past it.
// The caller moves over each child.
func (c *cursor) more() bool {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\n', '\t', '\r', ',':
			c.i++
		case '}', ']':
			c.i++
			return false
		default:
			return true
		}
	}
	return false
}

// name reads a member's name with its quotes, and moves to the value.
func (c *cursor) name() span {
	start := c.i
	c.i = skipValue(c.b, c.i)
	s := span{start, c.i}
	c.i = skipSpace(c.b, c.i)
	if c.i < len(c.b) && c.b[c.i] == ':' {
		c.i = skipSpace(c.b, c.i+1)
	}
	return s
}

// wanted is a name that a path selects.
type wanted struct {
	name     string
	replaced bool // the name holds U+FFFD, which an invalid byte of the text may stand for
}

// is reports whether a quoted name of the text is the wanted one. An escape is
// always longer than what it stands for, so that lengths decide most cases.
func (w wanted) is(quoted []byte) bool {
	inner := unquoted(quoted)
	switch {
	case len(inner) == len(w.name) && string(inner) == w.name:
		return true
	case w.replaced:
		return unquote(inner) == w.name
	case len(inner) <= len(w.name):
		return false
	}
	return bytes.IndexByte(inner, '\\') >= 0 && unquote(inner) == w.name
}

// shadowed calls mark for every member whose name comes again later: the last
// one wins. The names are in quotes.
func shadowed(b []byte, names []span, mark func(i int)) {
	if len(names) > 16 {
		last := make(map[string]int, len(names))
		for i, n := range names {
			key := unquote(unquoted(b[n.start:n.end]))
			if j, again := last[key]; again {
				mark(j)
			}
			last[key] = i
		}
		return
	}
	for i, n := range names {
		for _, later := range names[i+1:] {
			if sameName(b[n.start:n.end], b[later.start:later.end]) {
				mark(i)
				break
			}
		}
	}
}

func sameName(x, y []byte) bool {
	if bytes.Equal(x, y) {
		return true
	}
	if isPlain(x) && isPlain(y) {
		return false
	}
	return unquote(unquoted(x)) == unquote(unquoted(y))
}

// isPlain reports whether a string is ASCII without escapes.
func isPlain(s []byte) bool {
	for _, c := range s {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
