package checks

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

const invalid = "<html><head><title>Requisição inválida!</title></head></html>"

func TestAnswersMean(t *testing.T) {
	const rules = `
version: 1
origins:
  o:
    url: https://o.example
    retries: 1
    backoff: {strategy: fixed, base: 1s, max: 1s, jitter: none}
    confirm: {trips: 2, wait: 3s}
    ambiguous: {trips: 2, wait: 5s}
    answers:
      - {status: 404, body_contains: "not found", means: absent}
      - {status: 500, path: "/api/**", means: respondeu}
      - {status: 403, means: indisponivel, retry: false}
      - {json: $.remark, means: indisponivel}
      - {json: $.hint, means: respondeu}
      - {json: $.old, means: drift}
      - {status: 418, means: ok}
      - {status: 451, means: ambiguo}
probes:
`
	const want = `expect: {json: [{path: $.v, equals: 1}]}`
	cases := []struct {
		name, probe, answer string
		finding             Finding
		kind                string
		rule                int // -1: none
		trips               string
		codes               string
		takes               time.Duration
	}{
		{"no rule", "get: /a, " + want, `200 {"v":1}`, OK, "", -1, "ok:1", "", 0},
		{"absent warns", "get: /a, " + want, "404 it was not found", OK, "", 0, "ok:1", "empty", 0},
		{"absent is fine", "get: /a, empty: ok, " + want, "404 it was not found", OK, "", 0, "ok:1", "", 0},
		{"absent is fine for a time", "get: /a, empty: ok, max_empty: 5d, " + want, "404 it was not found", OK, "", 0, "ok:1", "", 0},
		{"absent fails, twice", "get: /a, empty: fail, " + want, "404 it was not found", Drift, "", 0, "drift:1 drift:1", "empty", 3 * time.Second},
		{"another 404", "get: /a, " + want, "404 gone", Respondeu, "not_found", -1, "respondeu:1 respondeu:1", "", 3 * time.Second},
		{"a 500 that refuses is not retried", "get: /api/v3/x, " + want, "500 oops", Respondeu, "http_5xx", 1, "respondeu:1 respondeu:1", "", 3 * time.Second},
		{"a 500 elsewhere is an outage", "get: /a, " + want, "500 oops", Indisponivel, "http_5xx", -1, "indisponivel:2", "", time.Second},
		{"a 403 that is an outage", "get: /a, " + want, "403 no", Indisponivel, "http_4xx", 2, "indisponivel:1", "", 0},
		{"an outage in a 200", "get: /a, " + want, `200 {"remark":"busy"}`, Indisponivel, "malformed_body", 3, "indisponivel:2", "", time.Second},
		{"a refusal in a 200", "get: /a, " + want, `200 {"hint":"001"}`, Respondeu, "", 4, "respondeu:1 respondeu:1", "", 3 * time.Second},
		{"drift is confirmed", "get: /a, " + want, `200 {"old":1}`, Drift, "", 5, "drift:1 drift:1", "answers", 3 * time.Second},
		{"ok leaves it to the expectations", "get: /a, expect: {body: {contains: tea}}", "418 tea", OK, "", 6, "ok:1", "", 0},
		{"and they may not hold", "get: /a, expect: {body: {contains: coffee}}", "418 tea", Drift, "", 6, "drift:1 drift:1", "body.contains", 3 * time.Second},
		{"ambiguous is repeated", "get: /a, " + want, "451 x", Ambiguo, "http_4xx", 7, "ambiguo:2 ambiguo:2", "", 7 * time.Second},
		{"the probe's own status comes first", "get: /a, expect: {status: 404}", "404 it was not found", OK, "", -1, "ok:1", "", 0},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				path := strings.TrimPrefix(strings.SplitN(c.probe, ",", 2)[0], "get: ")
				rep := runPlan(t, t.Context(), declare(t, rules+"  - {name: p, origin: o, "+c.probe+"}"), script(map[string][]string{path: {c.answer}}), Options{})
				r := &rep.Results[0]
				var trips, codes []string
				for _, trip := range r.Trips {
					trips = append(trips, fmt.Sprintf("%s:%d", trip.Finding, len(trip.Attempts)))
				}
				for _, m := range r.Mismatches {
					codes = append(codes, m.Code)
				}
				rule := ""
				if c.rule >= 0 {
					rule = fmt.Sprintf("origins.o.answers[%d]", c.rule)
				}
				got := fmt.Sprint(r.Finding, deref(ptrString(r.Kind), ""), deref(r.Rule, ""), trips, codes, rep.Duration)
				if want := fmt.Sprint(c.finding, c.kind, rule, strings.Fields(c.trips), strings.Fields(c.codes), c.takes); got != want {
					t.Errorf("\n got %s\nwant %s", got, want)
				}
				if empty := deref(r.Detail, "") == DetailEmpty; empty != strings.Contains(c.probe, "max_empty") {
					t.Errorf("detail %q", deref(r.Detail, ""))
				}
				if r.Measured != (r.Motivo == nil) || r.Measured != (r.Verdict == nil) {
					t.Errorf("measured %v, motivo %v", r.Measured, r.Motivo)
				}
			})
		})
	}
}

func ptrString[T ~string](v *T) *string {
	if v == nil {
		return nil
	}
	s := string(*v)
	return &s
}

const withSentinel = `
version: 1
origins:
  o: {url: https://o.example, retries: 0, sentinel: /good, ambiguous: {trips: 2, wait: 5s}, max_in_flight: 8, circuit_breaker: off}
probes:
`

func TestTheSentinelDecides(t *testing.T) {
	page := func(id int) string {
		return fmt.Sprintf("200 <html><body>The requested URL was rejected. Your support ID is: %019d</body></html>", id)
	}
	cases := []struct {
		name    string
		answers []string
		good    string
		finding Finding
		codes   string
		seen    Finding // "" when the sentinel was not asked
		motivo  string
	}{
		{"down", []string{"200 " + invalid}, "503 busy", Indisponivel, "", Indisponivel, "também falhou"},
		{"malformed as well", []string{"200 " + invalid}, "200 <html>other", Indisponivel, "", Ambiguo, "também falhou"},
		{"an error page each time", []string{"200 " + invalid}, `200 [1]`, Respondeu, "", OK, "recusa este pedido"},
		{"a challenge with another id each time", []string{page(1), page(2)}, `200 [1]`, Respondeu, "", OK, "recusa este pedido"},
		{"another format each time", []string{"200 a;b\n1;2"}, `200 [1]`, Drift, "format", OK, ""},
		{"another body each time", []string{"200 <html>a", "200 <html>b"}, `200 [1]`, Ambiguo, "", OK, "HTML"},
		{"the sentinel is refused", []string{"200 " + invalid}, "404 gone", Ambiguo, "", Respondeu, ""},
		{"it recovers", []string{"200 " + invalid, "200 [1]"}, "503 busy", OK, "", "", ""},
		{"an outage needs none", []string{"503 busy"}, "503 busy", Indisponivel, "", "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := script(map[string][]string{"/a": c.answers, "/good": {c.good}})
				r := runPlan(t, t.Context(), declare(t, withSentinel+"  - {name: a, origin: o, get: /a, as: json}"), tr, Options{}).Results[0]
				asked := 0
				if c.seen != "" {
					asked = 1
				}
				if r.Finding != c.finding || tr.counts["/good"] != asked {
					t.Errorf("%s, sentinel asked %d times; want %s, %d", r.Finding, tr.counts["/good"], c.finding, asked)
				}
				if (r.Sentinel != nil) != (c.seen != "") || r.Sentinel != nil && (r.Sentinel.Finding != c.seen || len(r.Sentinel.Trip.Attempts) != 1) {
					t.Errorf("sentinel %+v, want %q", r.Sentinel, c.seen)
				}
				if !strings.Contains(deref(r.Motivo, ""), c.motivo) || r.Measured != (r.Motivo == nil) {
					t.Errorf("motivo %q, want %q in it", deref(r.Motivo, ""), c.motivo)
				}
				if codes := len(r.Mismatches); codes != len(strings.Fields(c.codes)) || codes > 0 && r.Mismatches[0].Code != c.codes {
					t.Errorf("mismatches %+v, want %q", r.Mismatches, c.codes)
				}
				if r.Retrieval.Requests != len(r.Trips) {
					t.Errorf("the sentinel's trip is in the probe's retrieval: %+v", r.Retrieval)
				}
			})
		})
	}
}

func TestTheSentinelIsAskedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var yaml strings.Builder
		answers := map[string][]string{"/good": {"503 busy"}}
		for i := range 8 {
			path := fmt.Sprintf("/%d", i)
			answers[path] = []string{"200 " + invalid}
			fmt.Fprintf(&yaml, "  - {name: p%d, origin: o, get: %s, as: json}\n", i, path)
		}
		tr := script(answers)
		reply := tr.reply
		tr.reply = func(r *http.Request, n int) (*http.Response, error) {
			if r.URL.Path == "/good" {
				time.Sleep(2 * time.Second) // everybody else waits for it
			}
			return reply(r, n)
		}
		rep := runPlan(t, t.Context(), declare(t, withSentinel+yaml.String()), tr, Options{Parallel: 8})
		if tr.counts["/good"] != 1 || rep.Duration != 7*time.Second {
			t.Errorf("asked %d times in %s, want once in 7s", tr.counts["/good"], rep.Duration)
		}
		for _, r := range rep.Results {
			if r.Finding != Indisponivel || r.Sentinel == nil || deref(r.Detail, "") != DetailSentinel {
				t.Errorf("%s: %s %v", r.Name, r.Finding, r.Sentinel)
			}
		}
	})
}
