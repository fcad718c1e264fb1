package cel

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Env says what an expression may use: the types of its variables.
type Env map[string]Type

// Program is a compiled predicate. It never changes: any number of goroutines
// may evaluate it.
type Program struct {
	text     string
	root     *node
	vars     int
	patterns map[string]*regexp.Regexp // those that are written down
	used     map[string]bool
}

// Compile reads and type-checks a predicate. The error is a *SyntaxError.
func Compile(text string, env Env) (*Program, error) {
	root, wrong := parse(text)
	if wrong != nil {
		return nil, wrong
	}
	p := &Program{text: text, root: root, patterns: map[string]*regexp.Regexp{}, used: map[string]bool{}}
	c := &checker{text: text, env: env, used: p.used}
	t := c.check(root)
	if c.err == nil && !t.fits(boolKind) {
		c.fail(root, "compare it with something", "a predicate is true or false, and this is "+article(t.String()))
	}
	p.prepare(c, root)
	if c.err != nil {
		return nil, c.err
	}
	return p, nil
}

// prepare compiles the patterns that are written down, and counts variables.
func (p *Program) prepare(c *checker, n *node) {
	if n.op == opMacro {
		p.vars = max(p.vars, n.slot+1)
	}
	for _, arg := range n.args {
		p.prepare(c, arg)
	}
	if n.op != opCall || n.name != "matches" || len(n.args) != 2 || n.args[1].op != opLiteral {
		return
	}
	if pattern, ok := n.args[1].value.(string); ok {
		re, err := regexp.Compile(pattern)
		if err != nil {
			c.fail(n.args[1], "the syntax is RE2: no look-around, no back-references", "not a regular expression")
		}
		p.patterns[pattern] = re
	}
}

// String is the predicate as it was written.
func (p *Program) String() string { return p.text }

// Uses reports whether the predicate looks at a variable.
func (p *Program) Uses(variable string) bool { return p.used[variable] }

// evalError is why an expression has no value.
type evalError struct{ message string }

func (e *evalError) Error() string { return e.message }

// ErrCost is our own limit: a predicate looks at too much.
var ErrCost = errors.New("the predicate costs more than 10 million steps")

const maxCost = 10_000_000

// evaluation is one predicate at work on one answer.
type evaluation struct {
	program *Program
	ctx     context.Context
	vars    map[string]any
	slots   []value
	cost    int
	asked   int // the cost at which the context was last asked
}

// spend counts steps; the error ends the evaluation.
func (e *evaluation) spend(steps int) error {
	e.cost += steps
	if e.cost-e.asked < 4096 {
		return nil
	}
	e.asked = e.cost
	if e.cost > maxCost {
		return ErrCost
	}
	return e.ctx.Err()
}

// isFinal reports whether an error ends the evaluation, whatever the operators
// around it: it is not about a value.
func isFinal(err error) bool {
	var about *evalError
	return err != nil && !errors.As(err, &about)
}

func (e *evaluation) eval(n *node) (value, error) {
	if err := e.spend(1); err != nil {
		return nil, err
	}
	switch n.op {
	case opLiteral:
		return n.value, nil
	case opIdent:
		if n.slot >= 0 {
			return e.slots[n.slot], nil
		}
		return e.variable(n.name)
	case opField:
		return e.field(n)
	case opCall:
		return e.call(n)
	case opList:
		out := make(list, 0, len(n.args))
		for _, arg := range n.args {
			v, err := e.eval(arg)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	case opMap:
		return e.mapping(n)
	}
	return e.macro(n)
}

func (e *evaluation) variable(name string) (value, error) {
	v, ok := e.vars[name]
	if !ok {
		return nil, &evalError{name + " is not there"}
	}
	switch v := v.(type) {
	case jsonpath.Node:
		return fromNode(v), nil
	case int:
		return int64(v), nil
	}
	return v, nil
}

func (e *evaluation) field(n *node) (value, error) {
	v, err := e.eval(n.args[0])
	if err != nil {
		return nil, err
	}
	if kindOf(v) != mapKind {
		if n.test {
			return nil, &evalError{article(typeName(v)) + " has no fields"}
		}
		return nil, &evalError{article(typeName(v)) + " has no field " + n.name}
	}
	found, has := member(v, n.name)
	switch {
	case n.test:
		return has, nil
	case !has:
		return nil, noKey(n.name)
	}
	return found, nil
}

func (e *evaluation) mapping(n *node) (value, error) {
	out := mapping{}
	for i := 0; i < len(n.args); i += 2 {
		k, err := e.eval(n.args[i])
		if err != nil {
			return nil, err
		}
		v, err := e.eval(n.args[i+1])
		if err != nil {
			return nil, err
		}
		key, ok := mapKey(k)
		if !ok {
			return nil, &evalError{article(typeName(k)) + " cannot be the key of a map"}
		}
		if _, twice := out[key]; twice {
			return nil, &evalError{"the key " + show(k) + " stands twice in a map"}
		}
		out[key] = v
	}
	return out, nil
}

// mapKey makes one value of all numbers that are equal.
func mapKey(k value) (value, bool) {
	switch k := k.(type) {
	case string, bool, int64:
		return k, true
	case uint64:
		return int64(k), k < 1<<63
	case float64:
		return int64(k), float64(int64(k)) == k
	case number:
		n, ok := k.int()
		return n, ok
	}
	return nil, false
}

func (e *evaluation) call(n *node) (value, error) {
	switch n.name {
	case "_&&_":
		return e.logic(n, false)
	case "_||_":
		return e.logic(n, true)
	case "_?_:_":
		v, err := e.eval(n.args[0])
		if err != nil {
			return nil, err
		}
		choice, ok := v.(bool)
		if !ok {
			return nil, &evalError{"the condition is " + article(typeName(v))}
		}
		if choice {
			return e.eval(n.args[1])
		}
		return e.eval(n.args[2])
	}
	var few [4]value
	args := few[:0]
	for _, arg := range n.args {
		v, err := e.eval(arg)
		if err != nil {
			return nil, err
		}
		args = append(args, v)
	}
	return e.apply(n, args)
}

// apply finds the overload for the values that there are.
func (e *evaluation) apply(n *node, args []value) (value, error) {
	f := functions()[n.name]
	if v, done, err := e.first(f, n.member, args); done {
		return v, err
	}
	// Numbers of an answer with others: as doubles, 5.5 * 2 has a value.
	flexible := false
	doubles := make([]value, len(args))
	for i, v := range args {
		doubles[i] = v
		if _, is := v.(number); is {
			flexible = true
		}
		if isNumber(kindOf(v)) {
			doubles[i] = toFloat(v)
		}
	}
	if flexible {
		if v, done, err := e.first(f, n.member, doubles); done {
			return v, err
		}
	}
	var names []string
	for _, v := range args {
		names = append(names, typeName(v))
	}
	return nil, &evalError{"there is no " + form(n.name, n.member, names)}
}

func (e *evaluation) first(f function, isMember bool, args []value) (v value, done bool, err error) {
	for i := range f.overloads {
		o := &f.overloads[i]
		if !o.accepts(isMember, args) {
			continue
		}
		for j, arg := range args {
			if number, ok := arg.(number); ok && isNumber(o.params[j]) {
				args[j] = number.as(o.params[j])
			}
		}
		v, err = o.apply(e, args)
		return v, true, err
	}
	return nil, false, nil
}

// logic evaluates && and ||: one side that decides is enough, even where the
// other has no value.
func (e *evaluation) logic(n *node, decides bool) (value, error) {
	var failed error
	for _, arg := range n.args {
		v, err := e.eval(arg)
		if isFinal(err) {
			return nil, err
		}
		b, ok := v.(bool)
		switch {
		case err == nil && ok && b == decides:
			return decides, nil
		case err == nil && !ok:
			err = &evalError{article(typeName(v)) + " is neither true nor false"}
		}
		if err != nil && failed == nil {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	return !decides, nil
}

func text(n int64) string { return strconv.FormatInt(n, 10) }

// length is the size of a string in characters, or of a container.
func length(v value) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []byte:
		return len(v)
	case list:
		return len(v)
	case mapping:
		return len(v)
	case jsonpath.Node:
		return v.Count()
	}
	return 0
}

// member is the value of a key of a map.
func member(v, key value) (value, bool) {
	if m, ok := v.(mapping); ok {
		k, ok := mapKey(key)
		if !ok {
			return nil, false
		}
		found, has := m[k]
		return found, has
	}
	name, ok := key.(string)
	if !ok {
		return nil, false
	}
	n, has := v.(jsonpath.Node).Member(name)
	if !has {
		return nil, false
	}
	return fromNode(n), true
}
