package checks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

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

// TestARetripThatTheRunHasNoTimeFor: a wait that would outlast the run is not
// begun, and what one trip said is not believed.
func TestARetripThatTheRunHasNoTimeFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			return respond(r, 200, `{"v":1}`), nil
		}}
		const y = `
version: 1
origins:
  o: {url: https://o.example, confirm: {trips: 2, wait: 10s}}
probes:
  - {name: broken, origin: o, get: /a, expect: {json: [{path: $.v, equals: 2}]}}
`
		for budget, want := range map[time.Duration]struct {
			trips   int
			finding Finding
			lasted  time.Duration
		}{
			10 * time.Second: {1, Ambiguo, 0},
			11 * time.Second: {2, Drift, 10 * time.Second},
		} {
			rep := runPlan(t, t.Context(), declare(t, y), tr, Options{Budget: budget})
			r := rep.Results[0]
			if len(r.Trips) != want.trips || r.Finding != want.finding || rep.Duration != want.lasted {
				t.Errorf("%s: %s after %d trips and %s, want %s after %d and %s", budget, r.Finding, len(r.Trips), rep.Duration, want.finding, want.trips, want.lasted)
			}
			if want.finding == Ambiguo && (r.Detail == nil || *r.Detail != DetailUnconfirmed) {
				t.Errorf("%s: detail %v, want %s", budget, r.Detail, DetailUnconfirmed)
			}
		}
	})
}

// TestNoMoreThanParallelAtOnce: of all origins together, re-trips among them.
func TestNoMoreThanParallelAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			time.Sleep(time.Second)
			return respond(r, 200, `{"v":1}`), nil
		}}
		y := "version: 1\norigins:\n"
		for i := range 4 {
			y += fmt.Sprintf("  o%d: {url: 'https://o%d.example', max_in_flight: 4, confirm: {trips: 3, wait: 100ms}}\n", i, i)
		}
		y += "probes:\n"
		for i := range 24 {
			y += fmt.Sprintf("  - {name: p%d, origin: o%d, get: /%d, expect: {json: [{path: $.v, equals: 2}]}}\n", i, i%4, i)
		}
		runPlan(t, t.Context(), declare(t, y), tr, Options{Parallel: 5})
		if tr.peak != 5 {
			t.Errorf("%d requests at once, want 5", tr.peak)
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
