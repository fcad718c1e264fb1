package expect

import (
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// notSingular is for a list matcher that leaves single values to their
// elements, and that needs a node.
type notSingular struct{}

func (notSingular) single(jsonpath.Value) (string, bool, bool) { return "", false, false }
func (notSingular) acceptsNone() bool                          { return false }

// uniqueMatcher wants every value once.
type uniqueMatcher struct{ notSingular }

type uniqueState struct {
	first map[string]int
	count int
}

func decodeUnique(a *assertion, n source.Node) {
	if demand("unique", n) {
		a.addList("unique", "every value once", uniqueMatcher{})
	}
}

func (uniqueMatcher) begin() listState { return &uniqueState{first: map[string]int{}} }

func (s *uniqueState) next(v jsonpath.Value) (string, bool) {
	key := v.Identity()
	at := s.count
	s.count++
	if i, again := s.first[key]; again {
		return show(v) + " again; it is at position " + strconv.Itoa(i) + " already", false
	}
	s.first[key] = at
	return "", true
}

func (s *uniqueState) end() (string, bool) { return "", true }

// sortedMatcher wants numbers, or strings by code point, in one direction;
// equal neighbours are in order.
type sortedMatcher struct {
	notSingular
	descending bool
}

type sortedState struct {
	descending bool
	last       jsonpath.Value
	any        bool
}

func decodeSorted(a *assertion, n source.Node) {
	m := sortedMatcher{}
	if n.IsString() {
		word, ok := n.Enum("asc", "desc")
		if !ok {
			return
		}
		m.descending = word == "desc"
	} else if !demand("sorted", n) {
		return
	}
	want := "ascending order"
	if m.descending {
		want = "descending order"
	}
	a.addList("sorted", want, m)
	a.matchers[len(a.matchers)-1].number = true
}

func (m sortedMatcher) begin() listState { return &sortedState{descending: m.descending} }

func (s *sortedState) next(v jsonpath.Value) (string, bool) {
	last, first := s.last, !s.any
	s.last, s.any = v, true
	if kind := v.Kind(); kind != jsonpath.Number && kind != jsonpath.String {
		return typed(v) + ", which has no order", false
	}
	if first || (last.Kind() != jsonpath.Number && last.Kind() != jsonpath.String) {
		return "", true
	}
	if last.Kind() != v.Kind() {
		return typed(v) + " after " + typed(last), false
	}
	order := 0
	if v.Kind() == jsonpath.Number {
		order = decimal.Compare(string(last.Raw()), string(v.Raw()))
	} else {
		order = strings.Compare(last.Text(), v.Text())
	}
	if s.descending {
		order = -order
	}
	if order <= 0 {
		return "", true
	}
	return show(v) + " after " + show(last), false
}

func (s *sortedState) end() (string, bool) { return "", true }

// allMatcher wants every value of a list to be there; in a string, every text.
type allMatcher struct {
	notSingular
	wanted []any
}

type allState struct {
	wanted []any
	found  []bool
}

func decodeContainsAll(a *assertion, n source.Node) {
	if list, ok := values(n); ok {
		a.addList("contains_all", "all of "+showWanted(list), allMatcher{wanted: list})
	}
}

func (m allMatcher) begin() listState {
	return &allState{wanted: m.wanted, found: make([]bool, len(m.wanted))}
}

func (m allMatcher) single(v jsonpath.Value) (string, bool, bool) {
	if v.Kind() != jsonpath.String {
		return "", false, false
	}
	s, text := m.begin().(*allState), v.Text()
	for i, w := range m.wanted {
		part, isText := w.(string)
		s.found[i] = isText && strings.Contains(text, part)
	}
	got, ok := s.end()
	return got, ok, true
}

func (s *allState) next(v jsonpath.Value) (string, bool) {
	for i, w := range s.wanted {
		if !s.found[i] && v.Equal(w) {
			s.found[i] = true
		}
	}
	return "", true
}

func (s *allState) end() (string, bool) {
	var missing []any
	for i, w := range s.wanted {
		if !s.found[i] {
			missing = append(missing, w)
		}
	}
	return "no " + showWanted(missing), len(missing) == 0
}
