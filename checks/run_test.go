package checks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// fake is an origin in memory: reply answers the n-th request (from 1) for a
// path.
type fake struct {
	mu     sync.Mutex
	counts map[string]int
	at     map[string][]time.Time
	active int
	peak   int
	reply  func(r *http.Request, n int) (*http.Response, error)
}

func (f *fake) RoundTrip(r *http.Request) (*http.Response, error) {
	f.mu.Lock()
	if f.counts == nil {
		f.counts, f.at = map[string]int{}, map[string][]time.Time{}
	}
	path := r.URL.Path
	f.counts[path]++
	f.at[path] = append(f.at[path], time.Now())
	n := f.counts[path]
	f.active++
	f.peak = max(f.peak, f.active)
	f.mu.Unlock()
	defer func() { f.mu.Lock(); f.active--; f.mu.Unlock() }()
	return f.reply(r, n)
}

func respond(r *http.Request, status int, body string) *http.Response {
	return &http.Response{
		StatusCode: status, Status: http.StatusText(status), Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body)), Request: r,
	}
}

// script answers each path with a list of "STATUS BODY", the last one again and
// again.
func script(answers map[string][]string) *fake {
	return &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
		list := answers[r.URL.Path]
		status, body, _ := strings.Cut(list[min(n, len(list))-1], " ")
		code := 0
		fmt.Sscan(status, &code)
		return respond(r, code, body), nil
	}}
}

const header = `
version: 1
origins:
  o: {url: https://o.example, retries: 0}
probes:
`

func declare(t *testing.T, yaml string) *Declaration {
	t.Helper()
	d, err := LoadBytes("t.yaml", []byte(strings.TrimLeft(yaml, "\n")), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func runPlan(t *testing.T, ctx context.Context, d *Declaration, tr http.RoundTripper, opt Options) *Report {
	t.Helper()
	opt.Transport = func(*Origin) http.RoundTripper { return tr }
	opt.Parallel = max(opt.Parallel, 4)
	opt.Rand = func() float64 { return 0 }
	opt.TraceSeed = []byte("0123456789abcdef")
	p, err := NewPlan(d, d.Probes, opt)
	if err != nil {
		t.Fatal(err)
	}
	return p.Run(ctx)
}

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

func TestRunBudget(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
			if r.URL.Path == "/flaky" && n == 1 {
				return respond(r, 503, "busy"), nil
			}
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		}}
		rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins:
  o: {url: https://o.example, retries: 3, timeout: 60s, budget: 90s, max_in_flight: 2}
probes:
  - {name: slow, origin: o, get: /slow}
  - {name: flaky, origin: o, get: /flaky}
  - {name: never, origin: o, get: /never}
`), tr, Options{Budget: 10 * time.Second})
		slow, flaky, never := rep.Results[0], rep.Results[1], rep.Results[2]
		if slow.Finding != Alheio || *slow.Detail != DetailRunBudget || !slow.Asked {
			t.Errorf("slow: %s %v asked %v", slow.Finding, slow.Detail, slow.Asked)
		}
		if flaky.Finding != Indisponivel || *flaky.Status != 503 || len(flaky.Trips[0].Attempts) != 2 {
			t.Errorf("flaky is what its failed attempt says: %s %+v", flaky.Finding, flaky.Trips)
		}
		if never.Finding != Alheio || *never.Detail != DetailRunBudget || never.Asked || never.Retrieval != nil || len(never.Trips) != 0 {
			t.Errorf("never: %+v", never)
		}
		if !rep.BudgetEnded || rep.Interrupted || rep.Duration != 10*time.Second {
			t.Errorf("report: budget ended %v, interrupted %v, %s", rep.BudgetEnded, rep.Interrupted, rep.Duration)
		}
	})
}

func TestAnInterruptedRunHasEveryResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.URL.Path == "/fine" {
				return respond(r, 200, "x"), nil
			}
			if r.URL.Path == "/deaf" { // does not look at its context
				time.Sleep(time.Hour)
			}
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		}}
		time.AfterFunc(2*time.Second, func() { cancel(errors.New("signal")) })
		rep := runPlan(t, ctx, declare(t, `
version: 1
origins:
  o: {url: https://o.example, max_in_flight: 3}
probes:
  - {name: fine, origin: o, get: /fine}
  - {name: slow, origin: o, get: /slow}
  - {name: deaf, origin: o, get: /deaf}
  - {name: slow2, origin: o, get: /slow2}
  - {name: never, origin: o, get: /never}
`), tr, Options{})
		if rep.Duration > 3*time.Second || !rep.Interrupted || rep.BudgetEnded {
			t.Errorf("took %s, interrupted %v", rep.Duration, rep.Interrupted)
		}
		for i, want := range []struct {
			finding Finding
			asked   bool
		}{{OK, true}, {Alheio, true}, {Alheio, true}, {Alheio, true}, {Alheio, false}} {
			r := rep.Results[i]
			if r.Finding != want.finding || r.Asked != want.asked {
				t.Errorf("%s: %s asked %v, want %+v", r.Name, r.Finding, r.Asked, want)
			}
			if r.Finding == Alheio && (r.Kind == nil || *r.Kind != fetch.Aborted) {
				t.Errorf("%s: kind %v, want aborted", r.Name, r.Kind)
			}
		}
		time.Sleep(2 * time.Hour) // the deaf one ends after the report: nothing may be written then
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

func TestMaxInFlightAndFairness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.URL.Host == "dead.example" {
				time.Sleep(time.Minute)
			} else {
				time.Sleep(time.Second)
			}
			return respond(r, 200, "x"), nil
		}}
		var b strings.Builder
		b.WriteString("version: 1\norigins:\n  dead: {url: https://dead.example, timeout: 2m, budget: 3m, max_in_flight: 2}\n  live: {url: https://live.example, max_in_flight: 2}\nprobes:\n")
		for i := range 6 {
			fmt.Fprintf(&b, "  - {name: d%d, origin: dead, get: /d%d}\n", i, i)
		}
		for i := range 6 {
			fmt.Fprintf(&b, "  - {name: l%d, origin: live, get: /l%d}\n", i, i)
		}
		start := time.Now()
		rep := runPlan(t, t.Context(), declare(t, b.String()), tr, Options{Parallel: 4})
		if tr.peak != 4 {
			t.Errorf("%d in flight at most, want 4: two per origin", tr.peak)
		}
		for i := range 6 {
			if at := tr.at[fmt.Sprintf("/l%d", i)][0].Sub(start); at > 3*time.Second {
				t.Errorf("live probe %d began after %s: the slow origin held it up", i, at)
			}
		}
		if rep.Duration != 3*time.Minute {
			t.Errorf("took %s, want 3m: six trips of a minute, two at a time", rep.Duration)
		}
		for _, r := range rep.Results {
			if r.DurationMS > 60_000 {
				t.Errorf("%s: %d ms: time in our own queue is charged to nobody", r.Name, r.DurationMS)
			}
		}
	})
}

func TestARetripGivesItsPlaceAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {"200 not json", `200 {}`}, "/b": {"200 x"}})
		rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins:
  o: {url: https://o.example, max_in_flight: 1, retries: 0}
probes:
  - {name: a, origin: o, get: /a, as: json}
  - {name: b, origin: o, get: /b}
`), tr, Options{})
		if between := tr.at["/b"][0].Sub(tr.at["/a"][0]); between != 0 {
			t.Errorf("b waited %s for a's pause", between)
		}
		if rep.Results[0].Finding != OK || rep.Duration != 5*time.Second {
			t.Errorf("a: %s after %s", rep.Results[0].Finding, rep.Duration)
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

func TestAwaitRepeatsWhatDidNotDeliver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/fine": {"200 x"}, "/back": {"503 a", "503 b", "200 x"}, "/gone": {"404 x"}})
		d := declare(t, header+`
  - {name: fine, origin: o, get: /fine}
  - {name: back, origin: o, get: /back}
  - {name: gone, origin: o, get: /gone}
`)
		opt := Options{Parallel: 4, Transport: func(*Origin) http.RoundTripper { return tr }}
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Minute, opt)
		if err != nil {
			t.Fatal(err)
		}
		back := rep.Results[1]
		if back.Finding != OK || !back.Unstable || len(back.Trips) != 3 || back.Retrieval.Requests != 3 || !slices.Equal(back.Retrieval.Anomalies, []fetch.Kind{fetch.HTTP5xx, fetch.HTTP5xx}) {
			t.Errorf("back: %s unstable %v, %d trips, %+v", back.Finding, back.Unstable, len(back.Trips), back.Retrieval)
		}
		if tr.counts["/fine"] != 1 || tr.counts["/gone"] != 2 {
			t.Errorf("what was measured or refused is not asked again: %v", tr.counts)
		}
		if rep.Duration < time.Minute || rep.Duration > 62*time.Second {
			t.Errorf("took %s, want two pauses of 30s", rep.Duration)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {"503 x"}})
		d := declare(t, header+"  - {name: a, origin: o, get: /a}")
		opt := Options{Transport: func(*Origin) http.RoundTripper { return tr }}
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Second, opt)
		if err != nil || rep.Results[0].Finding != Indisponivel || rep.Duration > 10*time.Second {
			t.Errorf("%v %s after %s", err, rep.Results[0].Finding, rep.Duration)
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
