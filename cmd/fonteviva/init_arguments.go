package main

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// examples gives the required arguments that a schema has a value for, and
// names those that it has none for.
func examples(raw json.RawMessage) (args map[string]any, missing []string) {
	var s toolSchema
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber() // a number keeps its digits
	_ = d.Decode(&s)
	args = map[string]any{}
	for _, name := range s.Required {
		if v, ok := example(s.Properties[name]); ok {
			args[name] = v
		} else {
			missing = append(missing, name)
		}
	}
	return args, missing
}

// example is a value that a schema itself names.
func example(property map[string]any) (any, bool) {
	for _, key := range []string{"const", "default"} {
		if v, ok := property[key]; ok {
			return literal(v), true
		}
	}
	for _, key := range []string{"examples", "enum"} {
		if list, ok := property[key].([]any); ok && len(list) > 0 {
			return literal(list[0]), true
		}
	}
	return nil, false
}

// literal keeps what looks like a reference, however deep it stands, from being
// one: a server could have our environment sent to it.
func literal(v any) any {
	switch v := v.(type) {
	case string:
		return strings.ReplaceAll(v, "${", "$${")
	case []any:
		for i := range v {
			v[i] = literal(v[i])
		}
	case map[string]any:
		for key := range v {
			v[key] = literal(v[key])
		}
	}
	return v
}

// namesReference reports whether a key in a value looks like a reference, which
// stands nowhere in a declaration's keys, not even escaped.
func namesReference(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, namesReference)
	case map[string]any:
		for key, value := range v {
			if strings.Contains(key, "${") || namesReference(value) {
				return true
			}
		}
	}
	return false
}
