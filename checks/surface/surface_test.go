package surface

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// offer is an answer with one tool of this input and output schema.
func offer(input, output string) string {
	return `{"server":{"protocolVersion":"2025-11-25","serverInfo":{"name":"s","version":"1"},"capabilities":{"tools":{"listChanged":true},"logging":{}}},
	"tools":[{"name":"t","title":"T","inputSchema":` + input + `,"outputSchema":` + output + `,"annotations":{"readOnlyHint":true}}],
	"resources":[{"uri":"x://a","name":"a","mimeType":"text/plain"}],"resourceTemplates":[{"uriTemplate":"x://{b}","name":"b"}],
	"prompts":[{"name":"p","arguments":[{"name":"who","required":true},{"name":"how"}]}]}`
}

const (
	in  = `{"type":"object","properties":{"a":{"type":"string","enum":["x","y"]},"n":{"type":"number"}},"required":["a"],"additionalProperties":false}`
	out = `{"type":"object","properties":{"list":{"type":"array","items":{"type":"object","properties":{"v":{"type":"string"}},"required":["v"]}},"total":{"type":["integer","null"]}},"required":["list"]}`
)

func read(t *testing.T, answer string) *Surface {
	t.Helper()
	s, err := Read([]byte(answer))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// told is what a comparison says, one line a difference.
func told(list []Diff) string {
	var b strings.Builder
	for _, d := range list {
		mark := "+"
		if d.Breaking {
			mark = "!"
		}
		fmt.Fprintf(&b, "%s %s %s\n", mark, d.Code, d.Path)
	}
	return b.String()
}

func TestCompare(t *testing.T) {
	was := offer(in, out)
	for name, tc := range map[string]struct{ from, to, want string }{
		"nothing":                       {"x://a", "x://a", ""},
		"a tool is gone":                {`"name":"t"`, `"name":"u"`, "! tool_removed tools.t\n+ tool_added tools.u\n"},
		"another title":                 {`"title":"T"`, `"title":"Tê"`, "+ title tools.t.title\n"},
		"it writes now":                 {`"readOnlyHint":true`, `"readOnlyHint":false`, "! annotation tools.t.annotations.readOnlyHint\n"},
		"the server is another":         {`"name":"s"`, `"name":"z"`, "! server_name server.name\n"},
		"a release":                     {`"version":"1"`, `"version":"2"`, "+ server_version server.version\n"},
		"a capability is gone":          {`,"logging":{}`, ``, "! capability_removed server.capabilities.logging\n"},
		"an argument is required":       {`"required":["a"]`, `"required":["a","n"]`, "! required tools.t.input.n\n"},
		"an argument is optional":       {`"required":["a"]`, `"required":[]`, "+ required tools.t.input.a\n"},
		"a new optional argument":       {`"n":{"type":"number"}`, `"n":{"type":"number"},"z":{"type":"string"}`, "+ argument_added tools.t.input.z\n"},
		"a new required argument":       {`"n":{"type":"number"}},"required":["a"]`, `"n":{"type":"number"},"z":{}},"required":["a","z"]`, "! argument_added tools.t.input.z\n"},
		"an argument is gone":           {`,"n":{"type":"number"}`, ``, "! argument_removed tools.t.input.n\n"},
		"a type is narrowed":            {`"n":{"type":"number"}`, `"n":{"type":"integer"}`, "! type_narrowed tools.t.input.n\n"},
		"a type is widened":             {`"n":{"type":"number"}`, `"n":{"type":["number","string"]}`, "+ type_widened tools.t.input.n\n"},
		"a value is gone":               {`["x","y"]`, `["x"]`, "! value_removed tools.t.input.a\n"},
		"a value is new":                {`["x","y"]`, `["x","y","z"]`, "+ value_added tools.t.input.a\n"},
		"a constraint":                  {`"n":{"type":"number"}`, `"n":{"type":"number","minimum":1}`, "! constraint tools.t.input.n.minimum\n"},
		"a description":                 {`"n":{"type":"number"}`, `"n":{"type":"number","description":"how many"}`, "+ description tools.t.input.n.description\n"},
		"more is let through":           {`,"additionalProperties":false`, `,"additionalProperties":true`, "+ constraint tools.t.input.additionalProperties\n"},
		"a field of the output is gone": {`"properties":{"v":{"type":"string"}}`, `"properties":{}`, "! field_removed tools.t.output.list[].v\n"},
		"a field is promised no longer": {`"required":["list"]`, `"required":[]`, "! required tools.t.output.list\n"},
		"the output may be more":        {`["integer","null"]`, `["integer","null","string"]`, "! type_widened tools.t.output.total\n"},
		"the output is less":            {`["integer","null"]`, `"integer"`, "+ type_narrowed tools.t.output.total\n"},
		"a new field of the output":     {`"v":{"type":"string"}`, `"v":{"type":"string"},"w":{}`, "+ field_added tools.t.output.list[].w\n"},
		"no output schema":              {out, "null", "! output_schema_removed tools.t.output\n"},
		"a resource is gone":            {`"uri":"x://a"`, `"uri":"x://z"`, "! resource_removed resources.x://a\n+ resource_added resources.x://z\n"},
		"a resource is another kind":    {`text/plain`, `text/html`, "! mime_type resources.x://a\n"},
		"a template is gone":            {`x://{b}`, `x://{c}`, "! resource_removed resource_templates.x://{b}\n+ resource_added resource_templates.x://{c}\n"},
		"a prompt's argument":           {`{"name":"how"}`, `{"name":"how","required":true}`, "! argument_required prompts.p.how\n"},
		"a prompt is gone":              {`"name":"p"`, `"name":"q"`, "! prompt_removed prompts.p\n+ prompt_added prompts.q\n"},
	} {
		to := strings.Replace(was, tc.from, tc.to, 1)
		if to == was && tc.want != "" {
			t.Errorf("%s: %s is not there", name, tc.from)
		}
		if got := told(Compare(read(t, was), read(t, to))); got != tc.want {
			t.Errorf("%s:\n%swant\n%s", name, got, tc.want)
		}
	}
}

func TestAFileSurvives(t *testing.T) {
	s := read(t, offer(in, out))
	file, err := (&File{Probe: "p", AcceptedAt: time.Date(2026, 7, 28, 1, 2, 3, 4, time.UTC), Surface: *s}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	f, err := Unmarshal(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(s, &f.Surface); len(d) > 0 {
		t.Errorf("a file differs from what it holds:\n%s", told(d))
	}
	again, err := f.Marshal()
	if err != nil || !bytes.Equal(again, file) {
		t.Errorf("it is written in another way: %v\n%s", err, again)
	}
	for _, wrong := range []string{``, `{}`, `{"surface": 2}`, `{"surface": 1, "tols": []}`, `[]`} {
		if _, err := Unmarshal([]byte(wrong)); err == nil {
			t.Errorf("%s is taken for a surface", wrong)
		}
	}
}

func FuzzCompare(f *testing.F) {
	f.Add(offer(in, out), offer(out, in))
	f.Add(`{"tools":[{"name":"a","inputSchema":{"type":3,"required":{}}}]}`, `{"tools":[{"name":"a"}]}`)
	f.Fuzz(func(t *testing.T, a, b string) {
		x, err := Read([]byte(a))
		y, err2 := Read([]byte(b))
		if err != nil || err2 != nil {
			return
		}
		Compare(x, y)
		if d := Compare(x, x); len(d) > 0 {
			t.Errorf("a surface differs from itself:\n%s", told(d))
		}
	})
}
