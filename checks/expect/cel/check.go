package cel

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// checker finds the type of every part of an expression, and what cannot be.
type checker struct {
	text string
	env  map[string]Type
	vars []Type // of the macros that are open, by slot
	err  *SyntaxError
	used map[string]bool
	read []Field
}

func (c *checker) fail(n *node, hint, message string) Type {
	if c.err == nil {
		c.err = &SyntaxError{At: utf8.RuneCountInString(c.text[:n.start]) + 1, Message: message, Hint: hint}
	}
	return Dyn
}

func (c *checker) check(n *node) Type {
	if c.err != nil {
		return Dyn
	}
	switch n.op {
	case opLiteral:
		return Type{kind: kindOf(n.value)}
	case opIdent:
		return c.identifier(n)
	case opField:
		return c.field(n)
	case opCall:
		return c.call(n)
	case opList:
		elem := Dyn
		for i, arg := range n.args {
			if t := c.check(arg); i == 0 {
				elem = t
			} else {
				elem = join(elem, t)
			}
		}
		return listOf(elem)
	case opMap:
		return c.mapping(n)
	}
	return c.macro(n)
}

func (c *checker) mapping(n *node) Type {
	elem := Dyn
	for i := 0; i < len(n.args); i += 2 {
		key, t := c.check(n.args[i]), c.check(n.args[i+1])
		if !slices.Contains([]kind{dynKind, stringKind, intKind, uintKind, boolKind}, key.kind) {
			return c.fail(n.args[i], "", article(key.String())+" cannot be the key of a map")
		}
		if i == 0 {
			elem = t
		} else {
			elem = join(elem, t)
		}
	}
	return Type{kind: mapKind, elem: &elem}
}

// typeValues are the names of types.
var typeValues = map[string]kind{"bool": boolKind, "int": intKind, "uint": uintKind, "double": doubleKind, "string": stringKind,
	"bytes": bytesKind, "list": listKind, "map": mapKind, "null_type": nullKind, "type": typeKind}

func (c *checker) identifier(n *node) Type {
	if n.slot >= 0 {
		return c.vars[n.slot]
	}
	if t, ok := c.env[n.name]; ok {
		c.used[n.name] = true
		return t
	}
	if k, ok := typeValues[n.name]; ok {
		n.op, n.value = opLiteral, k
		return Type{kind: typeKind}
	}
	names := make([]string, 0, len(c.env))
	for name := range c.env {
		names = append(names, name)
	}
	slices.Sort(names)
	return c.fail(n, "known here: "+strings.Join(names, ", "), "there is no "+n.name)
}

func (c *checker) field(n *node) Type {
	t := c.check(n.args[0])
	result := t.element()
	if t.kind != mapKind && t.kind != dynKind {
		return c.fail(n, "", article(t.String())+" has no fields")
	}
	if t.fields != nil && !slices.Contains(t.fields.names, n.name) {
		return c.fail(n, "known here: "+strings.Join(t.fields.names, ", "), "there is no "+n.name+" in it")
	}
	if n.test {
		return Type{kind: boolKind}
	}
	if of := n.args[0]; of.op == opIdent && of.slot < 0 {
		c.read = append(c.read, Field{of.name, n.name})
	}
	return result
}

func (c *checker) macro(n *node) Type {
	t := c.check(n.args[0])
	if t.kind != listKind && t.kind != mapKind && t.kind != dynKind {
		return c.fail(n, "", n.name+" goes over lists and maps, not over "+article(t.String()))
	}
	elem := t.element()
	if t.kind == mapKind {
		elem = Type{kind: stringKind}
		if n.args[0].op == opMap {
			elem = Dyn
		}
	}
	c.vars = append(c.vars[:n.slot:n.slot], elem)
	last := Dyn
	for i, arg := range n.args[1:] {
		last = c.check(arg)
		predicate := n.name != "map" || (len(n.args) == 3 && i == 0)
		if predicate && !last.fits(boolKind) {
			return c.fail(arg, "", n.name+" needs true or false, not "+article(last.String()))
		}
	}
	switch n.name {
	case "map":
		return listOf(last)
	case "filter":
		return listOf(elem)
	}
	return Type{kind: boolKind}
}

func (c *checker) call(n *node) Type {
	types := make([]Type, len(n.args))
	for i, arg := range n.args {
		types[i] = c.check(arg)
	}
	if c.err != nil {
		return Dyn
	}
	f, known := functions()[n.name]
	if !known {
		return c.fail(n, "", "there is no function "+n.name)
	}
	if (n.name == "_==_" || n.name == "_!=_") && !canEqual(types[0], types[1]) {
		return c.fail(n, "both sides have to be of one type", describe(n, types)+" is always the same")
	}
	var results []Type
	for _, o := range f.overloads {
		if o.takes(n.member, types) {
			results = append(results, o.result(types))
		}
	}
	if len(results) == 0 {
		return c.fail(n, f.forms(n.name), describe(n, types)+" cannot be")
	}
	t := results[0]
	for _, other := range results[1:] {
		t = join(t, other)
	}
	return t
}

// canEqual reports whether values of the two types can be equal.
func canEqual(a, b Type) bool {
	return a.fits(b.kind) || a.kind == nullKind || b.kind == nullKind || a.isNumber() && b.isNumber()
}

// describe writes a call with the types in place of the values.
func describe(n *node, types []Type) string {
	var names []string
	for _, t := range types {
		names = append(names, t.String())
	}
	return form(n.name, n.member, names)
}

// form writes a call or an operator with words in place of the operands.
func form(name string, member bool, words []string) string {
	switch {
	case name == "_[_]":
		return words[0] + "[" + words[1] + "]"
	case name == "_?_:_":
		return words[0] + " ? " + words[1] + " : " + words[2]
	case name == "!_" || name == "-_":
		return name[:1] + words[0]
	case name[0] == '_':
		return words[0] + " " + strings.Trim(name, "_") + " " + words[1]
	case member:
		return words[0] + "." + name + "(" + strings.Join(words[1:], ", ") + ")"
	}
	return name + "(" + strings.Join(words, ", ") + ")"
}
