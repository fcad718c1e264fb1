package jsonpath

import "fmt"

// Path is a compiled path. It never changes: any number of goroutines may use
// it.
type Path struct {
	text string
	query
}

// query is a path from the root ($) or from the current node (@).
type query struct {
	relative bool
	singular bool
	segments []segment
}

func makeQuery(relative bool, segments []segment) query {
	q := query{relative: relative, segments: segments, singular: true}
	for _, s := range segments {
		if s.descendant || len(s.selectors) != 1 || s.selectors[0].kind > byIndex {
			q.singular = false
		}
	}
	return q
}

type segment struct {
	descendant bool
	selectors  []selector
}

type selectorKind uint8

const (
	byName selectorKind = iota
	byIndex
	byWildcard
	bySlice
	byFilter
)

type selector struct {
	kind   selectorKind
	name   wanted
	index  int
	slice  slice
	filter condition
}

// slice is start:end:step; RFC 9535 §2.3.4.
type slice struct {
	start, end       int
	hasStart, hasEnd bool
	step             int
}

// bounds gives the first index, and the index before which (or, with a
// negative step, after which) the slice of an array ends.
func (s slice) bounds(length int) (first, last int) {
	start, end := 0, length
	if s.step < 0 {
		start, end = length-1, -length-1
	}
	if s.hasStart {
		start = s.start
	}
	if s.hasEnd {
		end = s.end
	}
	if s.hasStart && start < 0 {
		start += length
	}
	if end < 0 {
		end += length
	}
	if s.step < 0 {
		return max(min(start, length-1), -1), max(min(end, length-1), -1)
	}
	return max(min(start, length), 0), max(min(end, length), 0)
}

// each calls visit with every index of the slice, in its order, until it
// returns false.
func (s slice) each(length int, visit func(i int) bool) {
	first, last := s.bounds(length)
	switch {
	case s.step > 0:
		for i := first; i < last && visit(i); i += s.step {
		}
	case s.step < 0:
		for i := first; i > last && visit(i); i += s.step {
		}
	}
}

// String is the path as it was written.
func (p *Path) String() string { return p.text }

// Singular reports whether the path can select one node at most: names and
// indexes only (RFC 9535 §2.3.5.1).
func (p *Path) Singular() bool { return p.singular }

// Streams reports whether the path is evaluated while the text is scanned,
// without an index of it.
func (p *Path) Streams() bool {
	for _, s := range p.segments {
		if s.descendant {
			return false
		}
		for _, sel := range s.selectors {
			if sel.kind == byFilter {
				return false
			}
		}
	}
	return true
}

// SyntaxError says what is wrong with a path.
type SyntaxError struct {
	At      int // character, from 1
	Message string
	Hint    string // what to do; may be ""
}

// Error gives the message with its place in the path.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s at character %d", e.Message, e.At)
}
