package checks_test

import (
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

// wireCases: what happens below an answer (G), and an origin that answers with
// no HTTP or with a part of it. All of it is an outage; none is drift.
var wireCases = []row{
	{id: "G3 silence", door: fixtures.Silent, origin: `timeout: 200ms`, probe: `get: /, expect: {json: [{path: $.v, equals: 1}]}`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "header_timeout", trips: "indisponivel:2", stopped: "retries",
		motivo: "aceitou a conexão e não respondeu a tempo", more: nothingCame},
	{id: "G3 silence that uses the budget up", door: fixtures.Silent, origin: `budget: 200ms`, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "budget", trips: "indisponivel:1", stopped: "budget", more: nothingCame},
	{id: "G6 an incomplete chain", door: fixtures.TLSIncompleteChain, trust: true, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_unknown_authority", trips: "indisponivel:1", stopped: "not_retryable",
		motivo: "cadeia está incompleta", more: nothingCame},
	{id: "G7 a private authority", door: fixtures.TLSUnknownCA, trust: true, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_unknown_authority", trips: "indisponivel:1", stopped: "not_retryable", more: nothingCame},
	{id: "G8 an expired certificate", door: fixtures.TLSExpired, trust: true, probe: `get: /echo, retry_on: [network]`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_expired", trips: "indisponivel:1", stopped: "not_retryable",
		motivo: "o certificado do servidor venceu", more: dated("venceu em ", -3)},
	{id: "G8 for those who know no authority", door: fixtures.TLSExpired, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_expired", trips: "indisponivel:1", stopped: "not_retryable", more: nothingCame},
	{id: "G9 the plain door", probe: `get: /g9/dados/serie/bcdata.sgs.11/dados/ultimos/1, as: json`,
		finding: checks.Respondeu, kind: fetch.NotFound, looks: fetch.LooksHTMLErrorPage, status: 404, trips: "respondeu:1 respondeu:1", motivo: "http puro"},
	{id: "G9 the door with TLS", door: fixtures.TLS, trust: true, probe: `get: /g9/dados/serie/bcdata.sgs.11/dados/ultimos/1, as: json`,
		finding: checks.OK, status: 200, trips: "ok:1"},

	{id: "tls not yet valid", door: fixtures.TLSNotYetValid, trust: true, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_not_yet_valid", trips: "indisponivel:1", stopped: "not_retryable",
		motivo: "ainda não vale", more: dated("começa em ", 3)},
	{id: "tls for another host", door: fixtures.TLSWrongHost, trust: true, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_wrong_host", trips: "indisponivel:1", stopped: "not_retryable", more: nothingCame},
	{id: "tls of an old version", door: fixtures.TLSOldVersion, trust: true, probe: `get: /echo, retry_on: [network]`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_policy", trips: "indisponivel:1", stopped: "not_retryable", more: nothingCame},
	{id: "tls that is none", door: fixtures.TLSNotTLS, trust: true, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_not_tls", trips: "indisponivel:2", stopped: "retries", more: nothingCame},
	{id: "tls that stays silent", door: fixtures.TLSSilent, trust: true, origin: `timeout: 200ms`, probe: `get: /echo`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "tls_timeout", trips: "indisponivel:2", stopped: "retries", more: nothingCame},

	{id: "wire refused", door: fixtures.Refused, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tcp_refused", trips: "indisponivel:2", stopped: "retries", more: nothingCame},
	{id: "wire reset", door: fixtures.Reset, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tcp_reset", trips: "indisponivel:2", stopped: "retries", more: nothingCame},
	{id: "wire reset after the request", door: fixtures.ResetAfterRequest, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tcp_reset", trips: "indisponivel:2", stopped: "retries", more: nothingCame},
	{id: "wire reset in the body", door: fixtures.ResetMidBody, probe: `get: /, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "body_cut", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire hangup", door: fixtures.Hangup, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "connection_closed", trips: "indisponivel:2", stopped: "retries", more: nothingCame},
	{id: "wire hangup, the request may not be sent twice", door: fixtures.Hangup, probe: `request: {method: POST, path: /, json: {a: 1}}, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "connection_closed", trips: "indisponivel:1", stopped: "method", more: nothingCame},
	{id: "wire no HTTP", door: fixtures.IllegalHTTP, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "http_malformed", trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire 101", door: fixtures.SwitchingProtocols, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "http_unexpected_upgrade", status: 101, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a short body", door: fixtures.ShortBody, probe: `get: /, expect: {json: [{path: $, length: 5}]}`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "body_cut", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a short body as text", door: fixtures.ShortBody, probe: `get: /, expect: {body: {contains: data}}`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "body_cut", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a bad chunk", door: fixtures.BadChunk, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "body_cut", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a cut chunk", door: fixtures.CutChunk, probe: `get: /, as: json`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "body_cut", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a slow body", door: fixtures.SlowDrip, origin: `timeout: 200ms`, probe: `get: "/?ms=100", as: json`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "body_timeout", status: 200, trips: "indisponivel:2", stopped: "retries", more: somethingCame},
	{id: "wire a slow body in time", door: fixtures.SlowDrip, probe: `get: "/?ms=1", expect: {json: [{path: $.valor, equals: "0.054266"}]}`,
		finding: checks.OK, status: 200, trips: "ok:1", more: somethingCame},
}

// dated holds that the motivo names the day of a certificate that is so many
// days from now. The origin started a moment ago, before midnight perhaps.
func dated(word string, days int) func(*testing.T, *checks.Result, *fixtures.Origin) {
	return func(t *testing.T, r *checks.Result, o *fixtures.Origin) {
		nothingCame(t, r, o)
		end := time.Now().UTC().AddDate(0, 0, days)
		for _, day := range []time.Time{end, end.Add(-time.Hour)} {
			if strings.Contains(of(r.Motivo), word+day.Format("02/01/2006")) {
				return
			}
		}
		t.Errorf("motivo %q has no %q with its day", of(r.Motivo), word)
	}
}

func nothingCame(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
	if !r.Transport {
		t.Error("transport is false: something is said to have come")
	}
}

func somethingCame(t *testing.T, r *checks.Result, _ *fixtures.Origin) {
	if r.Transport {
		t.Error("transport is true: nothing is said to have come")
	}
}
