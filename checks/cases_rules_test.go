package checks_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// ruled is a row whose origin says what its answers mean.
type ruled struct {
	row
	rule     string // of the result: the number of the deciding rule, "" for none
	sentinel checks.Finding
}

// The rules of the origins that the cases come from.
const (
	sgsRules       = `answers: [{status: 404, body_contains: "Value(s) not found", means: absent}, {status: 500, body_is: xml, body_contains: "Value(s) not found", means: absent}]`
	overpassRules  = `answers: [{status: 200, json: $.remark, means: indisponivel}, {status: 200, body_is: html, body_contains: too busy, means: indisponivel}]`
	quotaRules     = `answers: [{json: $.Note, body_contains: apikey is invalid, means: respondeu}, {json: "$['Note','Information']", means: indisponivel}]`
	worldBankRules = `answers: [{json: "$[0].message[?@.id == '120']", means: respondeu}]`
	uisRules       = `answers: [{json: "$.records[0]", body_contains: "UIS::HINT::001", means: drift}, {json: "$.hints[?@.code == 'UIS::HINT::001']", means: respondeu}]`
	emptyRules     = `answers: [{json: "$[?length(@) == 0]", means: absent}]`
	challengeRules = `answers: [{status: 403, header: {cf-mitigated: challenge}, means: indisponivel, retry: false}]`
	forbidRules    = `answers: [{status: 403, means: indisponivel}]`
	ibgeRules      = `answers: [{status: 500, path: "/e1/api/v3/**", means: respondeu}]`
	routeRules     = `answers: [{status: 404, json: $.detail, body_contains: No static resource, means: alheio}]`
)

var ruleCases = []ruled{
	{rule: "0", row: row{id: "B1 the failure is in a remark", origin: overpassRules, probe: `get: /b1/api/interpreter, as: json`,
		finding: checks.Indisponivel, kind: fetch.MalformedBody, status: 200, trips: "indisponivel:2", stopped: "retries"}},
	{rule: "1", row: row{id: "B1 a busy dispatcher", origin: overpassRules, probe: `get: /b1/busy/api/interpreter, as: json`,
		finding: checks.Indisponivel, kind: fetch.MalformedBody, looks: fetch.LooksHTML, status: 200, trips: "indisponivel:2"}},
	{rule: "1", row: row{id: "B3 a quota as data", origin: quotaRules, probe: `get: "/b3/query?apikey=demo", as: json`,
		finding: checks.Indisponivel, kind: fetch.MalformedBody, status: 200, trips: "indisponivel:2"}},
	{rule: "0", row: row{id: "B3 a wrong key under the same name", origin: quotaRules, probe: `get: /b3/badkey/query, as: json`,
		finding: checks.Respondeu, status: 200, trips: "respondeu:1 respondeu:1"}},
	{rule: "0", row: row{id: "B5 an error document", origin: worldBankRules, probe: `get: /b5/v2/country/XX/indicator/SP.POP.TOTL, as: json`,
		finding: checks.Respondeu, status: 200, trips: "respondeu:1 respondeu:1"}},
	{row: row{id: "B5 the data beside it", origin: worldBankRules, probe: `get: /b5/v2/country/BR/indicator/SP.POP.TOTL, expect: {json: [{path: $, length: 2}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{rule: "1", row: row{id: "B7 an unknown indicator", origin: uisRules, probe: `get: "/b7/api/public/data/indicators?indicator=NONE", as: json`,
		finding: checks.Respondeu, status: 200, trips: "respondeu:1 respondeu:1"}},
	{rule: "0", row: row{id: "B7 a part of what was asked", origin: uisRules, probe: `get: /b7/mixed/api/public/data/indicators, as: json`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "answers"}},
	{row: row{id: "B8 an envelope without the entity", probe: `get: /b8/dadosabertos/senador/999999, expect: {json: [{path: $.DetalheParlamentar.Parlamentar, exists: true}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.exists"}},

	{rule: "0", row: row{id: "C1 an empty day warns", origin: emptyRules, probe: `get: /c1/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarDia, expect: {json: [{path: "$.value[0].cotacaoVenda", type: number}]}`,
		finding: checks.OK, status: 200, trips: "ok:1", codes: "empty"}},
	{rule: "0", row: row{id: "C1 a span without a day fails", origin: emptyRules, probe: `get: /c1/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarDia, as: json, empty: fail`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "empty"}},
	{rule: "0", row: row{id: "C2 the header row only", origin: `answers: [{body_matches: '^\[\{[^{}]*\}\]\s*$', body_contains: "Nível Territorial", means: absent}]`,
		probe:   `get: /c2/values/t/6579/n1/1/p/2022, empty: ok, expect: {json: [{path: "$[1].V", exists: true}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{rule: "0", row: row{id: "C3 a label without values", origin: emptyRules, probe: `get: /c3/api/dissemination/statistics/1.0/data/une_rt_m, as: json, empty: fail`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "empty"}},
	{rule: "0", row: row{id: "C6 where nothing means that it does not exist", origin: `answers: [{status: 200, body_is: empty, means: absent}]`, probe: `get: /c6/api/v1/registro/0, as: json, empty: ok`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{row: row{id: "C8 a date without a figure", probe: `get: /c8/dados/serie/bcdata.sgs.1/dados/ultimos/3, expect: {json: [{path: "$[*].valor", type: string, matches: '^(\d+\.\d+)?$'}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},

	{row: row{id: "D1 as the table has it", probe: `get: "/d1/dados/serie/bcdata.sgs.1/dados?dataInicial=03/01/2026", as: json`,
		finding: checks.Respondeu, kind: fetch.NotFound, status: 404, trips: "respondeu:1 respondeu:1", motivo: "Value(s) not found"}},
	{rule: "0", row: row{id: "D1 no observation in this window", origin: sgsRules, probe: `get: "/d1/dados/serie/bcdata.sgs.1/dados?dataInicial=03/01/2026", as: json`,
		finding: checks.OK, status: 404, trips: "ok:1", codes: "empty"}},
	{rule: "1", row: row{id: "D1 the same at the SOAP door", origin: sgsRules, probe: `get: /d1/wssgs/services/FachadaWSSGS, empty: ok`,
		finding: checks.OK, status: 500, trips: "ok:1"}},
	{rule: "0", row: row{id: "D6 a challenge that is an outage", origin: challengeRules, probe: `get: /d6/values/t/6579/n1/1, as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP4xx, looks: fetch.LooksWAFChallenge, status: 403, trips: "indisponivel:1", stopped: "not_retryable"}},
	{row: row{id: "D10 a 403 for seconds", origin: forbidRules, probe: `get: "/d10/SitCamaraWS/Deputados.asmx/ObterDeputados?bad=1"`,
		finding: checks.OK, status: 200, trips: "ok:2"}},
	{rule: "0", row: row{id: "D10 a 403 for a weekend", origin: forbidRules, probe: `get: "/d10/SitCamaraWS/Deputados.asmx/ObterDeputados?bad=all"`,
		finding: checks.Indisponivel, kind: fetch.HTTP4xx, looks: fetch.LooksHTMLErrorPage, status: 403, trips: "indisponivel:2"}},
	{rule: "0", row: row{id: "D17 a route of ours that is none", origin: routeRules, probe: `get: /d17/dadosabertos/api/v1/senadore, as: json`,
		finding: checks.Alheio, kind: fetch.NotFound, status: 404, trips: "alheio:1"}},
	{row: row{id: "D17 a key that is none", origin: routeRules, probe: `get: /d17/dadosabertos/api/v1/senadores/999999, as: json`,
		finding: checks.Respondeu, kind: fetch.NotFound, looks: fetch.LooksEmpty, status: 404, trips: "respondeu:1 respondeu:1"}},
	{rule: "0", row: row{id: "E1 a 500 for a wrong parameter", origin: ibgeRules, probe: `get: /e1/api/v3/agregados/99999/periodos/2022/variaveis/1, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP5xx, looks: fetch.LooksPlainText, status: 500, trips: "respondeu:1 respondeu:1"}},
	{row: row{id: "E1 the metadata beside it", origin: ibgeRules, probe: `get: /e1/api/v3/agregados/6579/metadados, as: json`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{row: row{id: "F8 a wait that no budget holds", probe: `get: /f8/v1/forecast, as: json`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, status: 429, trips: "indisponivel:1", stopped: "budget", motivo: "pediu espera de 1 h"}},

	{rule: "0", row: row{id: "A3 a sentence of failure behind a header", origin: `answers: [{body_contains: Error encountered when streaming, means: ambiguo}]`,
		probe:   `get: /a3/uniprotkb/stream, expect: {body: {contains: Entry}}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksPlainText, status: 200, trips: "ambiguo:2 ambiguo:2", flags: "persistent"}},
	{sentinel: checks.OK, row: row{id: "A1 the sentinel is right: the code is gone", origin: `sentinel: /a1/dados/serie/bcdata.sgs.433/dados/ultimos/1`,
		probe:   `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, as: json`,
		finding: checks.Respondeu, kind: fetch.MalformedBody, detail: "sentinel", looks: fetch.LooksHTMLErrorPage, status: 200, trips: "ambiguo:2 ambiguo:2", flags: "persistent"}},
	{sentinel: checks.Ambiguo, row: row{id: "A1 the sentinel gets the page, too", origin: `sentinel: /a1/dados/serie/bcdata.sgs.99998/dados/ultimos/1`,
		probe:   `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, as: json`,
		finding: checks.Indisponivel, kind: fetch.MalformedBody, detail: "sentinel", looks: fetch.LooksHTMLErrorPage, status: 200, trips: "ambiguo:2 ambiguo:2", flags: "persistent"}},
	{sentinel: checks.OK, row: row{id: "A7 the sentinel is right: another format", origin: `sentinel: /json/dados/serie/bcdata.sgs.11/dados/ultimos/5`,
		probe:   `get: /a7/api/dissemination/statistics/1.0/data/nama_10_gdp, as: json`,
		finding: checks.Drift, kind: fetch.MalformedBody, detail: "sentinel", looks: fetch.LooksHTML, status: 200, trips: "ambiguo:2 ambiguo:2", flags: "persistent", codes: "format"}},

	{row: row{id: "H charset declared", origin: `charset: iso-8859-1`, probe: `get: "/status/200?body=caf%E9", expect: {body: {contains: café}}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{row: row{id: "H charset silent", probe: `get: "/status/200?body=caf%E9", expect: {body: {contains: café}}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksWrongCharset, status: 200, trips: "ambiguo:2 ambiguo:2", flags: "persistent"}},
	{row: row{id: "I8 a thousand with a dot is text", probe: `get: /i8/populacao.csv, as: text, expect: {content_type: text/csv, body: {contains: '"1.542"'}}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{row: row{id: "M1 the very request is judged", probe: `get: /m1/pc2/search`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 502, trips: "indisponivel:2"}},
}

func TestRuleCases(t *testing.T) {
	t.Parallel()
	for _, w := range ruleCases {
		t.Run(w.id, w.holds)
	}
}

// holds asks the row's probe and compares everything.
func (w *ruled) holds(t *testing.T) {
	t.Parallel()
	o := start(t)
	r := w.ask(t, o)
	w.compare(t, r)
	w.arrived(t, r, o)
	w.sound(t, r)
	rule := ""
	if w.rule != "" {
		rule = "origins.o.answers[" + w.rule + "]"
	}
	if of(r.Rule) != rule {
		t.Errorf("rule %q, want %q", of(r.Rule), rule)
	}
	if (r.Sentinel != nil) != (w.sentinel != "") || r.Sentinel != nil && r.Sentinel.Finding != w.sentinel {
		t.Errorf("sentinel %+v, want %q", r.Sentinel, w.sentinel)
	}
	if t.Failed() {
		t.Logf("%s\n%s", w.declaration(o), text(r))
	}
}

// sound is what holds whatever a rule says.
func (w *ruled) sound(t *testing.T, r *checks.Result) {
	t.Helper()
	measured := r.Finding == checks.OK || r.Finding == checks.Drift
	failing := slices.ContainsFunc(r.Mismatches, func(m expect.Mismatch) bool { return m.Severity == expect.Fail })
	if r.Measured != measured || (r.Verdict == nil) != measured || (r.Motivo == nil) != measured || failing != (r.Finding == checks.Drift) {
		t.Errorf("%s: measured %v, verdict %q, motivo %q, mismatches %+v", r.Finding, r.Measured, of(r.Verdict), of(r.Motivo), r.Mismatches)
	}
	if !r.Asked || r.Retrieval == nil || r.Retrieval.Requests != len(r.Trips) {
		t.Errorf("asked %v, retrieval %+v", r.Asked, r.Retrieval)
	}
	// What a rule calls an answer is no anomaly, whatever its status.
	if r.Finding == checks.OK && !strings.Contains(w.trips, ":2") && len(r.Retrieval.Anomalies) > 0 {
		t.Errorf("anomalies %v of what is ok", r.Retrieval.Anomalies)
	}
	if (r.Reproduce == nil) != (r.Finding == checks.OK) {
		t.Errorf("%s with the command %q", r.Finding, of(r.Reproduce))
	}
}

// runFile runs a declaration that stands in a file, with what it names beside.
func runFile(t *testing.T, yaml string, beside map[string][]byte) *checks.Report {
	t.Helper()
	dir := t.TempDir()
	for name, data := range beside {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "fonteviva.yaml")
	if err := os.WriteFile(path, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := checks.Load([]string{path}, checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := checks.NewPlan(d, d.Probes, checks.Options{Parallel: 4, Rand: func() float64 { return 0 }})
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(t.Context())
}

// TestAPrivateAuthority is G7: a chain that ends in an authority of its own.
func TestAPrivateAuthority(t *testing.T) {
	t.Parallel()
	o := start(t)
	rep := runFile(t, everyWait+fmt.Sprintf(`
origins:
  known: {url: %[1]q, tls: {ca_file: icp.pem}}
  unknown: {url: %[1]q}
probes:
  - {name: known, origin: known, get: /echo, as: json}
  - {name: unknown, origin: unknown, get: /echo, as: json}
`, o.Endpoint(fixtures.TLS)), map[string][]byte{"icp.pem": o.CAPEM()})
	known, unknown := &rep.Results[0], &rep.Results[1]
	if known.Finding != checks.OK {
		t.Errorf("%s", text(known))
	}
	if unknown.Finding != checks.Indisponivel || of(unknown.Detail) != string(fetch.TLSUnknownAuthority) || tripsOf(unknown) != "indisponivel:1" {
		t.Errorf("%s", text(unknown))
	}
}

// TestTheMirrorOverSockets asks a mirror where nobody listens at the address.
func TestTheMirrorOverSockets(t *testing.T) {
	t.Parallel()
	o := start(t)
	rep := runFile(t, everyWait+fmt.Sprintf(`
origins: {o: {url: %q, mirrors: [%q]}}
probes:
  - {name: p, origin: o, get: /echo, as: json}
`, o.Endpoint(fixtures.Refused), o.URL()), nil)
	if r := &rep.Results[0]; r.Finding != checks.OK || of(r.Mirror) != o.URL()+"/echo" || o.Hits("/echo") != 1 {
		t.Errorf("%s", text(r))
	}
}

// TestTheControlTargetOverSockets tells our own outage from the origin's.
func TestTheControlTargetOverSockets(t *testing.T) {
	t.Parallel()
	o := start(t)
	host := func(endpoint string) string {
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		return u.Host
	}
	for control, want := range map[string]checks.Finding{
		host(o.URL()):                        checks.Indisponivel,
		host(o.Endpoint(fixtures.Refused)):   checks.Alheio,
		o.URL() + "/status/500":              checks.Indisponivel, // any answer is one
		o.Endpoint(fixtures.Refused) + "/up": checks.Alheio,
	} {
		rep := runFile(t, everyWait+fmt.Sprintf("connectivity: %q\norigins: {o: {url: %q}}\nprobes:\n  - {name: p, origin: o, get: /}\n",
			control, o.Endpoint(fixtures.Refused)), nil)
		r := &rep.Results[0]
		if r.Finding != want || (of(r.Cause) == string(fetch.CauseRunnerOffline)) != (want == checks.Alheio) || of(r.Kind) != string(fetch.Network) {
			t.Errorf("%s: %s", control, text(r))
		}
	}
}
