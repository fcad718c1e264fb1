package checks

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

// TestBodiesThatAreNotJSON holds what as: csv, ndjson and xml make of answers.
func TestBodiesThatAreNotJSON(t *testing.T) {
	const table = "as: csv, csv: {delimiter: ';', decimal: ','}, expect: {json: [{path: '$[*].valor', max: 10}]}"
	for _, tc := range []struct{ name, probe, answer, want string }{
		{"csv", table, "200 data;valor\n01/02;5,07\n", "ok  [ok:1] []"},
		{"csv that drifts", table, "200 data;valor\n01/02;1.542\n", "drift  [drift:1 drift:1] [json.max]"},
		{"csv with one word per row too few", table, "200 data;valor\n01/02\n", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"a page in place of csv", table, "200 <html>wait</html>", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"csv that is down", table, "503 data;valor\n", "indisponivel http_5xx [indisponivel:2] []"},
		{"an expected status has any body", "as: csv, expect: {status: 404}", "404 gone;\"", "ok  [ok:1] []"},
		{"latin-1", "as: csv, csv: {encoding: iso-8859-1}, expect: {json: [{path: '$[0].nome', equals: São}]}", "200 nome,uf\nS\xe3o,SP\n", "ok  [ok:1] []"},
		{"latin-1 that is not declared", "as: csv", "200 nome,uf\nS\xe3o,SP\n", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"ndjson", "as: ndjson, expect: {json: [{path: '$', length: 2}]}", "200 {\"a\":1}\n{\"a\":2}\n", "ok  [ok:1] []"},
		{"ndjson that is cut", "as: ndjson", "200 {\"a\":1}\n{\"a\":", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"json that has a key twice, and nothing else to hold", "as: json", "200 {\"a\":1,\"a\":2}", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"json that has it twice in an expected refusal", "as: json, expect: {status: 404}", "404 {\"a\":1,\"a\":2}", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"a page in an expected refusal", "as: json, expect: {status: 404}", "404 <html>", "ok  [ok:1] []"},
		{"json that has a key twice, one expectation reads it", "as: json, expect: {json: [{path: '$', length: 2}]}", "200 {\"a\":1,\"b\":1,\"a\":2}", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"csv that has a column twice, and nothing else to hold", "as: csv", "200 a,b,a\n1,2,3\n", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"csv that has it twice, and a capture", "as: csv, capture: {x: {path: '$[0].b'}}", "200 a,b,a\n1,2,3\n", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"csv that has it twice in an expected refusal", "as: csv, expect: {status: 404}", "404 a,a\n1,2\n", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"csv that has it twice, one expectation reads it", "as: csv, expect: {json: [{path: '$', length: 1}]}", "200 a,b,a\n1,2,3\n", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"csv whose columns the declaration names", "as: csv, csv: {header: [a, b, c]}", "200 a,b,a\n1,2,3\n", "ok  [ok:1] []"},
		{"ndjson that has a key twice, and nothing else to hold", "as: ndjson", "200 {\"a\":1}\n{\"a\":1,\"a\":2}", "drift  [drift:1 drift:1] [json.duplicate_key]"},
		{"text that is json has any keys", "as: text", "200 {\"a\":1,\"a\":2}", "ok  [ok:1] []"},
		{"xml", "expect: {xpath: [{path: //row, length: 2}]}", "200 <t><row/><row/></t>", "ok  [ok:1] []"},
		{"xml that drifts", "expect: {xpath: [{path: //row, length: 2}]}", "200 <t><row/></t>", "drift  [drift:1 drift:1] [xpath.length]"},
		{"a page in place of xml", "as: xml", "200 <!DOCTYPE html><HTML><body/></HTML>", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"a page of XHTML", "expect: {xpath: [{path: //row, length: 0}]}", `200 <?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>`, "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
		{"a page inside of xml", "as: xml", "200 <feed><html/></feed>", "ok  [ok:1] []"},
		{"json deeper than we follow", "as: json", "200 " + deep("[", "]", 10_001), "alheio aborted [alheio:1] []"},
		{"ndjson deeper than we follow", "as: ndjson", "200 1\n" + deep("[", "]", 10_001), "alheio aborted [alheio:1] []"},
		{"ndjson as deep as we follow", "as: ndjson", "200 1\n" + deep("[", "]", 10_000), "ok  [ok:1] []"},
		{"xml deeper than we follow", "as: xml", "200 " + deep("<a>", "</a>", 257), "alheio aborted [alheio:1] []"},
		{"xml deeper than we follow, in an expected refusal", "as: xml, expect: {status: 404, xpath: [{path: //b}]}", "404 " + deep("<a>", "</a>", 257), "alheio aborted [alheio:1] []"},
		{"csv of more columns than we follow", "as: csv", "200 " + strings.Repeat("a,", 10_000) + "b\n", "alheio aborted [alheio:1] []"},
		{"csv of more columns than we follow, in an expected refusal", "as: csv, expect: {status: 404}", "404 " + strings.Repeat("a,", 10_000) + "b\n", "alheio aborted [alheio:1] []"},
		{"xml that is cut", "expect: {xpath: [{path: //row, length: 2}]}", "200 <t><row/>", "ambiguo malformed_body [ambiguo:2 ambiguo:2] []"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := declare(t, strings.Replace(header, "retries: 0", "retries: 1", 1)+"  - {name: p, origin: o, get: /a, "+tc.probe+"}")
				tr := script(map[string][]string{"/a": {tc.answer}})
				reply := tr.reply
				tr.reply = func(r *http.Request, n int) (*http.Response, error) {
					res, err := reply(r, n)
					res.Header.Set("Content-Type", "text/plain")
					return res, err
				}
				r := &runPlan(t, t.Context(), d, tr, Options{}).Results[0]
				trips, codes := []string{}, []string{}
				for _, trip := range r.Trips {
					trips = append(trips, fmt.Sprintf("%s:%d", trip.Finding, len(trip.Attempts)))
				}
				for _, m := range r.Mismatches {
					codes = append(codes, m.Code)
				}
				if diff := cmp.Diff(tc.want, fmt.Sprint(r.Finding, " ", deref(ptrString(r.Kind), ""), " ", trips, " ", codes)); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func deep(open, end string, n int) string { return strings.Repeat(open, n) + strings.Repeat(end, n) }

func TestProbesShareATripOnlyInOneMode(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := declare(t, header+`  - {name: a, origin: o, get: /a, as: csv}
  - {name: b, origin: o, get: /a, as: text}
  - {name: c, origin: o, get: /a, as: csv}
  - {name: d, origin: o, get: /a, as: csv, csv: {delimiter: ";"}}
`)
		tr := script(map[string][]string{"/a": {"200 a,b\n"}})
		runPlan(t, t.Context(), d, tr, Options{})
		if n := tr.counts["/a"]; n != 3 {
			t.Errorf("%d requests", n)
		}
	})
}

// TestOurStepLimitIsNotDrift holds that an expectation that costs more than is
// followed is our own failure, and nothing that the origin is blamed for.
func TestOurStepLimitIsNotDrift(t *testing.T) {
	objects := "200 [" + strings.Repeat(`{"a":"x"},`, 99) + `{"a":"x"}]`
	const dear = `cel: ['body.all(x, body.all(y, body.all(z, body.all(w, body.all(v, x.a != "")))))']`
	for name, tc := range map[string]struct{ expect, want string }{
		"alone":                 {"{" + dear + "}", "alheio aborted max_steps"},
		"beside what is broken": {"{json: [{path: '$[0].a', equals: y}], " + dear + "}", "drift  "},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d := declare(t, header+"  - {name: p, origin: o, get: /a, expect: "+tc.expect+"}")
				r := &runPlan(t, t.Context(), d, script(map[string][]string{"/a": {objects}}), Options{}).Results[0]
				if got := fmt.Sprint(r.Finding, " ", deref(ptrString(r.Kind), ""), " ", deref(ptrString(r.Cause), "")); got != tc.want {
					t.Errorf("%s, want %s", got, tc.want)
				}
			})
		})
	}
}
