package expect

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestOrigins holds what contracts say of answers that public origins really
// gave: each row is a declaration and the codes of what does not hold. What
// else is decided of these answers, by rules and by the fetcher, is tested
// where that is decided.
func TestOrigins(t *testing.T) {
	monday := time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)
	files := memory(map[string]string{
		"data.json":   `{"type": "object", "required": ["data"], "properties": {"data": {"type": "array", "minItems": 1}}}`,
		"strict.json": `{"type": "array", "items": {"type": "object", "required": ["valor"], "additionalProperties": false, "properties": {"data": {}, "valor": {"type": "number"}}}}`,
	})
	const daily = `fresh: {path: "$[*].data", layout: DD/MM/YYYY, warn: 3d, fail: 7d}`
	for _, tc := range []struct {
		name, yaml, body, want string
	}{
		{"B1 an empty list with a remark passes a schema", `json: [{path: $.elements, type: array}]`, `{"elements":[],"remark":"runtime error: Query timed out"}`, ""},
		{"B1 and not a contract that asks for data", `json: [{path: $.remark, exists: false}, {path: "$.elements[*]", length: {min: 1}}]`, `{"elements":[],"remark":"runtime error: Query timed out"}`, "json.exists json.length"},
		{"B3 quota in place of data, whatever it is called", `schema: data.json`, `{"Note":"Thank you for using … 5 calls per minute"}`, "schema"},
		{"B3 the other name", `schema: data.json`, `{"Information":"Thank you for using … 5 calls per minute"}`, "schema"},
		{"B5 an error document", `json: [{path: $, length: 2}, {path: "$[0].message", exists: false}]`, `[{"message":[{"id":"120","key":"Invalid value"}]}]`, "json.length json.exists"},
		{"B5 the same in XML", `xpath: {namespaces: {wb: "http://www.worldbank.org"}, assertions: [{path: //wb:error, exists: false}]}`,
			`<wb:error xmlns:wb="http://www.worldbank.org"><wb:message id="120" key="Invalid value"/></wb:error>`, "xpath.exists"},
		{"B7 some of it and a hint", `cel: ['!has(body.hints) || body.hints.all(h, h.code == "UIS::HINT::004")', 'size(body.records) > 0']`,
			`{"records":[{"v":1},{"v":2}],"hints":[{"code":"UIS::HINT::001"}]}`, "cel"},
		{"B7 all of it", `cel: ['!has(body.hints) || body.hints.all(h, h.code == "UIS::HINT::004")', 'size(body.records) > 0']`, `{"records":[{"v":1}]}`, ""},
		{"B8 an envelope without the entity", `json: [{path: $.DetalheParlamentar.Parlamentar, type: object}]`, `{"DetalheParlamentar":{"Metadados":{"Versao":"x"}}}`, "json.type"},

		{"C1 nothing never passes for data", `json: [{path: "$.value[*].cotacao", type: number}]`, `{"@odata.context":"x","value":[]}`, "json.type"},
		{"C2 the header row alone", `json: [{path: $, length: {min: 2}}]`, `[{"NC":"Nível Territorial (Código)","V":"Valor"}]`, "json.length"},
		{"C3 labels without values", `json: [{path: "$.value.*", length: {min: 1}}, {path: $.dimension.time.category.label}]`,
			`{"value":{},"dimension":{"time":{"category":{"label":{"2026-08":"2026-08"}}}}}`, "json.length"},
		{"C6 zero bytes", `json: [{path: $}]`, ``, "json"},
		{"C8 a date without a figure is no other type", `json: [{path: "$[*].valor", type: string, matches: '^(-?\d+(\.\d+)?)?$'}]`, `[{"data":"01/02/2026","valor":"1.5"},{"data":"02/02/2026","valor":""}]`, ""},

		{"I1 NaN", `json: [{path: $.ce, type: number}]`, `{"ce": NaN}`, "json"},
		{"I4 keys without quotes", `json: [{path: $.status}]`, `{ status:"error", message:"Endpoint available from localhost only"}`, "json"},
		{"I6 an integer above 2^53", `json: [{path: $.id, equals: 653247040368672768}]`, `{"id":653247040368672768}`, ""},
		{"I6 its neighbour", `json: [{path: $.id, equals: 653247040368672768}]`, `{"id":653247040368672769}`, "json.equals"},
		{"I6 by a predicate", `cel: ['body.id == 653247040368672768']`, `{"id":653247040368672769}`, "cel"},
		{"I7 a zero at the end of a decimal", `json: [{path: $.a, equals: 5.0773}]`, `{"a":5.07730}`, ""},
		{"I7 is one in a text", `json: [{path: $.a, equals: "5.0773"}]`, `{"a":"5.07730"}`, "json.equals"},
		{"I8 dates and numbers as text", `{json: [{path: "$[*].valor", matches: '^\d+\.\d+$'}], fresh: {path: "$[*].data", layout: DD/MM/YYYY, fail: 7d}}`, `[{"data":"28/08/2026","valor":"0.043739"}]`, ""},
		{"I8 the other order of a date", `fresh: {path: $.d, layout: MM-DD-YYYY, fail: 7d}`, `{"d":"31-08-2026"}`, "fresh"},

		{"J1 newest first", `json: [{path: "$[*].n", sorted: asc}]`, `[{"n":3},{"n":2},{"n":1}]`, "json.sorted json.sorted"},
		{"J1 no order is declared", `json: [{path: "$[*].n", contains_all: [1, 2, 3]}]`, `[{"n":3},{"n":2},{"n":1}]`, ""},
		{"J2 a silent death", daily, `[{"data":"01/07/2025"},{"data":"01/08/2025"}]`, "fresh"},
		{"J3 stale through a cache", `fresh: {path: $.issued, layout: rfc3339, fail: 24h}`, `{"issued":"2026-08-27T19:05:00Z"}`, "fresh"},
		{"J4 dates in the future", daily, `[{"data":"14/09/2026"},{"data":"16/09/2026"}]`, ""},
		{"J5 a parameter that is ignored", `cel: ['body.usedRange == request.query.range']`, `{"usedRange":"1mo"}`, "cel"},
		{"J7 one of them has it", `json: [{path: "$[*].sobrestacao", length: {min: 1}}]`, `[{"a":1},{"sobrestacao":null},{"a":2}]`, ""},
		{"J8 an object", `json: [{path: $.item, type: [object, array]}]`, `{"item":{}}`, ""},
		{"J8 or an array", `json: [{path: $.item, type: [object, array]}]`, `{"item":[{}]}`, ""},
		{"J9 a number became a string", `json: [{path: "$[*].valor", type: number}]`, `[{"valor":1.5},{"valor":"1.5"}]`, "json.type"},
		{"J9 by a schema", `schema: strict.json`, `[{"valor":"1.5"}]`, "schema"},
		{"J10 an added field only warns", `schema: {file: strict.json, severity: warn}`, `[{"valor":1.5,"novo":1}]`, "warn:schema"},
		{"J10 a removed one that is read", `json: [{path: "$[*].valor", type: number}]`, `[{"data":"01/02/2026"}]`, "json.type"},
		{"J13 a premise that no longer holds warns", `body: {equals: "a;b\n1;2\n", severity: warn}`, "a;b\n1;3\n", "warn:body.equals"},
		{"J14 counts are ranges", `json: [{path: $, length: {min: 2}}]`, `[1,2,3]`, ""},
	} {
		spec, err := decodeWith(tc.yaml, files)
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		o := &Observation{Status: 200, Header: http.Header{}, Body: []byte(tc.body), JSON: json.Valid([]byte(tc.body)), Now: monday,
			Request: Request{Method: "GET", URL: "https://o.example/?range=1y"}}
		list, err := spec.Evaluate(context.Background(), o)
		if err != nil {
			t.Fatal(err)
		}
		var codes []string
		for _, m := range list {
			code := m.Code
			if m.Severity == Warn {
				code = "warn:" + code
			}
			codes = append(codes, code)
		}
		if got := strings.Join(codes, " "); got != tc.want {
			t.Errorf("%s: got %q, want %q: %+v", tc.name, got, tc.want, list)
		}
	}
}

// TestMatchersOnTranscodedBodies holds that what is no JSON is judged by the
// same keys, digits and all (I8).
func TestMatchersOnTranscodedBodies(t *testing.T) {
	contract := `{json: [{path: "$[*].valor", min: 0, max: 2000}, {path: "$[0].valor", equals: 1542.0}], fresh: {path: "$[*].data", layout: DD/MM/YYYY, fail: 7d},
		cel: ['body.all(x, x.valor > 0)'], schema: s.json}`
	files := memory(map[string]string{"s.json": `{"items": {"required": ["data", "valor"], "properties": {"valor": {"type": "number"}}}}`})
	for _, tc := range []struct {
		as   Mode
		body string
		opt  CSVOptions
	}{
		{AsCSV, "data;valor\n28/08/2026;\"1.542\"\n29/08/2026;0,10\n", CSVOptions{Delimiter: ';', Decimal: ','}},
		{AsNDJSON, "{\"data\":\"28/08/2026\",\"valor\":1542}\n{\"data\":\"29/08/2026\",\"valor\":0.10}\n", CSVOptions{}},
	} {
		body, err := Transcode(tc.as, []byte(tc.body), tc.opt)
		if err != nil {
			t.Fatal(err)
		}
		spec, err := decodeWith(contract, files)
		if err != nil {
			t.Fatal(err)
		}
		got := judge(t, spec, &Observation{Body: body, JSON: true, Now: time.Date(2026, 8, 31, 0, 0, 0, 0, time.UTC)})
		if !slices.Equal(got, []string{}) {
			t.Errorf("%s: %v", tc.as, got)
		}
	}
}
