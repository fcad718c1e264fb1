package source

import (
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Form says what a value may be, as a fragment of a JSON Schema (2020-12). It is
// only made when a schema is.
type Form func(s *Schema) map[string]any

// Schema gathers the definitions that forms refer to.
type Schema struct {
	Defs map[string]any
	// Blocks are the forms of what other rooms give a meaning to, by key.
	Blocks map[string]Form
	// Formless are the keys that have no form, which is a mistake of ours.
	Formless []string
	// matrix is set within a probe: a reference to a value of each: may stand
	// where a number, a boolean or a word is due.
	matrix bool
}

const (
	eachPattern     = `\$\{each(\.[A-Za-z_][A-Za-z0-9_]*)?\}`
	durationPattern = `^(0|((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h|d|w))+)$`
	sizePattern2020 = `^\d+(\.\d+)?\s*([Bb]|[Kk][Bb]|[Mm][Bb]|[Gg][Bb]|[Kk][Ii][Bb]|[Mm][Ii][Bb]|[Gg][Ii][Bb])?$`
)

// orEach lets a reference to a value of a matrix stand for a value.
func (s *Schema) orEach(form map[string]any) map[string]any {
	if !s.matrix {
		return form
	}
	return map[string]any{"anyOf": []any{form, map[string]any{"type": "string", "pattern": eachPattern}}}
}

// scalar is what Node.String reads: numbers and booleans are text as they are
// written.
var scalar = []any{"string", "number", "boolean"}

// Any is any value.
func Any(*Schema) map[string]any { return map[string]any{} }

// AnyText is text, an empty one included.
func AnyText(*Schema) map[string]any { return map[string]any{"type": scalar} }

// SomeText is text that is more than space.
func SomeText(*Schema) map[string]any { return map[string]any{"type": scalar, "pattern": `\S`} }

// RegexpText is a regular expression in RE2's syntax.
func RegexpText(*Schema) map[string]any { return map[string]any{"type": scalar} }

// JSONPath is an RFC 9535 path.
func JSONPath(*Schema) map[string]any {
	return map[string]any{"type": "string", "pattern": `^\$`}
}

// Matching is text of a pattern, which numbers and booleans have to be, too, as
// they are written. The pattern of a JSON Schema judges strings only, so that
// what else may stand there follows from what the pattern says of samples.
func Matching(pattern string) Form {
	return func(*Schema) map[string]any {
		of := Pattern(pattern)()
		text := map[string]any{"type": "string", "pattern": pattern}
		forms := []any{text}
		if of.MatchString("0") && of.MatchString("42") {
			number := map[string]any{"type": "integer", "minimum": 0}
			if of.MatchString("1.5") {
				number["type"] = "number"
			}
			if of.MatchString("-1") {
				delete(number, "minimum")
			}
			forms = append(forms, number)
		}
		if of.MatchString("true") && of.MatchString("false") {
			forms = append(forms, map[string]any{"type": "boolean"})
		}
		if len(forms) == 1 {
			return text
		}
		return map[string]any{"anyOf": forms}
	}
}

// AtMost is text of a pattern that numbers have to be, too, as they are written:
// they are integers from low to high.
func AtMost(low, high int, pattern string) Form {
	return func(s *Schema) map[string]any {
		return s.orEach(map[string]any{"anyOf": []any{
			map[string]any{"type": "integer", "minimum": low, "maximum": high}, map[string]any{"type": "string", "pattern": pattern},
		}})
	}
}

// Flag is true or false.
func Flag(s *Schema) map[string]any { return s.orEach(map[string]any{"type": "boolean"}) }

// True is true.
func True(s *Schema) map[string]any { return s.orEach(map[string]any{"const": true}) }

// Whole is a whole number from low to high; quotes around it are allowed.
func Whole(low, high int) Form { return AtMost(low, high, `^(0|[1-9][0-9]*)$`) }

// Number is any number, unquoted.
func Number(s *Schema) map[string]any { return s.orEach(map[string]any{"type": "number"}) }

// Time is a duration of ParseDuration's grammar.
func Time(s *Schema) map[string]any {
	return s.orEach(map[string]any{"anyOf": []any{map[string]any{"const": 0}, map[string]any{"type": "string", "pattern": durationPattern}}})
}

// TimeFrom is a duration that is not 0.
func TimeFrom(time.Duration) Form {
	return func(s *Schema) map[string]any {
		return s.orEach(map[string]any{"type": "string", "pattern": durationPattern, "not": map[string]any{"pattern": `^[0.a-zµμ]*$`}})
	}
}

// Bytes is a size of ParseSize's grammar, at least one byte.
func Bytes(s *Schema) map[string]any {
	return s.orEach(map[string]any{"anyOf": []any{
		map[string]any{"type": "number", "minimum": 1}, map[string]any{"type": "string", "pattern": sizePattern2020, "not": map[string]any{"pattern": `^[0.]+\s*[A-Za-z]*$`}},
	}})
}

// OneOf is one of several words; one that YAML reads as a number or a boolean
// may be written with or without quotes.
func OneOf(words ...string) Form {
	return func(s *Schema) map[string]any {
		var list []any
		for _, w := range words {
			list = append(list, w)
			if v := any(nil); json.Unmarshal([]byte(w), &v) == nil && v != nil && !strings.HasPrefix(w, `"`) {
				list = append(list, v)
			}
		}
		return s.orEach(map[string]any{"enum": list})
	}
}

// Null is an empty value.
func Null(*Schema) map[string]any { return map[string]any{"type": "null"} }

// List is a list of at least some of a form.
func List(least int, of Form) Form {
	return func(s *Schema) map[string]any {
		f := map[string]any{"type": "array", "items": of(s)}
		if least > 0 {
			f["minItems"] = least
		}
		return f
	}
}

// OneOrList is a form, or a list of at least some of it.
func OneOrList(least int, of Form) Form { return Either(of, List(least, of)) }

// Map is a mapping of names to a form; least is how many there are at least.
func Map(least int, of Form) Form { return NamedMap(least, "", of) }

// NamedMap is a Map whose names follow a pattern.
func NamedMap(least int, names string, of Form) Form {
	return func(s *Schema) map[string]any {
		f := map[string]any{"type": "object", "additionalProperties": of(s)}
		if least > 0 {
			f["minProperties"] = least
		}
		if names != "" {
			f["propertyNames"] = map[string]any{"pattern": names}
		}
		return f
	}
}

// Some makes a mapping say at least something.
func Some(of Form) Form { return With(of, map[string]any{"minProperties": 1}) }

// Either is one of several forms.
func Either(forms ...Form) Form {
	return func(s *Schema) map[string]any {
		list := make([]any, len(forms))
		for i, f := range forms {
			list[i] = f(s)
		}
		return map[string]any{"anyOf": list}
	}
}

// With adds a rule to a form.
func With(of Form, rule map[string]any) Form {
	return func(s *Schema) map[string]any { return map[string]any{"allOf": []any{of(s), rule}} }
}

// ExactlyOne is the rule that a mapping has exactly one of some keys.
func ExactlyOne(keys ...string) map[string]any {
	list := make([]any, len(keys))
	for i, k := range keys {
		list[i] = map[string]any{"required": []string{k}}
	}
	return map[string]any{"oneOf": list}
}

// InMatrix is a form within a probe, where a value of each: may stand for any
// value.
func InMatrix(of Form) Form {
	return func(s *Schema) map[string]any {
		before := s.matrix
		s.matrix = true
		defer func() { s.matrix = before }()
		return of(s)
	}
}

// Form is the form of the table's mapping: its keys with what they are for.
func (o *Object[T]) Form(s *Schema) map[string]any {
	name := o.what
	if s.matrix {
		name += " in a probe"
	}
	name = strings.NewReplacer(" ", "_", "'", "_").Replace(name)
	for i := 2; ; i++ {
		if def, taken := s.Defs[name].(*definition); !taken || def.of == any(o) {
			break
		}
		name = strings.TrimRight(name, "0123456789") + string(rune('0'+i))
	}
	if _, made := s.Defs[name]; !made {
		def := &definition{of: o}
		s.Defs[name] = def // before its keys: a table may hold itself
		def.schema = o.schema(s)
	}
	return map[string]any{"$ref": "#/$defs/" + name}
}

// Block is a part of a declaration that another room gives a meaning to.
func Block(key string) Form {
	return func(s *Schema) map[string]any {
		if form := s.Blocks[key]; form != nil {
			return form(s)
		}
		return map[string]any{"type": "object"}
	}
}

// definition is the schema of one table.
type definition struct {
	of     any
	schema map[string]any
}

// MarshalJSON writes the schema.
func (d *definition) MarshalJSON() ([]byte, error) { return json.Marshal(d.schema) }

func (o *Object[T]) schema(s *Schema) map[string]any {
	properties := map[string]any{}
	var required []string
	for _, f := range o.fields {
		if f.Decode == nil {
			continue
		}
		if f.Form == nil {
			s.Formless = append(s.Formless, o.what+": "+f.Name)
			continue
		}
		form := f.Form(s)
		if _, isRef := form["$ref"]; isRef || form["description"] != nil {
			form = map[string]any{"allOf": []any{form}}
		}
		form["description"] = f.Doc
		properties[f.Name] = form
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		slices.Sort(required)
		schema["required"] = required
	}
	return schema
}
