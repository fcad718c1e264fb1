package shape

import (
	"cmp"
	"reflect"
	"slices"
	"testing"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	gocmp "github.com/google/go-cmp/cmp"
)

// compared is what Compare finds, held against the reference. The tests of this
// package compare with it, so that each of their cases is one of the walk too.
func compared(t testing.TB, recorded, now *Shape, rules Rules) []Difference {
	t.Helper()
	got := Compare(recorded, now, rules)
	if diff := gocmp.Diff(byReference(recorded, now, rules), got); diff != "" {
		t.Errorf("the walk is not as go-cmp has it (-want +got):\n%s", diff)
	}
	return got
}

// reference goes where go-cmp goes, which finds the fields by reflection: all
// that is unequal, in the order of the types. What a difference means it has
// from the methods that the walk has it from, and it asks them of nothing but
// what is unequal.
type reference struct {
	walk
	path  gocmp.Path
	apart int // objects on the path that are a map on one side only
}

func byReference(recorded, now *Shape, rules Rules) []Difference {
	r := &reference{walk: walk{rules: rules}}
	gocmp.Equal(recorded, now, gocmp.Reporter(r),
		gocmp.Comparer(func(l, m Length) bool { return l == m }),
		gocmp.Comparer(func(e, f Enum) bool { return (e == nil) == (f == nil) && slices.Equal(e, f) }))
	slices.SortStableFunc(r.list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Path, b.Path))
	})
	return r.list
}

// PushStep is called by go-cmp when it goes into a value.
func (r *reference) PushStep(s gocmp.PathStep) {
	r.path = append(r.path, s)
	if differsInMap(s) {
		r.apart++
	}
}

// PopStep is called by go-cmp when it leaves it.
func (r *reference) PopStep() {
	if differsInMap(r.path.Last()) {
		r.apart--
	}
	r.path = r.path[:len(r.path)-1]
}

func differsInMap(s gocmp.PathStep) bool {
	if s.Type() != reflect.TypeFor[Object]() {
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
func (r *reference) Report(result gocmp.Result) {
	if result.Equal() {
		return
	}
	r.at = r.place()
	last := r.path.Last()
	if _, isKey := last.(gocmp.MapIndex); isKey && r.apart == 0 {
		if was, now := both[*Key](last); was == nil {
			r.newKey(now)
		} else {
			r.keyGone(was)
		}
		return
	}
	field, isField := last.(gocmp.StructField)
	if !isField || r.apart > 0 && field.Name() != "Map" {
		return
	}
	if judge := judges[field.Name()]; judge != nil {
		judge(r, last, r.path.Index(-2))
	}
}

// judges say what it means that a field differs; parent is the value that the
// field belongs to. What has none is told by another field.
var judges = map[string]func(r *reference, field, parent gocmp.PathStep){
	"Types":    func(r *reference, field, _ gocmp.PathStep) { r.types(both[Types](field)) },
	"Formats":  func(r *reference, _, parent gocmp.PathStep) { r.formats(pointers[Shape](parent)) },
	"Empty":    func(r *reference, _, parent gocmp.PathStep) { r.emptyText(pointers[Shape](parent)) },
	"Enum":     func(r *reference, field, _ gocmp.PathStep) { r.enum(both[Enum](field)) },
	"Optional": func(r *reference, field, _ gocmp.PathStep) { r.optional(both[bool](field)) },
	"Map":      func(r *reference, _, parent gocmp.PathStep) { r.isMap(pointers[Object](parent)) },
	"Data":     func(r *reference, _, parent gocmp.PathStep) { r.names(pointers[Object](parent)) },
	"More":     func(r *reference, field, _ gocmp.PathStep) { r.more(both[bool](field)) },
	"Length":   func(r *reference, field, _ gocmp.PathStep) { r.lengths(both[Length](field)) },
	"Size":     func(r *reference, field, _ gocmp.PathStep) { r.lengths(both[Length](field)) },
	"Values": func(r *reference, field, parent gocmp.PathStep) {
		of, _ := both[Object](parent)
		was, now := both[*Shape](field)
		r.unseen(was, now, of.Size)
	},
	"Items": func(r *reference, field, parent gocmp.PathStep) {
		of, _ := both[Array](parent)
		was, now := both[*Shape](field)
		r.unseen(was, now, of.Length)
	},
}

func pointers[T any](s gocmp.PathStep) (was, now *T) {
	x, y := both[T](s)
	return &x, &y
}

// place is where the path of go-cmp leads to in the answer.
func (r *reference) place() []jsonpath.Step {
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
