package cel

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// SyntaxError says what is wrong with an expression, and where.
type SyntaxError struct {
	At      int // character, from 1
	Message string
	Hint    string // what to do; may be ""
}

// Error gives the message with its place in the expression.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at character %d", e.Message, e.At) }

type tokenKind uint8

const (
	endToken tokenKind = iota
	identToken
	literalToken
	operatorToken
)

// lexeme is one token, from start to end in the text.
type lexeme struct {
	kind       tokenKind
	text       string // of an identifier or an operator
	value      value  // of a literal
	start, end int
}

// lexer reads tokens; the first error stops it.
type lexer struct {
	s   string
	i   int
	err *SyntaxError
}

func (l *lexer) fail(at int, hint, format string, args ...any) {
	if l.err == nil {
		l.err = &SyntaxError{At: utf8.RuneCountInString(l.s[:min(at, len(l.s))]) + 1, Message: fmt.Sprintf(format, args...), Hint: hint}
	}
	l.i = len(l.s)
}

// operators, the longer ones first.
var operators = []string{"&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!", "?", ":", "(", ")", "[", "]", "{", "}", ".", ","}

func (l *lexer) next() lexeme {
	for l.i < len(l.s) {
		switch c := l.s[l.i]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f':
			l.i++
			continue
		case strings.HasPrefix(l.s[l.i:], "//"):
			end := strings.IndexByte(l.s[l.i:], '\n')
			if end < 0 {
				end = len(l.s) - l.i
			}
			l.i += end
			continue
		}
		break
	}
	start := l.i
	if start >= len(l.s) {
		return lexeme{kind: endToken, start: start, end: start}
	}
	t := l.token(start)
	t.start, t.end = start, l.i
	return t
}

func (l *lexer) token(start int) lexeme {
	c := l.s[start]
	switch {
	case l.isString(start):
		return l.text(start)
	case isDigit(c) || (c == '.' && start+1 < len(l.s) && isDigit(l.s[start+1])):
		return l.number(start)
	case isLetter(c):
		for l.i < len(l.s) && (isLetter(l.s[l.i]) || isDigit(l.s[l.i])) {
			l.i++
		}
		return lexeme{kind: identToken, text: l.s[start:l.i]}
	}
	for _, op := range operators {
		if strings.HasPrefix(l.s[start:], op) {
			l.i += len(op)
			return lexeme{kind: operatorToken, text: op}
		}
	}
	r, _ := utf8.DecodeRuneInString(l.s[start:])
	hint := ""
	if r == '=' || r == '&' || r == '|' {
		hint = "the operators are ==, && and ||"
	}
	l.fail(start, hint, "%q is not part of an expression", r)
	return lexeme{}
}

func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }

// number reads an integer, an unsigned one (5u), a hexadecimal one, or a
// double.
func (l *lexer) number(start int) lexeme {
	base, digits := 10, isDigit
	if strings.HasPrefix(l.s[start:], "0x") || strings.HasPrefix(l.s[start:], "0X") {
		base, digits = 16, func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }
		l.i += 2
	}
	from, double := l.i, false
	for l.i < len(l.s) && digits(l.s[l.i]) {
		l.i++
	}
	if base == 10 {
		double = l.fraction()
	}
	text := l.s[from:l.i]
	unsigned := l.i < len(l.s) && l.s[l.i]|0x20 == 'u' && !double
	if unsigned {
		l.i++
	}
	if l.i < len(l.s) && (isLetter(l.s[l.i]) || isDigit(l.s[l.i])) {
		l.fail(start, "", "a number is followed by a letter")
		return lexeme{}
	}
	var v value
	var err error
	switch {
	case double:
		v, err = strconv.ParseFloat(text, 64)
	case unsigned:
		v, err = strconv.ParseUint(text, base, 64)
	default:
		var n uint64
		// The sign stands before it: one more is right for the smallest.
		if n, err = strconv.ParseUint(text, base, 64); n > 1<<63 {
			err = strconv.ErrRange
		}
		v = integer(n)
	}
	if err != nil {
		l.fail(start, "", "%s is not a number that fits", l.s[start:l.i])
	}
	return lexeme{kind: literalToken, value: v}
}

// integer is an integer literal before its sign is known.
type integer uint64

// fraction reads what follows the digits of a double.
func (l *lexer) fraction() bool {
	double := false
	if l.i+1 < len(l.s) && l.s[l.i] == '.' && isDigit(l.s[l.i+1]) {
		double = true
		for l.i++; l.i < len(l.s) && isDigit(l.s[l.i]); l.i++ {
		}
	}
	if l.i < len(l.s) && l.s[l.i]|0x20 == 'e' {
		at := l.i + 1
		if at < len(l.s) && (l.s[at] == '+' || l.s[at] == '-') {
			at++
		}
		if at < len(l.s) && isDigit(l.s[at]) {
			double = true
			for l.i = at; l.i < len(l.s) && isDigit(l.s[l.i]); l.i++ {
			}
		}
	}
	return double
}

// isString reports whether a string or bytes literal begins, with its prefix.
func (l *lexer) isString(i int) bool {
	for n := 0; n < 2 && i < len(l.s) && strings.IndexByte("rRbB", l.s[i]) >= 0; n++ {
		i++
	}
	return i < len(l.s) && (l.s[i] == '"' || l.s[i] == '\'')
}

func (l *lexer) text(start int) lexeme {
	raw, binary := false, false
	for ; l.s[l.i] != '"' && l.s[l.i] != '\''; l.i++ {
		raw = raw || l.s[l.i]|0x20 == 'r'
		binary = binary || l.s[l.i]|0x20 == 'b'
	}
	quote := l.s[l.i : l.i+1]
	if strings.HasPrefix(l.s[l.i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	l.i += len(quote)
	var b []byte
	for {
		switch rest := l.s[l.i:]; {
		case rest == "" || (len(quote) == 1 && rest[0] == '\n'):
			l.fail(start, "", "a string has no end")
			return lexeme{}
		case strings.HasPrefix(rest, quote):
			l.i += len(quote)
			if binary {
				return lexeme{kind: literalToken, value: b}
			}
			return lexeme{kind: literalToken, value: string(b)}
		case rest[0] == '\\' && !raw:
			if b = l.escape(b, binary); l.err != nil {
				return lexeme{}
			}
		case rest[0] == '\\' && len(rest) > 1 && raw:
			b = append(b, rest[:2]...)
			l.i += 2
		default:
			b = append(b, rest[0])
			l.i++
		}
	}
}

var simpleEscapes = map[byte]byte{'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v', '\\': '\\', '\'': '\'', '"': '"', '`': '`', '?': '?'}

// escape reads one escape.
func (l *lexer) escape(b []byte, binary bool) []byte {
	rest := l.s[l.i+1:]
	if rest != "" {
		if c, ok := simpleEscapes[rest[0]]; ok {
			l.i += 2
			return append(b, c)
		}
	}
	length, base, skip := 0, 16, 1
	switch {
	case rest == "":
	case rest[0]|0x20 == 'x':
		length = 2
	case rest[0] == 'u':
		length = 4
	case rest[0] == 'U':
		length = 8
	case rest[0] >= '0' && rest[0] <= '3':
		length, base, skip = 3, 8, 0
	}
	if length == 0 || len(rest) < skip+length {
		l.fail(l.i, `write \\ for a backslash, or r"…" for a string without escapes`, "there is no such escape")
		return b
	}
	n, err := strconv.ParseUint(rest[skip:skip+length], base, 32)
	if err != nil || n > utf8.MaxRune || (n >= 0xd800 && n < 0xe000) || (binary && length > 3) {
		l.fail(l.i, "", "there is no such escape")
		return b
	}
	l.i += 1 + skip + length
	if binary {
		return append(b, byte(n))
	}
	return utf8.AppendRune(b, rune(n))
}
