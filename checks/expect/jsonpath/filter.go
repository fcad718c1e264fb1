package jsonpath

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
)

// condition is a filter's expression; n is the current node (@).
type condition interface {
	holds(w *walker, n uint32) bool
}

type (
	anyOf    []condition
	allOf    []condition
	not      struct{ condition }
	exists   struct{ query *query }
	matching struct{ call *call }
)

func (list anyOf) holds(w *walker, n uint32) bool {
	for _, c := range list {
		if c.holds(w, n) {
			return true
		}
	}
	return false
}

func (list allOf) holds(w *walker, n uint32) bool {
	for _, c := range list {
		if !c.holds(w, n) {
			return false
		}
	}
	return true
}

func (c not) holds(w *walker, n uint32) bool { return !c.condition.holds(w, n) }

func (c exists) holds(w *walker, n uint32) bool {
	if c.query.singular {
		_, found := w.single(c.query, n)
		return found
	}
	return w.constant(c.query, func() literal {
		found := false
		w.nodes(c.query, n, func(uint32) bool { found = true; return false })
		return literal{present: found}
	}).present
}

// operand is something that has a value, or none.
type operand interface {
	value(w *walker, n uint32) literal
}

// literal is a value in a filter: of the path, or of the text. The zero
// literal is Nothing (RFC 9535 §2.4.1).
type literal struct {
	present bool
	kind    Kind
	text    []byte // a string without quotes and escapes, a number as written, a container as JSON text
}

func (l literal) value(*walker, uint32) literal { return l }

func literalOf(v Value) literal {
	if v.Kind() == String {
		return literal{present: true, kind: String, text: v.Bytes()}
	}
	return literal{present: true, kind: v.Kind(), text: v.raw}
}

func count(n int) literal {
	return literal{present: true, kind: Number, text: strconv.AppendInt(nil, int64(n), 10)}
}

// value is the one node of a singular query; the parser lets no other compare.
func (q *query) value(w *walker, n uint32) literal {
	found, ok := w.single(q, n)
	if !ok {
		return literal{}
	}
	return literalOf(w.doc.at(found))
}

type comparison struct {
	left  operand
	op    string
	right operand
}

// holds compares as RFC 9535 §2.3.5.2.2 says: only numbers and strings have
// an order.
func (c *comparison) holds(w *walker, n uint32) bool {
	a, b := c.left.value(w, n), c.right.value(w, n)
	switch c.op {
	case "==":
		return same(w, a, b)
	case "!=":
		return !same(w, a, b)
	case "<":
		return less(a, b)
	case ">":
		return less(b, a)
	case "<=":
		return less(a, b) || same(w, a, b)
	}
	return less(b, a) || same(w, a, b)
}

func same(w *walker, a, b literal) bool {
	if !a.present || !b.present {
		return a.present == b.present
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Number:
		return decimal.Compare(string(a.text), string(b.text)) == 0
	case Array, Object:
		return !w.tick.stop(len(a.text)+len(b.text)) && equal(Value{a.text}.Decode(), Value{b.text}.Decode())
	}
	return bytes.Equal(a.text, b.text)
}

func less(a, b literal) bool {
	if !a.present || !b.present || a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Number:
		return decimal.Compare(string(a.text), string(b.text)) < 0
	case String:
		return bytes.Compare(a.text, b.text) < 0
	}
	return false
}

// function is a function extension of RFC 9535 §2.4.
type function struct {
	arity   int
	nodes   bool // its parameter is a list of nodes, else every parameter is a value
	logical bool // its result is true or false, else a value
	regexp  bool // its second parameter is a regular expression
	whole   bool // the expression must match the whole text
	apply   func(c *call, w *walker, n uint32) literal
}

var functions = map[string]function{
	"length": {arity: 1, apply: applyLength},
	"count":  {arity: 1, nodes: true, apply: applyCount},
	"value":  {arity: 1, nodes: true, apply: applyValue},
	"match":  {arity: 2, logical: true, regexp: true, whole: true},
	"search": {arity: 2, logical: true, regexp: true},
}

type call struct {
	name string
	function
	args     []operand
	compiled *regexp.Regexp // of a literal pattern
}

func (c *call) value(w *walker, n uint32) literal { return c.apply(c, w, n) }

func applyLength(c *call, w *walker, n uint32) literal {
	l := c.args[0].value(w, n)
	if !l.present {
		return literal{}
	}
	switch l.kind {
	case String:
		return count(utf8.RuneCount(l.text))
	case Array, Object:
		if w.tick.stop(len(l.text)) {
			return literal{}
		}
		return count(Value{l.text}.Len())
	}
	return literal{}
}

func applyCount(c *call, w *walker, n uint32) literal {
	q := c.args[0].(*query)
	return w.constant(q, func() literal {
		total := 0
		w.nodes(q, n, func(uint32) bool { total++; return true })
		return count(total)
	})
}

func applyValue(c *call, w *walker, n uint32) literal {
	q := c.args[0].(*query)
	return w.constant(q, func() literal {
		var l literal
		total := 0
		w.nodes(q, n, func(found uint32) bool {
			l = literalOf(w.doc.at(found))
			total++
			return total < 2
		})
		if total != 1 {
			return literal{}
		}
		return l
	})
}

func (m matching) holds(w *walker, n uint32) bool {
	c := m.call
	text, pattern := c.args[0].value(w, n), c.args[1].value(w, n)
	if !text.present || !pattern.present || text.kind != String || pattern.kind != String {
		return false
	}
	re := c.compiled
	if re == nil {
		re = w.pattern(string(pattern.text), c.whole)
	}
	return re != nil && re.Match(text.text)
}

// compilePattern compiles an I-Regexp (RFC 9485): its dot matches neither
// line feed nor carriage return.
func compilePattern(pattern string, whole bool) (*regexp.Regexp, error) {
	var b strings.Builder
	class := false
	for i := 0; i < len(pattern); i++ {
		c := pattern[i]
		switch {
		case c == '\\' && i+1 < len(pattern):
			b.WriteString(pattern[i : i+2])
			i++
			continue
		case c == '[':
			class = true
		case c == ']':
			class = false
		case c == '.' && !class:
			b.WriteString(`[^\n\r]`)
			continue
		}
		b.WriteByte(c)
	}
	if _, err := regexp.Compile(pattern); err != nil || !whole {
		if err != nil {
			return nil, err
		}
		return regexp.Compile(b.String())
	}
	return regexp.Compile(`\A(?:` + b.String() + `)\z`)
}
