package cel

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Result is what a predicate says of an answer.
type Result struct {
	Holds bool
	// Why are the sub-values that made it false, such as status = 404; or why
	// it has no value, which is as false.
	Why string
	// At is where in the answer a predicate over all elements is false; the
	// zero Node for no one place.
	At jsonpath.Node
}

// Eval evaluates the predicate. Variables are those of its Env: int, string,
// time.Duration, jsonpath.Node, and what Strings and Values make; one that is
// not there has no value. hide masks secrets in the values that are shown,
// before they are shortened; nil leaves them as they are. The error is the
// context's, ErrCost or ErrLong.
func (p *Program) Eval(ctx context.Context, vars map[string]any, hide func(string) string) (Result, error) {
	return p.evalWithin(ctx, maxCost, vars, hide)
}

func (p *Program) evalWithin(ctx context.Context, most int, vars map[string]any, hide func(string) string) (Result, error) {
	e := &evaluation{program: p, ctx: ctx, most: most, vars: vars, hide: hide, slots: make([]value, p.vars)}
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	v, err := e.eval(p.root)
	switch {
	case isFinal(err), errors.Is(err, ErrLong):
		return Result{}, err
	case err != nil:
		return Result{Why: e.why(err)}, nil
	case v == true:
		return Result{Holds: true}, nil
	case v != false:
		return Result{Why: "it gives " + show(v, hide) + ", which is neither true nor false"}, nil
	}
	x := &explanation{evaluation: e}
	x.false(p.root)
	return Result{Why: strings.Join(x.parts, "; "), At: x.at}, nil
}

// explanation gathers the sub-values that made a predicate false. It evaluates
// parts of it again; where that costs too much, it says less.
type explanation struct {
	*evaluation
	parts []string
	at    jsonpath.Node
}

// maxParts bounds an explanation.
const maxParts = 6

func (x *explanation) add(part string) {
	if len(x.parts) < maxParts && !slices.Contains(x.parts, part) {
		x.parts = append(x.parts, part)
	}
}

// false explains why an expression is false.
func (x *explanation) false(n *node) {
	switch {
	case n.op == opCall && n.name == "_&&_":
		// One side that is false made it so.
		for _, arg := range n.args {
			if v, err := x.eval(arg); err == nil && v == false {
				x.false(arg)
				return
			}
		}
	case n.op == opCall && n.name == "_||_":
		for _, arg := range n.args {
			x.false(arg)
		}
	case n.op == opCall && n.name == "_?_:_":
		v, err := x.eval(n.args[0])
		if err != nil {
			return
		}
		x.show(n.args[0])
		branch := n.args[2]
		if v == true {
			branch = n.args[1]
		}
		x.false(branch)
	case n.op == opCall && n.name != "_[_]":
		for _, arg := range n.args {
			x.show(arg)
		}
	case n.op == opMacro && n.name == "all":
		x.failing(n)
	case n.op == opMacro:
		x.count(n)
	case n.op == opField && n.test:
		x.show(n.args[0])
	default:
		x.show(n)
	}
}

// show tells the value of a part that is no literal.
func (x *explanation) show(n *node) {
	if !n.varies() {
		return
	}
	switch n.op {
	case opList, opMap:
		return
	case opCall:
		// The operands of an operator say more than its result.
		if n.name[0] == '_' && n.name != "_[_]" && n.name != "_+_" || n.name == "!_" {
			for _, arg := range n.args {
				x.show(arg)
			}
			return
		}
	}
	v, err := x.eval(n)
	if err != nil {
		x.add(x.source(n) + " has no value: " + x.why(err))
		return
	}
	x.add(x.source(n) + " = " + show(v, x.hide))
}

// varies reports whether the part holds a variable.
func (n *node) varies() bool {
	return n.op == opIdent || slices.ContainsFunc(n.args, (*node).varies)
}

func (x *explanation) source(n *node) string { return x.program.text[n.start:n.end] }

// failing finds the first element of which all() is false.
func (x *explanation) failing(n *node) {
	element := value(nil)
	at, found := 0, false
	err := x.over(n, func(i int, v value) (bool, error) {
		holds, err := x.holds(n, v)
		if isFinal(err) {
			return false, err
		}
		if found = err == nil && !holds; found {
			at, element = i, v
		}
		return !found, nil
	})
	if err != nil || !found {
		return
	}
	if list, err := x.eval(n.args[0]); err == nil && x.at.IsZero() {
		if array, ok := list.(jsonpath.Node); ok && array.Kind() == jsonpath.Array {
			x.at, _ = array.Element(at)
		}
	}
	x.slots[n.slot] = element
	x.add(x.variableName(n) + " = " + show(element, x.hide))
	x.false(n.args[1])
}

// variableName is the name of a macro's variable.
func (x *explanation) variableName(n *node) string {
	rest := x.program.text[n.args[0].end:n.args[1].start]
	rest = rest[strings.IndexByte(rest, '(')+1:]
	return strings.TrimSpace(rest[:max(strings.IndexByte(rest, ','), 0)])
}

// count says how many elements a macro over some of them found.
func (x *explanation) count(n *node) {
	total, found := 0, 0
	err := x.over(n, func(_ int, v value) (bool, error) {
		total++
		holds, err := x.holds(n, v)
		if isFinal(err) {
			return false, err
		}
		if holds {
			found++
		}
		return true, nil
	})
	if err == nil {
		x.add(x.source(n) + ": " + strconv.Itoa(found) + " of " + strconv.Itoa(total))
	}
}

// why is an error for a person.
func (e *evaluation) why(err error) string {
	if ours, ok := errors.AsType[*evalError](err); ok {
		return ours.text(e.hide)
	}
	return err.Error()
}

// maxShown is the longest value in an explanation, in bytes; maxRaw is how much
// of it is looked through for secrets before that.
const (
	maxShown = 80
	maxRaw   = 16 << 10
)

// show writes a value for a person, as an expression would. What hide masks is
// masked before the value is shortened: of a secret that was cut, the rest
// would not be found.
func show(v value, hide func(string) string) string {
	masked := func(s string) (_ string, cut bool) {
		if hide != nil {
			s = hide(s[:min(len(s), maxRaw)])
		}
		if len(s) <= maxShown {
			return s, false
		}
		return strings.ToValidUTF8(s[:maxShown], ""), true
	}
	var s string
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		text, cut := masked(v)
		if cut {
			return strconv.Quote(text) + "…"
		}
		return strconv.Quote(text)
	case []byte:
		return "bytes of size " + strconv.Itoa(len(v))
	case time.Time:
		return v.UTC().Format(time.RFC3339Nano)
	case time.Duration:
		return v.String()
	case kind:
		return v.String()
	case bool:
		return strconv.FormatBool(v)
	case list:
		s = showList(v, hide)
	case mapping:
		return "a map of size " + strconv.Itoa(len(v))
	case jsonpath.Node:
		raw := v.Value().Raw()
		s = string(raw[:min(len(raw), maxRaw)])
	default:
		s, _ = written(v)
	}
	text, cut := masked(s)
	if cut {
		text += "…"
	}
	return text
}

func showList(l list, hide func(string) string) string {
	parts := make([]string, 0, 8)
	for i, e := range l {
		if i == 8 {
			parts = append(parts, "…")
			break
		}
		parts = append(parts, show(e, hide))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}
