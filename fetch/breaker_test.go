package fetch

import (
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// single is a policy without retries.
func single() Policy {
	p := exact()
	p.Retries = 0
	return p
}

func breaking(f http.RoundTripper, p Policy) *Client {
	b := DefaultBreaker()
	return NewClient(Config{Policy: p, Transport: f, Breaker: &b})
}

// askN makes n trips one after the other.
func askN(t *testing.T, c *Client, n int) (last error) {
	t.Helper()
	for range n {
		_, last = c.Do(t.Context(), &Request{URL: origin})
	}
	return last
}

func TestTallyOf(t *testing.T) {
	rule := func(m Means) *Rule { return &Rule{Means: m} }
	for _, tt := range []struct {
		name string
		err  *Error
		want tally
	}{
		{"answer", nil, there},
		{"timeout", &Error{Kind: Timeout}, down},
		{"network", &Error{Kind: Network}, down},
		{"http_5xx", &Error{Kind: HTTP5xx}, down},
		{"rate_limited", &Error{Kind: RateLimited}, neutral},
		{"http_4xx", &Error{Kind: HTTP4xx}, there},
		{"not_found", &Error{Kind: NotFound}, there},
		{"redirect", &Error{Kind: Redirect}, there},
		{"malformed_body", &Error{Kind: MalformedBody}, there},
		{"aborted", &Error{Kind: Aborted}, neutral},
		{"proxy", &Error{Kind: Network, Cause: CauseProxy}, neutral},
		{"own limiter", &Error{Kind: Timeout, Cause: CauseOwnLimiter}, neutral},
		{"500 that means respondeu", &Error{Kind: HTTP5xx, Rule: rule(MeansRespondeu)}, there},
		{"403 that means indisponivel", &Error{Kind: HTTP4xx, Rule: rule(MeansIndisponivel)}, down},
		{"200 that means indisponivel", &Error{Kind: MalformedBody, Rule: rule(MeansIndisponivel)}, down},
		{"200 that means ambiguo", &Error{Kind: MalformedBody, Rule: rule(MeansAmbiguo)}, there},
		{"alheio", &Error{Kind: HTTP4xx, Rule: rule(MeansAlheio)}, neutral},
		{"429 that means indisponivel", &Error{Kind: RateLimited, Rule: rule(MeansIndisponivel)}, neutral},
		{"429 that means respondeu", &Error{Kind: RateLimited, Rule: rule(MeansRespondeu)}, there},
	} {
		if got := tallyOf(tt.err); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got, tt.want)
		}
	}
}

// TestBreakerOpens: five failures open it, and then nothing leaves.
func TestBreakerOpens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := script(fail(syscall.ECONNREFUSED))
		c := breaking(f, single())
		askN(t, c, 4)
		if c.BreakerState() != "closed" {
			t.Fatal(c.BreakerState())
		}
		askN(t, c, 1)
		if c.BreakerState() != "open" || f.count() != 5 {
			t.Fatalf("%s after %d", c.BreakerState(), f.count())
		}
		call := new(Call)
		_, err := c.Do(t.Context(), &Request{URL: origin, Call: call})
		e := failed(t, err)
		if e.Kind != Network || e.Detail != CircuitOpen || e.Outcome != OutcomeRetryable || !e.Retryable || e.Transport || e.Cause != "" ||
			e.Trip.Stopped != StopCircuit || e.Trip.Duration != 0 || len(e.Trip.Attempts) != 0 || call.Retrieval() != nil || f.count() != 5 {
			t.Errorf("got %+v", e)
		}
	})
}

func TestBreakerCounts(t *testing.T) {
	refused, down503, busy, good := fail(syscall.ECONNREFUSED), say(503, ""), say(429, ""), say(200, "")
	for _, tt := range []struct {
		name  string
		steps []func(*http.Request) (*http.Response, error)
		trips int
		state string
	}{
		{"a 503 of each trip", list(down503), 5, "open"},
		{"rate limits are no failures", list(busy), 20, "closed"},
		{"nor do they dilute them", list(busy, busy, busy, busy, busy, busy, refused), 11, "open"},
		{"refusals of the request", list(say(404, "")), 20, "closed"},
		{"half of them fail", list(good, good, good, refused), 6, "open"},
		{"less than half", list(good, good, good, good, refused), 7, "closed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := breaking(script(tt.steps...), single())
				askN(t, c, tt.trips)
				if got := c.BreakerState(); got != tt.state {
					t.Errorf("got %s, want %s", got, tt.state)
				}
			})
		})
	}
}

// TestOneRouteThatFailsIsNoDeadOrigin: the http_5xx of one probe count once,
// however often it was repeated; timeouts count each.
func TestOneRouteThatFailsIsNoDeadOrigin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := exact()
		p.Retries = 9
		p.Budget = time.Hour
		c := breaking(script(say(500, "")), p)
		call := new(Call)
		for range 2 {
			c.Do(t.Context(), &Request{URL: origin, Call: call})
		}
		if c.BreakerState() != "closed" {
			t.Errorf("one probe's http_5xx: %s", c.BreakerState())
		}
		f := script(fail(syscall.ECONNRESET))
		c = breaking(f, p)
		err := askN(t, c, 1)
		if e := failed(t, err); c.BreakerState() != "open" || e.Trip.Stopped != StopCircuit || e.Kind != Network || e.Detail != TCPReset || len(e.Trip.Attempts) != 5 || e.Trip.Duration != 15*time.Second {
			t.Errorf("%s, %+v", c.BreakerState(), e)
		}
	})
}

// TestBreakerWindowSlides: failures further apart than the window never meet,
// and timeouts longer than the window still count.
func TestBreakerWindowSlides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := breaking(script(fail(syscall.ECONNREFUSED)), single())
		for range 20 {
			askN(t, c, 1)
			time.Sleep(16 * time.Second)
		}
		if c.BreakerState() != "closed" {
			t.Error("four failures a minute opened it")
		}
		b := BreakerPolicy{ErrorThreshold: 0.5, MinRequests: 2, Window: 3 * time.Second, HalfOpenAfter: time.Minute}
		p := single()
		p.MaxInFlight = 0
		c = NewClient(Config{Policy: p, Transport: script(silence), Breaker: &b})
		var wg sync.WaitGroup
		for range 2 {
			wg.Go(func() { c.Do(t.Context(), &Request{URL: origin}) })
		}
		wg.Wait()
		if c.BreakerState() != "open" {
			t.Error("timeouts of 10s do not count in a window of 3s")
		}
	})
}

func TestHalfOpenLetsOneTripThrough(t *testing.T) {
	for _, tt := range []struct {
		name  string
		trial func(*http.Request) (*http.Response, error)
		state string
	}{
		{"recovered", say(200, ""), "closed"},
		{"answers, whatever", say(404, ""), "closed"},
		{"still down", fail(syscall.ECONNREFUSED), "open"},
		{"says nothing", say(429, ""), "half-open"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refused := fail(syscall.ECONNREFUSED)
				f := script(refused, refused, refused, refused, refused, after(time.Second, tt.trial))
				p := single()
				p.MaxInFlight = 0
				c := breaking(f, p)
				askN(t, c, 5)
				time.Sleep(30*time.Second - 1)
				if e := failed(t, askN(t, c, 1)); e.Detail != CircuitOpen || c.BreakerState() != "open" {
					t.Fatalf("%s, %v", c.BreakerState(), e)
				}
				time.Sleep(time.Nanosecond)
				if c.BreakerState() != "half-open" {
					t.Fatal(c.BreakerState())
				}
				var wg sync.WaitGroup
				var mu sync.Mutex
				shut := 0
				for range 8 {
					wg.Go(func() {
						_, err := c.Do(t.Context(), &Request{URL: origin})
						var e *Error
						if errors.As(err, &e) && e.Detail == CircuitOpen {
							mu.Lock()
							shut++
							mu.Unlock()
						}
					})
				}
				wg.Wait()
				if f.count() != 6 || shut != 7 || c.BreakerState() != tt.state {
					t.Errorf("%d left, %d shut out, then %s; want 6, 7, %s", f.count(), shut, c.BreakerState(), tt.state)
				}
			})
		})
	}
}

// TestBreakerForgetsThePast: what began before the breaker opened says nothing
// once it is closed again.
func TestBreakerForgetsThePast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		policy := DefaultBreaker()
		b := newBreaker(&policy)
		var old []permit
		for range 15 {
			p, _ := b.admit()
			old = append(old, p)
		}
		for _, p := range old[:5] {
			p.settle(down)
		}
		time.Sleep(policy.HalfOpenAfter)
		trial, _ := b.admit()
		old[5].settle(there) // no answer to the trial
		if _, ok := b.admit(); ok {
			t.Error("a second trip is let through")
		}
		trial.settle(there)
		for _, p := range old[6:] {
			p.settle(down)
		}
		if b.isOpen() {
			t.Error("failures of before opened it again")
		}
	})
}

// TestOrder proves budget ( rate limit ( breaker ( attempt ))).
func TestOrder(t *testing.T) {
	refused := fail(syscall.ECONNREFUSED)
	b := BreakerPolicy{ErrorThreshold: 0.5, MinRequests: 1, Window: time.Minute, HalfOpenAfter: time.Hour}
	t.Run("the budget holds the rate limit's wait", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := NewClient(Config{Policy: single(), Transport: script(say(200, ""), silence), RateLimit: &RateLimit{Max: 1, Window: 28 * time.Second}})
			askN(t, c, 1)
			if e := failed(t, askN(t, c, 1)); e.Trip.Duration != 30*time.Second {
				t.Errorf("wait and attempt took %v, want the budget", e.Trip.Duration)
			}
		})
	})
	t.Run("the breaker is asked after the turn, and the turn is given back", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			// One trip fails at 3s. Another waits for its turn until 5s, finds
			// the breaker open then, and its turn is still there for a third.
			f := script(after(3*time.Second, refused))
			p := single()
			p.MaxInFlight = 0
			c := NewClient(Config{Policy: p, Transport: f, Breaker: &b, RateLimit: &RateLimit{Max: 1, Window: 5 * time.Second}})
			var wg sync.WaitGroup
			wg.Go(func() { askN(t, c, 1) })
			synctest.Wait()
			err := askN(t, c, 1)
			if e := failed(t, err); e.Detail != CircuitOpen || e.Trip.Duration != 5*time.Second || f.count() != 1 {
				t.Errorf("%+v after %v, %d left", e, e.Trip.Duration, f.count())
			}
			if _, waited, err := c.limits.of(nil).wait(t.Context(), time.Minute); waited != 0 || err != nil {
				t.Errorf("the turn was spent: %v %v", waited, err)
			}
			wg.Wait()
		})
	})
	t.Run("nobody waits for a turn at an open breaker", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := NewClient(Config{Policy: single(), Transport: script(refused), Breaker: &b, RateLimit: &RateLimit{Max: 1, Window: 20 * time.Second}})
			askN(t, c, 1)
			if e := failed(t, askN(t, c, 1)); e.Detail != CircuitOpen || e.Trip.Duration != 0 {
				t.Errorf("%+v", e)
			}
		})
	})
	t.Run("every later attempt passes the breaker again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			// The first trip waits for its retry when the second opens the breaker.
			two := b
			two.MinRequests = 2
			f := script(refused)
			c := NewClient(Config{Policy: exact(), Transport: f, Breaker: &two})
			var first error
			var wg sync.WaitGroup
			wg.Go(func() { first = askN(t, c, 1) })
			synctest.Wait()
			askN(t, c, 1)
			wg.Wait()
			if e := failed(t, first); e.Trip.Stopped != StopCircuit || e.Detail != TCPRefused || len(e.Trip.Attempts) != 1 || f.count() != 2 {
				t.Errorf("%+v, %d left", e, f.count())
			}
		})
	})
	t.Run("every later attempt passes the limiter again", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			c := NewClient(Config{Policy: exact(), Transport: script(refused), RateLimit: &RateLimit{Max: 1, Window: 5 * time.Second}})
			e := failed(t, askN(t, c, 1))
			if d := cmp.Diff([]time.Duration{0, 5 * time.Second, 5 * time.Second}, waits(e.Trip)); d != "" {
				t.Error(d)
			}
		})
	})
}

// TestDeadOrigin makes 200 trips to an address that takes connections and
// never answers, 8 at a time, over real sockets.
func TestDeadOrigin(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var held []net.Conn
	served := make(chan struct{})
	go func() {
		defer close(served)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			held = append(held, c)
			mu.Unlock()
		}
	}()
	defer func() {
		l.Close()
		<-served
		for _, c := range held {
			c.Close()
		}
	}()
	p := DefaultPolicy()
	p.Timeout, p.Retries, p.MaxInFlight = time.Second, 2, 8
	b := DefaultBreaker()
	c := NewClient(Config{Policy: p, Breaker: &b})
	defer c.CloseIdle()
	start := time.Now()
	var wg sync.WaitGroup
	var requests, asked int
	for range 200 {
		wg.Go(func() {
			_, err := c.Do(t.Context(), &Request{URL: "http://" + l.Addr().String() + "/"})
			var e *Error
			if !errors.As(err, &e) || e.Kind != Timeout && e.Detail != CircuitOpen {
				t.Errorf("got %v", err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			for _, a := range e.Trip.Attempts {
				requests += a.Requests
			}
			asked += min(1, len(e.Trip.Attempts))
		})
	}
	wg.Wait()
	mu.Lock()
	defer mu.Unlock()
	if took := time.Since(start); took > 12*time.Second {
		t.Errorf("took %v", took)
	}
	if requests >= 30 || len(held) >= 30 || asked == 0 {
		t.Errorf("%d requests left on %d connections for %d trips, want fewer than 30", requests, len(held), asked)
	}
	t.Logf("%d requests, %d connections, %d of 200 trips asked, %v", requests, len(held), asked, time.Since(start).Round(time.Millisecond))
}
