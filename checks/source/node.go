package source

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

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

// merge adds the pairs of a merged mapping, or of a list of them, that are not
// there yet.
func (n Node) merge(pairs []Pair) []Pair {
	sources := []Node{n}
	if n.IsList() {
		sources = n.items()
	}
	for _, src := range sources {
		merged, ok := src.Pairs()
		if !ok {
			continue
		}
		for _, p := range merged {
			if !slices.ContainsFunc(pairs, func(q Pair) bool { return q.Key == p.Key }) {
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

// String reads text. Numbers, booleans and dates are taken as they are
// written, so that 012 stays "012".
func (n Node) String() (string, bool) {
	y := n.target()
	if y.Kind != yaml.ScalarNode || y.Tag == "!!null" {
		n.Problem("", "expected text, got %s", n.form())
		return "", false
	}
	return y.Value, true
}

// NonEmpty reads text that has at least one character.
func (n Node) NonEmpty() (string, bool) {
	s, ok := n.String()
	if ok && strings.TrimSpace(s) == "" {
		n.Problem("", "expected text, got an empty one")
		return "", false
	}
	return s, ok
}

// Strings reads a list of texts, or one text as a list of one.
func (n Node) Strings() ([]string, bool) {
	var out []string
	all := true
	for _, item := range n.ItemsOrOne() {
		s, ok := item.String()
		all = all && ok
		out = append(out, s)
	}
	return out, all
}

// Text reads text that may hold references.
func (n Node) Text() (Text, bool) {
	s, ok := n.String()
	if !ok {
		return Text{}, false
	}
	t, bad := ParseText(s, n.Pos())
	if bad != "" {
		n.Problem("write ${env.NAME}, ${probe.capture}, or $${ for a literal ${", "%s is not a reference", strconv.Quote(bad))
		return Text{}, false
	}
	return t, true
}

// Bool reads true or false.
func (n Node) Bool() (value, ok bool) {
	if y := n.target(); y.Kind == yaml.ScalarNode && y.Tag == "!!bool" {
		return strings.EqualFold(y.Value, "true"), true
	}
	n.Problem("", "expected true or false, got %s", n.form())
	return false, false
}

var decimalInt = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// Int reads a whole number between low and high.
func (n Node) Int(low, high int) (int, bool) {
	y := n.target()
	if y.Kind != yaml.ScalarNode || !decimalInt.MatchString(y.Value) {
		n.Problem("", "expected a whole number from %d to %d, got %s", low, high, n.form())
		return 0, false
	}
	v, err := strconv.Atoi(y.Value)
	if err != nil || v < low || v > high {
		n.Problem("", "expected a whole number from %d to %d, got %s", low, high, y.Value)
		return 0, false
	}
	return v, true
}

// Duration reads a duration of ParseDuration's grammar, at least low.
func (n Node) Duration(low time.Duration) (time.Duration, bool) {
	s, ok := n.String()
	if !ok {
		return 0, false
	}
	d, err := ParseDuration(s)
	if err != nil {
		n.Problem("", "%v", err)
		return 0, false
	}
	if d < low {
		n.Problem("", "expected a duration of at least %s, got %s", FormatDuration(low), s)
		return 0, false
	}
	return d, true
}

// Size reads a number of bytes, at least 1.
func (n Node) Size() (int64, bool) {
	s, ok := n.String()
	if !ok {
		return 0, false
	}
	v, err := ParseSize(s)
	if err == nil && v < 1 {
		err = fmt.Errorf("expected a size of at least 1 byte, got %s", s)
	}
	if err != nil {
		n.Problem("", "%v", err)
		return 0, false
	}
	return v, true
}

// Enum reads one of the given words.
func (n Node) Enum(words ...string) (string, bool) {
	s, ok := n.String()
	if !ok {
		return "", false
	}
	if !slices.Contains(words, s) {
		n.Problem(DidYouMean(s, words), "expected one of %s, got %s", strings.Join(words, ", "), strconv.Quote(s))
		return "", false
	}
	return s, true
}

// Regexp reads a regular expression (RE2 syntax, linear time).
func (n Node) Regexp() (*regexp.Regexp, bool) {
	s, ok := n.String()
	if !ok {
		return nil, false
	}
	re, err := regexp.Compile(s)
	if err != nil {
		n.Problem("the syntax is RE2: no look-around, no back-references", "not a regular expression: %v", err)
		return nil, false
	}
	return re, true
}

var jsonNumber = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

// Value reads any value as JSON has it: nil, bool, string, json.Number with
// its digits as written, []any and map[string]any. Dates are text.
func (n Node) Value() (any, bool) { return n.value(0) }

func (n Node) value(depth int) (any, bool) {
	if depth > maxDepth {
		n.Problem("", "nested deeper than %d levels", maxDepth)
		return nil, false
	}
	switch {
	case n.IsMapping():
		pairs, _ := n.Pairs()
		m, all := make(map[string]any, len(pairs)), true
		for _, p := range pairs {
			v, ok := p.Value.value(depth + 1)
			all = all && ok
			m[p.Key] = v
		}
		return m, all
	case n.IsList():
		list, all := []any{}, true
		for _, item := range n.items() {
			v, ok := item.value(depth + 1)
			all = all && ok
			list = append(list, v)
		}
		return list, all
	}
	return n.scalar()
}

func (n Node) scalar() (any, bool) {
	y := n.target()
	switch y.Tag {
	case "!!null":
		return nil, true
	case "!!bool":
		return strings.EqualFold(y.Value, "true"), true
	case "!!int", "!!float":
		if !jsonNumber.MatchString(y.Value) {
			n.Problem("quote it if text is meant", "%s is not a number that JSON can hold", y.Value)
			return nil, false
		}
		return json.Number(y.Value), true
	case "!!str":
		// The YAML library takes a number that no float64 can hold for text.
		if y.Style == 0 && jsonNumber.MatchString(y.Value) {
			return json.Number(y.Value), true
		}
	}
	return y.Value, true
}
