package jsonpath

import "strings"

// Step is one segment of a path, for who compares paths with places rather
// than with the nodes of one document. A node's child is selected when it is a
// member of one of Names, an element where Elements is set, or where Any is.
type Step struct {
	Names    []string // members, by name
	Elements bool     // elements, by index or slice: which ones is not told
	Any      bool     // a wildcard
}

// Steps takes a path apart. It is false for a path with filters or
// descendants, which only a document can answer.
func (p *Path) Steps() ([]Step, bool) {
	steps := make([]Step, 0, len(p.segments))
	for _, seg := range p.segments {
		if seg.descendant {
			return nil, false
		}
		var s Step
		for _, sel := range seg.selectors {
			switch sel.kind {
			case byName:
				s.Names = append(s.Names, sel.name.name)
			case byIndex, bySlice:
				s.Elements = true
			case byWildcard:
				s.Any = true
			default:
				return nil, false
			}
		}
		steps = append(steps, s)
	}
	return steps, true
}

// Member is how a normalized path goes on into a member: .name where the name
// is a plain identifier, ['name'] elsewhere.
func Member(name string) string {
	if isIdentifier(name) {
		return "." + name
	}
	var b strings.Builder
	b.WriteString("['")
	writeNormalName(&b, name)
	b.WriteString("']")
	return b.String()
}
