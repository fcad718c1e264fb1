package checks_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
	"github.com/fonteviva/fonteviva/verdict"
)

// bodyCases: a success status whose body is not the answer, or is it against
// all appearances (A, C, H, I).
var bodyCases = []row{
	{id: "A1 a page for a series that does not exist", probe: `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksHTMLErrorPage, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", stopped: "retries", motivo: "Requisição inválida!"},
	{id: "A1 passes within the trip", probe: `get: /a1/transient/dados/serie/bcdata.sgs.11/dados/ultimos/1, as: json`,
		finding: checks.OK, status: 200, trips: "ok:2"},
	{id: "A1 passes by the next trip", probe: `get: "/a1/transient/dados/serie/bcdata.sgs.11/dados/ultimos/1?bad=2", as: json`,
		finding: checks.OK, status: 200, trips: "ambiguo:2 ok:1", flags: "unstable"},
	{id: "A2 the same page with 502", probe: `get: /a2/dados/serie/bcdata.sgs.11/dados/ultimos/1, as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 502, trips: "indisponivel:2", motivo: "a origem falhou (status 502)"},
	{id: "A5 a listing without items, twice", origin: `confirm: {trips: 3, wait: 5ms}`,
		probe:   `get: "/a5/ecidadania/principalideia?pagina=3&bad=2", expect: {body: {contains: 'class="ideia"'}}`,
		finding: checks.OK, status: 200, trips: "drift:1 drift:1 ok:1", flags: "unstable"},
	{id: "A7 the page of a web app", probe: `get: /a7/api/dissemination/statistics/1.0/data/nama_10_gdp, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksHTML, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "página HTML no lugar do dado"},
	{id: "A10 the page of a firewall with 200", probe: `get: /a10/200/consulta, as: json, expect: {json: [{path: $.valor, type: number}]}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksWAFChallenge, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "desafio WAF"},
	{id: "A10 the page of a firewall with 403", probe: `get: /a10/403/consulta, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksWAFChallenge, status: 403,
		trips: "respondeu:1 respondeu:1", motivo: "desafio WAF: o acesso foi recusado, contrato não medido"},
	{id: "C6 zero bytes", probe: `get: /c6/api/v1/registro/0, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksEmpty, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "corpo veio vazio"},
	{id: "A1 the page, where text is read", probe: `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, expect: {body: {contains: valor}}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksHTMLErrorPage, status: 200,
		trips: "ambiguo:1 ambiguo:1", flags: "persistent", motivo: "Requisição inválida!"},
	{id: "A1 the page, where it only warns", probe: `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, expect: {body: {contains: valor, severity: warn}}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksHTMLErrorPage, status: 200, trips: "ambiguo:1 ambiguo:1", flags: "persistent"},
	{id: "A1 the page, where it is what is wanted", probe: `get: /a1/dados/serie/bcdata.sgs.99999/dados/ultimos/1, expect: {body: {contains: inv}}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "A7 another page is drift of a text", probe: `get: /a7/api/dissemination/statistics/1.0/data/nama_10_gdp, expect: {body: {contains: valor}}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "body.contains"},
	{id: "A10 the page of a firewall, where its type is read", probe: `get: /a10/200/consulta, expect: {content_type: application/pdf}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksWAFChallenge, status: 200,
		trips: "ambiguo:1 ambiguo:1", flags: "persistent", motivo: "desafio WAF"},
	{id: "B5 the error document, where XML is read", probe: `get: /b5/xml/v2/country/XX/indicator/SP.POP.TOTL, as: xml, expect: {xpath: [{path: //data, exists: true}]}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksXMLFault, status: 200,
		trips: "ambiguo:1 ambiguo:1", flags: "persistent", motivo: "mensagem de falha em XML"},
	{id: "C6 zero bytes, where text is read", probe: `get: /c6/api/v1/registro/0, expect: {body: {contains: valor}}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksEmpty, status: 200, trips: "ambiguo:1 ambiguo:1", flags: "persistent"},
	{id: "C6 zero bytes, where they are what is wanted", probe: `get: /c6/api/v1/registro/0, expect: {body: {equals: ""}, headers: {x-none: {exists: true}}}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "headers.exists"},

	{id: "H2 gzip is declared and the body is plain", probe: `get: /h2/dados/serie/bcdata.sgs.11/dados, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, detail: "bad_content_encoding", status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "codificação que o cabeçalho declara"},
	{id: "H9 a byte order mark", notes: "bom_stripped", probe: `get: /h9/dados/serie/bcdata.sgs.11/dados, expect: {json: [{path: "$[0].data", equals: 24/06/2026}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "H10 JSON as text/html", probe: `get: /h10/text-html/dados/serie/bcdata.sgs.11/dados, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "H10 JSON as json", probe: `get: /h10/json/dados/serie/bcdata.sgs.11/dados, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "H10 where the probe declares the header", probe: `get: /h10/text-html/dados/serie/bcdata.sgs.11/dados, expect: {content_type: application/json}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "content_type"},
	{id: "H11 above our cap", origin: `max_body: 64KiB`, probe: `get: "/h11/big.json?mb=1", as: json`,
		finding: checks.Alheio, kind: fetch.Aborted, cause: fetch.CauseMaxBody, status: 200, trips: "alheio:1", stopped: "own_limit", motivo: "nosso limite de tamanho (max_body)"},
	{id: "H11 above our cap as text", origin: `max_body: 64KiB`, probe: `get: "/h11/big.csv?mb=1", expect: {body: {contains: nowhere}}`,
		finding: checks.Alheio, kind: fetch.Aborted, cause: fetch.CauseMaxBody, status: 200, trips: "alheio:1", stopped: "own_limit"},
	{id: "H11 below our cap", probe: `get: "/h11/big.json?mb=1", expect: {json: [{path: "$[-1].valor", equals: "0.054266"}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},

	{id: "I1 NaN", probe: `get: /i1/ce.json, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksNaNJSON, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "NaN ou Infinity",
		more: func(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
			at := bytes.Index(fixtures.Recorded("nan.json"), []byte("NaN"))
			if want := fmt.Sprintf("no byte %d;", at); !strings.Contains(of(r.Motivo), want) {
				t.Errorf("motivo %q, want %q in it: where it stops being JSON", of(r.Motivo), want)
			}
		}},
	{id: "I4 keys without quotes", probe: `get: /i4/api/status, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksUnquotedJSON, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "Endpoint available from localhost only"},
	{id: "I6 an integer above 2^53", probe: `get: /i6/statuses/1, expect: {json: [{path: $.id, equals: 653247040368672768}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "I6 its neighbour, which is the same float64", probe: `get: /i6/statuses/1, expect: {json: [{path: $.id, equals: 653247040368672769}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.equals",
		more: func(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
			if m := r.Mismatches[0]; !strings.Contains(m.Want, "653247040368672769") || !strings.Contains(m.Got, "653247040368672768") {
				t.Errorf("want %q, got %q: every digit is kept", m.Want, m.Got)
			}
		}},
	{id: "I7 as decimals", probe: `get: /i7/cotacao, expect: {json: [{path: $.cotacaoVenda, equals: 5.0773}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "I7 as decimals, the other way", probe: `get: /i7/short/cotacao, expect: {json: [{path: $.cotacaoVenda, equals: 5.07730}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "I7 as text", probe: `get: /i7/short/cotacao, expect: {body: {contains: "5.07730"}}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "body.contains"},
	{id: "I7 a number is never a string", probe: `get: /i7/cotacao, expect: {json: [{path: $.cotacaoVenda, equals: "5.07730"}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.equals"},
}

// TestWhereABodyIsWrong: a body that is at least meant to be what is wanted says
// on which line it is not.
func TestWhereABodyIsWrong(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ as, body, motivo, looks string }{
		{"csv", "a,b%0A1,2%0AFonte:%20BCB", "o CSV é inválido (status 200), na linha 3; disse:", "plain_text"},
		{"csv", "%3Chtml%3E%3Ctitle%3Eerro%3C/title%3E", "veio uma página de erro HTML no lugar do dado (status 200)", "html_error_page"},
		{"csv", "{%22erro%22:1}", "o corpo da resposta não é o que se esperava (status 200)", ""},
		{"xml", "%3Cr%3E%0A%3Ca%3E1%3C/r%3E", "o XML é inválido (status 200), na linha 2", "xml"},
		{"ndjson", "{%22a%22:1}%0A{%22a%22:", "uma linha do NDJSON não é um valor JSON (status 200), na linha 2; disse:", "invalid_json"},
		{"ndjson", "busy", "veio texto no lugar do dado (status 200); disse:", "plain_text"},
	} {
		w := row{origin: "ambiguous: {trips: 1}", probe: fmt.Sprintf(`get: "/status/200?body=%s", as: %s`, tt.body, tt.as)}
		r := w.ask(t, start(t))
		if r.Finding != checks.Ambiguo || !strings.HasPrefix(of(r.Motivo), tt.motivo) || of(r.LooksLike) != tt.looks {
			t.Errorf("%s %s: %s, %q, %q; want %q, %q", tt.as, tt.body, r.Finding, of(r.Motivo), of(r.LooksLike), tt.motivo, tt.looks)
		}
	}
}

// TestARejectedPageIsAskedAgain is A5 as a caller of the library has it: a hook
// says that a listing without items is not the answer.
func TestARejectedPageIsAskedAgain(t *testing.T) {
	t.Parallel()
	o := start(t)
	policy := fetch.DefaultPolicy()
	policy.Backoff = fetch.Backoff{}
	client := fetch.NewClient(fetch.Config{Policy: policy, InspectBody: hasItems})
	t.Cleanup(client.CloseIdle)
	const page = "/a5/ecidadania/principalideia?pagina=3"

	a, err := client.Do(t.Context(), &fetch.Request{URL: o.URL() + page + "&bad=2"})
	if err != nil || len(a.Trip.Attempts) != 3 || a.Trip.Attempts[1].Kind != fetch.MalformedBody {
		t.Fatalf("%v, %+v: want the third attempt's page", err, a)
	}
	_, err = client.Do(t.Context(), &fetch.Request{URL: o.URL() + page + "&bad=all"})
	d := verdict.Of(err)
	if d.Verdict != verdict.Ambiguo || d.Kind != fetch.MalformedBody || d.Status != 200 {
		t.Errorf("%+v, want ambiguo", d)
	}
	if !strings.Contains(d.Motivo, "rejeitado") || !strings.Contains(d.Motivo, "Ideias Legislativas") {
		t.Errorf("motivo %q says neither why nor which page", d.Motivo)
	}
}

func hasItems(_ *http.Response, body []byte) fetch.Kind {
	if bytes.Contains(body, []byte(`class="ideia"`)) {
		return ""
	}
	return fetch.MalformedBody
}
