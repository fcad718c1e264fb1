package cel

import "slices"

// Limits of one expression.
const (
	maxLength  = 16 << 10
	maxNesting = 64
)

// parser reads an expression by recursive descent over the language's grammar.
type parser struct {
	lexer
	t     lexeme // the token that comes next
	depth int
	vars  []string // of the macros that are open
}

func parse(text string) (*node, *SyntaxError) {
	p := &parser{lexer: lexer{s: text}}
	if len(text) > maxLength {
		return nil, &SyntaxError{At: 1, Message: "the expression is longer than 16 KiB"}
	}
	p.advance()
	n := p.ternary()
	if p.err == nil && p.t.kind != endToken {
		p.unexpected("")
	}
	return n, p.err
}

func (p *parser) advance() { p.t = p.next() }

func (p *parser) unexpected(hint string) {
	if p.t.kind == endToken {
		p.fail(p.t.start, hint, "the expression ends too early")
		return
	}
	p.fail(p.t.start, hint, "%q is not expected", p.s[p.t.start:p.t.end])
}

// is reports whether an operator comes next.
func (p *parser) is(op string) bool { return p.t.kind == operatorToken && p.t.text == op }

// take takes an operator that comes next.
func (p *parser) take(op string) bool {
	if !p.is(op) {
		return false
	}
	p.advance()
	return true
}

func (p *parser) expect(op string) int {
	end := p.t.end
	if !p.take(op) {
		p.unexpected("expected " + op)
	}
	return end
}

func call(name string, args ...*node) *node {
	return &node{op: opCall, name: name, args: args, start: args[0].start, end: args[len(args)-1].end}
}

func (p *parser) ternary() *node {
	if p.depth++; p.depth > maxNesting {
		p.fail(p.t.start, "", "the expression is nested deeper than 64 levels")
	}
	defer func() { p.depth-- }()
	n := p.binary(0)
	if p.err == nil && p.take("?") {
		then := p.binary(0)
		p.expect(":")
		n = call("_?_:_", n, then, p.ternary())
	}
	return n
}

// levels are the binary operators, the weakest first.
var levels = [][]string{{"||"}, {"&&"}, {"<", "<=", ">", ">=", "==", "!=", "in"}, {"+", "-"}, {"*", "/", "%"}}

func (p *parser) binary(level int) *node {
	if level == len(levels) {
		return p.unary()
	}
	n := p.binary(level + 1)
	for p.err == nil {
		op := p.t.text
		isOperator := p.t.kind == operatorToken || (p.t.kind == identToken && op == "in")
		if !isOperator || !slices.Contains(levels[level], op) {
			break
		}
		p.advance()
		n = call("_"+op+"_", n, p.binary(level+1))
	}
	return n
}

func (p *parser) unary() *node {
	start := p.t.start
	for _, op := range []string{"!", "-"} {
		if !p.take(op) {
			continue
		}
		if p.depth++; p.depth > maxNesting {
			p.fail(p.t.start, "", "the expression is nested deeper than 64 levels")
			return &node{}
		}
		defer func() { p.depth-- }()
		// A sign is part of an integer: -9223372036854775808 is one.
		if n, ok := p.t.value.(integer); ok && op == "-" && p.t.kind == literalToken {
			p.t.value = int64(-n)
			n := p.memberOf(p.primary())
			n.start = start
			return n
		}
		n := call(op+"_", p.unary())
		n.start = start
		return n
	}
	return p.memberOf(p.primary())
}

// memberOf reads fields, calls and indexes behind a value.
func (p *parser) memberOf(n *node) *node {
	for p.err == nil {
		switch {
		case p.take("."):
			name, end := p.t.text, p.t.end
			if p.t.kind != identToken {
				p.unexpected(`a field is a name; other names are written ["in quotes"]`)
				return n
			}
			p.advance()
			if !p.is("(") {
				n = &node{op: opField, name: name, args: []*node{n}, start: n.start, end: end}
				continue
			}
			n = p.memberCall(n, name)
		case p.take("["):
			index := p.ternary()
			start := n.start
			n = call("_[_]", n, index)
			n.start, n.end = start, p.expect("]")
		default:
			return n
		}
	}
	return n
}

func (p *parser) memberCall(target *node, name string) *node {
	if slices.Contains(macros, name) {
		return p.macro(target, name)
	}
	args, end := p.arguments()
	return &node{op: opCall, name: name, member: true, args: append([]*node{target}, args...), start: target.start, end: end}
}

// arguments reads (a, b), and gives where it ends.
func (p *parser) arguments() ([]*node, int) {
	p.expect("(")
	var args []*node
	for p.err == nil && !p.is(")") {
		args = append(args, p.ternary())
		if !p.take(",") {
			break
		}
	}
	return args, p.expect(")")
}

var macros = []string{"all", "exists", "exists_one", "map", "filter"}

// macro reads (variable, expression), and for map a filter before it.
func (p *parser) macro(target *node, name string) *node {
	p.expect("(")
	variable := p.t.text
	if p.t.kind != identToken || isReserved(variable) {
		p.unexpected("such as " + name + "(x, x > 0)")
		return target
	}
	p.advance()
	n := &node{op: opMacro, name: name, args: []*node{target}, start: target.start, slot: len(p.vars)}
	p.vars = append(p.vars, variable)
	most := 1
	if name == "map" {
		most = 2
	}
	for p.err == nil && len(n.args) <= most && p.take(",") {
		n.args = append(n.args, p.ternary())
	}
	if p.err == nil && len(n.args) < 2 {
		p.unexpected("such as " + name + "(x, x > 0)")
	}
	p.vars = p.vars[:len(p.vars)-1]
	n.end = p.expect(")")
	return n
}

func (p *parser) primary() *node {
	t := p.t
	switch {
	case t.kind == literalToken:
		p.advance()
		if n, ok := t.value.(integer); ok {
			if n > 1<<63-1 {
				p.fail(t.start, "", "%s is not a number that fits", p.s[t.start:t.end])
			}
			t.value = int64(n)
		}
		return &node{op: opLiteral, value: t.value, start: t.start, end: t.end}
	case t.kind == identToken:
		p.advance()
		return p.identifier(t)
	case p.take("("):
		n := p.ternary()
		p.expect(")")
		return n
	case p.take("["):
		n := &node{op: opList, start: t.start}
		for p.err == nil && !p.is("]") {
			n.args = append(n.args, p.ternary())
			if !p.take(",") {
				break
			}
		}
		n.end = p.expect("]")
		return n
	case p.take("{"):
		return p.mapping(t.start)
	}
	p.unexpected("")
	return &node{}
}

func (p *parser) mapping(start int) *node {
	n := &node{op: opMap, start: start}
	for p.err == nil && !p.is("}") {
		key := p.ternary()
		p.expect(":")
		n.args = append(n.args, key, p.ternary())
		if !p.take(",") {
			break
		}
	}
	n.end = p.expect("}")
	return n
}

var constants = map[string]value{"true": true, "false": false, "null": nil}

func isReserved(name string) bool {
	_, constant := constants[name]
	return constant || name == "in"
}

func (p *parser) identifier(t lexeme) *node {
	if v, ok := constants[t.text]; ok {
		return &node{op: opLiteral, value: v, start: t.start, end: t.end}
	}
	if t.text == "in" {
		p.fail(t.start, "", "%q is not expected", "in")
	}
	if !p.is("(") {
		slot := -1
		for i, name := range p.vars {
			if name == t.text {
				slot = i // the innermost wins
			}
		}
		return &node{op: opIdent, name: t.text, slot: slot, start: t.start, end: t.end}
	}
	args, end := p.arguments()
	if t.text == "has" {
		if len(args) != 1 || args[0].op != opField {
			p.fail(t.start, "such as has(body.data)", "has takes a field")
			return &node{}
		}
		args[0].test = true
		args[0].start, args[0].end = t.start, end
		return args[0]
	}
	return &node{op: opCall, name: t.text, args: args, start: t.start, end: end}
}
