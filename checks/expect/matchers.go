package expect

import (
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// matchers has one row for each matcher of a json assertion, beside exists.
var matchers = []struct {
	key, doc string
	decode   func(a *assertion, n source.Node)
}{
	{"equals", "the value; numbers are compared as decimals, a number is never a string", decodeEquals},
	{"not_equals", "a value that it must not be", decodeNotEquals},
	{"in", "a list of which it must be one", decodeIn},
	{"type", "string, number, integer, boolean, null, array or object, or a list of them", decodeType},
	{"matches", "a regular expression that matches somewhere in the string (RE2 syntax)", decodeMatches},
	{"contains", "a part of the string, or a member of the array", decodeContains},
	{"starts_with", "how the string begins", decodeStartsWith},
	{"min", "the smallest number", decodeMin},
	{"max", "the largest number", decodeMax},
	{"length", "a number or {min, max}: nodes, characters, elements or members", decodeLength},
	{"contains_all", "a list of values that must all be there", decodeContainsAll},
	{"unique", "true: no value comes twice", decodeUnique},
	{"sorted", "true or asc, or desc: numbers or strings in this order", decodeSorted},
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
