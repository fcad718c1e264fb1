package checks_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"runtime"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
	"github.com/fonteviva/fonteviva/fixtures/nameserver"
)

// moreCases: what needs no rule of the origin's, and was left (B, G, M).
var moreCases = []row{
	{id: "G4 a server that asks for another handshake", door: fixtures.TLSRenegotiation, trust: true, probe: `get: /, as: json, retry_on: [network]`,
		finding: checks.Indisponivel, kind: fetch.Network, detail: "tls_policy", trips: "indisponivel:1", stopped: "not_retryable",
		motivo: "TLS: a política do nosso cliente", more: nothingCame},
	{id: "M2 the attempt is judged, not a later look", probe: `get: /m2/series, as: json, retries: 0`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 503, trips: "indisponivel:1", stopped: "retries",
		more: func(t *testing.T, _ *checks.Result, o *fixtures.Origin) {
			res, err := http.Get(o.URL() + "/m2/series")
			if err != nil || res.StatusCode != 200 {
				t.Fatalf("a later look: %v, %+v; want 200, or this shows nothing", err, res)
			}
			res.Body.Close()
		}},
	{id: "M4 what could not be fetched was not compared", probe: `get: /m4/openapi.json, expect: {json: [{path: $.openapi, starts_with: "3."}]}`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksHTMLErrorPage, status: 503, trips: "indisponivel:2", stopped: "retries"},
}

// moreRules: further answers of origins that have rules (B5, B7).
var moreRules = []ruled{
	{rule: "0", row: row{id: "B5 the error document in XML", origin: `answers: [{status: 200, body_is: xml, body_contains: '<wb:message id="120"', means: respondeu}]`,
		probe:   `get: /b5/xml/v2/country/XX/indicator/SP.POP.TOTL`,
		finding: checks.Respondeu, looks: fetch.LooksXMLFault, status: 200, trips: "respondeu:1 respondeu:1"}},
	{rule: "1", row: row{id: "B5 no data is no error", origin: worldBankRules[:len(worldBankRules)-1] + `, {json: "$[0].message[?@.id == '160']", means: absent}]`,
		probe:   `get: /b5/v2/country/BR/indicator/EN.NONE, empty: ok, expect: {json: [{path: $, length: 2}]}`,
		finding: checks.OK, status: 200, trips: "ok:1"}},
	{rule: "1", row: row{id: "B7 an unknown area", origin: hintRules, probe: `get: /b7/area/api/public/data/indicators, as: json`,
		finding: checks.Respondeu, status: 200, trips: "respondeu:1 respondeu:1"}},
	{rule: "2", row: row{id: "B7 years without data", origin: hintRules, probe: `get: /b7/no-data/api/public/data/indicators, as: json`,
		finding: checks.OK, status: 200, trips: "ok:1", codes: "empty"}},
}

const hintRules = `answers: [{json: "$.hints[?@.code == 'UIS::HINT::001']", means: respondeu}, {json: "$.hints[?@.code == 'UIS::HINT::003']", means: respondeu},
  {json: "$.hints[?@.code == 'UIS::HINT::004']", means: absent}]`

func TestMoreCases(t *testing.T) {
	t.Parallel()
	for _, w := range moreCases {
		t.Run(w.id, w.holds)
	}
	for _, w := range moreRules {
		t.Run(w.id, w.holds)
	}
}

// TestDroppedPackets is G1: nothing of the origin answers, TCP included. The
// breaker ends it after the first failures; all of it is an outage, and none of
// it is measured.
func TestDroppedPackets(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux drops packets on loopback")
	}
	o := start(t)
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "%sorigins: {o: {url: %q, timeout: 150ms, max_in_flight: 1}}\nprobes:\n", everyWait, o.Endpoint(fixtures.Dropped))
	for i := range 20 {
		fmt.Fprintf(&yaml, "  - {name: p%d, origin: o, get: /%d, expect: {json: [{path: $.v, equals: 1}]}}\n", i, i)
	}
	rep := plan(t, yaml.String(), checks.Options{Rand: func() float64 { return 0 }}).Run(t.Context())
	attempts, unasked := 0, 0
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.Finding != checks.Indisponivel || r.Measured || len(r.Mismatches) > 0 {
			t.Errorf("%s: %s", r.Name, text(r))
		}
		if of(r.Detail) == string(fetch.CircuitOpen) && len(r.Trips) == 0 {
			unasked++
			continue
		}
		for _, trip := range r.Trips {
			attempts += len(trip.Attempts)
		}
		if len(r.Trips[0].Attempts) == 2 && (of(r.Kind) != string(fetch.Timeout) || of(r.Detail) != string(fetch.TCPTimeout) || !r.Transport) {
			t.Errorf("%s: %s", r.Name, text(r))
		}
	}
	if attempts != 5 || unasked != 17 || of(rep.Origins[0].Breaker) != "open" {
		t.Errorf("%d attempts, %d probes not asked, breaker %s: want 5, 17 and open", attempts, unasked, of(rep.Origins[0].Breaker))
	}
}

// TestNames is G10, with a name server of ours: SERVFAIL and silence come and
// go, a name that does not exist is final.
func TestNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, name, probe string
		want            row
	}{
		{"G10 a name that is known", nameserver.Here, "get: /echo", row{finding: checks.OK, status: 200, trips: "ok:1"}},
		{"G10 SERVFAIL", nameserver.Servfail, "get: /echo", row{finding: checks.Indisponivel, kind: fetch.Network, detail: "dns_servfail",
			trips: "indisponivel:2", stopped: "retries", more: nothingCame}},
		{"G10 NXDOMAIN", "no-such.origin.test", "get: /echo, retry_on: [network]", row{finding: checks.Indisponivel, kind: fetch.Network, detail: "dns_nxdomain",
			trips: "indisponivel:1", stopped: "not_retryable", motivo: "não existe", more: nothingCame}},
		{"G10 silence", nameserver.Silent, "get: /echo, timeout: 200ms", row{finding: checks.Indisponivel, kind: fetch.Timeout, detail: "dns_timeout",
			trips: "indisponivel:2", stopped: "retries", more: nothingCame}},
	} {
		t.Run(c.id, func(t *testing.T) {
			t.Parallel()
			o := start(t)
			r := named(t, o, c.name, c.probe)
			c.want.compare(t, r)
			sound(t, r)
			if c.want.more != nil {
				c.want.more(t, r, o)
			}
		})
	}
	t.Run("G10 SERVFAIL that passes", func(t *testing.T) {
		t.Parallel()
		// How often a resolver asks before it gives up is the system's to say.
		r := named(t, start(t), nameserver.Flaky, "get: /echo, retries: 3")
		if r.Finding != checks.OK || len(r.Trips) != 1 || len(r.Trips[0].Attempts) < 2 || of(r.Trips[0].Attempts[0].Detail) != string(fetch.DNSServfail) {
			t.Error(text(r))
		}
	})
}

// named asks one probe of the origin under a name that only a name server of
// ours knows.
func named(t *testing.T, o *fixtures.Origin, name, probe string) *checks.Result {
	t.Helper()
	names, err := nameserver.Start(net.IPv4(127, 0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := names.Close(); err != nil {
			t.Error(err)
		}
	})
	url := strings.Replace(o.URL(), "127.0.0.1", name, 1)
	yaml := fmt.Sprintf("%sorigins: {o: {url: %q, proxy: none, dns: %q}}\nprobes:\n  - {name: p, origin: o, %s}\n", everyWait, url, names.Address(), probe)
	return &plan(t, yaml, checks.Options{Rand: func() float64 { return 0 }}).Run(t.Context()).Results[0]
}

// TestGeography is G11: the same portal is silent from here and answers
// elsewhere. Each way out has a finding of its own.
func TestGeography(t *testing.T) {
	t.Parallel()
	o := start(t)
	elsewhere := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.Out.Header.Set("Via", "1.1 elsewhere") }})
	defer elsewhere.Close()
	yaml := fmt.Sprintf(`%sorigins:
  here: {url: %[2]q, proxy: none, timeout: 200ms}
  elsewhere: {url: %[2]q, proxy: %[3]q}
probes:
  - {name: here, origin: here, get: /g11/slow-portal, as: json}
  - {name: elsewhere, origin: elsewhere, get: /g11/slow-portal, expect: {json: [{path: $, length: 5}]}}
`, everyWait, o.URL(), elsewhere.URL)
	rep := plan(t, yaml, checks.Options{Rand: func() float64 { return 0 }}).Run(t.Context())
	for i, want := range []row{
		{finding: checks.Indisponivel, kind: fetch.Timeout, detail: "header_timeout", trips: "indisponivel:2", motivo: "não respondeu a tempo"},
		{finding: checks.OK, status: 200, trips: "ok:1"},
	} {
		want.compare(t, &rep.Results[i])
		sound(t, &rep.Results[i])
	}
}

// TestOwnLimitOverSockets is M9: our own rate limit says no, the origin was
// never asked a second time.
func TestOwnLimitOverSockets(t *testing.T) {
	t.Parallel()
	o := start(t)
	yaml := fmt.Sprintf(`%sorigins: {o: {url: %q, budget: 2s, rate_limit: {max: 1, window: 1h}}}
probes:
  - {name: a, origin: o, get: /probe/1, as: json}
  - {name: b, origin: o, get: /probe/2, as: json}
`, everyWait, o.URL())
	rep := plan(t, yaml, checks.Options{Rand: func() float64 { return 0 }}).Run(t.Context())
	measured, limited := 0, 0
	for i := range rep.Results {
		switch r := &rep.Results[i]; {
		case r.Finding == checks.OK:
			measured++
		case r.Finding == checks.Alheio && of(r.Cause) == string(fetch.CauseOwnLimiter) && !r.Asked && r.Retrieval == nil:
			limited++
		}
	}
	if hits := o.Hits("/probe/1") + o.Hits("/probe/2"); measured != 1 || limited != 1 || hits != 1 {
		t.Errorf("%d measured, %d limited, %d requests arrived; want 1 each", measured, limited, hits)
	}
}
