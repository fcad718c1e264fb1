package checks

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

// dead answers nothing: every connection is refused.
func dead(*http.Request, int) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
}

// manyDown are n probes of an origin where every connection is refused.
func manyDown(n int, top, origin string) string {
	var yaml strings.Builder
	fmt.Fprintf(&yaml, "version: 1\n%s\norigins:\n  o: {url: https://o.example, retries: 2, backoff: {strategy: fixed, base: 1s, max: 1s, jitter: none}%s}\nprobes:\n", top, origin)
	for i := range n {
		fmt.Fprintf(&yaml, "  - {name: p%d, origin: o, get: /%d}\n", i, i)
	}
	return yaml.String()
}

func TestADeadOriginCostsItsFirstFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: dead}
		rep := runPlan(t, t.Context(), declare(t, manyDown(50, "", ", max_in_flight: 1")), tr, Options{})
		left, unasked := 0, 0
		for _, n := range tr.counts {
			left += n
		}
		for i := range rep.Results {
			r := &rep.Results[i]
			if r.Finding != Indisponivel {
				t.Errorf("%s: %s", r.Name, r.Finding)
			}
			if deref(r.Detail, "") != string(fetch.CircuitOpen) {
				continue
			}
			unasked++
			if r.Asked || r.Retrieval != nil || len(r.Trips) != 0 || r.Measured {
				t.Errorf("%s was not asked: %+v", r.Name, r)
			}
		}
		if left != 5 || unasked != 48 {
			t.Errorf("%d requests left and %d probes were not asked, want 5 and 48", left, unasked)
		}
		if len(rep.Origins) != 1 || deref(rep.Origins[0].Breaker, "") != "open" {
			t.Errorf("%+v", rep.Origins)
		}
		if rep.BudgetEnded {
			t.Error("what the breaker stopped is not the run's budget")
		}
	})
}

func TestWithoutABreakerEveryProbeIsAsked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: dead}
		rep := runPlan(t, t.Context(), declare(t, manyDown(5, "", ", circuit_breaker: off")), tr, Options{})
		if len(tr.counts) != 5 || tr.counts["/4"] != 3 || rep.Origins[0].Breaker != nil {
			t.Errorf("%v, breaker %v", tr.counts, rep.Origins[0].Breaker)
		}
	})
}

func TestConnectivityIsAskedOnce(t *testing.T) {
	for _, offline := range []bool{true, false} {
		t.Run(fmt.Sprint(offline), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var mu sync.Mutex
				asked := 0
				reach := func(_ context.Context, target string, _ fetch.Way) error {
					mu.Lock()
					asked++
					mu.Unlock()
					time.Sleep(time.Second)
					if target != "control.example:443" {
						t.Errorf("asked %s", target)
					}
					if offline {
						return errors.New("no route")
					}
					return nil
				}
				tr := &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
					if r.URL.Path == "/0" {
						return respond(r, 503, "busy"), nil
					}
					return dead(r, n)
				}}
				rep := runPlan(t, t.Context(), declare(t, manyDown(20, "connectivity: control.example:443", ", max_in_flight: 4")), tr, Options{Reach: reach})
				if asked != 1 {
					t.Errorf("asked %d times, want once", asked)
				}
				for i := range rep.Results {
					r := &rep.Results[i]
					want, cause := Indisponivel, fetch.Cause("")
					if offline && r.Name != "p0" {
						want, cause = Alheio, fetch.CauseRunnerOffline
					}
					if r.Finding != want || r.Cause == nil && cause != "" || r.Cause != nil && *r.Cause != cause {
						t.Errorf("%s: %s %v, want %s %s", r.Name, r.Finding, r.Cause, want, cause)
					}
					if cause != "" && !strings.Contains(deref(r.Motivo, ""), "sem rede somos nós") {
						t.Errorf("motivo %q", deref(r.Motivo, ""))
					}
				}
			})
		})
	}
}

// TestOneControlTargetIsEnough holds that a target that is down itself makes no
// outage ours while another one answers.
func TestOneControlTargetIsEnough(t *testing.T) {
	for name, c := range map[string]struct {
		down string
		want Finding
	}{
		"the first is down": {"a.example:443", Indisponivel}, "the last is down": {"https://b.example/", Indisponivel}, "all are down": {"a.example:443 https://b.example/", Alheio},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked atomic.Int64
				reach := func(ctx context.Context, target string, _ fetch.Way) error {
					asked.Add(1)
					if slices.Contains(strings.Fields(c.down), target) {
						<-ctx.Done() // until the other one has answered, or the five seconds are over
						return ctx.Err()
					}
					return nil
				}
				within := func(ctx context.Context, target string, way fetch.Way) error {
					ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
					defer cancel()
					return reach(ctx, target, way)
				}
				began := time.Now()
				rep := runPlan(t, t.Context(), declare(t, manyDown(3, `connectivity: [a.example:443, "https://b.example/"]`, "")), &fake{reply: dead}, Options{Reach: within})
				took := time.Since(began)
				if asked.Load() != 2 || c.want == Indisponivel && took >= 5*time.Second {
					t.Errorf("asked %d times, %s", asked.Load(), took)
				}
				for i := range rep.Results {
					if r := &rep.Results[i]; r.Finding != c.want {
						t.Errorf("%s: %s, want %s", r.Name, r.Finding, c.want)
					}
				}
			})
		})
	}
}

func TestConnectivityIsNotAskedForAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reach := func(context.Context, string, fetch.Way) error { t.Error("asked"); return nil }
		yaml := "version: 1\nconnectivity: control.example:443\norigins: {o: {url: 'https://o.example', retries: 0}}\nprobes:\n" +
			"  - {name: a, origin: o, get: /a}\n  - {name: b, origin: o, get: /b}\n  - {name: c, origin: o, get: /c}\n"
		tr := script(map[string][]string{"/a": {"200 x"}, "/b": {"503 x"}, "/c": {"404 x"}})
		runPlan(t, t.Context(), declare(t, yaml), tr, Options{Reach: reach})
	})
}

func TestTheMirrorIsNamed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
			if r.URL.Host == "m.example" && r.URL.Path != "/base/gone" {
				return respond(r, 200, "x"), nil
			}
			return respond(r, 503, "busy"), nil
		}}
		rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins: {o: {url: "https://o.example/", retries: 0, mirrors: [https://m.example/base/]}}
probes:
  - {name: fine, origin: o, get: "/a?b=1"}
  - {name: gone, origin: o, get: /gone}
  - {name: posted, origin: o, request: {method: POST, path: /a}}
`), tr, Options{})
		fine, gone, posted := rep.Results[0], rep.Results[1], rep.Results[2]
		if fine.Finding != OK || deref(fine.Mirror, "") != "https://m.example/base/a?b=1" || len(fine.Trips) != 1 || len(fine.Trips[0].Attempts) != 2 {
			t.Errorf("%s %v %+v", fine.Finding, fine.Mirror, fine.Trips)
		}
		if gone.Finding != Indisponivel || deref(gone.Mirror, "") != "https://m.example/base/gone" || !strings.HasSuffix(deref(gone.Reproduce, ""), " https://m.example/base/gone") {
			t.Errorf("%s %v %v", gone.Finding, gone.Mirror, deref(gone.Reproduce, ""))
		}
		if posted.Finding != Indisponivel || posted.Mirror != nil {
			t.Errorf("what may not be repeated goes to no mirror: %v", posted.Mirror)
		}
	})
}

func TestOwnLimitIsNotTheOriginsFault(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := script(map[string][]string{"/0": {"200 x"}, "/1": {"200 x"}, "/2": {"200 x"}})
		rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins: {o: {url: "https://o.example", budget: 90s, rate_limit: {max: 1, window: 1m}}}
probes:
  - {name: a, origin: o, get: /0}
  - {name: b, origin: o, get: /1}
  - {name: c, origin: o, get: /2}
`), tr, Options{})
		findings := map[Finding]int{}
		for i := range rep.Results {
			findings[rep.Results[i].Finding]++
			if r := &rep.Results[i]; r.Finding == Alheio && (r.Cause == nil || *r.Cause != fetch.CauseOwnLimiter || r.Asked || r.Retrieval != nil) {
				t.Errorf("%+v", r)
			}
		}
		if findings[OK] != 2 || findings[Alheio] != 1 {
			t.Errorf("%v, want two that had their turn within the budget and one that could not", findings)
		}
	})
}

func TestTraceHeaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		sent := map[string]http.Header{}
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			mu.Lock()
			sent[r.URL.Path] = r.Header.Clone()
			mu.Unlock()
			return respond(r, 200, "x"), nil
		}}
		rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins:
  o: {url: https://o.example, trace_header: [traceparent, X-Request-Id]}
  silent: {url: https://s.example}
probes:
  - {name: a, origin: o, get: /a}
  - {name: again, origin: o, get: /a}
  - {name: b, origin: silent, get: /b}
`), tr, Options{})
		code := rep.Results[0].Trace
		want := fmt.Sprintf("00-%x%x-%x-01", rep.Trace, code, code)
		if got := sent["/a"]; got.Get("Traceparent") != want || got.Get("X-Request-Id") != code || len(want) != 55 {
			t.Errorf("%v, want %s", got, want)
		}
		if tr.counts["/a"] != 1 {
			t.Error("trace headers keep identical GETs from sharing their trip")
		}
		if got := sent["/b"]; got.Get("Traceparent") != "" || got.Get("X-Request-Id") != "" {
			t.Errorf("not declared, and sent: %v", got)
		}
	})
}

func TestOneReasonIsOneDegradation(t *testing.T) {
	rep := &Report{}
	for range 20 {
		rep.Degrade("history", "database is locked")
	}
	rep.Degrade("history", "disk full")
	if len(rep.Degraded) != 2 || rep.Degraded[0] != (Degradation{"history", "database is locked", 20}) || rep.Degraded[1].Count != 1 {
		t.Errorf("%+v", rep.Degraded)
	}
}

func TestASentinelNeedsAnAddress(t *testing.T) {
	d := declare(t, `
version: 1
origins: {o: {url: "https://o.example", sentinel: "/x${env.S}"}}
probes:
  - {name: p, origin: o, get: /}
`)
	_, err := NewPlan(d, d.Probes, Options{Env: func(string) (string, bool) { return " y", true }})
	if err == nil || !strings.Contains(err.Error(), "t.yaml:2:51: the sentinel of origin o has no usable address") {
		t.Errorf("%v", err)
	}
}

func TestAGivenTransportIsTheWholeNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := declare(t, manyDown(1, "connectivity: 127.0.0.1:1", ""))
		if r := runPlan(t, t.Context(), d, &fake{reply: dead}, Options{}).Results[0]; r.Finding != Indisponivel {
			t.Errorf("%s: the control target was asked beside the transport", r.Finding)
		}
	})
}

// TestTwoHundredProbesOfASilentOrigin is the figure of one dead origin: nothing
// answers, an attempt takes a second, three are allowed, eight are in flight.
func TestTwoHundredProbesOfASilentOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		}}
		rep := runPlan(t, t.Context(), declare(t, manyDown(200, "", ", timeout: 1s, max_in_flight: 8")), tr, Options{Parallel: 16})
		left := 0
		for _, n := range tr.counts {
			left += n
		}
		if left >= 30 || rep.Duration > 12*time.Second {
			t.Errorf("%d requests left in %s, want fewer than 30 within 12s", left, rep.Duration)
		}
		for i := range rep.Results {
			if r := &rep.Results[i]; r.Finding != Indisponivel {
				t.Errorf("%s: %s", r.Name, r.Finding)
			}
		}
	})
}
