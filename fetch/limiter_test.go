package fetch

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// most is the largest number of times within any half-open window.
func most(times []time.Time, window time.Duration) (n int) {
	slices.SortFunc(times, time.Time.Compare)
	for i, from := range times {
		k := i
		for k < len(times) && times[k].Before(from.Add(window)) {
			k++
		}
		n = max(n, k-i)
	}
	return n
}

// departures records when each request was handed over.
type departures struct {
	mu   sync.Mutex
	at   []time.Time
	next http.RoundTripper
}

func (d *departures) RoundTrip(r *http.Request) (*http.Response, error) {
	d.mu.Lock()
	d.at = append(d.at, time.Now())
	d.mu.Unlock()
	return d.next.RoundTrip(r)
}

func (d *departures) offsets(start time.Time) (list []time.Duration) {
	for _, at := range d.at {
		list = append(list, at.Sub(start))
	}
	return list
}

// TestLimiterNeverExceeds asks at random times, with requests that leave at
// random times after their admission, or not at all: in no window do more than
// max leave, and no turn is wasted that could have been used.
func TestLimiterNeverExceeds(t *testing.T) {
	for seed := range uint64(60) {
		synctest.Test(t, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 1))
			l := &limiter{max: 1 + rnd.IntN(6), window: time.Duration(1+rnd.IntN(2000)) * time.Millisecond, clock: Clock{}.withDefaults()}
			var mu sync.Mutex
			var left []time.Time
			var wg sync.WaitGroup
			const n = 80
			for range n {
				arrive := time.Duration(rnd.Int64N(int64(4 * l.window)))
				late, gives := time.Duration(0), rnd.IntN(5) == 0
				if rnd.IntN(2) == 0 {
					late = time.Duration(rnd.Int64N(int64(l.window) * 3 / 2))
				}
				wg.Go(func() {
					time.Sleep(arrive)
					s, _, err := l.wait(t.Context(), time.Hour)
					if err != nil {
						t.Error(err)
						return
					}
					if gives {
						s.giveBack()
						return
					}
					time.Sleep(late)
					if !s.left() {
						if _, _, err := l.wait(t.Context(), time.Hour); err != nil {
							t.Error(err)
						}
					}
					mu.Lock()
					left = append(left, time.Now())
					mu.Unlock()
				})
			}
			wg.Wait()
			if got := most(left, l.window); got > l.max {
				t.Errorf("seed %d: %d left within %v, at most %d may", seed, got, l.window, l.max)
			}
			if len(l.queue) != 0 {
				t.Errorf("seed %d: %d still wait", seed, len(l.queue))
			}
		})
	}
}

// TestLimiterIsExact: max leave at once, the next exactly one window later.
func TestLimiterIsExact(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &departures{next: script(say(200, ""))}
		p := exact()
		p.MaxInFlight = 0
		c := NewClient(Config{Policy: p, Transport: d, RateLimit: &RateLimit{Max: 2, Window: time.Second}})
		start := time.Now()
		waits := make([]time.Duration, 5)
		var wg sync.WaitGroup
		for i := range waits {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Nanosecond)
				a, err := c.Do(t.Context(), &Request{URL: origin})
				if err != nil {
					t.Error(err)
					return
				}
				first := a.Trip.Attempts[0]
				waits[i] = first.Wait
				if reason := first.WaitReason; (reason == WaitRateLimit) != (i > 1) || first.Limited != first.Wait || a.Trip.Duration != first.Wait {
					t.Errorf("%d: %+v", i, first)
				}
			})
		}
		wg.Wait()
		s, n := time.Second, time.Nanosecond
		if diff := cmp.Diff([]time.Duration{0, n, s, s + n, 2 * s}, d.offsets(start)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]time.Duration{0, 0, s - 2*n, s - 2*n, 2*s - 4*n}, waits); diff != "" {
			t.Error(diff)
		}
	})
}

// TestRetriesAndRedirectsTakeTurns counts every request of a trip.
func TestRetriesAndRedirectsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &departures{next: script(say(302, "", "Location", "/b"), say(503, ""), say(302, "", "Location", "/b"), say(200, ""))}
		c := NewClient(Config{Policy: exact(), Transport: d, RateLimit: &RateLimit{Max: 1, Window: 4 * time.Second}})
		start := time.Now()
		a, err := c.Do(t.Context(), &Request{URL: origin})
		if err != nil {
			t.Fatal(err)
		}
		s := time.Second
		if diff := cmp.Diff([]time.Duration{0, 4 * s, 8 * s, 12 * s}, d.offsets(start)); diff != "" {
			t.Error(diff)
		}
		one, two := a.Trip.Attempts[0], a.Trip.Attempts[1]
		if one.Wait != 0 || one.Limited != 4*s || one.Requests != 2 {
			t.Errorf("first attempt %+v", one)
		}
		if two.Wait != 4*s || two.WaitReason != WaitRateLimit || two.Limited != 7*s || two.Requests != 2 {
			t.Errorf("second attempt %+v", two)
		}
	})
}

// TestTheAttemptsClockStandsStill: waiting between redirects takes nothing from
// what the origin has to answer.
func TestTheAttemptsClockStandsStill(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := script(after(3*time.Second, say(302, "", "Location", "/b")), after(6*time.Second, say(200, "")))
		c := NewClient(Config{Policy: exact(), Transport: f, RateLimit: &RateLimit{Max: 1, Window: 15 * time.Second}})
		a, err := c.Do(t.Context(), &Request{URL: origin})
		if err != nil || len(a.Trip.Attempts) != 1 || a.Trip.Duration != 21*time.Second {
			t.Fatalf("%+v %v", a, err)
		}
		f = script(after(3*time.Second, say(302, "", "Location", "/b")), silence)
		p := exact()
		p.Retries = 0
		c = NewClient(Config{Policy: p, Transport: f, RateLimit: &RateLimit{Max: 1, Window: 15 * time.Second}})
		_, err = c.Do(t.Context(), &Request{URL: origin})
		if e := failed(t, err); e.Kind != Timeout || e.Detail != HeaderTimeout && e.Detail != TCPTimeout || e.Cause != "" || e.Trip.Duration != 22*time.Second {
			t.Errorf("%v/%v/%v after %v, want a timeout with 7s of 10s left", e.Kind, e.Detail, e.Cause, e.Trip.Duration)
		}
	})
}

// TestOwnLimitIsOurs: what does not fit the budget is not begun, leaves
// nothing, and says nothing about the origin.
func TestOwnLimitIsOurs(t *testing.T) {
	limit := &RateLimit{Max: 1, Window: time.Minute}
	synctest.Test(t, func(t *testing.T) {
		f, call := script(say(200, "")), new(Call)
		c := NewClient(Config{Policy: exact(), Transport: f, RateLimit: limit})
		if _, err := c.Do(t.Context(), &Request{URL: origin}); err != nil {
			t.Fatal(err)
		}
		_, err := c.Do(t.Context(), &Request{URL: origin, Call: call})
		e := failed(t, err)
		if e.Kind != Aborted || e.Cause != CauseOwnLimiter || e.Trip.Stopped != StopOwnLimit || e.Trip.Unfit != time.Minute || e.Trip.Duration != 0 {
			t.Errorf("got %+v", e)
		}
		if !errors.Is(err, ErrOwnLimit) || e.Transport || len(e.Trip.Attempts) != 0 || call.Retrieval() != nil || f.count() != 1 {
			t.Errorf("got %+v, %d requests", e, f.count())
		}
	})
	t.Run("a retry that does not fit leaves what the origin said", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := script(say(503, ""))
			_, err := NewClient(Config{Policy: exact(), Transport: f, RateLimit: limit}).Do(t.Context(), &Request{URL: origin})
			if e := failed(t, err); e.Kind != HTTP5xx || e.Cause != "" || e.Trip.Stopped != StopOwnLimit || e.Trip.Unfit != 59*time.Second || f.count() != 1 {
				t.Errorf("got %+v", e)
			}
		})
	})
	t.Run("a redirect that does not fit", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			f := script(say(302, "", "Location", "/b"))
			_, err := NewClient(Config{Policy: exact(), Transport: f, RateLimit: limit}).Do(t.Context(), &Request{URL: origin})
			if e := failed(t, err); e.Kind != Aborted || e.Cause != CauseOwnLimiter || e.Trip.Stopped != StopOwnLimit || f.count() != 1 {
				t.Errorf("got %+v", e)
			}
		})
	})
	t.Run("an attempt that the wait left too little", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := NewClient(Config{Policy: exact(), Transport: script(say(200, ""), silence), RateLimit: &RateLimit{Max: 1, Window: 25 * time.Second}})
			if _, err := c.Do(t.Context(), &Request{URL: origin}); err != nil {
				t.Fatal(err)
			}
			_, err := c.Do(t.Context(), &Request{URL: origin})
			if e := failed(t, err); e.Detail != BudgetSpent || e.Cause != CauseOwnLimiter || e.Trip.Stopped != StopOwnLimit || e.Trip.Duration != 30*time.Second {
				t.Errorf("got %+v", e)
			}
		})
	})
}

func TestLimiterIsFair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limiter{max: 1, window: time.Second, clock: Clock{}.withDefaults()}
		var order []int
		var mu sync.Mutex
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() {
				time.Sleep(time.Duration(i) * time.Millisecond)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if i == 3 { // gives up in the queue, and costs nobody a turn
					time.AfterFunc(10*time.Millisecond, cancel)
				}
				if _, _, err := l.wait(ctx, time.Hour); err == nil {
					mu.Lock()
					order = append(order, i)
					mu.Unlock()
				} else if i != 3 {
					t.Error(err)
				}
			})
		}
		start := time.Now()
		wg.Wait()
		if d := cmp.Diff([]int{0, 1, 2, 4, 5}, order); d != "" {
			t.Error(d)
		}
		if d := time.Since(start); d != 4*time.Second {
			t.Errorf("took %v, want 4s", d)
		}
	})
}

// TestNobodyOvertakes: a slot that is free belongs to those who wait.
func TestNobodyOvertakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &limiter{max: 1, window: time.Second, clock: Clock{}.withDefaults()}
		l.queue = []*turn{{ready: make(chan struct{})}} // about to wake up
		if _, _, err := l.wait(t.Context(), 10*time.Second); !errors.Is(err, ErrOwnLimit) {
			t.Errorf("got %v, want to wait behind it", err)
		}
	})
}

func TestLimiterAhead(t *testing.T) {
	now := time.Date(2026, 9, 1, 0, 0, 0, 0, time.UTC)
	l := &limiter{max: 3, window: 10 * time.Second, base: now}
	for _, age := range []time.Duration{7, 4} {
		l.hold(0, now.Add(-age*time.Second))
	}
	for n, want := range []time.Duration{0, 3, 6, 10, 13, 16, 20} {
		if got := l.ahead(now, n); got != want*time.Second {
			t.Errorf("with %d before: %v, want %vs", n, got, int(want))
		}
	}
}

func TestLimitPerIdentity(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		limit := &RateLimit{Max: 1, Window: time.Second, PerIdentity: true}
		c := NewClient(Config{Policy: exact(), Transport: script(say(200, "")), RateLimit: limit})
		wait := func(name, value string) time.Duration {
			a, err := c.Do(t.Context(), &Request{URL: origin, Header: http.Header{name: {value}}})
			if err != nil {
				t.Fatal(err)
			}
			return a.Trip.Attempts[0].Wait
		}
		for _, tt := range []struct {
			name, value string
			want        time.Duration
		}{
			{"Authorization", "Bearer a", 0}, {"Authorization", "Bearer b", 0}, {"X-Api-Key", "Bearer a", 0},
			{"Authorization", "Bearer a", time.Second}, {"Accept", "x", 0}, {"Accept", "y", time.Second},
		} {
			if got := wait(tt.name, tt.value); got != tt.want {
				t.Errorf("%s: %s waited %v, want %v", tt.name, tt.value, got, tt.want)
			}
		}
	})
}

func TestCancelWhileInTheQueueOfTheLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewClient(Config{Policy: exact(), Transport: script(say(503, "")), RateLimit: &RateLimit{Max: 1, Window: 20 * time.Second}})
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		_, err := c.Do(ctx, &Request{URL: origin})
		if e := failed(t, err); e.Kind != Aborted || e.Detail != Cancelled || e.Cause != "" || e.Previous == nil || e.Previous.Kind != HTTP5xx || e.Trip.Duration != 5*time.Second {
			t.Errorf("got %+v", e)
		}
	})
}

// TestLimiterOnAGivenClock: a clock that sleeps without passing time, or that
// moves only when it is slept on, is believed.
func TestLimiterOnAGivenClock(t *testing.T) {
	start := time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
	for name, moves := range map[string]bool{"moves": true, "stands still": false} {
		now, slept := start, time.Duration(0)
		clock := Clock{Now: func() time.Time { return now }, Sleep: func(_ context.Context, d time.Duration) error {
			slept += d
			if moves {
				now = now.Add(d)
			}
			return nil
		}}
		c := NewClient(Config{Policy: exact(), Clock: clock, Transport: script(say(200, "")), RateLimit: &RateLimit{Max: 2, Window: 3 * time.Second}})
		for range 4 {
			if _, err := c.Do(t.Context(), &Request{URL: origin}); err != nil {
				t.Fatal(name, err)
			}
		}
		if slept != 3*time.Second && moves || slept < 3*time.Second {
			t.Errorf("%s: slept %v", name, slept)
		}
	}
}
