package expect

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/shape"
)

// recordedAs is the file of what a text looks like.
func recordedAs(t *testing.T, text string, enums ...string) string {
	t.Helper()
	yaml := "shape: {file: s.json}"
	if len(enums) > 0 {
		yaml = `shape: {file: s.json, enums: ["` + strings.Join(enums, `", "`) + `"]}`
	}
	file, _, err := recording(t, yaml).Record(context.Background(), nil, []*Observation{{Body: []byte(text), JSON: true}}, Acceptance{Probe: "p"})
	if err != nil {
		t.Fatal(err)
	}
	return string(file)
}

// recording is the one expectation of a declaration whose file is missing.
func recording(t *testing.T, yaml string) Recording {
	t.Helper()
	files := memory(nil)
	files.Recording = true
	s, err := decodeWith(yaml, files)
	if err != nil {
		t.Fatal(err)
	}
	return s.Recordings()[0]
}

func TestShape(t *testing.T) {
	const text = `[{"data":"31/12/2024","valor":"0.04","uf":"AC","n":1}]`
	files := memory(map[string]string{"shapes/s.json": recordedAs(t, text, "$[*].uf")})
	for _, tc := range []struct {
		yaml, body string
		want       []string
	}{
		{"shape: shapes/s.json", text, nil},
		{"shape: shapes/s.json", `[{"data":"30/12/2024","valor":"","uf":"XX","n":1.5,"novo":null}]`, []string{
			"warn shape.number at $[*].n: want integer, got number",
			"warn shape.new_key at $[*].novo: want absent, got null",
			"warn shape.empty_text at $[*].valor: want number, got empty text alone",
		}},
		{"shape: shapes/s.json", `[{"data":"2024-12-31","uf":"AC","n":"1"},{"data":"2024-12-31","valor":null,"n":1}]`, []string{
			"shape.format at $[*].data: want DD/MM/YYYY, got YYYY-MM-DD",
			"shape.type at $[*].n: want integer, got string or integer",
			"shape.key_optional at $[*].uf: want in every object, got missing from some",
			"shape.key_optional at $[*].valor: want in every object, got missing from some",
			"shape.null at $[*].valor: want string, got null",
		}},
		{`shape: {file: shapes/s.json, reads: "$[*].valor"}`, `[{"valor":"0.04","uf":"AC","n":1}]`,
			[]string{"warn shape.key_gone at $[*].data: want string (DD/MM/YYYY), got absent"}},
		{`shape: {file: shapes/s.json, reads: ["$[*].valor", "$[-1].data"]}`, `[{"valor":"0.04","uf":"AC","n":1}]`,
			[]string{"shape.key_gone at $[*].data: want string (DD/MM/YYYY), got absent"}},
		{`shape: {file: shapes/s.json, severity: warn}`, `[{"valor":"0.04","uf":"AC","n":1}]`,
			[]string{"warn shape.key_gone at $[*].data: want string (DD/MM/YYYY), got absent"}},
		{`shape: {file: shapes/s.json, enums: ["$[*].uf"]}`, `[{"data":"31/12/2024","valor":"0.04","uf":"ZZ","n":1}]`,
			[]string{`shape.enum at $[*].uf: want one of 1 value, got "ZZ"`}},
		{`shape: {file: shapes/s.json, bounds: true}`, `[]`, []string{
			"shape.length at $: want 1 element, got 0 elements",
			"warn shape.empty at $: want never empty, got empty, so that nothing in it can be compared"}},
		{"shape: shapes/s.json", `{"erro":"x"}`, []string{"shape.type at $: want array, got object"}},
	} {
		spec, err := decodeWith(tc.yaml, files)
		if err != nil {
			t.Fatal(err)
		}
		got := judge(t, spec, &Observation{Body: []byte(tc.body), JSON: true})
		if tc.want == nil {
			tc.want = []string{}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", tc.yaml, tc.body, diff)
		}
	}
	spec, err := decodeWith("shape: shapes/s.json", files)
	if err != nil || !spec.NeedsJSON() {
		t.Fatal(err)
	}
	if got := judge(t, spec, &Observation{Body: []byte("<html>")}); len(got) != 1 || !strings.HasPrefix(got[0], "json at null: want one JSON value") {
		t.Error(got)
	}
	many := strings.Replace(text, "}]", strings.Join([]string{"", `"a":1`, `"b":1`, `"c":1`, `"d":1`, `"e":1`, `"f":1`, `"g":1`, `"h":1`, `"i":1`, `"j":1`, `"k":1`, `"l":1`}, ",")+"}]", 1)
	if got := judge(t, spec, &Observation{Body: []byte(many), JSON: true}); len(got) != maxPerCheck+1 || got[maxPerCheck] != "warn shape at $: want the recorded shape, got and 2 more" {
		t.Error(got)
	}
}

func TestShapeProblems(t *testing.T) {
	good := recordedAs(t, `[{"a":1}]`)
	contents := map[string]string{"s.json": good, "foreign.json": `{"name": "package"}`, "html.json": "<html>"}
	for yaml, want := range map[string][]string{
		"shape: no.json":                            {`1:8 there is no recorded shape "no.json" | record it with: fonteviva accept p`},
		"shape: {file: no.json}":                    {`1:15 there is no recorded shape "no.json" | record it with: fonteviva accept p`},
		"shape: foreign.json":                       {`1:8 file "foreign.json" is no recorded shape: it holds a key that no shape has: name | remove the file, then record it with: fonteviva accept p`},
		"shape: html.json":                          {`1:8 file "html.json" is no recorded shape: it is not JSON, at byte 0 | remove the file, then record it with: fonteviva accept p`},
		"shape: {}":                                 {`1:8 shape has no key "file" | add file: the recorded shape, relative to the declaration; fonteviva accept writes it`},
		"shape: {file: s.json, read: $}":            {`1:23 unknown key "read" in shape | did you mean "reads"?`},
		"shape: {file: s.json, reads: $..a}":        {`1:30 a path with .. or a filter is not known here | names, indexes and wildcards are, such as $[*].valor`},
		`shape: {file: s.json, reads: "$[*].b"}`:    {`1:30 the recorded shape has nothing at $[*].b | record it with: fonteviva accept p, or correct the path`},
		`shape: {file: s.json, enums: ["$[*].a"]}`:  {`1:31 the recorded shape has no values at $[*].a | record it with: fonteviva accept p, or correct the path`},
		`shape: {file: s.json, reads: ["$[*].a"]}`:  {},
		`shape: {file: s.json, reads: "$[0]['a']"}`: {},
		`shape: {file: s.json, severity: info}`:     {`1:33 expected one of fail, warn, got "info" | `},
	} {
		files := memory(contents)
		files.Probe = "p"
		if diff := cmp.Diff(want, problemsOf(t, yaml, files)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", yaml, diff)
		}
	}
}

func TestRecord(t *testing.T) {
	ctx := context.Background()
	at := Acceptance{Probe: "p", At: time.Date(2026, 5, 7, 0, 0, 0, 0, time.UTC)}
	seen := func(texts ...string) (list []*Observation) {
		for _, text := range texts {
			list = append(list, &Observation{Body: []byte(text), JSON: true})
		}
		return list
	}
	r := recording(t, `shape: {file: a/../b/s.json, reads: ["$[*].v"], enums: ["$[*].uf"]}`)
	if r.Kind() != "shape" || r.File() != "b/s.json" {
		t.Error(r.Kind(), r.File())
	}
	first, changes, err := r.Record(ctx, nil, seen(`[{"v":1,"uf":"AC"}]`, `[{"v":1.5,"uf":"SP"}]`), at)
	if err != nil || changes != nil {
		t.Fatal(err, changes)
	}
	f, err := shape.Unmarshal(first)
	if err != nil || f.Probe != "p" || !f.AcceptedAt.Equal(at.At) {
		t.Errorf("%+v %v", f, err)
	}
	same, changes, err := r.Record(ctx, first, seen(`[{"v":2,"uf":"SP"}]`), at)
	if same != nil || changes != nil || err != nil {
		t.Error(string(same), changes, err)
	}
	second, changes, err := r.Record(ctx, first, seen(`[{"v":"2","uf":"RJ","x":1}]`), at)
	want := []Change{
		{Code: "shape.type", Path: "$[*].v", Was: "number", Is: "string", Breaking: true},
		{Code: "shape.enum", Path: "$[*].uf", Was: "one of 2 values", Is: `"RJ"`},
		{Code: "shape.new_key", Path: "$[*].x", Was: "absent", Is: "integer"},
	}
	if diff := cmp.Diff(want, changes); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if _, changes, err := r.Record(ctx, second, seen(`[{"v":"2","uf":"RJ","x":1}]`), at); changes != nil || err != nil {
		t.Error(changes, err)
	}
	values := `[{"v":1,"uf":"0"}`
	for i := range 65 {
		values += `,{"v":1,"uf":"x` + strings.Repeat("x", i) + `"}`
	}
	masked := seen(`[{"v":1,"uf":"hunter2"}]`)
	masked[0].Redact = func(s string) string { return strings.ReplaceAll(s, "hunter2", "***") }
	for want, c := range map[string]struct {
		current []byte
		seen    []*Observation
	}{
		"the answer is a body that is not JSON, recognised as text/html; charset=utf-8": {nil, []*Observation{{Body: []byte("<html>")}}},
		"the recorded shape has nothing at $[*].v":                                      {nil, seen(`[]`)},
		"the recorded shape has no values at $[*].uf":                                   {nil, seen(`[{"v":1}]`)},
		"enums: there are more than 64 values at $[*].uf":                               {nil, seen(values + "]")},
		"it is not JSON, at byte 0":                                                     {[]byte("<html>"), seen(`[{"v":1,"uf":"x"}]`)},
		"the file would hold a secret: a key or a value of the answer is one":           {nil, masked},
	} {
		if file, _, err := r.Record(ctx, c.current, c.seen, at); err == nil || err.Error() != want || file != nil {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
