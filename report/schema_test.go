package report

import (
	"bytes"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fonteviva/fonteviva/checks"
)

func compiled(t *testing.T, fragment string) *jsonschema.Schema {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("schema.json", parsed); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json" + fragment)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, data []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

func documents() map[string]*checks.Report {
	return map[string]*checks.Report{"recorded": recorded(), "plain": plainReport(), "empty": {StartedAt: startedAt}}
}

func TestDocumentsFollowTheSchema(t *testing.T) {
	whole, line := compiled(t, ""), compiled(t, "#/$defs/line")
	jsonFormat, _ := FormatNamed("json")
	lines, _ := FormatNamed("ndjson")
	for name, rep := range documents() {
		doc := NewDocument(rep, policyOf("smoke"), DecideOptions{Format: "json"})
		if err := validate(whole, render(t, jsonFormat, doc, Options{})); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for i, l := range bytes.Split(bytes.TrimSpace(render(t, lines, doc, Options{})), []byte("\n")) {
			if err := validate(line, l); err != nil {
				t.Errorf("%s, line %d: %v", name, i+1, err)
			}
		}
	}
}

func TestSchemaRefuses(t *testing.T) {
	s := compiled(t, "")
	f, _ := FormatNamed("json")
	good := render(t, f, recordedDocument("json"), Options{})
	for from, to := range map[string]string{
		`"version":1`:            `"version":2`,
		`"asked":true,`:          ``,
		`"finding":"drift","d`:   `"finding":"fine","d`,
		`"disposition":"warn"`:   `"disposition":null`,
		`"line":40`:              `"line":40,"extra":1`,
		`"exit_code":1`:          `"exit_code":256`,
		`"2026-11-29T20:00:00.1`: `"29/11/2026 20:00:00.1`,
		`"tags":["daily"]`:       `"tags":null`,
	} {
		bad := bytes.Replace(good, []byte(from), []byte(to), 1)
		if bytes.Equal(bad, good) {
			t.Fatalf("%s is not in the document", from)
		}
		if validate(s, bad) == nil {
			t.Errorf("%s in place of %s was taken", to, from)
		}
	}
}
