package jsonschema

import (
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

func (r *run) objectValid(s *schema, n jsonpath.Node, ev *evaluated) bool {
	o, ok, total, required := s.object, true, 0, 0
	var few [64]bool
	there := few[:]
	if len(o.required) > len(few) {
		there = make([]bool, len(o.required))
	}
	n.Members(func(name jsonpath.Value, v jsonpath.Node) bool {
		total++
		if o.members != nil || o.patterns != nil || o.additional != nil {
			known := o.members[name.Peek()]
			if known.required > 0 {
				there[known.required-1] = true
				required++
			}
			ok = r.memberValid(s, known.schema, name, v, ev) && ok
		}
		if o.names != nil {
			ok = r.nameValid(s, n, name) && ok
		}
		return !r.over()
	})
	if required < len(o.required) {
		for i, name := range o.required {
			if !there[i] {
				ok = r.fail(s, n, "a member "+strconv.Quote(name), "no member "+strconv.Quote(name))
			}
		}
	}
	switch {
	case total < o.min:
		ok = r.fail(s, n, "at least "+plural(o.min, "member"), plural(total, "member"))
	case o.max >= 0 && total > o.max:
		ok = r.fail(s, n, "at most "+plural(o.max, "member"), plural(total, "member"))
	}
	if o.needs != nil || o.dependent != nil {
		ok = r.dependencies(s, n, ev) && ok
	}
	return ok
}

// memberValid applies what describes a member: sub, by its name, patterns, or
// what is left for the others.
func (r *run) memberValid(s, sub *schema, name jsonpath.Value, v jsonpath.Node, ev *evaluated) bool {
	o, ok, known := s.object, true, sub != nil
	if known {
		ok = r.valid(sub, v, nil)
	}
	for _, p := range o.patterns {
		if p.pattern.MatchString(name.Peek()) {
			known = true
			ok = r.valid(p.schema, v, nil) && ok
		}
	}
	if !known && o.additional != nil {
		known = true
		if o.additional.never {
			ok = r.fail(s, v, "no member beside those that the schema names", "")
		} else {
			ok = r.valid(o.additional, v, nil)
		}
	}
	if known && ev != nil {
		ev.add(v)
	}
	return ok
}

// nameValid validates a member's name, which is no node of the document: what
// is wrong is said of the object.
func (r *run) nameValid(s *schema, n jsonpath.Node, name jsonpath.Value) bool {
	root, err := jsonpath.NewDocument(name.Raw()).Root()
	if err != nil {
		r.err = err
		return false
	}
	r.quiet++
	ok := r.valid(s.object.names, root, nil)
	r.quiet--
	return ok || r.fail(s, n, "names as propertyNames says", "the name "+string(name.Raw()))
}

func (r *run) dependencies(s *schema, n jsonpath.Node, ev *evaluated) bool {
	ok := true
	n.Members(func(name jsonpath.Value, _ jsonpath.Node) bool {
		key := name.Text()
		for _, need := range s.object.needs[key] {
			if _, has := n.Member(need); !has {
				ok = r.fail(s, n, "a member "+strconv.Quote(need)+" beside "+strconv.Quote(key), "no member "+strconv.Quote(need))
			}
		}
		if sub := s.object.dependent[key]; sub != nil {
			ok = r.apply(sub, n, ev) && ok
		}
		return !r.over()
	})
	return ok
}

func (r *run) arrayValid(s *schema, n jsonpath.Node, ev *evaluated) bool {
	a, ok, total, found := s.array, true, 0, 0
	var seen map[string]int
	if a.unique {
		seen = map[string]int{}
	}
	n.Elements(func(i int, e jsonpath.Node) bool {
		total++
		ok = r.elementValid(s, i, e, ev) && ok
		if a.contains != nil && r.try(a.contains, e, nil) {
			found++
			if ev != nil && s.res.dialect.draft == draft2020 {
				ev.add(e)
			}
		}
		if seen != nil {
			key := e.Value().Identity()
			if first, again := seen[key]; again {
				ok = r.fail(s, e, "every element once", "the same as element "+strconv.Itoa(first))
			} else {
				seen[key] = i
			}
		}
		return !r.over()
	})
	switch {
	case total < a.min:
		ok = r.fail(s, n, "at least "+plural(a.min, "element"), plural(total, "element"))
	case a.max >= 0 && total > a.max:
		ok = r.fail(s, n, "at most "+plural(a.max, "element"), plural(total, "element"))
	}
	if a.contains != nil {
		switch {
		case found < a.minContains:
			ok = r.fail(s, n, "at least "+plural(a.minContains, "element")+" as contains says", plural(found, "such element"))
		case a.maxContains >= 0 && found > a.maxContains:
			ok = r.fail(s, n, "at most "+plural(a.maxContains, "element")+" as contains says", plural(found, "such element"))
		}
	}
	return ok
}

func (r *run) elementValid(s *schema, i int, e jsonpath.Node, ev *evaluated) bool {
	sub := s.array.rest
	if i < len(s.array.prefix) {
		sub = s.array.prefix[i]
	}
	switch {
	case sub == nil:
		return true
	case ev != nil:
		ev.add(e)
	}
	if sub.never && i >= len(s.array.prefix) {
		return r.fail(s, e, "no element beside those that the schema describes", "")
	}
	return r.valid(sub, e, nil)
}
