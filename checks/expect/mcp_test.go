package expect

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// replied is what a tool answered.
func replied(content, text string) *Observation {
	result := `{"content":[{"type":"text","text":"` + text + `"}],"structuredContent":` + content + `}`
	return &Observation{Body: []byte(content), JSON: true, MCP: &MCP{Text: text, Result: []byte(result)}}
}

// codes are the mismatches in short, one a line.
func codes(t *testing.T, s *Spec, o *Observation) string {
	t.Helper()
	list, err := s.Evaluate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, m := range list {
		path := ""
		if m.Path != nil {
			path = " " + *m.Path
		}
		fmt.Fprintf(&b, "%s%s (%s)\n", m.Code, path, m.Severity)
	}
	return b.String()
}

func TestRepliesOfTools(t *testing.T) {
	yes, no := true, false
	listed := func(schema string) func(*Observation) {
		return func(o *Observation) { o.MCP.Tool = []byte(`{"name":"t","outputSchema":` + schema + `}`) }
	}
	for _, tc := range []struct {
		yaml   string
		change func(*Observation)
		want   string
	}{
		{"is_error: false", nil, ""},
		{"is_error: true", nil, "is_error (fail)\n"},
		{"is_error: true", func(o *Observation) { o.MCP.IsError = true }, ""},
		{"text: {contains: Paulo}", nil, ""},
		{"text: {not_contains: Paulo, severity: warn}", nil, "text.not_contains (warn)\n"},
		{"output_schema: true", listed(`{"type":"object","required":["a"],"properties":{"a":{"type":"integer"}}}`), ""},
		{"output_schema: true", listed(`{"type":"object","required":["b"],"properties":{"a":{"type":"string"}}}`), "output_schema $.a (fail)\noutput_schema $ (fail)\n"},
		{"output_schema: true", nil, "output_schema (fail)\n"},
		{"output_schema: true", listed("null"), "output_schema (fail)\n"},
		{"output_schema: true", listed(`{"type": 3}`), "output_schema (fail)\n"},
		{"output_schema: true", func(o *Observation) { listed(`{}`)(o); o.MCP.Result = []byte(`{"content":[]}`) }, "output_schema (fail)\n"},
		{"output_schema: true", func(o *Observation) { o.MCP.IsError = true }, ""},
		{"unknown_argument: refuse", func(o *Observation) { o.MCP.Unknown = &no }, ""},
		{"unknown_argument: refuse", func(o *Observation) { o.MCP.Unknown = &yes }, "unknown_argument (warn)\n"},
		{"unknown_argument: {must: refuse, severity: fail}", func(o *Observation) { o.MCP.Unknown = &yes }, "unknown_argument (fail)\n"},
		{"unknown_argument: {must: refuse, severity: fail}", nil, "unknown_argument (warn)\n"},
	} {
		o := replied(`{"a":1}`, "São Paulo")
		if tc.change != nil {
			tc.change(o)
		}
		if got := codes(t, mustDecode(t, tc.yaml), o); got != tc.want {
			t.Errorf("%s: got %q, want %q", tc.yaml, got, tc.want)
		}
	}
}

func TestListsOfServers(t *testing.T) {
	o := &Observation{JSON: true, MCP: &MCP{}, List: "tools", Body: []byte(`{"tools":[{"name":"a","title":"A"},{"name":"b"},{"name":"c","annotations":{"title":"C"}}],"prompts":[]}`)}
	for yaml, want := range map[string]string{
		"count: 3":                        "",
		"count: {min: 4}":                 "count (fail)\n",
		"count: {max: 2}":                 "count (fail)\n",
		"count: {min: 1, max: 3}":         "",
		"titles: true":                    "titles tools.b (fail)\n",
		"{count: 3, titles: true}":        "titles tools.b (fail)\n",
		"count: {min: 9, severity: warn}": "count (warn)\n",
	} {
		if got := codes(t, mustDecode(t, yaml), o); got != want {
			t.Errorf("%s: got %q, want %q", yaml, got, want)
		}
	}
}

const (
	concise = `{"source":"IBGE","source_url":"https://ibge.example/e","data_vintage":"2022","retrieved_at":"2026-07-28T12:00:00Z","citation":"IBGE, Estados","license":{"id":"CC-BY-4.0"}}`
	long    = `{"contract_version":"1.2","source":"IBGE","dataset":null,"dimension_key":null,"data_vintage":"2022","retrieved_at":"2026-07-28T12:00:00-03:00","source_url":"https://ibge.example/e","api_version":null,` +
		`"license":{"name":"aberta"},"citation":"IBGE, Estados","notices":null,"derived":true,"derivation_note":"soma","served_from_cache":false,` +
		`"field_sources":[{"fields":["a"],"url":"https://ibge.example/f","retrieved_at":"2026-07-28T12:00:00Z","served_from_cache":false,"filter":null}],"retrieval":{"requests":1,"attempts":2,"anomalies":["http_5xx"]}}`
)

func TestProvenance(t *testing.T) {
	answer := func(block, mirror, attribution, text string) *Observation {
		content := `{"a":1,"provenance":` + block + `,"attribution":` + attribution + `}`
		o := replied(content, text)
		o.MCP.Result = []byte(`{"content":[],"structuredContent":` + content + `,"_meta":{"progress":1,"br.example/provenance":` + mirror + `}}`)
		return o
	}
	const place = "provenance $.structuredContent.provenance"
	for _, tc := range []struct {
		mode, from, to, want string
	}{
		{"concise", "", "", ""},
		{"detailed", "", "", ""},
		{"concise", `"source":"IBGE",`, ``, place + " (fail)\n"},
		{"concise", `"data_vintage":"2022","retrieved_at":"2026-07-28T12:00:00Z"`, `"retrieved_at":"2026-07-28T12:00:00Z","data_vintage":"2022"`, place + " (fail)\n"},
		{"concise", `"citation"`, `"extra":1,"citation"`, place + " (fail)\n"},
		{"concise", `12:00:00Z`, `12:00:00.123Z`, place + ".retrieved_at (fail)\n"},
		{"concise", `"2026-07-28T12:00:00Z"`, `null`, ""},
		{"concise", `2026-07-28T12`, `2026-02-30T12`, place + ".retrieved_at (fail)\n"},
		{"concise", `T12:00:00Z`, `T25:00:00Z`, place + ".retrieved_at (fail)\n"},
		{"concise", `"source":"IBGE"`, `"source":5`, place + ".source (fail)\n"},
		{"concise", `"source":"IBGE"`, `"source":null`, ""},
		{"concise", `"citation":"IBGE, Estados"`, `"citation":["IBGE"]`, place + ".citation (fail)\nprovenance.footer $.content (fail)\n"},
		{"concise", `"2022"`, `""`, place + ".data_vintage (fail)\n"},
		{"concise", `"2022"`, `2022`, ""},
		{"detailed", `"dataset":null`, `"dataset":""`, place + ".dataset (fail)\n"},
		{"detailed", `"attempts":2`, `"attempts":-2`, place + ".retrieval (fail)\n"},
		{"concise", `{"id":"CC-BY-4.0"}`, `{}`, place + ".license (fail)\n"},
		{"concise", `{"id":"CC-BY-4.0"}`, `null`, ""},
		{"detailed", `"1.2"`, `"2"`, place + ".contract_version (fail)\n"},
		{"detailed", `"derivation_note":"soma"`, `"derivation_note":null`, place + ".derivation_note (fail)\n"},
		{"detailed", `"http_5xx"`, `"bad_day"`, place + ".retrieval.anomalies[0] (fail)\n"},
		{"detailed", `,"retrieval":{"requests":1,"attempts":2,"anomalies":["http_5xx"]}`, ``, place + " (fail)\n"},
		{"detailed", `{"requests":1,"attempts":2,"anomalies":["http_5xx"]}`, `null`, ""},
		{"detailed", `"served_from_cache":false,"filter"`, `"filter"`, place + ".field_sources[0].served_from_cache (fail)\n"},
	} {
		block, version, attribution := concise, "1", `["https://ibge.example/e"]`
		if tc.mode == "detailed" {
			block, version, attribution = long, "1.2", `["https://ibge.example/f","https://ibge.example/e"]`
		}
		changed := strings.Replace(block, tc.from, tc.to, 1)
		if tc.from != "" && changed == block {
			t.Fatalf("%s is not in the block", tc.from)
		}
		s := mustDecode(t, "provenance: {version: '"+version+"', mode: "+tc.mode+"}")
		if got := codes(t, s, answer(changed, changed, attribution, "Fonte: IBGE, Estados")); got != tc.want {
			t.Errorf("%s, %s → %s: got %q, want %q", tc.mode, tc.from, tc.to, got, tc.want)
		}
	}
	s := mustDecode(t, "provenance: {version: '1', mode: concise}")
	for want, o := range map[string]*Observation{
		"provenance.mirror $._meta (fail)\n":                              answer(concise, `{"source":"other"}`, `["https://ibge.example/e"]`, "IBGE, Estados"),
		"provenance.attribution $.structuredContent.attribution (fail)\n": answer(concise, concise, `["https://elsewhere.example"]`, "IBGE, Estados"),
		"provenance.footer $.content (fail)\n":                            answer(concise, concise, `["https://ibge.example/e"]`, "a text"),
		place + " (fail)\n":                                               answer("null", "null", "[]", ""),
	} {
		if got := codes(t, s, o); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	detailed := mustDecode(t, "provenance: {version: '1.2', mode: detailed}")
	o := answer(long, long, `[]`, "")
	if !detailed.Wavering(o) || mustDecode(t, "is_error: false").Wavering(o) || s.Wavering(answer(concise, concise, "[]", "")) {
		t.Error("trouble on the way is seen where it is not, or not where it is")
	}
}

func TestWrongMCPExpectations(t *testing.T) {
	for _, yaml := range []string{
		"titles: false", "output_schema: false", "count: {}", "count: {min: 3, max: 2}", "provenance: {version: '3', mode: concise}",
		"provenance: {version: '1'}", "unknown_argument: allow", "text: {}", "is_error: maybe",
	} {
		if _, err := decode(t, yaml); err == nil {
			t.Errorf("%s is taken", yaml)
		}
	}
}
