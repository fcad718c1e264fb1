package jsonschema

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// draft is a version of JSON Schema.
type draft uint8

const (
	draft2020 draft = iota // what a schema without $schema is
	draft7
)

// metaschemas are the dialects that $schema may name, without the fragment.
var metaschemas = map[string]draft{
	"https://json-schema.org/draft/2020-12/schema": draft2020,
	"http://json-schema.org/draft-07/schema":       draft7,
	"https://json-schema.org/draft-07/schema":      draft7,
}

// metaschema tells the draft that a metaschema describes, or one of the
// vocabularies that it is made of. They are checked by malformed.
func metaschema(address string) (draft, bool) {
	if strings.HasPrefix(address, "https://json-schema.org/draft/2020-12/meta/") {
		return draft2020, true
	}
	d, known := metaschemas[address]
	return d, known
}

// form is what the value of a keyword must look like.
type form struct {
	what  string
	holds func(v jsonpath.Node) bool
	// where the subschemas stand in the value
	self, elements, members bool
}

var (
	isSchema  = form{what: "a schema: an object, true or false", self: true}
	schemas   = form{what: "a list of at least one schema", holds: func(v jsonpath.Node) bool { return v.Kind() == jsonpath.Array && v.Count() > 0 }, elements: true}
	schemaMap = form{what: "an object of schemas", holds: isKind(jsonpath.Object), members: true}
	// items of draft-07, and what dependencies hold, are schemas or lists.
	schemaOrList = form{what: "a schema or a list of schemas", self: true, elements: true}
	dependency   = form{what: "an object of schemas or of lists of names", holds: isKind(jsonpath.Object), members: true}

	text     = form{what: "a string", holds: isKind(jsonpath.String)}
	boolean  = form{what: "true or false", holds: isKind(jsonpath.Boolean)}
	number   = form{what: "a number", holds: isKind(jsonpath.Number)}
	positive = form{what: "a number above 0", holds: func(v jsonpath.Node) bool {
		return v.Kind() == jsonpath.Number && decimal.Compare(string(v.Value().Raw()), "0") > 0
	}}
	count = form{what: "a whole number from 0 on", holds: func(v jsonpath.Node) bool {
		raw := string(v.Value().Raw())
		return v.Kind() == jsonpath.Number && decimal.IsInteger(raw) && decimal.Compare(raw, "0") >= 0
	}}
	names   = form{what: "a list of different strings", holds: isNames}
	nameMap = form{what: "an object of lists of different strings", holds: func(v jsonpath.Node) bool {
		ok := v.Kind() == jsonpath.Object
		v.Members(func(_ jsonpath.Value, m jsonpath.Node) bool { ok = ok && isNames(m); return ok })
		return ok
	}}
	list      = form{what: "a list", holds: isKind(jsonpath.Array)}
	typeNames = form{what: "one of " + strings.Join(typeWords, ", ") + ", or a list of them", holds: isTypes}
)

var typeWords = []string{"null", "boolean", "number", "string", "array", "object", "integer"}

func isKind(k jsonpath.Kind) func(jsonpath.Node) bool {
	return func(v jsonpath.Node) bool { return v.Kind() == k }
}

func isNames(v jsonpath.Node) bool {
	ok := v.Kind() == jsonpath.Array
	seen := map[string]bool{}
	v.Elements(func(_ int, e jsonpath.Node) bool {
		name := e.Value().Text()
		ok = ok && e.Kind() == jsonpath.String && !seen[name]
		seen[name] = true
		return ok
	})
	return ok
}

func isTypes(v jsonpath.Node) bool {
	known := func(v jsonpath.Node) bool {
		return v.Kind() == jsonpath.String && slices.Contains(typeWords, v.Value().Text())
	}
	if v.Kind() != jsonpath.Array {
		return known(v)
	}
	ok := v.Count() > 0 && isNames(v)
	v.Elements(func(_ int, e jsonpath.Node) bool { ok = ok && known(e); return ok })
	return ok
}

// formsOf gives the keywords of a draft. Keywords that are not in it are
// annotations, and anything may stand in them.
var formsOf = [...]func() map[string]form{
	draft2020: sync.OnceValue(func() map[string]form {
		return withCommon(map[string]form{
			"$anchor": text, "$dynamicRef": text, "$dynamicAnchor": text, "$vocabulary": {what: "an object", holds: isKind(jsonpath.Object)},
			"$defs": schemaMap, "definitions": schemaMap, "prefixItems": schemas, "items": isSchema,
			"minContains": count, "maxContains": count, "unevaluatedItems": isSchema, "unevaluatedProperties": isSchema,
			"dependentSchemas": schemaMap, "dependentRequired": nameMap,
		})
	}),
	draft7: sync.OnceValue(func() map[string]form {
		return withCommon(map[string]form{
			"definitions": schemaMap, "items": schemaOrList, "additionalItems": isSchema,
		})
	}),
}

func withCommon(m map[string]form) map[string]form {
	for key, f := range map[string]form{
		"$schema": text, "$id": text, "$ref": text, "$comment": text, "title": text, "description": text, "format": text,
		"contentEncoding": text, "contentMediaType": text, "readOnly": boolean, "writeOnly": boolean, "examples": list,
		"type": typeNames, "enum": list, "multipleOf": positive,
		"maximum": number, "exclusiveMaximum": number, "minimum": number, "exclusiveMinimum": number,
		"maxLength": count, "minLength": count, "pattern": text, "maxItems": count, "minItems": count, "uniqueItems": boolean,
		"maxProperties": count, "minProperties": count, "required": names, "contains": isSchema, "propertyNames": isSchema,
		"additionalProperties": isSchema, "properties": schemaMap, "patternProperties": schemaMap,
		"dependencies": dependency, "if": isSchema, "then": isSchema, "else": isSchema, "not": isSchema, "allOf": schemas, "anyOf": schemas, "oneOf": schemas,
	} {
		m[key] = f
	}
	return m
}

// subschemas calls visit with every schema that stands directly in a schema.
func subschemas(schema jsonpath.Node, d draft, visit func(sub jsonpath.Node)) {
	forms := formsOf[d]()
	schema.Members(func(name jsonpath.Value, v jsonpath.Node) bool {
		f := forms[name.Text()]
		if f.self && v.Kind() != jsonpath.Array {
			visit(v)
		}
		if f.elements {
			v.Elements(func(_ int, e jsonpath.Node) bool { visit(e); return true })
		}
		if f.members {
			v.Members(func(_ jsonpath.Value, m jsonpath.Node) bool {
				if m.Kind() != jsonpath.Array {
					visit(m)
				}
				return true
			})
		}
		return true
	})
}

// malformed reports what in a schema, and in all that is in it, is no schema
// of the draft. It is what validating with the metaschema would find.
func malformed(schema jsonpath.Node, d draft, report func(at jsonpath.Node, message string)) {
	switch schema.Kind() {
	case jsonpath.Boolean:
		return
	case jsonpath.Object:
	default:
		report(schema, "a schema is an object, true or false")
		return
	}
	if s, has := schema.Member("$schema"); has && s.Kind() == jsonpath.String {
		if own, known := metaschemas[strings.TrimSuffix(s.Value().Text(), "#")]; known {
			d = own
		}
	}
	forms := formsOf[d]()
	schema.Members(func(name jsonpath.Value, v jsonpath.Node) bool {
		if f, known := forms[name.Text()]; known && f.holds != nil && !f.holds(v) {
			report(v, fmt.Sprintf("%s must be %s", name.Text(), f.what))
		} else if name.Text() == "dependencies" {
			v.Members(func(_ jsonpath.Value, m jsonpath.Node) bool {
				if m.Kind() == jsonpath.Array && !isNames(m) {
					report(m, "dependencies must be "+f.what)
				}
				return true
			})
		}
		return true
	})
	subschemas(schema, d, func(sub jsonpath.Node) { malformed(sub, d, report) })
}
