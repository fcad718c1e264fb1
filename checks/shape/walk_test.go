package shape

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheWalkGoesWhereGoCmpGoes compares shapes of every kind with shapes that
// are otherwise at some of their places, in both directions.
func TestTheWalkGoesWhereGoCmpGoes(t *testing.T) {
	reads := []Paths{nil, paths(t, "$.a"), paths(t, "$[*].valor", "$.*.b"), paths(t, "$[*][*]")}
	told := map[string]int{}
	rounds(t, func(t *testing.T, r *rand.Rand) {
		m := maker{r, overlapping}
		a := m.shape(4)
		b := m.changed(a)
		if m.oneIn(5) {
			b = m.shape(4)
		}
		rules := Rules{Reads: reads[m.IntN(len(reads))], Bounds: m.oneIn(2)}
		for _, d := range append(compared(t, a, b, rules), compared(t, b, a, rules)...) {
			told[d.Code]++
		}
	})
	for _, code := range []string{"new_key", "key_gone", "key_optional", "type", "new_type", "number", "null", "format", "empty_text",
		"enum", "new_enum", "map", "new_items", "empty", "length"} {
		if told[code] < 20 {
			t.Errorf("%s came %d times: that shows little", code, told[code])
		}
	}
	for _, pair := range [][2]*Shape{{nil, nil}, {nil, {Types: TypeNull}}, {{Types: TypeNull}, nil}} {
		if list := compared(t, pair[0], pair[1], Rules{}); list != nil {
			t.Error(list)
		}
	}
}

// TestNothingIsToldOfEqualsAlone: where no format is part of another, two
// shapes are equal exactly if nothing is told of either against the other.
func TestNothingIsToldOfEqualsAlone(t *testing.T) {
	count := map[bool]int{}
	rounds(t, func(t *testing.T, r *rand.Rand) {
		m := maker{r, apart}
		a := m.shape(4)
		b := m.changed(a)
		equal := cmp.Equal(a, b)
		there, back := Compare(a, b, Rules{Bounds: true}), Compare(b, a, Rules{Bounds: true})
		if silent := len(there)+len(back) == 0; silent != equal {
			t.Errorf("equal: %t, told: %v and %v\n%s", equal, there, back, cmp.Diff(a, b))
		}
		count[equal]++
	})
	if count[true] < 500 || count[false] < 500 {
		t.Errorf("%d pairs were equal, %d were not: that shows little", count[true], count[false])
	}
}

// fields has, for every field of every type of a shape, two values that differ
// in it alone, and the code that tells so. A field that is missing here is one
// that the walk may not know.
var fields = map[string]struct {
	was, now any
	code     string
}{
	"Shape.Types":   {Shape{Types: TypeString}, Shape{Types: TypeBoolean}, "type"},
	"Shape.Formats": {Shape{Types: TypeString, Formats: FormatDate}, Shape{Types: TypeString, Formats: FormatURL}, "format"},
	"Shape.Empty":   {Shape{Types: TypeString, Formats: FormatDate}, Shape{Types: TypeString, Formats: FormatDate, Empty: true}, "empty_text"},
	"Shape.Enum":    {Shape{Types: TypeInteger, Enum: Enum{"1"}}, Shape{Types: TypeInteger, Enum: Enum{"2"}}, "enum"},
	"Shape.Object": {Shape{Types: TypeObject, Object: &Object{Keys: map[string]*Key{}}},
		Shape{Types: TypeObject, Object: &Object{Keys: map[string]*Key{"k": {}}}}, "new_key"},
	"Shape.Array": {Shape{Types: TypeArray, Array: &Array{}}, Shape{Types: TypeArray, Array: &Array{Items: &Shape{}}}, "new_items"},

	"Object.Map":    {Object{}, Object{Map: true}, "map"},
	"Object.Keys":   {Object{Keys: map[string]*Key{"k": {}}}, Object{Keys: map[string]*Key{}}, "key_gone"},
	"Object.Values": {Object{Map: true, Values: &Shape{Types: TypeString}}, Object{Map: true, Values: &Shape{Types: TypeNull}}, "null"},
	"Object.Size":   {Object{Map: true}, Object{Map: true, Size: Length{0, 1}}, "length"},
	"Object.Data":   {Object{Map: true, Data: true}, Object{Map: true}, "map"},
	"Object.More":   {Object{}, Object{More: true}, "new_key"},

	"Key.Optional": {Key{}, Key{Optional: true}, "key_optional"},
	"Key.Shape":    {Key{Shape: Shape{Types: TypeNull}}, Key{Shape: Shape{Types: TypeString}}, "new_type"},

	"Array.Length": {Array{}, Array{Length: Length{0, 1}}, "length"},
	"Array.Items":  {Array{Items: &Shape{Types: TypeInteger}}, Array{Items: &Shape{Types: TypeNumber}}, "number"},

	"Length.Min": {Length{1, 2}, Length{0, 2}, "length"},
	"Length.Max": {Length{1, 2}, Length{1, 3}, "length"},
}

func TestEveryFieldIsTold(t *testing.T) {
	known := 0
	for _, typ := range structs(reflect.TypeFor[Shape](), nil) {
		for i := range typ.NumField() {
			name := typ.Name() + "." + typ.Field(i).Name
			row, ok := fields[name]
			if !ok {
				t.Errorf("%s: does the walk of Compare tell it? Then it needs a row here", name)
				continue
			}
			known++
			was, now := reflect.ValueOf(row.was), reflect.ValueOf(row.now)
			for j := range typ.NumField() {
				if same := reflect.DeepEqual(was.Field(j).Interface(), now.Field(j).Interface()); same == (i == j) {
					t.Errorf("%s: its row differs in something else, %s", name, typ.Field(j).Name)
				}
			}
			list := compared(t, around(t, row.was), around(t, row.now), Rules{Bounds: true})
			if len(list) != 1 || list[0].Code != row.code {
				t.Errorf("%s: %v, want %s", name, list, row.code)
			}
		}
	}
	if known != len(fields) {
		t.Errorf("%d of %d rows have a field", known, len(fields))
	}
}

// structs are a type and all that its fields hold, as far as they are ours.
func structs(t reflect.Type, seen []reflect.Type) []reflect.Type {
	switch {
	case t.Kind() == reflect.Pointer || t.Kind() == reflect.Map || t.Kind() == reflect.Slice:
		return structs(t.Elem(), seen)
	case t.Kind() != reflect.Struct || slices.Contains(seen, t):
		return seen
	}
	seen = append(seen, t)
	for i := range t.NumField() {
		seen = structs(t.Field(i).Type, seen)
	}
	return seen
}

// around is a shape with a part of it.
func around(t *testing.T, part any) *Shape {
	t.Helper()
	switch v := part.(type) {
	case Shape:
		return &v
	case Object:
		return &Shape{Types: TypeObject, Object: &v}
	case Key:
		return &Shape{Types: TypeObject, Object: &Object{Keys: map[string]*Key{"k": &v}}}
	case Array:
		return &Shape{Types: TypeArray, Array: &v}
	case Length:
		return &Shape{Types: TypeArray, Array: &Array{Length: v}}
	}
	t.Fatalf("%T is no part of a shape that is known here", part)
	return nil
}
