package expect

import (
	"math"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// matchers has one row for each matcher of a json assertion, beside exists.
var matchers = []struct {
	key, doc string
	form     source.Form
	decode   func(a *assertion, n source.Node)
}{
	{"equals", "the value; numbers are compared as decimals, a number is never a string", source.Any, decodeEquals},
	{"not_equals", "a value that it must not be", source.Any, decodeNotEquals},
	{"in", "a list of which it must be one", source.List(1, source.Any), decodeIn},
	{"type", "string, number, integer, boolean, null, array or object, or a list of them", source.Either(source.Null, source.OneOrList(1, source.Either(source.Null, source.OneOf(typeNames...)))), decodeType},
	{"matches", "a regular expression that matches somewhere in the string (RE2 syntax)", source.RegexpText, decodeMatches},
	{"contains", "a part of the string, or a member of the array", source.Any, decodeContains},
	{"starts_with", "how the string begins", source.AnyText, decodeStartsWith},
	{"min", "the smallest number", source.Number, decodeMin},
	{"max", "the largest number", source.Number, decodeMax},
	{"length", "a number or {min, max}: nodes, characters, elements or members", source.Either(source.Whole(0, math.MaxInt32), source.Some(lengthTable.Form)), decodeLength},
	{"contains_all", "a list of values that must all be there", source.List(1, source.Any), decodeContainsAll},
	{"unique", "true: no value comes twice", source.True, decodeUnique},
	{"sorted", "true or asc, or desc: numbers or strings in this order", source.Either(source.True, source.OneOf("asc", "desc")), decodeSorted},
}

// values reads a list of at least one value.
func values(n source.Node) ([]any, bool) {
	items, ok := n.Items()
	if !ok {
		return nil, false
	}
	if len(items) == 0 {
		n.Problem("name at least one value", "the list is empty")
		return nil, false
	}
	list := make([]any, 0, len(items))
	for _, item := range items {
		v, good := item.Value()
		ok = ok && good
		list = append(list, v)
	}
	return list, ok
}

// demand reads true; a matcher that is switched off says nothing.
func demand(key string, n source.Node) bool {
	v, ok := n.Bool()
	if ok && !v {
		n.Problem("remove the key", "%s: false asserts nothing", key)
	}
	return ok && v
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
