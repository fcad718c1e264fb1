package checks_test

import (
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
)

// TestChainCases asks the public cases about needs, emptiness and parameters
// over real sockets.
func TestChainCases(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		probes   string
		findings []checks.Finding
		details  []string
		codes    []string
		hits     int // requests over all
	}{
		{"M14 the parent is down", `
  - {name: parent, origin: o, get: /m4/openapi.json, as: json, retries: 0, capture: {id: {path: $.id}}}
  - {name: child, origin: o, get: "/i6/statuses/${parent.id}"}
`, []checks.Finding{checks.Indisponivel, checks.Indisponivel}, []string{"", checks.DetailDependency}, []string{"", ""}, 1},
		{"M14 the parent refuses", `
  - {name: parent, origin: o, get: /d17/dadosabertos/api/v1/senadores/999999, capture: {id: {path: $.id}}}
  - {name: child, origin: o, get: "/i6/statuses/${parent.id}"}
`, []checks.Finding{checks.Respondeu, checks.Respondeu}, []string{"", checks.DetailDependency}, []string{"", ""}, 2},
		{"B8 the parent lacks its entity", `
  - {name: parent, origin: o, get: /b8/dadosabertos/senador/999999, capture: {id: {path: $.DetalheParlamentar.Parlamentar.CodigoParlamentar}}}
  - {name: child, origin: o, get: "/i6/statuses/${parent.id}"}
`, []checks.Finding{checks.Drift, checks.Alheio}, []string{"", checks.DetailDependency}, []string{"capture", ""}, 2},
		{"a chain that holds", `
  - {name: child, origin: o, get: "/a1/dados/serie/bcdata.sgs.${each}/dados/ultimos/1?desde=${serie.last}", each: [433], as: json}
  - {name: serie, origin: o, get: /a1/dados/serie/bcdata.sgs.433/dados/ultimos/1, capture: {last: {path: "$[*]", max_by: "@.data", layout: DD/MM/YYYY, take: "@.data"}}}
`, []checks.Finding{checks.OK, checks.OK}, []string{"", ""}, []string{"", ""}, 2},
		{"C1 an empty value", `
  - {name: day, origin: o, get: /c1/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarDia, empty_when: {path: "$.value[*]"}, empty: fail}
`, []checks.Finding{checks.Drift}, []string{""}, []string{"empty"}, 2},
		{"C2 a lone header row", `
  - {name: ok, origin: o, get: /c2/values/t/6579/n1/1/p/2022, empty_when: {rows: 1}, empty: ok, share: false, expect: {json: [{path: "$", length: {min: 2}}]}}
  - {name: said, origin: o, get: /c2/values/t/6579/n1/1/p/2022, empty_when: {rows: 1}, share: false}
  - {name: guarded, origin: o, get: /c2/values/t/6579/n1/1/p/2022, empty_when: {rows: 0}, share: false, expect: {json: [{path: "$", length: {min: 2}}]}}
`, []checks.Finding{checks.OK, checks.OK, checks.Drift}, []string{"", "", ""}, []string{"", "empty", "json.length"}, 4},
		{"C3 a label without values", `
  - {name: values, origin: o, get: /c3/api/dissemination/statistics/1.0/data/une_rt_m, empty_when: {path: $.value}}
`, []checks.Finding{checks.OK}, []string{""}, []string{"empty"}, 1},
		{"D1 absent by rule", `
  - {name: window, origin: o, get: "/d1/dados/serie/bcdata.sgs.1/dados?dataInicial=03/01/2026", as: json, empty: fail, capture: {last: {path: "$[-1].data"}}}
  - {name: child, origin: o, get: "/i6/statuses/1?since=${window.last}"}
`, []checks.Finding{checks.Drift, checks.Alheio}, []string{"", checks.DetailDependency}, []string{"empty", ""}, 2},
		{"J5 a parameter that was ignored", `
  - name: range
    origin: o
    get: /j5/chart?start=2020-01-01
    expect: {json: [{path: $.meta.usedRange, equals: "${request.query.start}"}]}
`, []checks.Finding{checks.Drift}, []string{""}, []string{"json.equals"}, 2},
		{"J5 a parameter that was heeded", `
  - name: range
    origin: o
    get: /j5/chart?start=1mo
    expect: {json: [{path: $.meta.usedRange, equals: "${request.query.start}"}]}
`, []checks.Finding{checks.OK}, []string{""}, []string{""}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := start(t)
			yaml := everyWait + "origins: {o: {url: '" + o.URL() + `', answers: [{status: 404, body_contains: "Value(s) not found", means: absent}]}}` + "\nprobes:" + tt.probes
			d, err := checks.LoadBytes("t.yaml", []byte(yaml), checks.LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			p, err := checks.NewPlan(d, d.Probes, checks.Options{Parallel: 4})
			if err != nil {
				t.Fatal(err)
			}
			report := p.Run(t.Context())
			asked := 0
			for i := range report.Results {
				r := &report.Results[i]
				detail := ""
				if r.Detail != nil {
					detail = *r.Detail
				}
				if r.Finding != tt.findings[i] || detail != tt.details[i] || codesOf(r) != tt.codes[i] {
					t.Errorf("%s\nwant %s %q %q", text(r), tt.findings[i], tt.details[i], tt.codes[i])
				}
				if r.Retrieval != nil {
					asked += r.Retrieval.Requests
				}
				if detail == checks.DetailDependency && (r.Asked || r.Retrieval != nil || len(r.Trips) > 0) {
					t.Errorf("%s was asked", r.Name)
				}
			}
			got := 0
			for _, path := range o.Requested() {
				if !strings.Contains(path, "?") {
					got += o.Hits(path)
				}
			}
			if got != tt.hits || asked != tt.hits {
				t.Errorf("%d requests came, %d were counted, want %d", got, asked, tt.hits)
			}
		})
	}
}
