package shape

import (
	"maps"
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Paths are places of an answer, each as the steps that lead there.
type Paths [][]jsonpath.Step

// into gives what is left of the paths that go on with a step.
func (p Paths) into(at jsonpath.Step) Paths {
	var rest Paths
	for _, path := range p {
		if len(path) > 0 && meets(path[0], at) {
			rest = append(rest, path[1:])
		}
	}
	return rest
}

// end reports whether a path ends here.
func (p Paths) end() bool {
	return slices.ContainsFunc(p, func(path []jsonpath.Step) bool { return len(path) == 0 })
}

// read reports whether what is at a place is on the way to, or part of, what
// one of the paths leads to.
func (p Paths) read(at []jsonpath.Step) bool {
	return slices.ContainsFunc(p, func(path []jsonpath.Step) bool {
		for i := range min(len(path), len(at)) {
			if !meets(path[i], at[i]) {
				return false
			}
		}
		return true
	})
}

// At gives the shapes of the places that a path leads to.
func (s *Shape) At(path []jsonpath.Step) []*Shape {
	switch {
	case s == nil:
		return nil
	case len(path) == 0:
		return []*Shape{s}
	}
	var found []*Shape
	if s.Array != nil && meets(path[0], jsonpath.Step{Elements: true}) {
		found = s.Array.Items.At(path[1:])
	}
	if s.Object == nil {
		return found
	}
	if s.Object.Map && meets(path[0], jsonpath.Step{Any: true}) {
		found = append(found, s.Object.Values.At(path[1:])...)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Object.Keys)) {
		if meets(path[0], jsonpath.Step{Names: []string{name}}) {
			found = append(found, s.Object.Keys[name].Shape.At(path[1:])...)
		}
	}
	return found
}

// meets reports whether a step of a path selects a step of a place: an element,
// a member by its name, or any member of a map.
func meets(path, at jsonpath.Step) bool {
	switch {
	case path.Any:
		return true
	case at.Any:
		return len(path.Names) > 0
	case at.Elements:
		return path.Elements
	}
	return slices.Contains(path.Names, at.Names[0])
}

// placeOf writes a place: $[*].valor.
func placeOf(at []jsonpath.Step) string {
	b := []byte{'$'}
	for _, s := range at {
		if len(s.Names) == 0 {
			b = append(b, "[*]"...)
		} else {
			b = append(b, memberOf(s.Names[0])...)
		}
	}
	return string(b)
}

func memberOf(name string) string { return jsonpath.Member(name) }
