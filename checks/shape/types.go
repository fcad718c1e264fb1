package shape

import (
	"strconv"
	"strings"
)

// Types is a set of JSON types. Numbers are two of them: one whose text has
// neither a point nor an exponent is an integer. A set never holds both, for
// every integer is a number.
type Types uint8

// The types.
const (
	TypeNull Types = 1 << iota
	TypeBoolean
	TypeInteger
	TypeNumber
	TypeString
	TypeArray
	TypeObject
)

// typeNames are the words of the file, in the order in which they are written.
var typeNames = []word[Types]{
	{TypeObject, "object"}, {TypeArray, "array"}, {TypeString, "string"}, {TypeNumber, "number"},
	{TypeInteger, "integer"}, {TypeBoolean, "boolean"}, {TypeNull, "null"},
}

// word is the name of a bit.
type word[B ~uint8 | ~uint32] struct {
	bit  B
	name string
}

func wordsOf[B ~uint8 | ~uint32](list []word[B], set B) []string {
	var names []string
	for _, w := range list {
		if set&w.bit != 0 {
			names = append(names, w.name)
		}
	}
	return names
}

func bitOf[B ~uint8 | ~uint32](list []word[B], name string) (B, bool) {
	for _, w := range list {
		if w.name == name {
			return w.bit, true
		}
	}
	return 0, false
}

// String lists the types: "string or null".
func (t Types) String() string { return either(wordsOf(typeNames, t)) }

// or joins the words of a set.
const or = " or "

func either(names []string) string { return strings.Join(names, or) }

// with joins two sets.
func (t Types) with(u Types) Types {
	if t |= u; t&TypeNumber != 0 {
		t &^= TypeInteger
	}
	return t
}

// beyond gives the types of t that u does not allow for.
func (t Types) beyond(u Types) Types {
	if u&TypeNumber != 0 {
		u |= TypeInteger
	}
	return t &^ u
}

// MarshalText writes what String gives.
func (t Types) MarshalText() ([]byte, error) { return []byte(t.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (t *Types) UnmarshalText(b []byte) error {
	*t = 0
	for w := range strings.SplitSeq(string(b), or) {
		bit, known := bitOf(typeNames, w)
		if !known {
			return problem("type %s is not known", strconv.Quote(w))
		}
		*t = t.with(bit)
	}
	return nil
}
