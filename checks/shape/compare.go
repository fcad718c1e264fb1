package shape

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	gocmp "github.com/google/go-cmp/cmp"
)

// Class is what a difference means to a reader of the recorded shape.
type Class int

// The classes. What breaks nothing that is read is additive.
const (
	Breaking Class = iota
	Additive
)

// Difference is one way in which an answer is not as it was recorded.
type Difference struct {
	Code  string // key_gone, type, …
	Class Class
	Path  string // where: $[*].valor
	Was   string // for a person
	Is    string
}

// String is the difference in a line.
func (d Difference) String() string {
	return fmt.Sprintf("%s: %s (%s → %s)", d.Path, d.Code, d.Was, d.Is)
}

// Rules say what of a difference breaks.
type Rules struct {
	// Reads are the places that a consumer reads; what is not on the way to one
	// or part of one breaks nothing. None at all means that all is read.
	Reads Paths
	// Bounds makes fewer or more elements than were recorded breaking.
	Bounds bool
}

// Compare tells what of an answer is not as it was recorded, what breaks
// first, then in the order of the places. It draws the differences with go-cmp.
func Compare(recorded, now *Shape, rules Rules) []Difference {
	r := &reporter{rules: rules}
	gocmp.Equal(recorded, now, gocmp.Reporter(r))
	slices.SortStableFunc(r.list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Path, b.Path))
	})
	return r.list
}

// Breaks reports whether one of the differences is breaking.
func Breaks(list []Difference) bool {
	return slices.ContainsFunc(list, func(d Difference) bool { return d.Class == Breaking })
}

// reporter turns what go-cmp finds unequal into differences.
type reporter struct {
	rules Rules
	path  gocmp.Path
	other int // objects on the path that are a map on one side only
	list  []Difference
}

// PushStep is called by go-cmp when it goes into a value.
func (r *reporter) PushStep(s gocmp.PathStep) {
	r.path = append(r.path, s)
	if r.differsInMap(s) {
		r.other++
	}
}

// PopStep is called by go-cmp when it leaves it.
func (r *reporter) PopStep() {
	if r.differsInMap(r.path.Last()) {
		r.other--
	}
	r.path = r.path[:len(r.path)-1]
}

var objectType = reflect.TypeFor[Object]()

func (r *reporter) differsInMap(s gocmp.PathStep) bool {
	if s.Type() != objectType {
		return false
	}
	was, now := both[Object](s)
	return was.Map != now.Map
}

// both are the values of a step on both sides.
func both[T any](s gocmp.PathStep) (was, now T) {
	x, y := s.Values()
	if x.IsValid() {
		was, _ = x.Interface().(T)
	}
	if y.IsValid() {
		now, _ = y.Interface().(T)
	}
	return was, now
}

// Report is called by go-cmp with the outcome for the value at the path.
func (r *reporter) Report(result gocmp.Result) {
	if result.Equal() {
		return
	}
	last := r.path.Last()
	if _, isKey := last.(gocmp.MapIndex); isKey && r.other == 0 {
		r.key(both[*Key](last))
		return
	}
	field, isField := last.(gocmp.StructField)
	if !isField || r.other > 0 && field.Name() != "Map" {
		return
	}
	if judge := judges[field.Name()]; judge != nil {
		judge(r, last, r.path.Index(-2))
	}
}

// judges say what it means that a field differs; parent is the value that the
// field belongs to. What has none is told by another field.
var judges = map[string]func(r *reporter, field, parent gocmp.PathStep){
	"Types":   func(r *reporter, field, _ gocmp.PathStep) { r.types(both[Types](field)) },
	"Formats": func(r *reporter, _, parent gocmp.PathStep) { r.formats(both[Shape](parent)) },
	"Empty":   func(r *reporter, _, parent gocmp.PathStep) { r.emptyText(both[Shape](parent)) },
	"Enum":    func(r *reporter, field, _ gocmp.PathStep) { r.enum(both[Enum](field)) },
	"Optional": func(r *reporter, field, _ gocmp.PathStep) {
		if was, _ := both[bool](field); !was {
			r.add("key_optional", Breaking, "in every object", "missing from some")
		}
	},
	"Map":  func(r *reporter, _, parent gocmp.PathStep) { r.isMap(both[Object](parent)) },
	"More": func(r *reporter, _, _ gocmp.PathStep) { r.add("new_key", Additive, "none", "more than can be shown") },
	"Values": func(r *reporter, field, parent gocmp.PathStep) {
		was, _ := both[Object](parent)
		r.contents(field, was.Size)
	},
	"Items": func(r *reporter, field, parent gocmp.PathStep) {
		was, _ := both[Array](parent)
		r.contents(field, was.Length)
	},
	"Length": (*reporter).lengths,
	"Size":   (*reporter).lengths,
}

func (r *reporter) add(code string, class Class, was, is string) {
	at := r.place()
	if len(r.rules.Reads) > 0 && !r.rules.Reads.read(at) {
		class = Additive
	}
	r.list = append(r.list, Difference{Code: code, Class: class, Path: placeOf(at), Was: was, Is: is})
}

// place is where the path of go-cmp leads to in the answer.
func (r *reporter) place() []jsonpath.Step {
	var at []jsonpath.Step
	for i, s := range r.path {
		switch s := s.(type) {
		case gocmp.MapIndex:
			at = append(at, jsonpath.Step{Names: []string{s.Key().String()}})
		case gocmp.StructField:
			// The step into the elements counts once something of them differs.
			inside := i < len(r.path)-1
			if inside && s.Name() == "Items" {
				at = append(at, jsonpath.Step{Elements: true})
			}
			if inside && s.Name() == "Values" {
				at = append(at, jsonpath.Step{Any: true})
			}
		}
	}
	return at
}
