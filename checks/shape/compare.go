package shape

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
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
// first, then in the order of the places. Of a shape that is nil nothing is
// known, and nothing is told.
func Compare(recorded, now *Shape, rules Rules) []Difference {
	w := &walk{rules: rules}
	w.shape(recorded, now)
	slices.SortStableFunc(w.list, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Class, b.Class), cmp.Compare(a.Path, b.Path))
	})
	return w.list
}

// Breaks reports whether one of the differences is breaking.
func Breaks(list []Difference) bool {
	return slices.ContainsFunc(list, func(d Difference) bool { return d.Class == Breaking })
}

// walk goes through two shapes side by side, field by field in the order of
// their types: what is found at one place is told in that order. The methods
// here say where it goes, those of classes.go what a difference means.
type walk struct {
	rules Rules
	at    []jsonpath.Step // the place where it is
	list  []Difference
}

func (w *walk) shape(was, now *Shape) {
	if was == nil || now == nil {
		return // what holds them tells it
	}
	w.types(was.Types, now.Types)
	w.formats(was, now)
	w.emptyText(was, now)
	w.enum(was.Enum, now.Enum)
	w.object(was.Object, now.Object)
	w.array(was.Array, now.Array)
}

func (w *walk) object(was, now *Object) {
	switch {
	case was == nil || now == nil: // the types tell
	case was.Map != now.Map: // nothing in one is like anything in the other
		w.isMap(was, now)
	default:
		for _, name := range allKeys(was.Keys, now.Keys) {
			w.key(name, was.Keys[name], now.Keys[name])
		}
		w.contents(jsonpath.Step{Any: true}, was.Values, now.Values, was.Size)
		w.lengths(was.Size, now.Size)
		w.names(was, now)
		w.more(was.More, now.More)
	}
}

// allKeys are the names of the keys of either, sorted.
func allKeys(was, now map[string]*Key) []string {
	list := slices.AppendSeq(slices.Collect(maps.Keys(was)), maps.Keys(now))
	slices.Sort(list)
	return slices.Compact(list)
}

func (w *walk) key(name string, was, now *Key) {
	w.enter(jsonpath.Step{Names: []string{name}})
	defer w.leave()
	switch {
	case was == nil:
		w.newKey(now)
	case now == nil:
		w.keyGone(was)
	default:
		w.optional(was.Optional, now.Optional)
		w.shape(&was.Shape, &now.Shape)
	}
}

func (w *walk) array(was, now *Array) {
	if was == nil || now == nil {
		return // the types tell
	}
	w.lengths(was.Length, now.Length)
	w.contents(jsonpath.Step{Elements: true}, was.Items, now.Items, was.Length)
}

// contents compares what all elements of an array, or all values of a map,
// have in common; step leads to them.
func (w *walk) contents(step jsonpath.Step, was, now *Shape, recorded Length) {
	w.unseen(was, now, recorded)
	w.enter(step)
	defer w.leave()
	w.shape(was, now)
}

func (w *walk) enter(step jsonpath.Step) { w.at = append(w.at, step) }

func (w *walk) leave() { w.at = w.at[:len(w.at)-1] }

func (w *walk) add(code string, class Class, was, is string) {
	if len(w.rules.Reads) > 0 && !w.rules.Reads.read(w.at) {
		class = Additive
	}
	w.list = append(w.list, Difference{Code: code, Class: class, Path: placeOf(w.at), Was: was, Is: is})
}
