package expect

import (
	"math"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// lengthMatcher bounds a number of nodes, characters, elements or members.
type lengthMatcher struct {
	min, max       int
	hasMin, hasMax bool
}

type lengthState struct {
	lengthMatcher
	count int
}

var lengthTable = source.NewObject("length",
	source.Field[lengthMatcher]{Name: "min", Form: source.Whole(0, math.MaxInt32), Doc: "the least", Decode: func(m *lengthMatcher, n source.Node) {
		m.min, m.hasMin = n.Int(0, math.MaxInt32)
	}},
	source.Field[lengthMatcher]{Name: "max", Form: source.Whole(0, math.MaxInt32), Doc: "the most", Decode: func(m *lengthMatcher, n source.Node) {
		m.max, m.hasMax = n.Int(0, math.MaxInt32)
	}},
)

func decodeLength(a *assertion, n source.Node) {
	m := lengthMatcher{}
	switch {
	case n.IsMapping():
		lengthTable.Decode(n, &m)
		if pairs, ok := n.Pairs(); ok && len(pairs) == 0 {
			n.Problem("write length: 3 or length: {min: 1, max: 20}", "length has neither min nor max")
		}
		if m.hasMin && m.hasMax && m.min > m.max {
			n.Problem("", "min: %d is more than max: %d", m.min, m.max)
		}
	default:
		v, ok := n.Int(0, math.MaxInt32)
		m = lengthMatcher{min: v, max: v, hasMin: ok, hasMax: ok}
	}
	a.addList("length", m.text(), m)
}

func (m lengthMatcher) text() string {
	low, high := strconv.Itoa(m.min), strconv.Itoa(m.max)
	switch {
	case m.hasMin && m.hasMax && m.min == m.max:
		return "a length of " + low
	case m.hasMin && m.hasMax:
		return "a length of " + low + " to " + high
	case m.hasMin:
		return "a length of at least " + low
	}
	return "a length of at most " + high
}

func (m lengthMatcher) holds(n int) bool {
	return (!m.hasMin || n >= m.min) && (!m.hasMax || n <= m.max)
}

// acceptsNone holds where the declaration says that no node at all is right:
// a minimum of 0 that is written down, or a maximum of 0. A maximum alone does
// not say that an answer without any data is fine.
func (m lengthMatcher) acceptsNone() bool {
	return (m.hasMin && m.min == 0) || (m.hasMax && m.max == 0 && !m.hasMin)
}

func (m lengthMatcher) single(v jsonpath.Value) (string, bool, bool) {
	n := v.Len()
	switch v.Kind() {
	case jsonpath.String:
		return plural(n, "character", "characters") + ": " + show(v), m.holds(n), true
	case jsonpath.Array:
		return plural(n, "element", "elements"), m.holds(n), true
	case jsonpath.Object:
		return plural(n, "member", "members"), m.holds(n), true
	}
	return "", false, false
}

func (m lengthMatcher) begin() listState { return &lengthState{lengthMatcher: m} }

func (s *lengthState) next(jsonpath.Value) (string, bool) { s.count++; return "", true }

func (s *lengthState) end() (string, bool) {
	return plural(s.count, "node", "nodes"), s.holds(s.count)
}
