package jsonschema

import (
	"maps"
	"slices"
	"strings"
)

// Every reference that leads back to itself has to go one step into the
// document on its way: a schema that applies itself to the value that it is
// applied to never ends (2020-12 §7.1, §9.4.1). Where a $dynamicRef leads only a
// document tells, so that such a circle is left to maxNesting.

// circles reports each circle of schemas that look at the same value.
func (c *compiler) circles() {
	h := circleHunt{c: c, state: map[*schema]int{}}
	all := slices.SortedFunc(maps.Values(c.schemas), func(a, b *schema) int { return strings.Compare(a.where, b.where) })
	for _, s := range all {
		h.visit(s)
	}
}

// The states of a schema while circles are looked for; 0 is not seen yet.
const (
	onTheWay = 1
	done     = 2
)

type circleHunt struct {
	c     *compiler
	state map[*schema]int
	way   []*schema
}

func (h *circleHunt) visit(s *schema) {
	switch h.state[s] {
	case done:
		return
	case onTheWay:
		var names []string
		for _, on := range h.way[slices.Index(h.way, s):] {
			names = append(names, on.where)
		}
		h.c.problem(s.where, "it refers to itself without a step into the document: "+strings.Join(append(names, s.where), " → "))
		return
	}
	h.state[s] = onTheWay
	h.way = append(h.way, s)
	for _, next := range s.inPlace() {
		h.visit(next)
	}
	h.way = h.way[:len(h.way)-1]
	h.state[s] = done
}

// inPlace lists the schemas that a schema applies to the value that it is
// applied to itself, whatever they depend on.
func (s *schema) inPlace() []*schema {
	list := slices.Concat(s.allOf, s.anyOf, s.oneOf)
	for _, one := range []*schema{s.ref, s.not, s.when, s.then, s.otherwise} {
		if one != nil {
			list = append(list, one)
		}
	}
	if s.dynamicRef != nil && s.dynamic == "" {
		list = append(list, s.dynamicRef)
	}
	if s.object != nil {
		for _, name := range slices.Sorted(maps.Keys(s.object.dependent)) {
			list = append(list, s.object.dependent[name])
		}
	}
	return list
}
