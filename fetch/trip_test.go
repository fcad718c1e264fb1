package fetch

import (
	"context"
	"net/http"
	"slices"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func waits(t Trip) (list []time.Duration) {
	for _, a := range t.Attempts {
		list = append(list, a.Wait)
	}
	return list
}

func kinds(t Trip) (list []Kind) {
	for _, a := range t.Attempts {
		list = append(list, a.Kind)
	}
	return list
}

// TestTrips fixes, for whole trips, how many requests leave, what is waited
// for before each, how long the trip takes and how it ends.
func TestTrips(t *testing.T) {
	const s = time.Second
	reset := fail(syscall.ECONNRESET)
	busy := say(503, "busy")
	good := say(200, "{}")
	for _, tt := range []struct {
		name     string
		steps    []func(*http.Request) (*http.Response, error)
		policy   func(*Policy)
		req      Request
		config   func(*Config)
		kind     Kind // "" means delivered
		detail   Detail
		stop     Stop
		kinds    []Kind
		waits    []time.Duration
		duration time.Duration
		unfit    time.Duration
	}{
		{name: "at once", steps: list(good), kinds: []Kind{""}, waits: []time.Duration{0}},
		{name: "backoff doubles", steps: list(busy), kind: HTTP5xx, stop: StopRetries,
			kinds: []Kind{HTTP5xx, HTTP5xx, HTTP5xx}, waits: []time.Duration{0, s, 2 * s}, duration: 3 * s},
		{name: "recovers", steps: list(reset, busy, good),
			kinds: []Kind{Network, HTTP5xx, ""}, waits: []time.Duration{0, s, 2 * s}, duration: 3 * s},
		{name: "retry-after is the longer", steps: list(say(429, "", "Retry-After", "5"), good),
			kinds: []Kind{RateLimited, ""}, waits: []time.Duration{0, 5 * s}, duration: 5 * s},
		{name: "backoff is the longer", steps: list(say(503, "", "Retry-After", "0"), good),
			kinds: []Kind{HTTP5xx, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "retry-after is not honoured", steps: list(say(429, "", "Retry-After", "5"), good), policy: func(p *Policy) { p.HonorRetryAfter = false },
			kinds: []Kind{RateLimited, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "negative retry-after", steps: list(say(429, "", "Retry-After", "-1"), good),
			kinds: []Kind{RateLimited, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "a wait that does not fit", steps: list(say(429, "", "Retry-After", "31")), kind: RateLimited, stop: StopBudget,
			kinds: []Kind{RateLimited}, waits: []time.Duration{0}, unfit: 31 * s},
		{name: "a wait that fits exactly leaves no time to ask", steps: list(say(429, "", "Retry-After", "30")), kind: RateLimited, stop: StopBudget,
			kinds: []Kind{RateLimited}, waits: []time.Duration{0}, unfit: 30 * s},
		{name: "endless retry-after", steps: list(say(429, "", "Retry-After", "99999999999999999999")), kind: RateLimited, stop: StopBudget,
			kinds: []Kind{RateLimited}, waits: []time.Duration{0}, unfit: MaxRetryAfter},
		{name: "attempt timeout", steps: list(silence, good),
			kinds: []Kind{Timeout, ""}, waits: []time.Duration{0, s}, duration: 11 * s},
		{name: "the budget cuts the last attempt", steps: list(silence), policy: func(p *Policy) { p.Budget = 15 * s }, kind: Timeout, detail: BudgetSpent, stop: StopBudget,
			kinds: []Kind{Timeout, Timeout}, waits: []time.Duration{0, s}, duration: 15 * s},
		{name: "404 is final", steps: list(say(404, "")), kind: NotFound, stop: StopNotRetryable, kinds: []Kind{NotFound}, waits: []time.Duration{0}},
		{name: "408 is repeated", steps: list(say(408, ""), good), kinds: []Kind{HTTP4xx, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "post is not repeated", steps: list(busy), req: Request{Method: "POST"}, kind: HTTP5xx, stop: StopMethod, kinds: []Kind{HTTP5xx}, waits: []time.Duration{0}},
		{name: "post declared idempotent", steps: list(busy, good), req: Request{Method: "POST", Idempotent: true}, kinds: []Kind{HTTP5xx, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "retry_on replaces the table: status", steps: list(say(403, ""), good), policy: func(p *Policy) { p.RetryOn = &RetryOn{Statuses: []int{403}} },
			kinds: []Kind{HTTP4xx, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "retry_on replaces the table: kind", steps: list(busy), policy: func(p *Policy) { p.RetryOn = &RetryOn{Kinds: []Kind{Timeout}} }, kind: HTTP5xx, stop: StopNotRetryable,
			kinds: []Kind{HTTP5xx}, waits: []time.Duration{0}},
		{name: "hook replaces both", steps: list(say(404, ""), good), config: func(c *Config) { c.RetryOn = func(e RetryEvent) bool { return e.Kind == NotFound && e.Attempt == 1 } },
			kinds: []Kind{NotFound, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "malformed body is repeated", req: Request{Mode: ModeJSON}, steps: list(say(200, "<html>"), good), kinds: []Kind{MalformedBody, ""}, waits: []time.Duration{0, s}, duration: s},
		{name: "expected status ends as an answer", req: Request{Expect: func(s int) bool { return s == 503 }}, steps: list(busy), kinds: []Kind{""}, waits: []time.Duration{0}},
		{name: "a policy of the trip", req: Request{Policy: &Policy{Retries: 1, Backoff: Backoff{Strategy: Fixed, Base: 3 * s, Max: 9 * s}}}, steps: list(busy), kind: HTTP5xx, stop: StopRetries,
			kinds: []Kind{HTTP5xx, HTTP5xx}, waits: []time.Duration{0, 3 * s}, duration: 3 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cfg := Config{Policy: exact(), Transport: script(tt.steps...)}
				if tt.policy != nil {
					tt.policy(&cfg.Policy)
				}
				if tt.config != nil {
					tt.config(&cfg)
				}
				call := new(Call)
				tt.req.URL, tt.req.Call = origin, call
				a, err := NewClient(cfg).Do(t.Context(), &tt.req)
				trip := Trip{}
				if tt.kind == "" {
					if err != nil {
						t.Fatal(err)
					}
					trip = a.Trip
				} else {
					e := failed(t, err)
					if e.Kind != tt.kind || e.Detail != tt.detail {
						t.Errorf("got %s/%s, want %s/%s", e.Kind, e.Detail, tt.kind, tt.detail)
					}
					trip = e.Trip
				}
				want := Trip{Stopped: tt.stop, Duration: tt.duration, Unfit: tt.unfit}
				got := Trip{Stopped: trip.Stopped, Duration: trip.Duration, Unfit: trip.Unfit, Queued: trip.Queued}
				if d := cmp.Diff(want, got); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(tt.kinds, kinds(trip)); d != "" {
					t.Error(d)
				}
				if d := cmp.Diff(tt.waits, waits(trip)); d != "" {
					t.Error(d)
				}
				if n := cfg.Transport.(*fake).count(); n != len(tt.kinds) {
					t.Errorf("%d requests left, want %d", n, len(tt.kinds))
				}
				if r := call.Retrieval(); r == nil || r.Requests != 1 || r.Attempts != len(tt.kinds) {
					t.Errorf("retrieval %+v", r)
				}
			})
		})
	}
}

func list(steps ...func(*http.Request) (*http.Response, error)) []func(*http.Request) (*http.Response, error) {
	return steps
}

func TestJitterComesOnTop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := DefaultPolicy()
		c := NewClient(Config{Policy: p, Rand: func() float64 { return 0.5 }, Transport: script(say(503, "", "Retry-After", "4"), say(503, ""), say(200, ""))})
		a, err := c.Do(t.Context(), &Request{URL: origin})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff([]time.Duration{0, 4250 * time.Millisecond, 2250 * time.Millisecond}, waits(a.Trip)); d != "" {
			t.Error(d)
		}
		if r := a.Trip.Attempts; r[1].WaitReason != WaitRetryAfter || r[2].WaitReason != WaitBackoff {
			t.Errorf("reasons %v %v", r[1].WaitReason, r[2].WaitReason)
		}
		if a.Trip.Attempts[2].Start != 6500*time.Millisecond {
			t.Errorf("start %v", a.Trip.Attempts[2].Start)
		}
	})
}

// TestQueueIsNotCharged lets three trips of 8s share one place: the third
// waits 16s, more than its own budget, and still delivers.
func TestQueueIsNotCharged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := exact()
		p.MaxInFlight, p.Budget = 1, 10*time.Second
		c := NewClient(Config{Policy: p, Transport: script(after(8*time.Second, say(200, "")))})
		done := make(chan *Answer, 3)
		for range 3 {
			go func() {
				a, err := c.Do(t.Context(), &Request{URL: origin})
				if err != nil {
					t.Error(err)
				}
				done <- a
			}()
		}
		var queued []time.Duration
		for range 3 {
			a := <-done
			queued = append(queued, a.Trip.Queued)
			if a.Trip.Duration != 8*time.Second {
				t.Errorf("duration %v", a.Trip.Duration)
			}
		}
		slices.Sort(queued)
		if d := cmp.Diff([]time.Duration{0, 8 * time.Second, 16 * time.Second}, queued); d != "" {
			t.Error(d)
		}
	})
}

// TestInjectedClock counts with a clock that only moves when it is slept on.
func TestInjectedClock(t *testing.T) {
	now := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	start := now
	clock := Clock{Now: func() time.Time { return now }, Sleep: func(_ context.Context, d time.Duration) error { now = now.Add(d); return nil }}
	_, err := NewClient(Config{Policy: exact(), Clock: clock, Transport: script(say(503, ""))}).Do(t.Context(), &Request{URL: origin})
	e := failed(t, err)
	if now.Sub(start) != 3*time.Second || e.Trip.Duration != 3*time.Second {
		t.Errorf("slept %v, duration %v", now.Sub(start), e.Trip.Duration)
	}
}
