package cel

import (
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Type is the type of an expression, as far as it is known before there is an
// answer: Dyn is known when it is evaluated.
type Type struct {
	kind   kind
	elem   *Type   // of a list, or of a map's values
	fields *record // of a map whose keys are known; nil elsewhere
}

// record is the keys of a map that has no other ones.
type record struct{ names []string }

// Record is a map of anything, whose keys are these and no other.
func Record(names ...string) Type {
	t := DynMap
	t.fields = &record{names}
	return t
}

// The types that variables may have.
var (
	Dyn      = Type{kind: dynKind}
	Int      = Type{kind: intKind}
	String   = Type{kind: stringKind}
	Duration = Type{kind: durationKind}
	// StringMap is a map from strings to strings; DynMap to anything.
	StringMap = Type{kind: mapKind, elem: &Type{kind: stringKind}}
	DynMap    = Type{kind: mapKind, elem: &Type{kind: dynKind}}
)

type kind uint8

const (
	dynKind kind = iota
	nullKind
	boolKind
	intKind
	uintKind
	doubleKind
	stringKind
	bytesKind
	timestampKind
	durationKind
	typeKind
	listKind
	mapKind
	// numberKind is a number of an answer: it is what the other operand is. As
	// the kind of a parameter it is any number.
	numberKind
)

var kindNames = [...]string{"dyn", "null_type", "bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration", "type", "list", "map", "number"}

func (k kind) String() string { return kindNames[k] }

// String is the type's name.
func (t Type) String() string {
	switch {
	case t.kind == listKind:
		return "list(" + t.elem.String() + ")"
	case t.kind == mapKind:
		return "map(" + t.elem.String() + ")"
	}
	return t.kind.String()
}

func listOf(elem Type) Type { return Type{kind: listKind, elem: &elem} }

// element is the type of what is in a container.
func (t Type) element() Type {
	if t.elem == nil {
		return Dyn
	}
	return *t.elem
}

// fits reports whether a value of this type may be one of that kind.
func (t Type) fits(k kind) bool {
	return k == dynKind || t.kind == dynKind || t.kind == k || (k == numberKind && t.isNumber()) || (t.kind == numberKind && isNumber(k))
}

func (t Type) isNumber() bool { return isNumber(t.kind) }

func isNumber(k kind) bool {
	return k == intKind || k == uintKind || k == doubleKind || k == numberKind
}

// join is a type that both are of.
func join(a, b Type) Type {
	if a.kind != b.kind {
		return Dyn
	}
	if a.elem != nil && b.elem != nil {
		elem := join(*a.elem, *b.elem)
		return Type{kind: a.kind, elem: &elem}
	}
	return a
}

// value is what an expression gives: nil, bool, int64, uint64, float64, number,
// string, []byte, time.Time, time.Duration, kind, list, mapping, jsonpath.Node
// (an array or an object).
type value any

// number is a number of an answer, as it was written.
type number string

type (
	list    []value
	mapping map[value]value
)

// Strings makes the value of a variable of type StringMap.
func Strings(m map[string]string) any {
	out := make(mapping, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// Values makes the value of a variable of type DynMap, of values that JSON and
// this package know: strings, bool, nodes, maps of these.
func Values(m map[string]any) any {
	out := make(mapping, len(m))
	for k, v := range m {
		if inner, nested := v.(map[string]any); nested {
			v = Values(inner)
		}
		out[k] = v
	}
	return out
}

// fromNode gives the value of a node of an answer.
func fromNode(n jsonpath.Node) value {
	v := n.Value()
	switch v.Kind() {
	case jsonpath.Null:
		return nil
	case jsonpath.Boolean:
		return v.Raw()[0] == 't'
	case jsonpath.Number:
		return number(v.PeekRaw())
	case jsonpath.String:
		return v.Peek()
	}
	return n
}

func kindOf(v value) kind {
	switch v := v.(type) {
	case nil:
		return nullKind
	case bool:
		return boolKind
	case int64:
		return intKind
	case uint64:
		return uintKind
	case float64:
		return doubleKind
	case number:
		return numberKind
	case string:
		return stringKind
	case []byte:
		return bytesKind
	case time.Time:
		return timestampKind
	case time.Duration:
		return durationKind
	case kind:
		return typeKind
	case list:
		return listKind
	case jsonpath.Node:
		if v.Kind() == jsonpath.Array {
			return listKind
		}
	}
	return mapKind
}

// typeName is the type that an expression's author sees.
func typeName(v value) string {
	if n, ok := v.(number); ok {
		return concrete(n).String()
	}
	return kindOf(v).String()
}

// article puts a or an before a type's name.
func article(name string) string {
	if strings.IndexByte("aeiou", name[0]) >= 0 && !strings.HasPrefix(name, "ui") {
		return "an " + name
	}
	return "a " + name
}

// concrete is what a number is by itself: an int where it is one, else a
// double.
func concrete(n number) kind {
	if _, ok := n.int(); ok {
		return intKind
	}
	return doubleKind
}
