package expect

import (
	"bytes"
	"encoding/json"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// show is a node for a person: its text as it came, numbers with their digits,
// without the space between its parts. It is cut when it is long.
func show(v jsonpath.Value) string {
	raw := v.Raw()
	out := make([]byte, 0, min(len(raw), maxRaw+1))
	quoted := false
	for i := 0; i < len(raw) && len(out) <= maxRaw; i++ {
		c := raw[i]
		switch {
		case quoted && c == '\\' && i+1 < len(raw):
			out = append(out, c)
			i++
			c = raw[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == ' ' || c == '\n' || c == '\t' || c == '\r'):
			continue
		}
		out = append(out, c)
	}
	return string(out)
}

// typed is a node with its type, where the type is what is wrong.
func typed(v jsonpath.Value) string {
	switch v.Kind() {
	case jsonpath.Null:
		return "null"
	case jsonpath.Boolean:
		return show(v) + " (a boolean)"
	case jsonpath.Number:
		return show(v) + " (a number)"
	case jsonpath.String:
		return "(a string) " + show(v)
	case jsonpath.Array:
		return "(an array) " + show(v)
	}
	return "(an object) " + show(v)
}

// showWanted writes a declared value as JSON.
func showWanted(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "a value that JSON cannot hold"
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// differs is a node that is not the wanted value, with what explains a
// difference that cannot be seen.
func differs(v jsonpath.Value, want any) string {
	switch want := want.(type) {
	case json.Number:
		if v.Kind() == jsonpath.String && isNumber(v.Text()) {
			return typed(v) + "; quote the wanted value to compare text"
		}
	case string:
		if v.Kind() == jsonpath.Number && isNumber(want) {
			return typed(v) + "; remove the quotes of the wanted value to compare numbers"
		}
	}
	return show(v)
}

// isNumber reports whether a text is nothing but a number as JSON writes it, so
// that it may well be meant as one.
func isNumber(s string) bool {
	return len(s) <= 64 && s != "" && (s[0] == '-' || '0' <= s[0] && s[0] <= '9') && json.Valid([]byte(s))
}
