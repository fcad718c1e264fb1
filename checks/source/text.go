package source

import (
	"slices"
	"strings"
)

// Text is a string that may hold references: ${env.NAME} for the environment,
// ${PROBE.CAPTURE} for a capture of another probe, ${each} and ${each.NAME} for
// a value of a matrix, $${ for a literal "${".
// What a reference expands to is never read for references again.
type Text struct {
	raw   string
	parts []part // nil for a literal
	pos   Position
}

type part struct {
	literal string
	ref     Ref // used when Name is not ""
}

// Ref is one reference of a Text: Scope "env" and a variable's name, or a
// probe's name and one of its captures. Scope is "" for a word that stands
// alone, such as ${each}.
type Ref struct {
	Scope string
	Name  string
}

// String writes the reference as it is declared.
func (r Ref) String() string {
	if r.Scope == "" {
		return "${" + r.Name + "}"
	}
	return "${" + r.Scope + "." + r.Name + "}"
}

// Each is the word of a matrix: ${each}, or the scope of ${each.NAME}.
const Each = "each"

var (
	envRef     = Pattern(`^env\.([A-Za-z_][A-Za-z0-9_]*)$`)
	captureRef = Pattern(`^([A-Za-z0-9][A-Za-z0-9._-]*)\.([A-Za-z_][A-Za-z0-9_]*)$`)
)

// maxProbeName is the longest name of a probe, in bytes.
const maxProbeName = 100

// Literal makes a Text without references.
func Literal(s string) Text { return Text{raw: s} }

// ParseText reads the references of s. The second result names the first
// malformed one, "" when all are well formed.
func ParseText(s string, pos Position) (Text, string) {
	t := Text{raw: s, pos: pos}
	if !strings.Contains(s, "${") {
		return t, ""
	}
	rest, literal := s, ""
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			literal += rest
			break
		}
		if i > 0 && rest[i-1] == '$' {
			literal += rest[:i-1] + "${"
			rest = rest[i+2:]
			continue
		}
		end := strings.IndexByte(rest[i:], '}')
		if end < 0 {
			return t, rest[i:]
		}
		body := rest[i+2 : i+end]
		ref, ok := parseRef(body)
		if !ok {
			return t, rest[i : i+end+1]
		}
		t.parts = append(t.parts, part{literal: literal + rest[:i], ref: ref})
		literal, rest = "", rest[i+end+1:]
	}
	t.parts = append(t.parts, part{literal: literal})
	return t, ""
}

func parseRef(body string) (Ref, bool) {
	if m := envRef().FindStringSubmatch(body); m != nil {
		return Ref{Scope: "env", Name: m[1]}, true
	}
	if strings.HasPrefix(body, "env.") {
		return Ref{}, false
	}
	if body == Each {
		return Ref{Name: Each}, true
	}
	if m := captureRef().FindStringSubmatch(body); m != nil && len(m[1]) <= maxProbeName {
		return Ref{Scope: m[1], Name: m[2]}, true
	}
	return Ref{}, false
}

// Raw is the text as it was written.
func (t Text) Raw() string { return t.raw }

// Pos is where it was written; the zero Position for a text made in code.
func (t Text) Pos() Position { return t.pos }

// IsZero reports whether there is no text at all.
func (t Text) IsZero() bool { return t.raw == "" }

// Refs lists the references in order, without repetition.
func (t Text) Refs() []Ref {
	var refs []Ref
	for _, p := range t.parts {
		if p.ref.Name != "" && !slices.Contains(refs, p.ref) {
			refs = append(refs, p.ref)
		}
	}
	return refs
}

// Expand replaces every reference by what lookup says. The second result lists
// the references that lookup does not know; the text is then not usable.
func (t Text) Expand(lookup func(Ref) (string, bool)) (string, []Ref) {
	return t.ExpandAfter(func(r Ref, _ string) (string, bool) { return lookup(r) })
}

// ExpandAfter is Expand for a lookup that wants to see what was written so far,
// to escape its value for the place.
func (t Text) ExpandAfter(lookup func(r Ref, before string) (string, bool)) (string, []Ref) {
	if t.parts == nil {
		return t.raw, nil
	}
	var out string
	var missing []Ref
	for _, p := range t.parts {
		out += p.literal
		if p.ref.Name == "" {
			continue
		}
		v, ok := lookup(p.ref, out)
		if !ok {
			missing = append(missing, p.ref)
		}
		out += v
	}
	return out, missing
}
