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

// isDecimal reports whether a text is a whole number without a sign or leading
// zeros. It is asked by most declarations: no expression is compiled for it.
func isDecimal(s string) bool {
	return s != "" && (s[0] != '0' || s == "0") && strings.Trim(s, "0123456789") == ""
}

// Int reads a whole number between low and high.
func (n Node) Int(low, high int) (int, bool) {
	y := n.target()
	if y.Kind != yaml.ScalarNode || !isDecimal(y.Value) {
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
		n.Problem(didYouMean(s, words), "expected one of %s, got %s", strings.Join(words, ", "), strconv.Quote(s))
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

// isNumber reports whether a text is a number as RFC 8259 §6 writes it; what
// most declarations hold needs no expression.
func isNumber(s string) bool {
	switch {
	case isDecimal(s):
		return true
	case s == "" || s[0] != '-' && (s[0] < '0' || s[0] > '9'):
		return false
	}
	return jsonNumber().MatchString(s)
}

var jsonNumber = Pattern(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

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
		if !isNumber(y.Value) {
			n.Problem("quote it if text is meant", "%s is not a number that JSON can hold", y.Value)
			return nil, false
		}
		return json.Number(y.Value), true
	case "!!str":
		// The YAML library takes a number that no float64 can hold for text.
		if y.Style == 0 && isNumber(y.Value) {
			return json.Number(y.Value), true
		}
	}
	return y.Value, true
}
