package jsonschema

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	second "github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

var schemas2020 = []string{
	`{"type": "object", "required": ["a"], "properties": {"a": {"type": ["integer", "null"], "minimum": 2}}, "additionalProperties": false}`,
	`{"items": {"$ref": "#/$defs/x"}, "$defs": {"x": {"anyOf": [{"type": "string", "maxLength": 2}, {"multipleOf": 0.5}]}}}`,
	`{"prefixItems": [{"const": 1}], "items": {"enum": ["a", [1, {"b": 2}], null]}, "uniqueItems": true, "minItems": 1}`,
	`{"allOf": [{"properties": {"a": true}}], "unevaluatedProperties": {"type": "boolean"}}`,
	`{"if": {"required": ["a"]}, "then": {"required": ["b"]}, "else": {"minProperties": 1}}`,
	`{"oneOf": [{"required": ["a"]}, {"required": ["b"]}], "not": {"required": ["c"]}}`,
	`{"contains": {"type": "number"}, "minContains": 2, "maxContains": 3, "unevaluatedItems": false}`,
	`{"patternProperties": {"^a": {"type": "number"}}, "propertyNames": {"maxLength": 3}, "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"maxProperties": 2}}}`,
	`{"$dynamicAnchor": "n", "properties": {"a": {"$dynamicRef": "#n"}}, "unevaluatedProperties": false}`,
	`{"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}], "additionalItems": {"exclusiveMaximum": 3}, "dependencies": {"a": ["b"], "c": {"minProperties": 3}}}`,
	`true`, `false`, `{}`,
}

var documents = []string{`{}`, `{"a":1}`, `{"a":2}`, `{"a":null}`, `{"a":2.0,"b":true}`, `{"a":{"a":{}}}`, `{"a":{"x":1}}`, `{"b":1,"c":2,"a":3}`, `[]`, `[1]`, `[1,"a",[1.0,{"b":2}]]`,
	`[1,"a","a"]`, `["a",1,2,3,4]`, `["abc",0.5,0.75,null]`, `"a"`, `1e400`, `9007199254740993`, `null`, `true`}

// verdicts gives what both say; ok is false where one of them refuses the
// schema.
func verdicts(schema, document []byte) (ours, theirs, ok bool, err error) {
	s, err := Compile("s.json", Options{Read: func(name string) ([]byte, error) {
		if name == "s.json" {
			return schema, nil
		}
		return nil, errors.New("there is no such file")
	}})
	if err != nil {
		return false, false, false, nil
	}
	value, err := second.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		return false, false, false, nil
	}
	c := second.NewCompiler()
	c.UseLoader(second.SchemeURLLoader{})
	if err := c.AddResource("mem:///s.json", value); err != nil {
		return false, false, false, nil
	}
	other, err := c.Compile("mem:///s.json")
	if err != nil {
		return false, false, false, nil
	}
	instance, err := second.UnmarshalJSON(bytes.NewReader(document))
	if err != nil {
		return false, false, false, nil
	}
	ours = true
	err = s.Validate(context.Background(), jsonpath.NewDocument(document), func(Fault) bool { ours = false; return true })
	return ours, other.Validate(instance) == nil, true, err
}

func TestSecondOpinion(t *testing.T) {
	compared := 0
	for _, schema := range schemas2020 {
		for _, document := range documents {
			ours, theirs, ok, err := verdicts([]byte(schema), []byte(document))
			if err != nil || !ok {
				t.Fatalf("%s: %v", schema, err)
			}
			compared++
			if ours != theirs {
				t.Errorf("%s of %s: %t here, %t there", schema, document, ours, theirs)
			}
		}
	}
	if compared != len(schemas2020)*len(documents) {
		t.Error(compared)
	}
}

// FuzzValidate holds that no schema and no document breaks the validation, and
// that a second implementation agrees.
func FuzzValidate(f *testing.F) {
	for i, schema := range schemas2020 {
		f.Add([]byte(schema), []byte(documents[i%len(documents)]))
	}
	f.Fuzz(func(t *testing.T, schema, document []byte) {
		if !jsontext.Value(schema).IsValid() || !jsontext.Value(document).IsValid() || len(schema) > 500 || len(document) > 500 {
			return
		}
		ours, theirs, ok, err := verdicts(schema, document)
		if err != nil && !errors.Is(err, errEndless) {
			t.Fatal(err)
		}
		// What the two mean to differ in: formats, and what patterns are.
		if ok && err == nil && ours != theirs && !strings.Contains(string(schema), "ormat") && !strings.Contains(string(schema), "attern") {
			t.Errorf("%s of %s: %t here, %t there", schema, document, ours, theirs)
		}
	})
}

func TestEveryFaultIsReported(t *testing.T) {
	s, err := Compile("s.json", Options{Read: func(string) ([]byte, error) {
		return []byte(`{"items": {"type": "integer", "minimum": 3, "multipleOf": 2}}`), nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = s.Validate(context.Background(), jsonpath.NewDocument([]byte(`[1,4,"x",5]`)), func(fault Fault) bool {
		got = append(got, fault.At.Location().String()+" "+fault.Want)
		return true
	})
	if want := "$[0] at least 3, $[0] a multiple of 2, $[2] type integer, $[3] a multiple of 2"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("%v, %v", got, err)
	}
	n := 0
	err = s.Validate(context.Background(), jsonpath.NewDocument([]byte(`[1,1,1,1]`)), func(Fault) bool { n++; return n < 3 })
	if n != 3 || err != nil {
		t.Errorf("%d faults after the end, %v", n, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err = s.Validate(ctx, jsonpath.NewDocument([]byte("["+strings.Repeat("4,", 5_000)+"4]")), func(Fault) bool { return true })
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestReferencesToTheSameFolder(t *testing.T) {
	files := map[string]string{
		"a/root.json":      `{"$id": "https://example.org/v1/root.json", "properties": {"x": {"$ref": "part.json"}, "y": {"$ref": "/v1/sub/other.json#/$defs/o"}}}`,
		"a/part.json":      `{"$id": "https://example.org/v1/part.json", "type": "string"}`,
		"a/sub/other.json": `{"$defs": {"o": {"type": "null"}}}`,
	}
	s, err := Compile("a/root.json", Options{Read: func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, errors.New("there is no such file: " + name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	err = s.Validate(context.Background(), jsonpath.NewDocument([]byte(`{"x":1,"y":1}`)), func(f Fault) bool { got = append(got, f.Where); return true })
	if want := "a/part.json# a/sub/other.json#/$defs/o"; err != nil || strings.Join(got, " ") != want {
		t.Errorf("%v, %v", got, err)
	}
}
