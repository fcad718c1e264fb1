package cel

import (
	"cmp"
	"slices"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// elements calls visit with every element of a list until it returns false.
func (e *evaluation) elements(v value, visit func(i int, v value) (bool, error)) error {
	if l, ok := v.(list); ok {
		for i, element := range l {
			more, err := visit(i, element)
			if err = cmp.Or(err, e.spend(1)); err != nil || !more {
				return err
			}
		}
		return nil
	}
	var failed error
	v.(jsonpath.Node).Elements(func(i int, n jsonpath.Node) bool {
		more, err := visit(i, fromNode(n))
		failed = cmp.Or(err, e.spend(1))
		return more && failed == nil
	})
	return failed
}

// members calls visit with every key and value of a map until it returns
// false; the keys of one that an expression makes come in their order.
func (e *evaluation) members(v value, visit func(key, v value) (bool, error)) error {
	if m, ok := v.(mapping); ok {
		keys := make([]value, 0, len(m))
		for k := range m {
			keys = append(keys, k)
		}
		slices.SortFunc(keys, func(a, b value) int { return cmp.Compare(show(a, nil), show(b, nil)) })
		for _, k := range keys {
			more, err := visit(k, m[k])
			if err = cmp.Or(err, e.spend(1)); err != nil || !more {
				return err
			}
		}
		return nil
	}
	var failed error
	v.(jsonpath.Node).Members(func(name jsonpath.Value, n jsonpath.Node) bool {
		more, err := visit(name.Peek(), fromNode(n))
		failed = cmp.Or(err, e.spend(1))
		return more && failed == nil
	})
	return failed
}

// over calls visit with what a macro's variable stands for, one after the
// other: the elements of a list, the keys of a map.
func (e *evaluation) over(n *node, visit func(i int, v value) (bool, error)) error {
	v, err := e.eval(n.args[0])
	if err != nil {
		return err
	}
	switch kindOf(v) {
	case listKind:
		return e.elements(v, visit)
	case mapKind:
		i := 0
		return e.members(v, func(key, _ value) (bool, error) {
			i++
			return visit(i-1, key)
		})
	}
	return &evalError{message: n.name + " goes over lists and maps, not over " + article(typeName(v))}
}

// with evaluates an expression with the macro's variable.
func (e *evaluation) with(n, expression *node, v value) (value, error) {
	e.slots[n.slot] = v
	return e.eval(expression)
}

// holds evaluates a macro's predicate.
func (e *evaluation) holds(n *node, v value) (bool, error) {
	result, err := e.with(n, n.args[1], v)
	if err != nil {
		return false, err
	}
	b, ok := result.(bool)
	if !ok {
		return false, &evalError{message: n.name + " needs true or false, not " + article(typeName(result))}
	}
	return b, nil
}

func (e *evaluation) macro(n *node) (value, error) {
	switch n.name {
	case "all":
		return e.quantifier(n, false)
	case "exists":
		return e.quantifier(n, true)
	case "exists_one":
		found := 0
		err := e.over(n, func(_ int, v value) (bool, error) {
			holds, err := e.holds(n, v)
			if holds {
				found++
			}
			return true, err
		})
		if err != nil {
			return nil, err
		}
		return found == 1, nil
	}
	return e.collect(n)
}

// quantifier is all and exists: one element that decides is enough, even where
// others have no value.
func (e *evaluation) quantifier(n *node, decides bool) (value, error) {
	result := !decides
	var failed error
	err := e.over(n, func(_ int, v value) (bool, error) {
		holds, err := e.holds(n, v)
		switch {
		case isFinal(err):
			return false, err
		case err != nil:
			failed = cmp.Or(failed, err)
		case holds == decides:
			result = decides
		}
		return result != decides, nil
	})
	if err != nil {
		return nil, err
	}
	if result != decides && failed != nil {
		return nil, failed
	}
	return result, nil
}

// kept is what an element costs that stays in memory.
const kept = 4

// collect is map and filter.
func (e *evaluation) collect(n *node) (value, error) {
	out := list{}
	err := e.over(n, func(_ int, v value) (bool, error) {
		if n.name == "filter" || len(n.args) == 3 {
			holds, err := e.holds(n, v)
			if err != nil || !holds {
				return true, err
			}
		}
		if n.name == "map" {
			var err error
			if v, err = e.with(n, n.args[len(n.args)-1], v); err != nil {
				return false, err
			}
		}
		out = append(out, v)
		return true, e.spend(kept)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// length is the size of a string in characters, or of a container.
func length(v value) int {
	switch v := v.(type) {
	case string:
		return utf8.RuneCountInString(v)
	case []byte:
		return len(v)
	case list:
		return len(v)
	case mapping:
		return len(v)
	case jsonpath.Node:
		return v.Count()
	}
	return 0
}

// member is the value of a key of a map.
func member(v, key value) (value, bool) {
	if m, ok := v.(mapping); ok {
		k, ok := mapKey(key)
		if !ok {
			return nil, false
		}
		found, has := m[k]
		return found, has
	}
	name, ok := key.(string)
	if !ok {
		return nil, false
	}
	n, has := v.(jsonpath.Node).Member(name)
	if !has {
		return nil, false
	}
	return fromNode(n), true
}
