package expect

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

func decodeEquals(a *assertion, n source.Node) {
	want, ok := n.Value()
	if !ok {
		return
	}
	a.addValue("equals", "", want,
		func(v jsonpath.Value) bool { return v.Equal(want) },
		func(v jsonpath.Value) string { return differs(v, want) })
	a.numeric(want)
}

func decodeNotEquals(a *assertion, n source.Node) {
	unwanted, ok := n.Value()
	if !ok {
		return
	}
	a.addValue("not_equals", "anything but ", unwanted,
		func(v jsonpath.Value) bool { return !v.Equal(unwanted) }, show)
	a.numeric(unwanted)
}

func decodeIn(a *assertion, n source.Node) {
	list, ok := values(n)
	if !ok {
		return
	}
	a.addValue("in", "one of ", list,
		func(v jsonpath.Value) bool { return slices.ContainsFunc(list, v.Equal) },
		func(v jsonpath.Value) string { return differs(v, list[0]) })
	a.numeric(list...)
}

// typeNames are the JSON types, and integer: a number without a fraction, as
// JSON Schema has it.
var typeNames = []string{"string", "number", "integer", "boolean", "null", "array", "object"}

func decodeType(a *assertion, n source.Node) {
	var names []string
	for _, item := range n.ItemsOrOne() {
		name, ok := "null", item.IsNull()
		if !ok {
			name, ok = item.Enum(typeNames...)
		}
		if !ok {
			return
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		n.Problem("name at least one type", "the list of types is empty")
		return
	}
	a.addNode("type", strings.Join(names, " or "), func(v jsonpath.Value) bool {
		kind := v.Kind()
		return slices.Contains(names, kind.String()) ||
			(kind == jsonpath.Number && slices.Contains(names, "integer") && decimal.IsInteger(string(v.Raw())))
	}, typed)
	a.matchers[len(a.matchers)-1].number = slices.Contains(names, "number") || slices.Contains(names, "integer")
}

func decodeMin(a *assertion, n source.Node) {
	if bound, ok := number("min", n); ok {
		a.min = bound
		a.addNode("min", "at least "+string(bound), func(v jsonpath.Value) bool {
			return v.Kind() == jsonpath.Number && decimal.Compare(string(v.Raw()), string(bound)) >= 0
		}, notNumber)
		a.numeric(bound)
	}
}

func decodeMax(a *assertion, n source.Node) {
	if bound, ok := number("max", n); ok {
		a.max = bound
		a.addNode("max", "at most "+string(bound), func(v jsonpath.Value) bool {
			return v.Kind() == jsonpath.Number && decimal.Compare(string(v.Raw()), string(bound)) <= 0
		}, notNumber)
		a.numeric(bound)
	}
}

func number(key string, n source.Node) (json.Number, bool) {
	v, ok := n.Value()
	if !ok {
		return "", false
	}
	num, ok := v.(json.Number)
	if !ok {
		n.Problem("numbers are written without quotes", "%s needs a number, got %s", key, shorten(showWanted(v)))
	}
	return num, ok
}

// notNumber names the type where that is what is wrong.
func notNumber(v jsonpath.Value) string {
	if v.Kind() == jsonpath.Number {
		return show(v)
	}
	return typed(v)
}
