package checks_test

import (
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// credentials are keys of an origin that sends all it has.
const credentials = `auth: {bearer: "${env.TOKEN}"}, headers: {X-Api-Key: "${env.KEY}", Cookie: "sid=${env.KEY}"}`

const healthy = "/json/dados/serie/bcdata.sgs.11/dados/ultimos/5"

// redirectCases: where a 3xx leads, and what goes there (K).
var redirectCases = []row{
	{id: "K1 to a login page", origin: credentials, probe: `get: /k1/api/v4/datasets, expect: {json: [{path: $.datasets, type: array}]}`,
		finding: checks.Ambiguo, kind: fetch.MalformedBody, looks: fetch.LooksLoginPage, status: 200,
		trips: "ambiguo:2 ambiguo:2", flags: "persistent", motivo: "redirecionado para login",
		hits: map[string]int{"/k1/api/v4/datasets": 4, "/k1/login": 4},
		more: func(t *testing.T, r *checks.Result, o *fixtures.Origin) {
			if want := o.URL() + "/k1/login?next=/k1/api/v4/datasets"; of(r.FinalURL) != want {
				t.Errorf("final url %q, want %q", of(r.FinalURL), want)
			}
			identified(t, o, "/k1/login") // it is the place that they were declared for
		}},
	{id: "K1 not followed", origin: `redirects: none`, probe: `get: /k1/api/v4/datasets, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_none", looks: fetch.LooksEmpty, status: 302, trips: "respondeu:1 respondeu:1",
		motivo: "/k1/login?next=", hits: map[string]int{"/k1/api/v4/datasets": 2, "/k1/login": 0}},
	{id: "K4 from http to https", trust: true, origin: credentials, probe: `get: /k4/cath/releases, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.OK, status: 200, trips: "ok:1", codes: "redirect.moved", hits: map[string]int{"/k4/cath/releases": 1, healthy: 1},
		more: func(t *testing.T, r *checks.Result, o *fixtures.Origin) {
			if want := o.Endpoint(fixtures.TLS) + healthy; of(r.FinalURL) != want {
				t.Errorf("final url %q, want %q", of(r.FinalURL), want)
			}
			if n := r.Trips[0].Attempts[0].Requests; n != 2 {
				t.Errorf("%d requests in the attempt, want 2", n)
			}
			identified(t, o, "/k4/cath/releases")
			anonymous(t, o, healthy)
		}},
	{id: "K4 to a certificate that does not verify", origin: credentials, probe: `get: /k4/cath/releases, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_unknown_authority", trips: "indisponivel:1", stopped: "not_retryable",
		hits: map[string]int{"/k4/cath/releases": 1, healthy: 0}, more: somethingCame},
	{id: "K4 to another port", origin: credentials, probe: `get: /k4/other-port, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_cross_host", looks: fetch.LooksEmpty, status: 307, trips: "respondeu:1 respondeu:1",
		motivo: "outro endereço, que não foi seguido", hits: map[string]int{"/k4/other-port": 2, "/echo": 0},
		more: func(t *testing.T, r *checks.Result, o *fixtures.Origin) {
			if r.Redirect == nil || !r.Redirect.CrossHost || r.Redirect.Location != o.Endpoint(fixtures.OtherPort)+"/echo" {
				t.Errorf("redirect %+v", r.Redirect)
			}
		}},
	{id: "K4 to another port, followed", origin: `redirects: follow, ` + credentials, probe: `get: /k4/other-port, expect: {json: [{path: $.method, equals: GET}]}`,
		finding: checks.OK, status: 200, trips: "ok:1", codes: "redirect.moved", hits: map[string]int{"/k4/other-port": 1, "/echo": 1},
		more: func(t *testing.T, r *checks.Result, o *fixtures.Origin) {
			identified(t, o, "/k4/other-port")
			anonymous(t, o, "/echo")
			if got := r.Mismatches[0].Got; !strings.Contains(got, "withheld") {
				t.Errorf("%q does not say that headers were withheld", got)
			}
		}},
	{id: "K4 a body to another port, followed", origin: `redirects: follow, ` + credentials,
		probe:   `request: {method: POST, path: /k4/other-port, json: {a: 1}}, idempotent: true, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_method", looks: fetch.LooksEmpty, status: 307, trips: "respondeu:1 respondeu:1",
		hits: map[string]int{"/k4/other-port": 2, "/echo": 0}},
	{id: "K4 to another host", origin: credentials, probe: `get: /k4/other-host, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_cross_host", looks: fetch.LooksEmpty, status: 301, trips: "respondeu:1 respondeu:1",
		hits: map[string]int{"/k4/other-host": 2, healthy: 0}},
	{id: "K4 to another host, followed", origin: `redirects: follow, ` + credentials, probe: `get: /k4/other-host, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.OK, status: 200, trips: "ok:1", codes: "redirect.moved", hits: map[string]int{"/k4/other-host": 1, healthy: 1},
		more: func(t *testing.T, _ *checks.Result, o *fixtures.Origin) {
			identified(t, o, "/k4/other-host")
			anonymous(t, o, healthy)
		}},
	{id: "K4 from https to http", door: fixtures.TLS, trust: true, origin: `redirects: follow, ` + credentials, probe: `get: /k4/downgrade, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_downgrade", looks: fetch.LooksEmpty, status: 302, trips: "respondeu:1 respondeu:1",
		motivo: "de https para http", hits: map[string]int{"/k4/downgrade": 2, "/echo": 0}},
	{id: "K5 301 does not turn a POST into a GET", probe: `request: {method: POST, path: /k5/mcp, json: {a: 1}}, as: json`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "single_trip", looks: fetch.LooksEmpty, status: 301, trips: "respondeu:1", stopped: "not_retryable",
		hits: map[string]int{"/k5/mcp": 1, "/echo": 0}},

	{id: "redirect in a loop", probe: `get: /redirect/loop`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_loop", looks: fetch.LooksEmpty, status: 302, trips: "respondeu:1 respondeu:1", motivo: "dá voltas"},
	{id: "redirect too often", probe: `get: /redirect/chain/30`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_too_many", looks: fetch.LooksEmpty, status: 302, trips: "respondeu:1 respondeu:1",
		hits: map[string]int{"/redirect/chain/30": 2, "/redirect/chain/20": 2, "/redirect/chain/19": 0, "/echo": 0},
		more: func(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
			if n := r.Trips[0].Attempts[0].Requests; n != 11 {
				t.Errorf("%d requests in the attempt, want the first and ten more", n)
			}
		}},
	{id: "redirect a few times", origin: credentials, probe: `get: /redirect/chain/3, as: json`,
		finding: checks.OK, status: 200, trips: "ok:1", hits: map[string]int{"/redirect/chain/3": 1, "/redirect/chain/1": 1, "/echo": 1},
		more: func(t *testing.T, _ *checks.Result, o *fixtures.Origin) { identified(t, o, "/echo") }},
	{id: "redirect to nowhere", probe: `get: /redirect/no-location`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "redirect_no_location", looks: fetch.LooksEmpty, status: 302, trips: "respondeu:1 respondeu:1"},
	{id: "redirect 304 that nobody asked for", probe: `get: /status/304`,
		finding: checks.Respondeu, kind: fetch.Redirect, detail: "unasked_304", looks: fetch.LooksEmpty, status: 304, trips: "respondeu:1 respondeu:1"},
	{id: "redirect that is expected", probe: `get: /k4/other-host, expect: {status: 301}`,
		finding: checks.OK, status: 301, trips: "ok:1", hits: map[string]int{"/k4/other-host": 1, healthy: 0}},
}

var credentialHeaders = []string{"Authorization", "X-Api-Key", "Cookie"}

// identified holds that credentials arrived where they were declared for: else
// their absence elsewhere would prove nothing.
func identified(t *testing.T, o *fixtures.Origin, path string) {
	t.Helper()
	h := o.LastRequest(path)
	for _, name := range credentialHeaders {
		if h.Get(name) == "" {
			t.Errorf("%s: no %s arrived", path, name)
		}
	}
}

func anonymous(t *testing.T, o *fixtures.Origin, path string) {
	t.Helper()
	h := o.LastRequest(path)
	if h == nil {
		t.Errorf("%s was not asked", path)
	}
	for _, name := range append([]string{"Referer"}, credentialHeaders...) {
		if v := h.Get(name); v != "" {
			t.Errorf("%s: %s: %s arrived", path, name, v)
		}
	}
	for name, values := range h {
		for _, secret := range secrets {
			if strings.Contains(strings.Join(values, " "), secret) {
				t.Errorf("%s: a secret arrived in %s", path, name)
			}
		}
	}
}
