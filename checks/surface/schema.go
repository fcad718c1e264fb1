package surface

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// node is a schema as far as it is compared key by key. Everything else of it
// is compared as a whole.
type node map[string]json.RawMessage

func parse(raw json.RawMessage) (node, bool) {
	var n node
	if json.Unmarshal(raw, &n) != nil || n == nil {
		return nil, false
	}
	return n, true
}

// schema compares two schemas of what a tool takes (input) or gives. What may
// be sent must not become less, and what is given must not become more.
func (c *comparison) schema(path string, was, is json.RawMessage, input bool) {
	if string(was) == string(is) {
		return
	}
	a, ok := parse(was)
	b, ok2 := parse(is)
	if !ok || !ok2 {
		c.breaks("schema", path, short(was), short(is))
		return
	}
	c.types(path, a["type"], b["type"], input)
	c.properties(path, a, b, input)
	c.enum(path, a["enum"], b["enum"], input)
	c.schemaOf(path+"[]", a["items"], b["items"], input)
	for _, n := range []node{a, b} {
		if string(n["additionalProperties"]) == "true" { // as is what says nothing
			delete(n, "additionalProperties")
		}
	}
	for _, key := range slices.Sorted(maps.Keys(union(a, b))) {
		if string(a[key]) == string(b[key]) || slices.Contains(compared, key) {
			continue
		}
		if slices.Contains(described, key) {
			c.adds("description", path+"."+key, short(a[key]), short(b[key]))
			continue
		}
		// A constraint that is gone lets more be sent; any other change may not.
		breaking := b[key] != nil == input || a[key] != nil && b[key] != nil
		c.list = append(c.list, Diff{"constraint", path + "." + key, short(a[key]), short(b[key]), breaking})
	}
}

var (
	compared  = []string{"type", "properties", "required", "enum", "items"}
	described = []string{"title", "description", "examples", "default", "$comment", "$schema", "deprecated"}
)

func (c *comparison) schemaOf(path string, was, is json.RawMessage, input bool) {
	switch {
	case was == nil && is == nil:
	case was == nil:
		c.list = append(c.list, Diff{"constraint", path, "anything", short(is), input})
	case is == nil:
		c.list = append(c.list, Diff{"constraint", path, short(was), "anything", !input})
	default:
		c.schema(path, was, is, input)
	}
}

// types compares what kinds of values are allowed; none named are all.
func (c *comparison) types(path string, was, is json.RawMessage, input bool) {
	a, b := texts(was), texts(is)
	if slices.Equal(a, b) {
		return
	}
	less, more := !covers(b, a), !covers(a, b)
	breaking := input && less || !input && more
	code := "type_widened"
	if less {
		code = "type_narrowed"
	}
	c.list = append(c.list, Diff{code, path, orAny(a), orAny(b), breaking})
}

// covers reports whether every one of the types is among the others; an
// integer is a number.
func covers(wide, narrow []string) bool {
	if len(wide) == 0 {
		return true
	}
	if len(narrow) == 0 {
		return false
	}
	for _, t := range narrow {
		if !slices.Contains(wide, t) && !(t == "integer" && slices.Contains(wide, "number")) {
			return false
		}
	}
	return true
}

func orAny(list []string) string {
	if len(list) == 0 {
		return "any"
	}
	return strings.Join(list, " or ")
}

// texts reads one text or a list of them, in order.
func texts(raw json.RawMessage) []string {
	var one string
	if json.Unmarshal(raw, &one) == nil && one != "" {
		return []string{one}
	}
	var list []string
	_ = json.Unmarshal(raw, &list)
	slices.Sort(list)
	return list
}

func (c *comparison) enum(path string, was, is json.RawMessage, input bool) {
	if string(was) == string(is) {
		return
	}
	var a, b []json.RawMessage
	_ = json.Unmarshal(was, &a)
	_ = json.Unmarshal(is, &b)
	switch {
	case was == nil:
		c.list = append(c.list, Diff{"enum", path, "any value", short(is), input})
		return
	case is == nil:
		c.list = append(c.list, Diff{"enum", path, short(was), "any value", !input})
		return
	}
	has := func(list []json.RawMessage, v json.RawMessage) bool {
		return slices.ContainsFunc(list, func(o json.RawMessage) bool { return string(o) == string(v) })
	}
	for _, v := range a {
		if !has(b, v) {
			c.list = append(c.list, Diff{"value_removed", path, short(v), "gone", input})
		}
	}
	for _, v := range b {
		if !has(a, v) {
			c.adds("value_added", path, "absent", short(v))
		}
	}
}

func (c *comparison) properties(path string, a, b node, input bool) {
	pa, _ := parse(a["properties"])
	pb, _ := parse(b["properties"])
	ra, rb := texts(a["required"]), texts(b["required"])
	for _, name := range slices.Sorted(maps.Keys(union(pa, pb))) {
		at := path + "." + name
		inA, inB := pa[name] != nil, pb[name] != nil
		needA, needB := slices.Contains(ra, name), slices.Contains(rb, name)
		switch {
		case inA && !inB && input:
			c.breaks("argument_removed", at, required(needA), "gone")
		case inA && !inB:
			c.breaks("field_removed", at, required(needA), "gone")
		case !inA && input:
			c.list = append(c.list, Diff{"argument_added", at, "absent", required(needB), needB})
		case !inA:
			c.adds("field_added", at, "absent", required(needB))
		default:
			if needA != needB {
				// An argument may become optional, a field of an answer may not.
				c.list = append(c.list, Diff{"required", at, required(needA), required(needB), needB == input})
			}
			c.schema(at, pa[name], pb[name], input)
		}
	}
}

// short is a value for a person.
func short(raw json.RawMessage) string {
	const most = 120
	if raw == nil {
		return "absent"
	}
	s := strings.ToValidUTF8(string(raw), "\ufffd")
	if len(s) > most {
		return strings.ToValidUTF8(s[:most], "") + "…"
	}
	return s
}
