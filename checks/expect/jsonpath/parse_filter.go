package jsonpath

import (
	"sort"
	"strconv"
	"strings"
)

// or reads logical-or-expr: and *(S "||" S and).
func (p *parser) or() condition {
	defer p.nest()()
	list := anyOf{p.and()}
	for p.operator("||") {
		list = append(list, p.and())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// nest bounds recursion; the result undoes it.
func (p *parser) nest() func() {
	if p.depth++; p.depth > maxNesting {
		p.fail("", "filters are nested deeper than "+strconv.Itoa(maxNesting)+" levels")
	}
	return func() { p.depth-- }
}

func (p *parser) and() condition {
	list := allOf{p.basic()}
	for p.operator("&&") {
		list = append(list, p.basic())
	}
	if len(list) == 1 {
		return list[0]
	}
	return list
}

// operator reads S token S; space alone is left for what comes after.
func (p *parser) operator(token string) bool {
	if p.err != nil {
		return false
	}
	before := p.i
	p.space()
	if !p.take(token) {
		p.i = before
		return false
	}
	p.space()
	return true
}

// basic reads a parenthesis, a comparison or a test.
func (p *parser) basic() condition {
	if p.err != nil {
		return nil
	}
	start := p.i
	negated := p.take("!")
	if negated {
		p.space()
	}
	if p.take("(") {
		p.space()
		inner := p.or()
		p.space()
		if p.err == nil && !p.take(")") {
			p.unexpected("close the parenthesis")
		}
		return negate(inner, negated)
	}
	left := p.operand()
	op := ""
	for _, token := range []string{"==", "!=", "<=", ">=", "<", ">"} {
		if op == "" && p.operator(token) {
			op = token
		}
	}
	if op == "" {
		return negate(p.test(start, left), negated)
	}
	if negated {
		p.failAt(start, "put the comparison in parentheses: !(a == b)", "! stands before a comparison")
		return nil
	}
	at := p.i
	right := p.operand()
	return &comparison{left: p.comparable(start, left), op: op, right: p.comparable(at, right)}
}

func negate(c condition, negated bool) condition {
	if negated {
		return not{c}
	}
	return c
}

// operand reads a literal, a query or a function call; nil on an error.
func (p *parser) operand() operand {
	if p.err != nil {
		return nil
	}
	switch c := p.peek(); {
	case c == '@' || c == '$':
		p.i++
		defer p.nest()()
		q := makeQuery(c == '@', p.segments())
		return &q
	case c == '\'' || c == '"':
		return literal{kind: String, text: []byte(p.quoted()), present: true}
	case c == '-' || (c >= '0' && c <= '9'):
		return p.number()
	case c >= 'a' && c <= 'z':
		return p.word()
	}
	p.unexpected("here stands @, $, a number, a quoted text, true, false, null or a function")
	return nil
}

// number reads number = (int / "-0") [frac] [exp], with its digits.
func (p *parser) number() operand {
	start := p.i
	p.take("-")
	intStart := p.i
	bad := p.digits() == 0 || (p.s[intStart] == '0' && p.i-intStart > 1)
	if p.take(".") {
		bad = p.digits() == 0 || bad
	}
	if p.take("e") || p.take("E") {
		if !p.take("-") {
			p.take("+")
		}
		bad = p.digits() == 0 || bad
	}
	if bad {
		p.failAt(start, "numbers are written as in JSON", strconv.Quote(p.s[start:p.i])+" is not a number")
	}
	return literal{kind: Number, text: []byte(p.s[start:p.i]), present: true}
}

// word reads true, false, null or a function call.
func (p *parser) word() operand {
	start := p.i
	for c := p.peek(); c == '_' || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); c = p.peek() {
		p.i++
	}
	name := p.s[start:p.i]
	if p.take("(") {
		return p.call(start, name)
	}
	switch name {
	case "true", "false":
		return literal{kind: Boolean, text: []byte(name), present: true}
	case "null":
		return literal{kind: Null, text: []byte(name), present: true}
	}
	p.failAt(start, "quote it if text is meant; functions are "+functionNames(), strconv.Quote(name)+" is not a value")
	return nil
}

func functionNames() string {
	var names []string
	for name := range functions {
		names = append(names, name)
	}
	sort.Strings(names)
	return strings.Join(names, ", ")
}

// call reads the arguments of a function, after its parenthesis.
func (p *parser) call(start int, name string) operand {
	defer p.nest()()
	f, known := functions[name]
	if !known {
		p.failAt(start, "functions are "+functionNames(), "unknown function "+strconv.Quote(name))
		return nil
	}
	c := &call{name: name, function: f}
	p.space()
	for p.err == nil && !p.take(")") {
		if len(c.args) > 0 {
			if !p.take(",") {
				p.unexpected("after an argument comes , or )")
			}
			p.space()
		}
		at := p.i
		c.args = append(c.args, p.argument(at, f, p.operand()))
		p.space()
	}
	if p.err == nil && len(c.args) != f.arity {
		p.failAt(start, "", name+"() takes "+strconv.Itoa(f.arity)+" argument(s), not "+strconv.Itoa(len(c.args)))
	}
	if p.err == nil && f.regexp {
		p.pattern(start, c)
	}
	return c
}

// argument checks that an argument has the type of its parameter (RFC 9535
// §2.4.3).
func (p *parser) argument(at int, f function, o operand) operand {
	if f.nodes {
		if _, ok := o.(*query); !ok {
			p.failAt(at, "such as count(@.items[*])", "the argument must be a path")
		}
		return o
	}
	return p.comparable(at, o)
}

// comparable checks that an operand has one value at most.
func (p *parser) comparable(at int, o operand) operand {
	switch o := o.(type) {
	case *query:
		if !o.singular {
			p.failAt(at, "only names and indexes may stand in it; value(…) and count(…) take the others", "the path can select several nodes")
		}
	case *call:
		if o.function.logical {
			p.failAt(at, "use it alone, or with ! before it", o.name+"() is true or false, and has no value to compare")
		}
	}
	return o
}

// test makes a condition of an operand that stands alone.
func (p *parser) test(at int, o operand) condition {
	switch o := o.(type) {
	case *query:
		return exists{o}
	case *call:
		if o.function.logical {
			return matching{o}
		}
		p.failAt(at, "compare it: "+o.name+"(…) > 0", o.name+"() gives a value, not true or false")
	case literal:
		p.failAt(at, "compare it with something", "a value stands alone in a filter")
	}
	return nil
}

// pattern compiles a literal regular expression at once.
func (p *parser) pattern(at int, c *call) {
	pattern, ok := c.args[1].(literal)
	if !ok || pattern.kind != String {
		return
	}
	re, err := compilePattern(string(pattern.text), c.function.whole)
	if err != nil {
		p.failAt(at, "the syntax is RE2: no look-around, no back-references", "not a regular expression: "+err.Error())
	}
	c.compiled = re
}
