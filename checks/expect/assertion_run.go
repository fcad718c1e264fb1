package expect

import (
	"context"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// run is one assertion at work on one document.
type run struct {
	*assertion
	checks []check     // one for each matcher
	states []listState // one for each matcher that judges the nodes as a list; empty where none does
	nodes  int
	few    [2]check // the memory of checks where they are few
}

// place is where a node is, in words that are only made when they are shown.
type place interface {
	String() string
	Element(i int) string
}

// selection calls visit with the nodes that an assertion's path selects. Where
// a node is text that may stand for a number, number is that number; else it is
// the node itself.
type selection func(visit func(v, number jsonpath.Value, at place)) error

// selectFrom gives the nodes of a JSON document.
func (a *assertion) selectFrom(ctx context.Context, doc *jsonpath.Document) selection {
	return func(visit func(v, number jsonpath.Value, at place)) error {
		return doc.Select(ctx, a.path, func(v jsonpath.Value, at *jsonpath.Location) bool {
			visit(v, v, at)
			return true
		})
	}
}

func (a *assertion) evaluate(nodes selection, f *findings) error {
	if a.mustBeAbsent() {
		return a.evaluateAbsent(nodes, f)
	}
	r := &run{assertion: a}
	r.begin()
	err := nodes(func(v, number jsonpath.Value, at place) {
		r.nodes++
		for i := range r.matchers {
			if r.matchers[i].number {
				r.node(i, number, at)
			} else {
				r.node(i, v, at)
			}
		}
	})
	if err != nil {
		return err
	}
	r.end(f)
	return nil
}

// begin makes what each matcher needs.
func (r *run) begin() {
	if r.checks = r.few[:]; len(r.matchers) > len(r.few) {
		r.checks = make([]check, len(r.matchers))
	}
	r.checks = r.checks[:len(r.matchers)]
	_, section := r.where()
	for i := range r.matchers {
		m := &r.matchers[i]
		r.checks[i] = check{section: section, code: m.key, severity: r.severity, want: m.want}
		if m.list != nil && !r.singular() {
			if r.states == nil {
				r.states = make([]listState, len(r.matchers))
			}
			r.states[i] = m.list.begin()
		}
	}
}

// evaluateAbsent reports every node that should not be there.
func (a *assertion) evaluateAbsent(nodes selection, f *findings) error {
	path, key := a.where()
	c := check{section: key, code: "exists", severity: a.severity, want: want{words: "nothing"}}
	err := nodes(func(v, _ jsonpath.Value, at place) { c.report(at.String, show(v)) })
	if err == nil {
		c.close(path, f)
	}
	return err
}

// node judges one node with one matcher.
func (r *run) node(i int, v jsonpath.Value, at place) {
	m, c := &r.matchers[i], &r.checks[i]
	var state listState
	if len(r.states) > 0 {
		state = r.states[i]
	}
	switch {
	case m.node != nil:
		if !m.node(v) {
			c.report(at.String, m.got(v))
		}
	case state != nil:
		if got, ok := state.next(v); !ok {
			c.report(at.String, got)
		}
	default:
		inside(m.list, v, at, c)
	}
}

// inside judges the value of a singular path as a list.
func inside(m listMatcher, v jsonpath.Value, at place, c *check) {
	if got, ok, judged := m.single(v); judged {
		if !ok {
			c.report(at.String, got)
		}
		return
	}
	if v.Kind() != jsonpath.Array {
		c.report(at.String, typed(v))
		return
	}
	state := m.begin()
	v.Elements(func(i int, e jsonpath.Value) bool {
		if got, ok := state.next(e); !ok {
			c.report(func() string { return at.Element(i) }, got)
		}
		return true
	})
	if got, ok := state.end(); !ok {
		c.report(at.String, got)
	}
}

// end judges the lists as a whole, and what it means that nothing was selected.
func (r *run) end(f *findings) {
	path, section := r.where()
	if r.nodes == 0 {
		if r.optional {
			return
		}
		if wanted, key := r.minds(); key != "" {
			c := check{section: section, code: key, severity: r.severity, want: wanted}
			c.report(func() string { return path }, nothingSelected)
			c.close(path, f)
			return
		}
	}
	for i, state := range r.states {
		if state == nil {
			continue
		}
		if got, ok := state.end(); !ok {
			r.checks[i].report(func() string { return path }, got)
		}
	}
	for i := range r.checks {
		r.checks[i].close(path, f)
	}
}

const nothingSelected = "nothing: the path selects no node"

// minds gives the first matcher that needs a node; a length that allows none
// does not.
func (r *run) minds() (wanted want, key string) {
	if r.exists != nil || len(r.matchers) == 0 {
		return want{words: "a node"}, "exists"
	}
	for _, m := range r.matchers {
		if m.list == nil || r.singular() || !m.list.acceptsNone() {
			return m.want, m.key
		}
	}
	return want{}, ""
}
