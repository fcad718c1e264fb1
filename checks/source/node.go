package source

import (
	"iter"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"
)

// Node is a cursor on one YAML node. Its readers report what is wrong at the
// node's place and return false; a caller goes on and collects every problem.
type Node struct {
	y *yaml.Node
	f *File
}

// IsZero reports whether the cursor stands nowhere.
func (n Node) IsZero() bool { return n.y == nil }

// Pos is the node's place.
func (n Node) Pos() Position { return n.f.nodePos(n.y) }

// Problem reports something wrong at the node.
func (n Node) Problem(hint, format string, args ...any) {
	n.f.problem(n.Pos(), hint, format, args...)
}

// target follows an alias.
func (n Node) target() *yaml.Node {
	if n.y.Kind == yaml.AliasNode {
		return n.y.Alias
	}
	return n.y
}

// IsMapping, IsList and IsScalar tell the form of the node.
func (n Node) IsMapping() bool { return n.target().Kind == yaml.MappingNode }

// IsList reports whether the node is a sequence.
func (n Node) IsList() bool { return n.target().Kind == yaml.SequenceNode }

// IsScalar reports whether the node is a single value.
func (n Node) IsScalar() bool { return n.target().Kind == yaml.ScalarNode }

// IsNull reports whether the node is empty or null.
func (n Node) IsNull() bool { y := n.target(); return y.Kind == yaml.ScalarNode && y.Tag == "!!null" }

// IsString reports whether the node is a scalar that YAML reads as text.
func (n Node) IsString() bool { y := n.target(); return y.Kind == yaml.ScalarNode && y.Tag == "!!str" }

// form names what the node is, for messages.
func (n Node) form() string {
	y := n.target()
	switch {
	case y.Kind == yaml.MappingNode:
		return "a mapping"
	case y.Kind == yaml.SequenceNode:
		return "a list"
	case y.Tag == "!!null":
		return "nothing"
	}
	return strconv.Quote(y.Value)
}

// Pair is one entry of a mapping.
type Pair struct {
	Key   string
	KeyAt Node
	Value Node
}

// Pairs lists a mapping's entries in order, the merged ones (<<) last and only
// where the mapping itself does not say the key.
func (n Node) Pairs() ([]Pair, bool) {
	y := n.target()
	if y.Kind != yaml.MappingNode {
		n.Problem("", "expected a mapping (key: value), got %s", n.form())
		return nil, false
	}
	pairs := make([]Pair, 0, len(y.Content)/2)
	var merges []Node
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := Node{y.Content[i], n.f}, Node{y.Content[i+1], n.f}
		if y.Content[i].Tag == "!!merge" {
			merges = append(merges, value)
			continue
		}
		pairs = append(pairs, Pair{Key: y.Content[i].Value, KeyAt: key, Value: value})
	}
	for _, m := range merges {
		pairs = m.merge(pairs)
	}
	return pairs, true
}

// each walks a mapping's entries as Pairs lists them, without a list where
// nothing is merged.
func (n Node) each() (iter.Seq[Pair], bool) {
	y := n.target()
	if y.Kind != yaml.MappingNode || slices.ContainsFunc(y.Content, func(c *yaml.Node) bool { return c.Tag == "!!merge" }) {
		pairs, ok := n.Pairs()
		return slices.Values(pairs), ok
	}
	return func(yield func(Pair) bool) {
		for i := 0; i+1 < len(y.Content); i += 2 {
			key := y.Content[i]
			if !yield(Pair{Key: key.Value, KeyAt: Node{key, n.f}, Value: Node{y.Content[i+1], n.f}}) {
				return
			}
		}
	}, true
}

// merge adds the pairs of a merged mapping, or of a list of them, that are not
// there yet.
func (n Node) merge(pairs []Pair) []Pair {
	sources := []Node{n}
	if n.IsList() {
		sources = n.items()
	}
	said := make(map[string]bool, len(pairs))
	for _, p := range pairs {
		said[p.Key] = true
	}
	for _, src := range sources {
		merged, ok := src.Pairs()
		if !ok {
			continue
		}
		for _, p := range merged {
			if !said[p.Key] {
				said[p.Key] = true
				pairs = append(pairs, p)
			}
		}
	}
	return pairs
}

func (n Node) items() []Node {
	y := n.target()
	items := make([]Node, len(y.Content))
	for i, c := range y.Content {
		items[i] = Node{c, n.f}
	}
	return items
}

// Items lists a sequence's nodes.
func (n Node) Items() ([]Node, bool) {
	if !n.IsList() {
		n.Problem("", "expected a list, got %s", n.form())
		return nil, false
	}
	return n.items(), true
}

// ItemsOrOne lists a sequence's nodes, or the node itself where it is no list.
func (n Node) ItemsOrOne() []Node {
	if n.IsList() {
		return n.items()
	}
	return []Node{n}
}

// Member gives the value of a key of a mapping; the zero Node where it has none
// or is no mapping.
func (n Node) Member(key string) Node {
	y := n.target()
	if y.Kind != yaml.MappingNode {
		return Node{}
	}
	merges := false
	for i := 0; i+1 < len(y.Content); i += 2 {
		if y.Content[i].Value == key {
			return Node{y.Content[i+1], n.f}
		}
		merges = merges || y.Content[i].Tag == "!!merge"
	}
	if !merges {
		return Node{}
	}
	pairs, _ := n.Pairs()
	for _, p := range pairs {
		if p.Key == key {
			return p.Value
		}
	}
	return Node{}
}
