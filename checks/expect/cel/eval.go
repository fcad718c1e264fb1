package cel

import (
	"context"
	"errors"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// evalError is why an expression has no value.
type evalError struct {
	message string
	about   *value // stands after message and before rest; nil for none
	rest    string
}

func (e *evalError) Error() string { return e.text(nil) }

// text is the error for a person; hide is that of show.
func (e *evalError) text(hide func(string) string) string {
	if e.about == nil {
		return e.message
	}
	return e.message + show(*e.about, hide) + e.rest
}

func about(v value) *value { return &v }

func badValue(v value, rest string) error { return &evalError{about: about(v), rest: rest} }

// ErrCost is our own limit: a predicate looks at too much.
var ErrCost = errors.New("the predicate costs more than 10 million steps")

const maxCost = 10_000_000

// evaluation is one predicate at work on one answer.
type evaluation struct {
	program *Program
	ctx     context.Context
	vars    map[string]any
	hide    func(string) string // masks secrets in what is shown; may be nil
	slots   []value
	cost    int
	most    int // that it may cost
	asked   int // the cost at which the context was last asked
}

// spend counts steps; the error ends the evaluation.
func (e *evaluation) spend(steps int) error {
	e.cost += steps
	if e.cost-e.asked < 4096 {
		return nil
	}
	e.asked = e.cost
	if e.cost > e.most {
		return ErrCost
	}
	return e.ctx.Err()
}

// isFinal reports whether an error ends the evaluation, whatever the operators
// around it: it is not about a value.
func isFinal(err error) bool {
	var ours *evalError
	return err != nil && !errors.As(err, &ours)
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
		return nil, &evalError{message: name + " is not there"}
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
			return nil, &evalError{message: article(typeName(v)) + " has no fields"}
		}
		return nil, &evalError{message: article(typeName(v)) + " has no field " + n.name}
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
			return nil, &evalError{message: article(typeName(k)) + " cannot be the key of a map"}
		}
		if _, twice := out[key]; twice {
			return nil, &evalError{message: "the key ", about: about(k), rest: " stands twice in a map"}
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
			return nil, &evalError{message: "the condition is " + article(typeName(v))}
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
	return nil, &evalError{message: "there is no " + form(n.name, n.member, names)}
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
			err = &evalError{message: article(typeName(v)) + " is neither true nor false"}
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
