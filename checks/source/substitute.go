package source

import (
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxCopied bounds the nodes that one Substitution copies: aliases in aliases,
// once for each of many values, would make a small file a large tree.
const maxCopied = 1 << 20

// Substitution puts values in the place of references while a declaration is
// being read. It may be used for several nodes of one file.
type Substitution struct {
	// Value gives the scalar that a reference stands for; mine is false for a
	// reference that is left as it is written. What it reports at the node where
	// the reference stands is the reader's to know; a zero Node leaves the
	// reference out, or as it is where Literals is set.
	Value func(r Ref, at Node) (value Node, mine bool)
	// Escape has, by the path of keys from the node that was given, how a value
	// is written into the text there, after what it says before. Elsewhere
	// values are written as they are.
	Escape map[string]func(before, value string) string
	// Literals makes $${ a literal ${ in every text: no other reader comes after.
	Literals bool

	touched map[*yaml.Node]bool // whether there is anything to replace in a node
	copied  int
	stopped bool
}

// Apply gives a copy of the node in which references are replaced. A text that
// is one reference becomes the value as it is, a number a number; in a longer
// one the value is written out. Keys are left alone. Everything keeps its place
// for later problems. What holds no reference is not copied.
func (s *Substitution) Apply(n Node) Node {
	if n.IsZero() || !n.f.refs {
		return n
	}
	if s.touched == nil {
		s.touched = map[*yaml.Node]bool{}
	}
	return s.apply(n, "")
}

func (s *Substitution) apply(n Node, where string) Node {
	if !s.holds(n.y) || s.stopped {
		return n
	}
	if s.copied++; s.copied > maxCopied {
		s.stopped = true
		n.Problem("write out what is meant instead of aliases, or fewer values", "references are put into more than %d values", maxCopied)
		return n
	}
	y := n.target()
	if y.Kind == yaml.ScalarNode {
		return s.scalar(n, where)
	}
	c := *y
	c.Line, c.Column, c.Anchor = n.y.Line, n.y.Column, ""
	c.Content = make([]*yaml.Node, len(y.Content))
	for i, child := range y.Content {
		c.Content[i] = child
		switch {
		case y.Kind == yaml.SequenceNode:
			c.Content[i] = s.apply(Node{child, n.f}, where).y
		case i%2 == 1:
			c.Content[i] = s.apply(Node{child, n.f}, under(where, y.Content[i-1].Value)).y
		}
	}
	return Node{&c, n.f}
}

func under(where, key string) string {
	if where == "" {
		return key
	}
	return where + "." + key
}

// holds reports whether a node, or what is in it, holds a reference.
func (s *Substitution) holds(y *yaml.Node) bool {
	if y.Kind == yaml.AliasNode {
		y = y.Alias
	}
	if y.Kind == yaml.ScalarNode {
		return strings.Contains(y.Value, "${")
	}
	found, known := s.touched[y]
	if known {
		return found
	}
	for _, child := range y.Content {
		found = s.holds(child) || found
	}
	s.touched[y] = found
	return found
}

// scalar replaces the references of one text.
func (s *Substitution) scalar(n Node, where string) Node {
	y := n.target()
	t, bad := ParseText(y.Value, n.Pos())
	if bad != "" || y.Tag != "!!str" {
		return n // whoever reads it says what is wrong
	}
	var out strings.Builder
	changed, escape := false, s.Escape[where]
	for i, p := range t.parts {
		s.literal(&out, p.literal)
		if p.ref.Name == "" {
			continue
		}
		value, mine := s.Value(p.ref, n)
		switch {
		case !mine:
			out.WriteString(p.ref.String())
			continue
		case value.IsZero():
			if s.Literals {
				out.WriteString(p.ref.String())
			}
		case i == 0 && len(t.parts) == 2 && p.literal == "" && t.parts[1].literal == "" && escape == nil:
			c := *value.target()
			c.Line, c.Column, c.Anchor = n.y.Line, n.y.Column, ""
			return Node{&c, n.f}
		default:
			text := value.target().Value
			if escape != nil {
				text = escape(out.String(), text)
			}
			out.WriteString(text)
		}
		changed = true
	}
	if !changed && !s.Literals {
		return n
	}
	return n.WithText(out.String())
}

// literal writes what stands between references, still escaped where it will be
// read again.
func (s *Substitution) literal(b *strings.Builder, text string) {
	if !s.Literals {
		text = strings.ReplaceAll(text, "${", "$${")
	}
	b.WriteString(text)
}

// WithText gives a node in the same place that is a text.
func (n Node) WithText(s string) Node {
	return Node{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Style: yaml.DoubleQuotedStyle, Value: s, Line: n.y.Line, Column: n.y.Column}, n.f}
}
