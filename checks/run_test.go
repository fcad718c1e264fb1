package checks

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

func TestTripsAndFindings(t *testing.T) {
	const html = "<html><head><title>Requisição inválida!</title></head></html>"
	cases := []struct {
		name    string
		probe   string
		answers []string
		finding Finding
		detail  string
		trips   int
		flags   string // p persistent, u unstable
		takes   time.Duration
	}{
		{"ok", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":1}`}, OK, "", 1, "", 0},
		{"ambiguous recovers", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`, []string{"200 " + html, `200 {"v":1}`}, OK, "", 2, "u", 5 * time.Second},
		{"ambiguous persists", `{name: a, origin: o, get: /a, as: json}`, []string{"200 " + html}, Ambiguo, "", 2, "p", 5 * time.Second},
		{"drift confirmed", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":2}`}, Drift, "", 2, "", time.Second},
		{"drift that passes", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":2}`, `200 {"v":1}`}, OK, "", 2, "u", time.Second},
		{"drift not confirmed", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":2}`, "503 busy"}, Ambiguo, DetailUnconfirmed, 2, "u", time.Second},
		{"refused twice", `{name: a, origin: o, get: /a}`, []string{"404 gone"}, Respondeu, "", 2, "", time.Second},
		{"down", `{name: a, origin: o, get: /a}`, []string{"502 " + html}, Indisponivel, "", 1, "", 0},
		{"an expected 404 is measured", `{name: a, origin: o, get: /a, expect: {status: 404}}`, []string{"404 gone"}, OK, "", 1, "", 0},
		{"an expected 404 that is there", `{name: a, origin: o, get: /a, expect: {status: 404}}`, []string{"200 here"}, Drift, "", 2, "", time.Second},
		{"a warning leaves it ok", `{name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1, severity: warn}]}}`, []string{`200 {"v":2}`}, OK, "", 1, "", 0},
		{"not repeatable", `{name: a, origin: o, request: {method: POST, path: /a, json: {x: 1}}, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":2}`}, Drift, DetailSingleTrip, 1, "", 0},
		{"repeatable because it says so", `{name: a, origin: o, request: {method: POST, path: /a, json: {x: 1}}, idempotent: true, expect: {json: [{path: $.v, equals: 1}]}}`, []string{`200 {"v":2}`}, Drift, "", 2, "", time.Second},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := script(map[string][]string{"/a": c.answers})
				rep := runPlan(t, t.Context(), declare(t, header+"  - "+c.probe), tr, Options{})
				r := rep.Results[0]
				if r.Finding != c.finding || deref(r.Detail, "") != c.detail || len(r.Trips) != c.trips {
					t.Errorf("got %s %q in %d trips, want %s %q in %d", r.Finding, deref(r.Detail, ""), len(r.Trips), c.finding, c.detail, c.trips)
				}
				if tr.counts["/a"] != c.trips {
					t.Errorf("%d requests left, want %d", tr.counts["/a"], c.trips)
				}
				if r.Persistent != strings.Contains(c.flags, "p") || r.Unstable != strings.Contains(c.flags, "u") {
					t.Errorf("persistent %v unstable %v, want %q", r.Persistent, r.Unstable, c.flags)
				}
				if rep.Duration != c.takes {
					t.Errorf("took %s, want exactly %s", rep.Duration, c.takes)
				}
				if r.Measured != (c.finding == OK || c.finding == Drift) || !r.Asked || (r.Verdict == nil) != r.Measured {
					t.Errorf("measured %v, asked %v, verdict %v", r.Measured, r.Asked, r.Verdict)
				}
				if r.Retrieval == nil || r.Retrieval.Requests != c.trips {
					t.Errorf("retrieval %+v, want %d trips", r.Retrieval, c.trips)
				}
			})
		})
	}
}

func TestAnUnconfirmedDriftShowsBothTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {`200 {"v":2}`, "503 busy"}})
		r := runPlan(t, t.Context(), declare(t, header+`  - {name: a, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}`), tr, Options{}).Results[0]
		if len(r.Mismatches) != 1 || r.Mismatches[0].Code != "json.equals" {
			t.Errorf("the first trip's mismatch is lost: %+v", r.Mismatches)
		}
		if r.Kind == nil || *r.Kind != fetch.HTTP5xx || *r.Status != 503 || !strings.Contains(*r.Motivo, "503") {
			t.Errorf("the second trip's failure is lost: kind %v status %v motivo %v", r.Kind, r.Status, r.Motivo)
		}
		if r.Trips[0].Finding != Drift || r.Trips[1].Finding != Indisponivel || r.Trips[1].WaitMS != 1000 {
			t.Errorf("trips: %+v", r.Trips)
		}
	})
}

func TestIdenticalGETsShareATrip(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {`200 {"v":1,"w":2}`}, "/b": {"500 x"}})
		rep := runPlan(t, t.Context(), declare(t, header+`
  - {name: first, origin: o, get: /a, expect: {json: [{path: $.v, equals: 1}]}}
  - {name: second, origin: o, get: /a, expect: {json: [{path: $.w, equals: 3}]}}
  - {name: alone, origin: o, get: /a, share: false, expect: {json: [{path: $.v, equals: 1}]}}
  - {name: text, origin: o, get: /a}
  - {name: down, origin: o, get: /b}
  - {name: down-too, origin: o, get: /b}
  - {name: other-status, origin: o, get: /b, expect: {status: 500}}
`), tr, Options{})
		// The second probe drifts, so the shared trip is made twice; both are
		// judged on the latest.
		if tr.counts["/a"] != 2+1+1 {
			t.Errorf("/a was asked %d times, want 4", tr.counts["/a"])
		}
		if tr.counts["/b"] != 2 {
			t.Errorf("/b was asked %d times, want 2", tr.counts["/b"])
		}
		first, second, down, downToo := rep.Results[0], rep.Results[1], rep.Results[4], rep.Results[5]
		if first.Finding != OK || first.SharedWith != nil || first.Retrieval == nil || first.ServedFromCache || len(first.Trips) != 2 {
			t.Errorf("owner: %+v", first)
		}
		if second.Finding != Drift || second.SharedWith == nil || *second.SharedWith != "first" || second.Retrieval != nil || !second.ServedFromCache || !second.Asked {
			t.Errorf("sharer: %+v", second)
		}
		if down.Finding != Indisponivel || downToo.Finding != Indisponivel || downToo.SharedWith == nil {
			t.Errorf("a failed trip is shared too: %s %s %v", down.Finding, downToo.Finding, downToo.SharedWith)
		}
		if rep.Results[6].Finding != OK {
			t.Errorf("a probe that expects the status makes its own trip: %+v", rep.Results[6])
		}
	})
}

func TestAPanicIsAResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := declare(t, header+"  - {name: a, origin: o, get: /a}\n  - {name: b, origin: o, get: /b}")
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.URL.Path == "/a" {
				panic("boom")
			}
			return respond(r, 200, "x"), nil
		}}
		rep := runPlan(t, t.Context(), d, tr, Options{})
		a, b := rep.Results[0], rep.Results[1]
		if a.Finding != Alheio || a.Cause == nil || *a.Cause != fetch.CausePanic || a.Measured {
			t.Errorf("a: %s cause %v", a.Finding, a.Cause)
		}
		if !strings.Contains(*a.Motivo, "panic") || a.Asked != (len(a.Trips[0].Attempts) > 0) {
			t.Errorf("a: motivo %q, asked %v, %+v", *a.Motivo, a.Asked, a.Trips)
		}
		if b.Finding != OK {
			t.Errorf("b: %s, want ok: one probe's panic is its own", b.Finding)
		}
	})
}

func TestSecretsAreMaskedEverywhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const token = "s3cr3t-t0ken"
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			return respond(r, 401, "bad token "+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")), nil
		}}
		d := declare(t, `
version: 1
origins:
  o: {url: https://o.example, auth: {bearer: "${env.TOKEN}"}}
probes:
  - {name: a, origin: o, get: "/a?key=${env.TOKEN}"}
`)
		env := func(name string) (string, bool) { return token, name == "TOKEN" }
		r := runPlan(t, t.Context(), d, tr, Options{Env: env}).Results[0]
		if r.Finding != Respondeu || !strings.Contains(*r.Motivo, "bad token") {
			t.Errorf("finding %s, motivo %v", r.Finding, r.Motivo)
		}
		if all := fmt.Sprintf("%s %s", r.URL, *r.Motivo); strings.Contains(all, token) {
			t.Errorf("the token is shown: %s", all)
		}
	})
}

func TestEveryMissingVariableIsNamedAtOnce(t *testing.T) {
	d := declare(t, `
version: 1
origins:
  o: {url: "https://${env.HOST}", auth: {bearer: "${env.TOKEN}"}}
  unused: {url: "https://${env.ELSEWHERE}"}
probes:
  - {name: a, origin: o, get: "/a?key=${env.KEY}"}
  - {name: b, origin: unused, get: "/b"}
`)
	_, err := NewPlan(d, d.Probes[:1], Options{})
	if err == nil {
		t.Fatal("planned without its variables")
	}
	for _, name := range []string{"HOST", "TOKEN", "KEY"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not named in: %v", name, err)
		}
	}
	if strings.Contains(err.Error(), "ELSEWHERE") {
		t.Errorf("a variable of a probe that was not selected is named: %v", err)
	}
}

func TestReferencesAreEscapedForTheirPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var query, body string
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.Body != nil {
				b, _ := io.ReadAll(r.Body)
				body = string(b)
			} else {
				query = r.URL.RawQuery
			}
			return respond(r, 200, "x"), nil
		}}
		d := declare(t, header+`
  - {name: a, origin: o, get: "/a?q=${env.V}&x=1"}
  - {name: b, origin: o, request: {method: POST, path: /b, json: {q: "${env.V}", plain: "$${env.V}"}}}
`)
		runPlan(t, t.Context(), d, tr, Options{Env: func(string) (string, bool) { return `a&b="c"`, true }})
		if query != "q=a%26b%3D%22c%22&x=1" {
			t.Errorf("query %q", query)
		}
		if body != `{"q":"a&b=\"c\"","plain":"${env.V}"}` {
			t.Errorf("body %s", body)
		}
	})
}

func TestARedirectElsewhereIsAWarning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.URL.Scheme == "http" {
				resp := respond(r, 301, "")
				resp.Header.Set("Location", "https://o.example/a")
				return resp, nil
			}
			return respond(r, 200, "x"), nil
		}}
		d := declare(t, "version: 1\norigins:\n  o: {url: http://o.example}\nprobes:\n  - {name: a, origin: o, get: /a}")
		r := runPlan(t, t.Context(), d, tr, Options{}).Results[0]
		if r.Finding != OK || len(r.Mismatches) != 1 || r.Mismatches[0].Code != "redirect.moved" || r.Mismatches[0].Severity != expect.Warn {
			t.Errorf("%s %+v", r.Finding, r.Mismatches)
		}
		if r.FinalURL == nil || *r.FinalURL != "https://o.example/a" {
			t.Errorf("final url %v", r.FinalURL)
		}
	})
}

func TestTraceCodes(t *testing.T) {
	if got := traceCode([]byte{0xff, 0xff, 0xff, 0xff, 0xff}); got != "ZZZZZZZZ" {
		t.Errorf("all ones: %s", got)
	}
	if got := traceCode([]byte{0, 0, 0, 0, 33}); got != "00000011" {
		t.Errorf("33: %s", got)
	}
	a, b := newTracer([]byte("seed")), newTracer([]byte("seed"))
	if a.code("x") != b.code("x") || a.code("x") == a.code("y") || len(a.code("x")) != 8 {
		t.Error("codes are determined by seed and name")
	}
	if strings.ContainsAny(newTracer(nil).code(""), "ILOU") {
		t.Error("not Crockford base32")
	}
}

// TestCheckURL: an address that would be read otherwise than it is written is
// refused, and not quoted.
func TestCheckURL(t *testing.T) {
	for address, fine := range map[string]bool{
		"https://o.example/a?b=c%20d": true, "https://o.example/a": true, "https://o.example/a?b=!~": true,
		"https://o.example/a?b=c d": false, "https://o.example/a?b=\x7f": false, "https://o.example/a?b=\t": false,
		"https://o.example/a?b#c": false, "ftp://o.example/a": false, "https:///a": false,
	} {
		err := checkURL(address)
		if (err == nil) != fine {
			t.Errorf("%q: %v", address, err)
		}
		if err != nil && strings.Contains(err.Error(), "o.example") {
			t.Errorf("%q is quoted: %v", address, err)
		}
	}
}
