package jsonschema

import (
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// apply applies a schema to the same node; what it evaluates counts only when
// it is valid.
func (r *run) apply(s *schema, n jsonpath.Node, ev *evaluated) bool {
	if ev == nil {
		return r.valid(s, n, nil)
	}
	own := &evaluated{}
	ok := r.valid(s, n, own)
	if ok {
		ev.merge(own)
	}
	return ok
}

// try applies a schema without a word.
func (r *run) try(s *schema, n jsonpath.Node, ev *evaluated) bool {
	r.quiet++
	ok := r.apply(s, n, ev)
	r.quiet--
	return ok
}

// inPlace applies the schemas that look at the node itself.
func (r *run) inPlace(s *schema, n jsonpath.Node, ev *evaluated) bool {
	ok := true
	if s.ref != nil {
		ok = r.apply(s.ref, n, ev)
	}
	if s.dynamicRef != nil {
		ok = r.apply(r.dynamicTarget(s), n, ev) && ok
	}
	for _, sub := range s.allOf {
		ok = r.apply(sub, n, ev) && ok
	}
	if s.anyOf != nil && !r.any(s, n, ev) {
		ok = false
	}
	if s.oneOf != nil && !r.one(s, n, ev) {
		ok = false
	}
	if s.not != nil && r.try(s.not, n, nilOrNew(ev)) {
		ok = r.fail(s, n, "what is not of the schema under not", "")
	}
	if s.when != nil {
		branch := s.otherwise
		if r.try(s.when, n, ev) {
			branch = s.then
		}
		if branch != nil {
			ok = r.apply(branch, n, ev) && ok
		}
	}
	return ok && r.err == nil
}

// nilOrNew is for a schema whose evaluations nobody wants.
func nilOrNew(ev *evaluated) *evaluated {
	if ev == nil {
		return nil
	}
	return &evaluated{}
}

// dynamicTarget is the outermost schema in the dynamic scope that has the
// name, else where the reference leads without one.
func (r *run) dynamicTarget(s *schema) *schema {
	if s.dynamic != "" {
		for _, res := range r.scope {
			if target := res.dynamic[s.dynamic]; target != nil {
				return target
			}
		}
	}
	return s.dynamicRef
}

func (r *run) any(s *schema, n jsonpath.Node, ev *evaluated) bool {
	found := false
	for _, sub := range s.anyOf {
		if r.try(sub, n, ev) {
			found = true
			if ev == nil {
				break
			}
		}
	}
	if !found && len(s.anyOf) == 1 {
		return r.apply(s.anyOf[0], n, nil) // says why
	}
	return found || r.fail(s, n, "one of the "+plural(len(s.anyOf), "alternative")+" under anyOf", "")
}

func (r *run) one(s *schema, n jsonpath.Node, ev *evaluated) bool {
	found := 0
	for _, sub := range s.oneOf {
		if r.try(sub, n, ev) {
			found++
		}
	}
	if found == 1 {
		return true
	}
	got := ""
	if found > 1 {
		got = strconv.Itoa(found) + " of them fit"
	}
	return r.fail(s, n, "exactly one of the "+plural(len(s.oneOf), "alternative")+" under oneOf", got)
}

func (r *run) unevaluated(s *schema, n jsonpath.Node, ev *evaluated) bool {
	ok := true
	if s.unevaluatedProperties != nil && !ev.properties {
		n.Members(func(_ jsonpath.Value, v jsonpath.Node) bool {
			if !ev.nodes[v.ID()] {
				ok = r.rest(s, s.unevaluatedProperties, v, "no member that nothing in the schema names") && ok
			}
			return !r.over()
		})
		ev.properties = ev.properties || n.Kind() == jsonpath.Object
	}
	if s.unevaluatedItems != nil && !ev.items {
		n.Elements(func(_ int, v jsonpath.Node) bool {
			if !ev.nodes[v.ID()] {
				ok = r.rest(s, s.unevaluatedItems, v, "no element that nothing in the schema describes") && ok
			}
			return !r.over()
		})
		ev.items = ev.items || n.Kind() == jsonpath.Array
	}
	return ok
}

// rest applies the schema of what is left over; a false one is told in words.
func (r *run) rest(s, sub *schema, v jsonpath.Node, want string) bool {
	if sub.never {
		return r.fail(s, v, want, "")
	}
	return r.valid(sub, v, nil)
}
