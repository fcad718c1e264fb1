package jsonpath

import (
	"context"
	"regexp"
)

// walker evaluates any path over the index.
type walker struct {
	doc      *Document
	segments []segment
	visit    func(n uint32) bool
	at       *Location // nil inside a filter, where nobody asks for places
	stopped  bool
	*shared
}

// shared is what a walk and the filters in it have in common.
type shared struct {
	tick      ticker
	constants map[*query]literal // what $ paths in filters gave: the same for every node
	places    map[*query]place   // the same for singular ones
	lastText  string             // the last pattern that came out of the document
	lastWhole bool
	last      *regexp.Regexp
}

// place is where a singular query leads.
type place struct {
	node  uint32
	found bool
}

func (d *Document) walk(ctx context.Context, p *Path, visit func(Value, *Location) bool) error {
	w := &walker{doc: d, segments: p.segments, at: &Location{b: d.b}, shared: &shared{tick: ticker{ctx: ctx}}}
	w.visit = func(n uint32) bool { return visit(d.at(n), w.at) }
	w.value(0, 0)
	return w.tick.err
}

// nodes calls visit with every node that a filter's query selects.
func (w *walker) nodes(q *query, current uint32, visit func(n uint32) bool) {
	if !q.relative {
		current = 0
	}
	inner := &walker{doc: w.doc, segments: q.segments, visit: visit, shared: w.shared}
	inner.value(0, current)
}

// single gives the one node of a singular query, without a walk.
func (w *walker) single(q *query, n uint32) (uint32, bool) {
	if q.relative {
		return w.path(q, n)
	}
	if known, ok := w.places[q]; ok {
		return known.node, known.found
	}
	var p place
	p.node, p.found = w.path(q, 0)
	if w.places == nil {
		w.places = map[*query]place{}
	}
	w.places[q] = p
	return p.node, p.found
}

// path follows the names and indexes of a singular query.
func (w *walker) path(q *query, n uint32) (uint32, bool) {
	for _, s := range q.segments {
		child, ok := w.doc.child(n, &s.selectors[0])
		if !ok {
			return 0, false
		}
		n = child
	}
	return n, true
}

// constant remembers what a query from the root gives.
func (w *walker) constant(q *query, eval func() literal) literal {
	if q.relative {
		return eval()
	}
	if l, known := w.constants[q]; known {
		return l
	}
	l := eval()
	if w.constants == nil {
		w.constants = map[*query]literal{}
	}
	w.constants[q] = l
	return l
}

// pattern compiles a pattern that came out of the document; nil for none.
func (w *walker) pattern(text string, whole bool) *regexp.Regexp {
	if w.last == nil || w.lastText != text || w.lastWhole != whole {
		w.last, _ = compilePattern(text, whole)
		w.lastText, w.lastWhole = text, whole
	}
	return w.last
}

// value applies the segments from seg on to a node.
func (w *walker) value(seg int, n uint32) {
	if w.stopped || w.tick.stop(0) {
		w.stopped = true
		return
	}
	switch {
	case seg == len(w.segments):
		w.stopped = w.tick.stop(len(w.doc.at(n).raw)) || !w.visit(n)
	case w.segments[seg].descendant:
		w.descend(seg, n)
	default:
		w.children(seg, n)
	}
}

// descend applies a descendant segment to a node, then to each node in it.
func (w *walker) descend(seg int, n uint32) {
	w.children(seg, n)
	w.each(n, func(st step, child uint32) {
		if w.at != nil {
			w.at.push(st)
		}
		w.descend(seg, child)
		if w.at != nil {
			w.at.pop()
		}
	})
}

// each calls visit with the children of a node.
func (w *walker) each(n uint32, visit func(st step, child uint32)) {
	switch w.doc.first(n) {
	case '{':
		w.doc.members(n, func(name, value uint32) bool {
			if w.stopped || w.tick.stop(0) {
				w.stopped = true
				return false
			}
			visit(w.nameStep(name), value)
			return !w.stopped
		})
	case '[':
		w.doc.elements(n, func(i int, element uint32) bool {
			if w.stopped || w.tick.stop(0) {
				w.stopped = true
				return false
			}
			visit(step{index: i}, element)
			return !w.stopped
		})
	}
}

func (w *walker) nameStep(name uint32) step {
	return step{name: span{int(w.doc.nodes[name].start), int(w.doc.nodes[name].end)}}
}

// children applies the selectors of one segment to a node, in their order.
func (w *walker) children(seg int, n uint32) {
	for _, sel := range w.segments[seg].selectors {
		switch sel.kind {
		case byName:
			w.named(seg, sel.name, n)
		case byIndex:
			w.sliced(seg, indexed(sel.index), n)
		case bySlice:
			w.sliced(seg, sel.slice, n)
		case byWildcard:
			w.each(n, func(st step, child uint32) { w.into(seg, st, child) })
		case byFilter:
			w.each(n, func(st step, child uint32) {
				if sel.filter.holds(w, child) {
					w.into(seg, st, child)
				}
			})
		}
	}
}

func (w *walker) into(seg int, st step, child uint32) {
	if w.at == nil {
		w.value(seg+1, child)
		return
	}
	w.at.push(st)
	w.value(seg+1, child)
	w.at.pop()
}

func (w *walker) named(seg int, want wanted, n uint32) {
	if w.doc.first(n) != '{' {
		return
	}
	w.doc.members(n, func(name, value uint32) bool {
		if want.is(w.doc.at(name).raw) {
			w.into(seg, w.nameStep(name), value)
			return false
		}
		return true
	})
}

// indexed is the slice that selects one index.
func indexed(i int) slice {
	return slice{start: i, end: i + 1, hasStart: true, hasEnd: i != -1, step: 1}
}

func (w *walker) sliced(seg int, sl slice, n uint32) {
	if w.doc.first(n) != '[' {
		return
	}
	if sl.step > 0 && sl.start >= 0 && sl.hasEnd && sl.end >= 0 {
		w.forward(seg, sl, n)
		return
	}
	all := make([]uint32, 0, w.doc.count(n))
	w.doc.elements(n, func(_ int, element uint32) bool { all = append(all, element); return true })
	sl.each(len(all), func(i int) bool {
		w.into(seg, step{index: i}, all[i])
		return !w.stopped
	})
}

// forward needs no length, and stops where the slice ends.
func (w *walker) forward(seg int, sl slice, n uint32) {
	w.doc.elements(n, func(i int, element uint32) bool {
		if i >= sl.start && i < sl.end && (i-sl.start)%sl.step == 0 {
			w.into(seg, step{index: i}, element)
		}
		return i+1 < sl.end && !w.stopped
	})
}
