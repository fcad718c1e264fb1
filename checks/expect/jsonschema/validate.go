package jsonschema

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Fault is one way in which a document is not what the schema says.
type Fault struct {
	At    jsonpath.Node // what is wrong
	Want  string        // what the schema says, for a person
	Where string        // the schema that says so: file#/json/pointer
	Got   string        // what is there, where that is not the node's value; else ""
}

// maxNesting is how deep schemas may apply schemas: beyond it a schema refers
// to itself without end. A document is never nested deeper than 10 000 levels.
const maxNesting = 40_000

var errEndless = errors.New("the schema refers to itself without end")

// ErrCost is our own limit: schemas that apply each other in several ways can
// take twice the steps for every further level of a document.
var ErrCost = errors.New("the schema costs more than 5 million steps, and 32 for each byte of the answer")

// maxSteps is that limit for a text of so many bytes.
func maxSteps(size int) int { return 5_000_000 + 32*size }

// Validate reports every fault of the document, in its order, until report
// returns false. The error is the context's, ErrCost, or says that the document
// or the schema cannot be evaluated.
func (s *Schema) Validate(ctx context.Context, doc *jsonpath.Document, report func(Fault) bool) error {
	root, err := doc.Root()
	if err != nil {
		return err
	}
	r := &run{ctx: ctx, report: report, most: maxSteps(len(doc.Text()))}
	r.valid(s.root, root, nil)
	return r.err
}

// run is one validation.
type run struct {
	ctx     context.Context
	report  func(Fault) bool
	quiet   int // above 0 only the result counts
	stopped bool
	depth   int
	ticks   int
	most    int // ticks
	err     error
	scope   []*resource // the dynamic scope (2020-12 §7.1)
}

// evaluated are the members and elements of one value that some keyword has
// looked at (2020-12 §11).
type evaluated struct {
	properties, items bool // all of them
	nodes             map[uint32]bool
}

func (e *evaluated) add(n jsonpath.Node) {
	if e.nodes == nil {
		e.nodes = map[uint32]bool{}
	}
	e.nodes[n.ID()] = true
}

func (e *evaluated) merge(other *evaluated) {
	e.properties = e.properties || other.properties
	e.items = e.items || other.items
	if e.nodes == nil {
		e.nodes = other.nodes
		return
	}
	for id := range other.nodes {
		e.nodes[id] = true
	}
}

// fail reports a fault, and is always false.
func (r *run) fail(s *schema, n jsonpath.Node, want, got string) bool {
	if r.quiet == 0 && !r.stopped && r.err == nil { // what was broken off has not failed
		r.stopped = !r.report(Fault{At: n, Want: want, Where: s.where, Got: got})
	}
	return false
}

// over reports whether there is no sense in going on.
func (r *run) over() bool {
	if r.ticks++; r.ticks&0x3ff == 0 && r.err == nil {
		if r.err = r.ctx.Err(); r.err == nil && r.ticks > r.most {
			r.err = ErrCost
		}
	}
	return r.err != nil || r.stopped
}

// valid applies a schema to a node. What it evaluates goes to ev, which is nil
// where nobody asks.
func (r *run) valid(s *schema, n jsonpath.Node, ev *evaluated) bool {
	if r.over() {
		return false
	}
	if r.depth++; r.depth > maxNesting {
		r.err = errEndless
		return false
	}
	entered := len(r.scope) == 0 || r.scope[len(r.scope)-1] != s.res
	if entered {
		r.scope = append(r.scope, s.res)
	}
	ok := r.judge(s, n, ev)
	if entered {
		r.scope = r.scope[:len(r.scope)-1]
	}
	r.depth--
	return ok
}

func (r *run) judge(s *schema, n jsonpath.Node, ev *evaluated) bool {
	if s.never {
		return r.fail(s, n, "nothing (the schema is false)", "")
	}
	if s.meta != nil && !s.meta(n) {
		return r.fail(s, n, "a schema ("+s.where+")", "")
	}
	own := ev
	if s.unevaluatedItems != nil || s.unevaluatedProperties != nil {
		own = &evaluated{}
	}
	ok := r.value(s, n)
	ok = r.inPlace(s, n, own) && ok
	switch n.Kind() {
	case jsonpath.Object:
		if s.object != nil {
			ok = r.objectValid(s, n, own) && ok
		}
	case jsonpath.Array:
		if s.array != nil {
			ok = r.arrayValid(s, n, own) && ok
		}
	}
	if own != ev {
		ok = r.unevaluated(s, n, own) && ok
		if ev != nil {
			ev.merge(own)
		}
	}
	return ok
}

// value judges what can be said of the node alone.
func (r *run) value(s *schema, n jsonpath.Node) bool {
	v, ok := n.Value(), true
	kind := v.Kind()
	if s.types != 0 && s.types&(1<<kind) == 0 && !(kind == jsonpath.Number && s.types&integerBit != 0 && isInteger(v)) {
		ok = r.fail(s, n, "type "+s.typeText, "")
	}
	if s.enum != nil && !slices.ContainsFunc(s.enum, v.Equal) {
		ok = r.fail(s, n, s.enumText, "")
	}
	switch {
	case kind == jsonpath.Number && s.number != nil:
		ok = r.numberValid(s, n) && ok
	case kind == jsonpath.String && s.text != nil:
		ok = r.textValid(s, n) && ok
	}
	return ok
}

func (r *run) numberValid(s *schema, n jsonpath.Node) bool {
	raw, ok := n.Value().PeekRaw(), true
	for _, b := range s.number.bounds {
		if !b.holds(decimal.Compare(raw, b.limit)) {
			ok = r.fail(s, n, b.want, "")
		}
	}
	if m := s.number.multipleOf; m != "" && !decimal.IsMultiple(raw, m) {
		ok = r.fail(s, n, "a multiple of "+m, "")
	}
	return ok
}

func (r *run) textValid(s *schema, n jsonpath.Node) bool {
	t, v, ok := s.text, n.Value(), true
	if t.min > 0 || t.max >= 0 {
		switch length := v.Len(); {
		case length < t.min:
			ok = r.fail(s, n, "at least "+plural(t.min, "character"), "")
		case t.max >= 0 && length > t.max:
			ok = r.fail(s, n, "at most "+plural(t.max, "character"), "")
		}
	}
	if t.pattern != nil && !t.pattern.Match(v.Bytes()) {
		ok = r.fail(s, n, "a match of "+t.source, "")
	}
	if t.format != nil && !t.format(v.Peek()) {
		ok = r.fail(s, n, "format "+t.name, "")
	}
	return ok
}

func plural(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return strconv.Itoa(n) + " " + what
}
