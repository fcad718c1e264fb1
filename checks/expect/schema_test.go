package expect

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/source"
)

// memory serves files of a map.
func memory(files map[string]string) *Files {
	m := fstest.MapFS{}
	for name, text := range files {
		m[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return NewFiles(func(name string) ([]byte, error) { return fs.ReadFile(m, name) })
}

// problemsOf gives place, message and hint of every problem of an expect: mapping.
func problemsOf(t *testing.T, yaml string, files *Files) []string {
	t.Helper()
	_, err := decodeWith(yaml, files)
	var problems source.Problems
	if err != nil && !errors.As(err, &problems) {
		t.Fatal(err)
	}
	got := []string{}
	for _, p := range problems {
		got = append(got, strings.TrimPrefix(p.Pos.String(), "f.yaml:")+" "+p.Message+" | "+p.Hint)
	}
	return got
}

const serie = `{"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "array", "minItems": 1,
 "items": {"$ref": "parts/ponto.json#/$defs/ponto"}}`

const ponto = `{"$defs": {"ponto": {"type": "object", "required": ["data", "valor"], "additionalProperties": false,
 "properties": {"data": {"type": "string", "pattern": "^\\d{2}/"}, "valor": {"type": "string"}, "id": {"type": "integer", "maximum": 9007199254740992}}}}}`

func TestSchema(t *testing.T) {
	files := map[string]string{"schemas/serie.json": serie, "schemas/parts/ponto.json": ponto,
		"seven.json": `{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": false}`,
		"any.json":   `{"anyOf": [{"type": "null"}, {"required": ["a"]}], "oneOf": [{"minProperties": 1}, {"minProperties": 2}]}`,
		"tree.json":  `{"properties": {"in": {"$ref": "#"}}, "items": {"anyOf": [{"$ref": "#/$defs/a"}, {"type": "null"}]}, "$defs": {"a": {"allOf": [{"contains": {"$ref": "#"}}], "propertyNames": {"$ref": "#/$defs/name"}}, "name": {"maxLength": 9}}}`}
	place := " (schemas/parts/ponto.json#/$defs/ponto"
	for _, tc := range []struct {
		yaml, body string
		want       []string
	}{
		{"schema: schemas/serie.json", `[{"data":"01/02/2026","valor":"1","id":9007199254740992}]`, nil},
		{"schema: schemas/serie.json", `[]`, []string{"schema at $: want at least 1 element (schemas/serie.json#), got 0 elements"}},
		{"schema: schemas/serie.json", `[{"data":"2026-02-01","valor":1.50,"id":9007199254740993},{"data":"01/","x y":null}]`, []string{
			`schema at $[0].data: want a match of ^\d{2}/` + place + `/properties/data), got (a string) "2026-02-01"`,
			`schema at $[0].valor: want type string` + place + `/properties/valor), got 1.50 (a number)`,
			`schema at $[0].id: want at most 9007199254740992` + place + `/properties/id), got 9007199254740993 (a number)`,
			`schema at $[1]['x y']: want no member beside those that the schema names` + place + `), got null`,
			`schema at $[1]: want a member "valor"` + place + `), got no member "valor"`}},
		{"schema: {file: ./seven.json, severity: warn}", `["a",1]`,
			[]string{"warn schema at $[1]: want no element beside those that the schema describes (seven.json#), got 1 (a number)"}},
		{"schema: any.json", `{"b":1,"c":2}`, []string{
			"schema at $: want one of the 2 alternatives under anyOf (any.json#), got (an object) {\"b\":1,\"c\":2}",
			"schema at $: want exactly one of the 2 alternatives under oneOf (any.json#), got 2 of them fit"}},
		{"schema: tree.json", `[{"a":1},[[]],null]`, []string{}},
	} {
		spec, err := decodeWith(tc.yaml, memory(files))
		if err != nil {
			t.Fatal(err)
		}
		if tc.want == nil {
			tc.want = []string{}
		}
		if !spec.NeedsJSON() {
			t.Errorf("%s does not need JSON", tc.yaml)
		}
		if diff := cmp.Diff(tc.want, judge(t, spec, &Observation{Body: []byte(tc.body), JSON: true})); diff != "" {
			t.Errorf("%s on %s (-want +got)\n%s", tc.yaml, tc.body, diff)
		}
	}
}

// A schema without an end is ours: it says nothing about the answer.
func TestASchemaWithoutAnEndIsOurLimit(t *testing.T) {
	// Where a $dynamicRef leads is not to be seen before the run.
	files := map[string]string{"loop.json": `{"$dynamicAnchor": "n", "allOf": [{"$dynamicRef": "#n"}]}`}
	spec, err := decodeWith("schema: loop.json", memory(files))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := spec.Evaluate(t.Context(), &Observation{Body: []byte("1"), JSON: true}); !errors.Is(err, ErrLimit) {
		t.Errorf("got %v", err)
	}
}

// Schemas that apply each other in two ways look at every further level twice as
// often: what is not judged for that fails nothing.
func TestASchemaThatCostsTooMuchIsOurLimit(t *testing.T) {
	const twice = `{"$ref": "#/$defs/x", "$defs": {"x": {"anyOf": [{"type": "array", "items": {"$ref": "#/$defs/x"}}, {"type": "array", "items": {"$ref": "#/$defs/x"}}]}}}`
	body := []byte(strings.Repeat("[", 50) + "1" + strings.Repeat("]", 50))
	spec, err := decodeWith("schema: s.json", memory(map[string]string{"s.json": twice}))
	if err != nil {
		t.Fatal(err)
	}
	list, err := spec.Evaluate(t.Context(), &Observation{Body: body, JSON: true})
	if !errors.Is(err, ErrLimit) || len(list) != 1 || list[0].Severity != Warn || !strings.HasPrefix(list[0].Got, "not judged: ") {
		t.Errorf("error %v, %+v", err, list)
	}
}

func TestSchemaIsBounded(t *testing.T) {
	spec, err := decodeWith("schema: s.json", memory(map[string]string{"s.json": `{"items": {"type": "string"}}`}))
	if err != nil {
		t.Fatal(err)
	}
	got := judge(t, spec, &Observation{Body: []byte("[" + strings.Repeat("1,", 99) + "1]"), JSON: true})
	if len(got) != maxPerCheck+1 || got[maxPerCheck] != "schema at $: want what the schema says, got and 90 more" {
		t.Errorf("%d: %s", len(got), got[len(got)-1])
	}
}

func TestSchemaProblems(t *testing.T) {
	files := map[string]string{
		"good.json":    "true",
		"bad.json":     `{"type": "strng", "properties": {"a": {"minLength": -1, "pattern": "(?=x)"}}, "required": ["a", "a"]}`,
		"pattern.json": `{"pattern": "(?=x)"}`,
		"cut.json":     "{\"type\":\n \"string\"",
		"away.json":    `{"$ref": "https://example.org/x.json"}`,
		"lost.json":    `{"properties": {"a": {"$ref": "parts.json"}, "b": {"$ref": "#/$defs/x"}}}`,
		"old.json":     `{"$schema": "http://json-schema.org/draft-04/schema#"}`,
		"twice.json":   `{"type": "string", "type": "null"}`,
		"self.json":    `{"$ref": "#"}`,
		"other.json":   `{"properties": {"a": {"$ref": "back.json#/$defs/b"}}}`,
		"back.json":    `{"$defs": {"b": {"oneOf": [{"type": "null"}, {"not": {"$ref": "#/$defs/c"}}]}, "c": {"if": true, "then": {"$ref": "#/$defs/b"}}}}`,
		"need.json":    `{"dependentSchemas": {"a": {"anyOf": [{"$ref": "#"}]}}}`,
		"anchor.json":  `{"items": {"$anchor": "i", "$dynamicRef": "#i"}}`,
		"seven.json":   `{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$ref": "#/definitions/a"}}, "items": {"$ref": "#/definitions/a"}}`,
	}
	for _, tc := range []struct{ yaml, want string }{
		{"schema: none.json", `1:9 there is no file "none.json" | the path is relative to the declaration, f.yaml`},
		{"schema: {severity: warn}", `1:9 schema has no key "file" | add file: a JSON Schema (2020-12 or draft-07), relative to the declaration`},
		{"schema: {file: good.json, formats: maybe}", `1:36 expected true or false, got "maybe" | `},
		{"schema: bad.json", `1:9 not a JSON Schema: bad.json#/type: type must be one of null, boolean, number, string, array, object, integer, or a list of them; ` +
			`bad.json#/required: required must be a list of different strings; bad.json#/properties/a/minLength: minLength must be a whole number from 0 on | `},
		{"schema: pattern.json", `1:9 not a JSON Schema: pattern.json#/pattern: pattern "(?=x)" is not one that RE2 has (no look-around, no back-references): ` +
			"error parsing regexp: invalid or unsupported Perl syntax: `(?=` | "},
		{"schema: cut.json", "1:9 not a JSON Schema: cut.json: it is not valid JSON, near line 2 | "},
		{"schema: twice.json", "1:9 not a JSON Schema: twice.json: a key stands twice, near line 1 | "},
		{"schema: away.json", "1:9 not a JSON Schema: https://example.org/x.json: it is not a local file, and nothing is fetched from the network (asked for by away.json#/$ref) | "},
		{"schema: lost.json", "1:9 not a JSON Schema: parts.json: there is no such file (asked for by lost.json#/properties/a/$ref); lost.json#/properties/b/$ref: there is nothing at #/$defs/x | "},
		{"schema: old.json", "1:9 not a JSON Schema: http://json-schema.org/draft-04/schema: it is not a local file, and nothing is fetched from the network; " +
			"old.json#/$schema: $schema names neither 2020-12 nor draft-07, and there is no file for it: http://json-schema.org/draft-04/schema | "},
		{"schema: self.json", "1:9 not a JSON Schema: self.json#: it refers to itself without a step into the document: self.json# → self.json# | "},
		{"schema: other.json", "1:9 not a JSON Schema: back.json#/$defs/b: it refers to itself without a step into the document: back.json#/$defs/b → " +
			"back.json#/$defs/b/oneOf/1 → back.json#/$defs/b/oneOf/1/not → back.json#/$defs/c → back.json#/$defs/c/then → back.json#/$defs/b | "},
		{"schema: need.json", "1:9 not a JSON Schema: need.json#: it refers to itself without a step into the document: need.json# → need.json#/dependentSchemas/a → need.json#/dependentSchemas/a/anyOf/0 → need.json# | "},
		{"schema: anchor.json", "1:9 not a JSON Schema: anchor.json#/items: it refers to itself without a step into the document: anchor.json#/items → anchor.json#/items | "},
		{"schema: seven.json", "1:9 not a JSON Schema: seven.json#/definitions/a: it refers to itself without a step into the document: seven.json#/definitions/a → seven.json#/definitions/a | "},
		{"schema: {file: good.json, refs: {example.org: x}}", `1:34 "example.org" is not the beginning of an address, up to a slash | such as https://example.org/schemas/`},
	} {
		got := problemsOf(t, tc.yaml, memory(files))
		if len(got) != 1 || got[0] != tc.want {
			t.Errorf("%s\n%s\nwant\n%s", tc.yaml, strings.Join(got, "\n"), tc.want)
		}
	}
	if got := problemsOf(t, "schema: x.json", nil); fmt.Sprint(got) != "[1:9 this declaration is no file, and can name none | save the declaration as a file]" {
		t.Error(got)
	}
}

func TestSchemaIsCompiledOnce(t *testing.T) {
	reads := 0
	files := NewFiles(func(string) ([]byte, error) { reads++; return []byte("true"), nil })
	for range 3 {
		if _, err := decodeWith("schema: s.json", files); err != nil {
			t.Fatal(err)
		}
	}
	if reads != 2 {
		t.Errorf("%d reads", reads)
	}
}
