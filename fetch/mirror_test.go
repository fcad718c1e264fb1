package fetch

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// byHost answers by the host that is asked, and lists who was.
type byHost struct {
	mu    sync.Mutex
	hosts map[string]func(*http.Request) (*http.Response, error)
	asked []string
	got   []*http.Request
}

func (b *byHost) RoundTrip(r *http.Request) (*http.Response, error) {
	b.mu.Lock()
	b.asked = append(b.asked, r.URL.Hostname())
	b.got = append(b.got, r)
	step := b.hosts[r.URL.Hostname()]
	b.mu.Unlock()
	return step(r)
}

func TestMirrors(t *testing.T) {
	const s = time.Second
	type steps = map[string]func(*http.Request) (*http.Response, error)
	refused, good := fail(syscall.ECONNREFUSED), say(200, "")
	for _, tt := range []struct {
		name     string
		hosts    steps
		mirrors  string // hosts
		method   string
		retries  int
		kind     Kind // "" means delivered
		mirror   string
		asked    string
		stop     Stop
		duration time.Duration
	}{
		{name: "the own URL answers", hosts: steps{"a": good}, mirrors: "b c", asked: "a"},
		{name: "retries first, then the next place at once", hosts: steps{"a": refused, "b": good}, mirrors: "b c", retries: 2, mirror: "b", asked: "a a a b", duration: 3 * s},
		{name: "each place has its retries", hosts: steps{"a": refused, "b": say(503, ""), "c": refused}, mirrors: "b c", retries: 1, kind: Network, mirror: "c", asked: "a a b b c c", stop: StopRetries, duration: 3 * s},
		{name: "a name that does not exist is not retried but left", hosts: steps{"a": fail(nxdomain), "b": good}, mirrors: "b", retries: 2, mirror: "b", asked: "a b"},
		{name: "what is refused is refused everywhere", hosts: steps{"a": say(404, "")}, mirrors: "b", kind: NotFound, asked: "a", stop: StopNotRetryable},
		{name: "a wait that does not fit", hosts: steps{"a": say(429, "", "Retry-After", "100"), "b": good}, mirrors: "b", retries: 2, mirror: "b", asked: "a b"},
		{name: "a body that is no answer", hosts: steps{"a": say(500, ""), "b": say(404, "")}, mirrors: "b", kind: NotFound, mirror: "b", asked: "a b", stop: StopNotRetryable},
		{name: "what may not be repeated goes nowhere else", hosts: steps{"a": say(503, "")}, mirrors: "b", method: "POST", kind: HTTP5xx, asked: "a", stop: StopMethod},
		{name: "a hanging place leaves its mirror time", hosts: steps{"a": silence, "b": good}, mirrors: "b", retries: 2, mirror: "b", asked: "a a b", duration: 21 * s},
		{name: "one budget for all", hosts: steps{"a": silence, "b": silence, "c": silence, "d": good}, mirrors: "b c d", retries: 0, kind: Timeout, mirror: "c", asked: "a b c", stop: StopBudget, duration: 30 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := exact()
				p.Retries = tt.retries
				b := &byHost{hosts: tt.hosts}
				req := &Request{Method: tt.method, URL: "https://a/x", Call: new(Call)}
				for _, host := range strings.Fields(tt.mirrors) {
					req.Mirrors = append(req.Mirrors, "https://"+host+"/mirror/x")
				}
				a, err := NewClient(Config{Policy: p, Transport: b}).Do(t.Context(), req)
				var mirror, final string
				var trip Trip
				if tt.kind == "" {
					if err != nil {
						t.Fatal(err)
					}
					mirror, final, trip = a.Mirror, a.FinalURL, a.Trip
				} else {
					e := failed(t, err)
					mirror, final, trip = e.Mirror, e.FinalURL, e.Trip
					if e.Kind != tt.kind || e.URL != req.URL {
						t.Errorf("got %s of %s", e.Kind, e.URL)
					}
				}
				want, wantFinal := "", "https://a/x"
				if tt.mirror != "" {
					want = "https://" + tt.mirror + "/mirror/x"
					wantFinal = want
				}
				if mirror != want || final != wantFinal {
					t.Errorf("mirror %q, final %q, want %q, %q", mirror, final, want, wantFinal)
				}
				if d := cmp.Diff(strings.Fields(tt.asked), b.asked); d != "" {
					t.Error(d)
				}
				if trip.Stopped != tt.stop || trip.Duration != tt.duration || trip.Unfit != 0 {
					t.Errorf("stopped %q after %v (unfit %v), want %q after %v", trip.Stopped, trip.Duration, trip.Unfit, tt.stop, tt.duration)
				}
				if r := req.Call.Retrieval(); r.Requests != 1 || r.Attempts != len(b.asked) {
					t.Errorf("retrieval %+v", r)
				}
			})
		})
	}
}

func TestCancelStopsTheFailover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &byHost{hosts: map[string]func(*http.Request) (*http.Response, error){"a": silence, "b": say(200, "")}}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := NewClient(Config{Policy: single(), Transport: b}).Do(ctx, &Request{URL: "http://a/", Mirrors: []string{"http://b/"}})
		if e := failed(t, err); e.Kind != Aborted || e.Trip.Stopped != StopCancelled || len(b.asked) != 1 {
			t.Errorf("got %+v, asked %v", e, b.asked)
		}
	})
}

// TestABreakerPerMirror: the own URL's breaker opens, and the mirror goes on
// being asked, at once.
func TestABreakerPerMirror(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &byHost{hosts: map[string]func(*http.Request) (*http.Response, error){"a": fail(syscall.ECONNREFUSED), "b": say(200, ""), "c": fail(syscall.ECONNREFUSED)}}
		policy := DefaultBreaker()
		c := NewClient(Config{Policy: single(), Transport: b, Breaker: &policy})
		for range 7 {
			a, err := c.Do(t.Context(), &Request{URL: "http://a/", Mirrors: []string{"http://b/"}})
			if err != nil || a.Mirror != "http://b/" {
				t.Fatal(a, err)
			}
		}
		if d := cmp.Diff(strings.Fields("a b a b a b a b a b b b"), b.asked); d != "" || c.BreakerState() != "open" {
			t.Errorf("%s %s", c.BreakerState(), d)
		}
		for range 6 {
			c.Do(t.Context(), &Request{URL: "http://a/", Mirrors: []string{"http://c/x"}})
		}
		_, err := c.Do(t.Context(), &Request{URL: "http://a/", Mirrors: []string{"http://c/y"}})
		if e := failed(t, err); e.Detail != CircuitOpen || len(e.Trip.Attempts) != 0 || e.Mirror != "http://c/y" {
			t.Errorf("got %+v", e)
		}
	})
}

// TestMirrorsAndCredentials: mirrors of an origin get its headers, but what was
// declared for https leaves on no http, and a declared Host is the own URL's.
func TestMirrorsAndCredentials(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		refused := fail(syscall.ECONNREFUSED)
		b := &byHost{hosts: map[string]func(*http.Request) (*http.Response, error){"a": refused, "b": refused, "c": say(200, "")}}
		h := http.Header{"Authorization": {"Bearer secret"}, "Host": {"named"}, "Accept": {"text/csv"}}
		c := NewClient(Config{Policy: single(), Transport: b})
		a, err := c.Do(t.Context(), &Request{URL: "https://a/", Header: h, Mirrors: []string{"https://b/", "http://c/"}})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []struct{ auth, host string }{{"Bearer secret", "named"}, {"Bearer secret", "b"}, {"", "c"}} {
			if r := b.got[i]; r.Header.Get("Authorization") != want.auth || r.Host != want.host || r.Header.Get("Accept") != "text/csv" {
				t.Errorf("place %d got %v, host %s", i, r.Header, r.Host)
			}
		}
		if !a.Withheld {
			t.Error("it is not told that headers were withheld")
		}
	})
	c := NewClient(Config{Policy: single(), Transport: script(say(200, ""))})
	for name, req := range map[string]*Request{
		"no URL":                 {URL: origin, Mirrors: []string{"mirror"}},
		"userinfo":               {URL: origin, Mirrors: []string{"http://u:p@b/"}},
		"a body of a bare one":   {Method: "PUT", Body: []byte("x"), URL: origin, Bare: true},
		"a body that was https'": {Method: "PUT", Body: []byte("x"), URL: "https://a/", Mirrors: []string{"http://b/"}},
	} {
		if _, err := c.Do(t.Context(), req); !errors.Is(err, ErrInvalidRequest) || strings.Contains(err.Error(), "u:p") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestBare: a request to a place that nothing was declared for says nothing of
// the caller's rights, nor does its mirror's, and takes no cookie along.
func TestBare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &byHost{hosts: map[string]func(*http.Request) (*http.Response, error){"a": say(503, "", "Set-Cookie", "s=1"), "b": say(200, "")}}
		h := http.Header{"Authorization": {"Bearer secret"}, "Host": {"named"}, "Accept": {"text/csv"}}
		c := NewClient(Config{Policy: single(), Transport: b, Way: Way{Cookies: true}})
		c.Do(t.Context(), &Request{URL: "https://a/"})
		a, err := c.Do(t.Context(), &Request{URL: "https://a/", Header: h, Mirrors: []string{"https://b/"}, Bare: true})
		if err != nil || !a.Withheld {
			t.Fatalf("%+v %v", a, err)
		}
		for i, host := range []string{"a", "b"} {
			r := b.got[i+1]
			if r.Header.Get("Authorization") != "" || r.Header.Get("Cookie") != "" || r.Host != host || r.Header.Get("Accept") != "text/csv" {
				t.Errorf("place %d got %v, host %s", i, r.Header, r.Host)
			}
		}
	})
}

// TestMirrorsOnTheWire: a dead port, and a mirror that answers.
func TestMirrorsOnTheWire(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	alive := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.Write([]byte(r.URL.Path)) }))
	defer alive.Close()
	c := NewClient(Config{Policy: single()})
	defer c.CloseIdle()
	a, err := c.Do(t.Context(), &Request{URL: dead.URL + "/a", Mirrors: []string{alive.URL + "/b"}})
	if err != nil || a.Mirror != alive.URL+"/b" || string(a.Body) != "/b" || len(a.Trip.Attempts) != 2 || a.Trip.Attempts[0].Detail != TCPRefused {
		t.Errorf("%+v %v", a, err)
	}
}
