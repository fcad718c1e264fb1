package expect

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFresh(t *testing.T) {
	monday := time.Date(2026, 8, 31, 12, 0, 0, 0, time.UTC)
	files := memory(map[string]string{"feriados.txt": "28/08/2026\n"})
	daily := `fresh: {path: "$[*].data", layout: DD/MM/YYYY, warn: 3d, fail: 7d}`
	for _, tc := range []struct {
		yaml, body string
		want       []string
	}{
		{daily, `[{"data":"30/08/2026"},{"data":"01/08/2026"}]`, nil},
		{daily, `[{"data":"28/08/2026"},{"data":"01/08/2026"}]`, nil},
		{daily, `[{"data":"27/08/2026"},{"data":"01/08/2026"}]`, []string{`warn fresh at $[0].data: want at most 3d old, got "27/08/2026", 4d old`}},
		{daily, `[{"data":"01/08/2025"},{"data":"23/08/2026"}]`, []string{`fresh at $[1].data: want at most 7d old, got "23/08/2026", 8d old`}},
		// J4: a future date is fresh.
		{daily, `[{"data":"14/09/2026"},{"data":"16/09/2026"}]`, nil},
		{daily, `[]`, []string{"fresh at $[*].data: want a date as DD/MM/YYYY, got nothing: the path selects no node"}},
		{daily, `[{"data":""},{"data":null}]`, []string{"fresh at $[*].data: want a date as DD/MM/YYYY, got 2 empty values"}},
		{daily, `[{"data":"2026-08-30"},{"data":5},{"data":[]}]`,
			[]string{`fresh at $[*].data: want a date as DD/MM/YYYY, got (a string) "2026-08-30", and 2 others that are no such dates`}},
		{daily, `[{"data":"2026-08-30"},{"data":"01/08/2026"}]`,
			[]string{`fresh at $[1].data: want at most 7d old, got "01/08/2026", 30d old; 1 value is not of the layout, such as (a string) "2026-08-30"`}},
		{`fresh: {path: "$[*].data", layout: [DD/MM/YYYY, YYYY-MM-DD], fail: 7d}`, `[{"data":"2026-08-30"},{"data":"01/08/2026"}]`, nil},
		{`fresh: {path: $.x, layout: YYYY, warn: 7d}`, `{}`, []string{"warn fresh at $.x: want a date as YYYY, got nothing: the path selects no node"}},
		{`fresh: {path: $.at, layout: epoch, fail: 30m}`, `{"at":1788177000}`, nil},
		{`fresh: {path: $.at, layout: epoch, fail: 30m}`, `{"at":1788174600.5}`, []string{"fresh at $.at: want at most 30m old, got 1788174600.5, 49m59s old"}},
		{`fresh: {path: $.at, layout: YYYYMM, fail: 45d}`, `{"at":202607}`, nil},
		{`fresh: {path: $.at, layout: YYYYMM, fail: 45d}`, `{"at":202606}`, []string{"fresh at $.at: want at most 45d old, got 202606, 62d old"}},
		// The days of a zone: at 01:00 UTC it is still the day before in São Paulo.
		{`fresh: {path: $.at, layout: YYYY-MM-DD HH:mm, fail: 2h, zone: America/Sao_Paulo}`, `{"at":"2026-08-31 07:30"}`, nil},
		{`fresh: {path: $.at, layout: YYYY-MM-DD HH:mm, fail: 2h}`, `{"at":"2026-08-31 07:30"}`, []string{`fresh at $.at: want at most 2h old, got "2026-08-31 07:30", 4h30m old`}},
		{`fresh: {path: $.at, layout: YYYY-MM-DD, fail: 1d, calendar: business}`, `{"at":"2026-08-28"}`, nil},
		{`fresh: {path: $.at, layout: YYYY-MM-DD, fail: 1d, calendar: business}`, `{"at":"2026-08-27"}`,
			[]string{`fresh at $.at: want at most 1d (business days) old, got "2026-08-27", 2d (business days) old`}},
		{`fresh: {path: $.at, layout: YYYY-MM-DD, fail: 1d, calendar: business, holidays: feriados.txt}`, `{"at":"2026-08-27"}`, nil},
	} {
		spec, err := decodeWith(tc.yaml, files)
		if err != nil {
			t.Fatal(err)
		}
		if tc.want == nil {
			tc.want = []string{}
		}
		if diff := cmp.Diff(tc.want, judge(t, spec, &Observation{Body: []byte(tc.body), JSON: true, Now: monday})); diff != "" {
			t.Errorf("%s on %s (-want +got)\n%s", tc.yaml, tc.body, diff)
		}
	}
}

func TestFreshProblems(t *testing.T) {
	files := memory(map[string]string{"bad.txt": "25/12\nNatal\n"})
	for _, tc := range []struct{ yaml, want string }{
		{`fresh: {path: $.a, layout: YYYY}`, "1:8 fresh has neither warn nor fail | such as warn: 3d, fail: 7d"},
		{`fresh: {path: $.a, layout: YYYY, fail: 1 week}`, `1:40 "1 week" is not a duration: a number and a unit of ns, us, ms, s, m, h, d, w, such as 1.5s or 1d12h | `},
		{`fresh: {path: $.a, layout: YYYY, warn: 7d, fail: 1w}`, "1:8 warn: 7d is not less than fail: 7d | "},
		{`fresh: {path: $.a, warn: 7d}`, `1:8 fresh has no key "layout" | add layout: how they are written, such as DD/MM/YYYY, or a list of ways`},
		{`fresh: {path: a, layout: YYYY, warn: 7d}`, `1:15 "a" is not a JSON path: expected $ at character 1 | a path starts with $, such as $[0].data`},
		{`fresh: {path: $.a, layout: dd/mm/yyyy, warn: 7d}`, `1:28 "dd/mm/yyyy" is not a layout: mm is minutes, and there is no hour before it | months are MM: DD/MM/YYYY`},
		{`fresh: {path: $.a, layout: YYYY, warn: 7d, zone: Brasilia}`, `1:50 "Brasilia" is not a time zone | such as UTC or America/Sao_Paulo`},
		{`fresh: {path: $.a, layout: YYYY, warn: 7d, calendar: weekdays}`, `1:54 expected one of all, business, got "weekdays" | `},
		{`fresh: {path: $.a, layout: YYYY, warn: 7d, holidays: none.txt, calendar: business}`, `1:54 there is no file "none.txt" | the path is relative to the declaration, f.yaml`},
		{`fresh: {path: $.a, layout: YYYY, warn: 7d, holidays: bad.txt, calendar: business}`,
			`1:54 file "bad.txt" cannot be used: line 2: "Natal" is no date: write YYYY-MM-DD, DD/MM/YYYY, or DD/MM for every year | the path is relative to the declaration, and stays in its folder`},
	} {
		if diff := cmp.Diff([]string{tc.want}, problemsOf(t, tc.yaml, files)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}
