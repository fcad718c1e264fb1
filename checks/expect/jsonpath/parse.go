package jsonpath

import (
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// parser reads a path by recursive descent over RFC 9535's grammar. The first
// error stops it: err is then set, and every reader returns at once.
type parser struct {
	s     string
	i     int
	depth int
	err   *SyntaxError
}

// maxNesting bounds filters in filters and brackets in brackets.
const maxNesting = 64

// Parse compiles a path. The error is a *SyntaxError.
func Parse(text string) (*Path, error) {
	p := &parser{s: text}
	if !utf8.ValidString(text) {
		p.fail("save the file as UTF-8", "the path is not UTF-8")
		return nil, p.err
	}
	if !p.take("$") {
		p.fail("a path starts with $, such as $[0].data", "expected $")
		return nil, p.err
	}
	path := &Path{text: text, query: makeQuery(false, p.segments())}
	if p.err == nil && p.i < len(p.s) {
		p.unexpected("a segment is .name, ['name'], [0], [*], [1:3], [?filter] or ..name")
	}
	if p.err != nil {
		return nil, p.err
	}
	return path, nil
}

func (p *parser) fail(hint, message string) {
	p.failAt(p.i, hint, message)
}

func (p *parser) failAt(i int, hint, message string) {
	if p.err == nil {
		p.err = &SyntaxError{At: utf8.RuneCountInString(p.s[:min(i, len(p.s))]) + 1, Message: message, Hint: hint}
	}
}

// unexpected names what stands at the current place.
func (p *parser) unexpected(hint string) {
	if p.i >= len(p.s) {
		p.fail(hint, "the path ends too early")
		return
	}
	r, _ := utf8.DecodeRuneInString(p.s[p.i:])
	p.fail(hint, "unexpected "+strconv.QuoteRune(r))
}

// peek is the next byte, 0 at the end.
func (p *parser) peek() byte {
	if p.i < len(p.s) {
		return p.s[p.i]
	}
	return 0
}

func (p *parser) take(token string) bool {
	if strings.HasPrefix(p.s[p.i:], token) {
		p.i += len(token)
		return true
	}
	return false
}

func (p *parser) space() { p.i = skipSpace([]byte(p.s), p.i) }

// segments reads *(S segment); space that no segment follows is left alone.
func (p *parser) segments() []segment {
	var list []segment
	for p.err == nil {
		before := p.i
		p.space()
		switch {
		case p.take(".."):
			list = append(list, segment{descendant: true, selectors: p.afterDots()})
		case p.take("."):
			list = append(list, segment{selectors: p.afterDot()})
		case p.peek() == '[':
			list = append(list, segment{selectors: p.bracketed()})
		default:
			p.i = before
			return list
		}
	}
	return list
}

func (p *parser) afterDots() []selector {
	if p.peek() == '[' {
		return p.bracketed()
	}
	return p.afterDot()
}

// afterDot reads a wildcard or a name in its short form.
func (p *parser) afterDot() []selector {
	if p.take("*") {
		return []selector{{kind: byWildcard}}
	}
	start := p.i
	for p.i < len(p.s) {
		c := p.s[p.i]
		name := c == '_' || c >= utf8.RuneSelf || (c|0x20 >= 'a' && c|0x20 <= 'z') || (p.i > start && c >= '0' && c <= '9')
		if !name {
			break
		}
		p.i++
	}
	if p.i == start {
		p.unexpected("after a dot comes a name or *; other names are written ['like this']")
		return nil
	}
	return []selector{nameSelector(p.s[start:p.i])}
}

func nameSelector(name string) selector {
	return selector{kind: byName, name: wanted{name: name, replaced: strings.ContainsRune(name, utf8.RuneError)}}
}

// bracketed reads "[" S selector *(S "," S selector) S "]".
func (p *parser) bracketed() []selector {
	p.take("[")
	var list []selector
	for p.err == nil {
		p.space()
		list = append(list, p.selector())
		p.space()
		if p.take("]") {
			return list
		}
		if !p.take(",") {
			p.unexpected("after a selector comes , or ]")
		}
	}
	return nil
}

func (p *parser) selector() selector {
	switch c := p.peek(); {
	case c == '\'' || c == '"':
		return nameSelector(p.quoted())
	case c == '*':
		p.i++
		return selector{kind: byWildcard}
	case c == '?':
		p.i++
		p.space()
		return selector{kind: byFilter, filter: p.or()}
	case c == ':' || c == '-' || (c >= '0' && c <= '9'):
		return p.indexOrSlice()
	}
	p.unexpected("a selector is 'name', 0, *, 1:3 or ?filter; names in brackets are quoted")
	return selector{}
}

func (p *parser) indexOrSlice() selector {
	first, hasFirst := p.integer()
	end := p.i
	p.space()
	if !p.take(":") {
		p.i = end
		return selector{kind: byIndex, index: first}
	}
	s := slice{start: first, hasStart: hasFirst, step: 1}
	p.space()
	s.end, s.hasEnd = p.integer()
	p.space()
	if p.take(":") {
		p.space()
		if step, has := p.integer(); has {
			s.step = step
		}
	}
	return selector{kind: bySlice, slice: s}
}

// maxIndex is the largest integer of I-JSON (RFC 7493 §2.2), which RFC 9535
// §2.1 bounds indexes by.
const maxIndex = 1<<53 - 1

// integer reads an integer, if there is one.
func (p *parser) integer() (int, bool) {
	start := p.i
	p.take("-")
	digits := p.digits()
	text := p.s[start:p.i]
	if text == "" {
		return 0, false
	}
	value, err := strconv.ParseInt(text, 10, 64)
	switch {
	case digits == 0, text == "-0", digits > 1 && strings.TrimPrefix(text, "-")[0] == '0':
		p.failAt(start, "write 0, 10 or -1", text+" is not an index")
	case err != nil || value > maxIndex || value < -maxIndex:
		p.failAt(start, "an index is at most 9007199254740991", "index "+text+" is too large")
	}
	return int(max(min(value, math.MaxInt/2), -math.MaxInt/2)), true
}

func (p *parser) digits() int {
	start := p.i
	for c := p.peek(); c >= '0' && c <= '9'; c = p.peek() {
		p.i++
	}
	return p.i - start
}

// quoted reads a string literal in single or double quotes.
func (p *parser) quoted() string {
	start, quote := p.i, p.peek()
	var b strings.Builder
	for p.i++; p.err == nil; {
		c := p.peek()
		switch {
		case p.i >= len(p.s):
			p.failAt(start, "close the quote", "the quoted text does not end")
		case c == quote:
			p.i++
			return b.String()
		case c < ' ':
			p.fail(`write it as \n, \t or \u00XX`, "a control character in a quoted text")
		case c == '\\':
			b.WriteRune(p.escape(quote))
		default:
			b.WriteByte(c)
			p.i++
		}
	}
	return ""
}

const escapeHint = `escapes are \b \f \n \r \t \\ \/ \uXXXX and the quote itself`

// escape reads one escape; only the quote in use may be escaped.
func (p *parser) escape(quote byte) rune {
	if p.i+1 >= len(p.s) {
		p.fail("close the quote", "the quoted text does not end")
		return 0
	}
	c := p.s[p.i+1]
	if c == 'u' {
		return p.unicodeEscape()
	}
	r, known := escapes[c]
	if c == quote || c == '\\' || c == '/' {
		r, known = rune(c), true
	}
	if !known {
		p.fail(escapeHint, "unknown escape")
	}
	p.i += 2
	return r
}

func (p *parser) unicodeEscape() rune {
	rest := []byte(p.s[p.i:min(p.i+12, len(p.s))])
	high, ok := hex4(rest)
	if !ok {
		p.fail(escapeHint, `\u needs four hexadecimal digits`)
		return 0
	}
	if !utf16.IsSurrogate(high) {
		p.i += 6
		return high
	}
	low, ok := hex4(rest[6:])
	r := utf16.DecodeRune(high, low)
	if !ok || r == utf8.RuneError {
		p.fail("a character beyond U+FFFF is a pair, such as \\ud83d\\ude00", "half of a surrogate pair")
		return 0
	}
	p.i += 12
	return r
}
