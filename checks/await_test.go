package checks

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestOneBudgetCapsEveryRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {"503 x"}})
		d := declare(t, header+"  - {name: a, origin: o, get: /a}")
		opt := Options{Budget: 3 * time.Second, Transport: func(*Origin) http.RoundTripper { return tr }}
		rep, err := Await(t.Context(), d, d.Probes, 20*time.Second, opt)
		if err != nil || rep.Duration > 3*time.Second || rep.Results[0].Finding != Indisponivel || rep.BudgetEnded {
			t.Errorf("%v: %s after %s, budget ended %v", err, rep.Results[0].Finding, rep.Duration, rep.BudgetEnded)
		}
	})
}

// TestAnOpenBreakerKeepsNobodyFromTheirTurn has two probes that fail for ever,
// first in line, and two that are well: the breaker lasts over the rounds, and
// those that were not asked go first when it lets one through.
func TestAnOpenBreakerKeepsNobodyFromTheirTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/bad1": {"503 x"}, "/bad2": {"503 x"}, "/well3": {"200 x"}, "/well4": {"200 x"}})
		d := declare(t, `
version: 1
origins:
  o:
    url: https://o.example
    retries: 0
    max_in_flight: 1
    circuit_breaker: {error_threshold: 0.5, min_requests: 2, window: 60s, half_open_after: 1s}
probes:
  - {name: bad1, origin: o, get: /bad1}
  - {name: bad2, origin: o, get: /bad2}
  - {name: well3, origin: o, get: /well3}
  - {name: well4, origin: o, get: /well4}
`)
		opt := Options{Transport: func(*Origin) http.RoundTripper { return tr }}
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Second, opt)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []Finding{Indisponivel, Indisponivel, OK, OK} {
			if r := rep.Results[i]; r.Finding != want {
				t.Errorf("%s: %s, want %s", r.Name, r.Finding, want)
			}
		}
		if n := tr.counts["/bad1"] + tr.counts["/bad2"]; n > 22 {
			t.Errorf("the failing probes were asked %d times in 10 s, through a breaker that lets one through a second", n)
		}
	})
}

// TestWhatWasNotAskedIsNotUnstable waits for a source that others need: they had
// no turn before it delivered, so that nothing of theirs alternates.
func TestWhatWasNotAskedIsNotUnstable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{
			"/login": {"503 x", `200 {"t":"a"}`}, "/a": {"200 x"}, "/b": {"503 x", "200 x"}, "/c": {"200 x"}, "/d": {"503 x", "200 x"},
		})
		d := declare(t, header+`
  - {name: login, origin: o, get: /login, as: json, capture: {t: {path: $.t}}}
  - {name: a, origin: o, get: "/a?t=${login.t}"}
  - {name: b, origin: o, get: /b}
  - {name: c, origin: o, get: /c}
  - {name: d, origin: o, get: "/d?t=${login.t}"}
`)
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Minute, Options{Transport: func(*Origin) http.RoundTripper { return tr }})
		if err != nil {
			t.Fatal(err)
		}
		for i, unstable := range []bool{true, false, true, false, true} {
			if r := rep.Results[i]; r.Finding != OK || r.Unstable != unstable {
				t.Errorf("%s: %s, unstable %t", r.Name, r.Finding, r.Unstable)
			}
		}
	})
}

// limiting answers the first requests for a path with a 429 that asks for a
// wait, and all others with a capture.
func limiting(asks map[string]string) *fake {
	return &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
		wait := asks[r.URL.Path]
		if wait == "" || n > 1 {
			return respond(r, 200, `{"t":"a"}`), nil
		}
		res := respond(r, 429, "x")
		res.Header.Set("Retry-After", wait)
		return res, nil
	}}
}

// TestASourceThatAsksForAWaitGetsIt has sources that say when to come again:
// no round asks them, or those who depend on them, before that.
func TestASourceThatAsksForAWaitGetsIt(t *testing.T) {
	for _, tt := range []struct {
		name, origin string
		again        time.Duration // when /soon is asked again
	}{
		{"as it is", "", time.Minute},
		{"where nobody heeds it", ", honor_retry_after: false", 30 * time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := limiting(map[string]string{"/soon": "60", "/late": "7200"})
				d := declare(t, "version: 1\norigins: {o: {url: https://o.example, retries: 0"+tt.origin+"}}\nprobes:"+`
  - {name: soon, origin: o, get: /soon, as: json}
  - {name: late, origin: o, get: /late, as: json, capture: {t: {path: $.t}}}
  - {name: next, origin: o, get: "/next?t=${late.t}"}
`)
				rep, err := Await(t.Context(), d, d.Probes, 30*time.Minute, Options{Transport: func(*Origin) http.RoundTripper { return tr }})
				if err != nil {
					t.Fatal(err)
				}
				soon := &rep.Results[0]
				if at := tr.at["/soon"]; len(at) != 2 || at[1].Sub(at[0]) != tt.again || soon.Finding != OK || soon.DurationMS != tt.again.Milliseconds() || soon.Trips[1].WaitMS != tt.again.Milliseconds() {
					t.Errorf("soon: asked at %v; %s in %d ms", at, soon.Finding, soon.DurationMS)
				}
				late, n := Indisponivel, 1
				if tt.again < time.Minute {
					late, n = OK, 2
				}
				for _, r := range rep.Results[1:] {
					if r.Finding != late {
						t.Errorf("%s: %s, want %s", r.Name, r.Finding, late)
					}
				}
				if tr.counts["/late"] != n || tr.counts["/next"] != n-1 {
					t.Errorf("late was asked %d times and next %d times, want %d and %d", tr.counts["/late"], tr.counts["/next"], n, n-1)
				}
				if rep.Duration > 2*time.Minute {
					t.Errorf("waited %s, though nobody was due within the wait", rep.Duration)
				}
			})
		})
	}
}

// TestTheLastRoundTellsOfTheOrigins has a breaker that opens and closes again.
func TestTheLastRoundTellsOfTheOrigins(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {"503 x", "200 x"}, "/b": {"503 x", "200 x"}, "/c": {"200 x"}})
		d := declare(t, `
version: 1
origins:
  o: {url: https://o.example, retries: 0, max_in_flight: 1, circuit_breaker: {error_threshold: 0.5, min_requests: 2, half_open_after: 1s}}
  p: {url: https://p.example}
probes:
  - {name: a, origin: o, get: /a}
  - {name: b, origin: o, get: /b}
  - {name: c, origin: p, get: /c}
`)
		rep, err := Await(t.Context(), d, d.Probes, time.Minute, Options{Transport: func(*Origin) http.RoundTripper { return tr }})
		if err != nil {
			t.Fatal(err)
		}
		if o := rep.Origins; len(o) != 2 || o[0].Name != "o" || deref(o[0].Breaker, "") != "closed" || rep.Results[0].Finding != OK {
			t.Errorf("%s; %s has a breaker that is %s", rep.Results[0].Finding, o[0].Name, deref(o[0].Breaker, ""))
		}
	})
}

// TestWhatMayNotBeSentTwiceIsNotAwaited has requests that are not idempotent:
// however long the wait, each is sent once, and nothing makes a need of it be
// sent again.
func TestWhatMayNotBeSentTwiceIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{
			"/post": {"503 x"}, "/put": {"503 x", "200 x"}, "/said": {"503 x", "200 x"}, "/login": {`200 {"t":"a"}`}, "/next": {"503 x"},
			"/down": {"503 x"}, "/behind": {"200 x"},
		})
		d := declare(t, `
version: 1
origins:
  o: {url: https://o.example, retries: 0}
  p: {url: https://p.example, retries: 0, max_in_flight: 1, circuit_breaker: {error_threshold: 0.1, min_requests: 1, half_open_after: 1s}}
probes:
  - {name: post, origin: o, request: {method: POST, path: /post}}
  - {name: put, origin: o, request: {method: PUT, path: /put}}
  - {name: said, origin: o, request: {method: POST, path: /said}, idempotent: true}
  - {name: login, origin: o, request: {method: POST, path: /login}, as: json, capture: {t: {path: $.t}}}
  - {name: next, origin: o, get: "/next?t=${login.t}"}
  - {name: down, origin: p, get: /down}
  - {name: behind, origin: p, request: {method: POST, path: /behind}}
`)
		rep, err := Await(t.Context(), d, d.Probes, 10*time.Minute, Options{Transport: func(*Origin) http.RoundTripper { return tr }})
		if err != nil {
			t.Fatal(err)
		}
		for path, n := range map[string]int{"/post": 1, "/put": 2, "/said": 2, "/login": 1, "/next": 1, "/behind": 1} {
			if tr.counts[path] != n {
				t.Errorf("%s was asked %d times, want %d", path, tr.counts[path], n)
			}
		}
		for i, want := range []Finding{Indisponivel, OK, OK, OK, Indisponivel, Indisponivel, OK} {
			if r := &rep.Results[i]; r.Finding != want {
				t.Errorf("%s: %s, want %s", r.Name, r.Finding, want)
			}
		}
	})
}

// The pause between two rounds is part of the run: who ends it there has
// interrupted it.
func TestAPauseThatIsCutIsAnInterruptedRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/a": {"503 x"}})
		d := declare(t, header+"  - {name: a, origin: o, get: /a}")
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		clock := fetch.Clock{Now: time.Now, Sleep: func(ctx context.Context, d time.Duration) error {
			if d >= 15*time.Second { // of the waits here, only that between rounds
				cancel()
			}
			return sleep(ctx, fetch.Clock{}, d)
		}}
		opt := Options{Clock: clock, Transport: func(*Origin) http.RoundTripper { return tr }}
		rep, err := Await(ctx, d, d.Probes, 5*time.Minute, opt)
		if err != nil || !rep.Interrupted || rep.Results[0].Finding != Indisponivel || !rep.Results[0].Asked {
			t.Errorf("%v: interrupted %v, %s", err, rep.Interrupted, rep.Results[0].Finding)
		}
	})
}
