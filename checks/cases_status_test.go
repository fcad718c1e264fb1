package checks_test

import (
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// statusCases: what a status line says, and what checkers make of it (D, E, F,
// M).
var statusCases = []row{
	{id: "D2 406 is a window that is too wide", probe: `get: /d2/dados/serie/bcdata.sgs.11/dados, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, status: 406, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "no máximo, 10 anos"},
	{id: "D3 400 for too many values", probe: `get: /d3/dados/serie/bcdata.sgs.11/dados/ultimos/50, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, status: 400, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "deve ser 20"},
	{id: "D5 400 with one sentence", probe: `get: /d5/values/t/6579/n3/all/v/9999, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksPlainText, status: 400, trips: "respondeu:1 respondeu:1", stopped: "not_retryable",
		motivo: "«Parâmetro V (Variável) com código 9999 inexistente na tabela»"},
	{id: "D6 403 managed challenge", probe: `get: /d6/values/t/6579/n1/1, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksWAFChallenge, status: 403, trips: "respondeu:1 respondeu:1", stopped: "not_retryable",
		motivo: "desafio WAF: o acesso foi recusado, contrato não medido"},
	{id: "D11 403 for a generic agent", origin: `user_agent: Go-http-client/2.0`, probe: `get: /d11/w/api.php, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksPlainText, status: 403, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "Please set a user-agent"},
	{id: "D11 our own agent names a contact", probe: `get: /d11/w/api.php, as: json`,
		finding: checks.OK, status: 200, trips: "ok:1",
		more: func(t *testing.T, _ *checks.Result, o *fixtures.Origin) {
			if agent := o.LastRequest("/d11/w/api.php").Get("User-Agent"); agent != fetch.DefaultUserAgent || !strings.Contains(agent, "+https://") {
				t.Errorf("the agent was %q", agent)
			}
		}},
	{id: "D15 405 to HEAD", probe: `request: {method: HEAD, path: /d15/arcgis/rest/services/Base/FeatureServer/0}, as: text`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, status: 405, trips: "respondeu:1 respondeu:1", stopped: "not_retryable"},
	{id: "D15 200 to GET", probe: `get: /d15/arcgis/rest/services/Base/FeatureServer/0, expect: {json: [{path: $.name, equals: Municipios}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "D17 no such route", probe: `get: /d17/dadosabertos/api/v1/senadore, as: json`,
		finding: checks.Respondeu, kind: fetch.NotFound, status: 404, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "No static resource"},
	{id: "D17 no such key", probe: `get: /d17/dadosabertos/api/v1/senadores/999999, as: json`,
		finding: checks.Respondeu, kind: fetch.NotFound, looks: fetch.LooksEmpty, status: 404, trips: "respondeu:1 respondeu:1", stopped: "not_retryable"},
	{id: "D17 no data", probe: `get: /d17/dadosabertos/api/v1/senadores/5012/gastos, expect: {json: [{path: $, type: array, length: 0}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"},
	{id: "D17 no data where some was declared", probe: `get: /d17/dadosabertos/api/v1/senadores/5012/gastos, expect: {json: [{path: $, length: {min: 1}}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.length"},
	{id: "D17 an expected 404 is measured", probe: `get: /d17/dadosabertos/api/v1/senadores/999999, expect: {status: 404}`,
		finding: checks.OK, status: 404, trips: "ok:1"},

	{id: "E3 504 for one page", probe: `get: "/e3/api/v2/proposicoes?pagina=7", as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksPlainText, status: 504, trips: "indisponivel:2", stopped: "retries", motivo: "upstream request timeout"},
	{id: "E3 503 with a block of text", probe: `get: /e3/api/v2/deputados, as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksPlainText, status: 503, trips: "indisponivel:2", stopped: "retries", motivo: "Serviço indisponível"},
	{id: "E4 503 problem", probe: `get: "/e4/gridpoints/OKX/33,37/forecast", as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, status: 503, trips: "indisponivel:2", stopped: "retries", motivo: "Forecast Grid Expired"},
	{id: "E7 503 HTML, then right", probe: `get: /e7/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarDia, expect: {json: [{path: $.value, length: 1}]}`,
		finding: checks.OK, status: 200, trips: "ok:2"},
	{id: "E7 503 HTML all the time", probe: `get: "/e7/olinda/servico/PTAX/versao/v1/odata/CotacaoDolarDia?bad=all", expect: {json: [{path: $.value, length: 1}]}`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 503, trips: "indisponivel:2", stopped: "retries"},

	{id: "F3 a negative Retry-After", probe: `get: /f3/negative, as: json`, finding: checks.OK, status: 200, trips: "ok:2", more: waitedForBackoff},
	{id: "F3 a Retry-After in the past", probe: `get: /f3/past-date, as: json`, finding: checks.OK, status: 200, trips: "ok:2", more: waitedForBackoff},
	{id: "F3 a negative Retry-After all the time", probe: `get: "/f3/negative?bad=all", as: json`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, status: 429, trips: "indisponivel:2", stopped: "retries", more: askedForNoWait},
	{id: "F3 a Retry-After in the past all the time", probe: `get: "/f3/past-date?bad=all", as: json`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, status: 429, trips: "indisponivel:2", stopped: "retries", more: askedForNoWait},
	{id: "F6 a limit whose period is in the text", probe: `get: /f6/v1/forecast, as: json`,
		finding: checks.OK, status: 200, trips: "ok:2", more: waitedForBackoff},
	{id: "F6 all the time", probe: `get: "/f6/v1/forecast?bad=all", as: json`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, status: 429, trips: "indisponivel:2", stopped: "retries", motivo: "try again in one minute"},
	{id: "F6 the quota of the day, which the probe does not retry", probe: `get: /f6/daily/v1/forecast, as: json, retry_on: [timeout, network, http_5xx]`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, status: 429, trips: "indisponivel:1", stopped: "not_retryable", motivo: "try again tomorrow"},

	{id: "M3 a 502 page where XML was due", probe: `get: /m3/download/dados.xml, expect: {body: {starts_with: "<?xml"}}`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 502, trips: "indisponivel:2", stopped: "retries"},
	{id: "M5 drift that passes", probe: `get: /m5/hiccup, expect: {json: [{path: "$[*].valor", type: string}]}`,
		finding: checks.OK, status: 200, trips: "drift:1 ok:1", flags: "unstable"},
	{id: "M5 drift that stays", probe: `get: "/m5/hiccup?bad=all", expect: {json: [{path: "$[*].data", type: string}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.type"},
	{id: "M5 an edge that serves both", probe: `get: /m5/edge, expect: {json: [{path: "$[0].data", type: string}]}`,
		finding: checks.OK, status: 200, trips: "drift:1 ok:1", flags: "unstable"},
	{id: "M7 401 is not skipped", probe: `get: /m7/unauthorized, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, status: 401, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "The token is missing"},
	{id: "M7 410 is not skipped", probe: `get: /m7/gone, as: json`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, status: 410, trips: "respondeu:1 respondeu:1", stopped: "not_retryable", motivo: "use /v2"},
	{id: "M7 wrong content is not skipped", probe: `get: /m7/wrong, expect: {json: [{path: "$[0].valor", type: string}, {path: "$[0].data", type: string}]}`,
		finding: checks.Drift, status: 200, trips: "drift:1 drift:1", codes: "json.type json.type"},
	{id: "M10 an outage that speaks of an invalid query", probe: `get: /m10/api/query, as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksPlainText, status: 503, trips: "indisponivel:2", stopped: "retries", motivo: "not an invalid query"},
	{id: "M12 a wait that does not fit", probe: `get: /m12/maintenance, as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 503, trips: "indisponivel:1", stopped: "budget", motivo: "pediu espera de 1 h",
		more: func(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
			if unfit := value(r.Trips[0].UnfitMS); unfit != 3_600_000 {
				t.Errorf("unfit_ms %d, want an hour", unfit)
			}
			if r.DurationMS > 5_000 {
				t.Errorf("took %d ms to give up", r.DurationMS)
			}
		}},

	{id: "status 403 with a limit is no refusal", probe: `get: "/status/403?h=X-RateLimit-Remaining:0"`,
		finding: checks.Indisponivel, kind: fetch.RateLimited, looks: fetch.LooksEmpty, status: 403, trips: "indisponivel:2", stopped: "retries"},
	{id: "status 408 is retried", probe: `get: /status/408`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksEmpty, status: 408, trips: "respondeu:2 respondeu:2", stopped: "retries"},
	{id: "status 451", probe: `get: /status/451`,
		finding: checks.Respondeu, kind: fetch.HTTP4xx, looks: fetch.LooksEmpty, status: 451, trips: "respondeu:1 respondeu:1", stopped: "not_retryable"},
	{id: "status 799 is nobody's", probe: `get: /status/799`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksEmpty, status: 799, trips: "indisponivel:2", stopped: "retries"},
	{id: "status 204 is no JSON", probe: `get: /status/204, as: json`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksEmpty, status: 204, trips: "ambiguo:2 ambiguo:2", flags: "persistent"},
}

// waitedForBackoff: what Retry-After says is no wait, so ours holds, exactly.
func waitedForBackoff(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
	second := &r.Trips[0].Attempts[1]
	if second.WaitMS != 10 || of(second.WaitReason) != "backoff" {
		t.Errorf("waited %d ms for %q, want 10 ms of backoff", second.WaitMS, of(second.WaitReason))
	}
	if second.StartMS < 10 {
		t.Errorf("the retry left after %d ms, before the wait was over", second.StartMS)
	}
	if k := r.Trips[0].Attempts[0].Kind; of(k) != string(fetch.RateLimited) {
		t.Errorf("the first attempt was %q", of(k))
	}
}

// askedForNoWait: a Retry-After that means nothing is not told as one.
func askedForNoWait(t *testing.T, r *checks.Result, o *fixtures.Origin) {
	waitedForBackoff(t, r, o)
	if strings.Contains(of(r.Motivo), "pediu espera") {
		t.Errorf("motivo %q tells of a wait that nobody can wait", of(r.Motivo))
	}
}
