package fetch

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
)

func TestInspectBody(t *testing.T) {
	for _, tt := range []struct {
		name string
		hook func(*http.Response, []byte) Kind
		want Kind
	}{
		{"accepts", func(*http.Response, []byte) Kind { return "" }, ""},
		{"rejects", func(*http.Response, []byte) Kind { return MalformedBody }, MalformedBody},
		{"names another kind", func(*http.Response, []byte) Kind { return RateLimited }, RateLimited},
		{"a word that is no kind", func(*http.Response, []byte) Kind { return "odd" }, MalformedBody},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := exact()
			p.Retries = 0
			var seen string
			c := NewClient(Config{Policy: p, Transport: script(say(200, `{"note":"busy"}`)), InspectBody: func(r *http.Response, b []byte) Kind {
				seen = string(b)
				return tt.hook(r, b)
			}})
			_, err := c.Do(t.Context(), &Request{URL: origin, Mode: ModeJSON})
			if seen != `{"note":"busy"}` {
				t.Errorf("the hook saw %q", seen)
			}
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			e := failed(t, err)
			if e.Kind != tt.want || e.Outcome != OutcomeSuccess || e.Detail != RejectedByHook || !e.Retryable || string(e.Body) != seen {
				t.Errorf("got %+v", e)
			}
		})
	}
}

func TestInspectBodySeesOnly2xx(t *testing.T) {
	hook := func(*http.Response, []byte) Kind { t.Error("asked"); return "" }
	c := NewClient(Config{Policy: exact(), Transport: script(say(404, "no")), InspectBody: hook})
	if _, err := c.Do(t.Context(), &Request{URL: origin}); failed(t, err).Kind != NotFound {
		t.Error(err)
	}
}

func TestRetryOnHookSeesTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []RetryEvent
		boom := errors.New("boom")
		c := NewClient(Config{Policy: exact(), Transport: script(fail(boom), say(429, "slow", "X-A", "b"), say(200, "")), RetryOn: func(e RetryEvent) bool {
			got = append(got, e)
			return true
		}})
		if _, err := c.Do(t.Context(), &Request{URL: origin}); err != nil {
			t.Fatal(err)
		}
		if len(got) != 2 || got[0].Cause != boom || got[0].Kind != Network || got[0].Attempt != 1 || got[0].Response != nil {
			t.Fatalf("got %+v", got)
		}
		e := got[1]
		if e.Status != 429 || e.Kind != RateLimited || e.Attempt != 2 || string(e.Body) != "slow" || e.Response.Header.Get("X-A") != "b" || e.URL != origin {
			t.Errorf("got %+v", e)
		}
	})
}

func TestRetryOnHookCannotOverrule(t *testing.T) {
	always := func(RetryEvent) bool { return true }
	for name, tt := range map[string]struct {
		step func(*http.Request) (*http.Response, error)
		stop Stop
	}{
		"nxdomain": {fail(nxdomain), StopNotRetryable},
		"max body": {say(200, "0123456789"), StopOwnLimit},
	} {
		t.Run(name, func(t *testing.T) {
			p := exact()
			p.MaxBody = 4
			f := script(tt.step)
			_, err := NewClient(Config{Policy: p, Transport: f, RetryOn: always}).Do(t.Context(), &Request{URL: origin})
			if e := failed(t, err); f.count() != 1 || e.Retryable || e.Trip.Stopped != tt.stop {
				t.Errorf("%d requests, %+v", f.count(), e)
			}
		})
	}
}

// TestPanics turns a panic of anybody's code into an aborted trip of ours.
func TestPanics(t *testing.T) {
	boom := func() { panic("boom") }
	for name, cfg := range map[string]Config{
		"inspect":   {Transport: script(say(200, "{}")), InspectBody: func(*http.Response, []byte) Kind { boom(); return "" }},
		"retry on":  {Transport: script(say(503, "")), RetryOn: func(RetryEvent) bool { boom(); return true }},
		"transport": {Transport: script(func(*http.Request) (*http.Response, error) { boom(); return nil, nil })},
	} {
		t.Run(name, func(t *testing.T) {
			cfg.Policy = exact()
			cfg.Policy.MaxInFlight = 1
			c := NewClient(cfg)
			for range 2 { // the second finds the place in the queue free again
				call := new(Call)
				_, err := c.Do(t.Context(), &Request{URL: origin, Call: call})
				e := failed(t, err)
				var p *PanicError
				if e.Kind != Aborted || e.Cause != CausePanic || !errors.As(err, &p) || p.Value != "boom" || len(p.Stack) == 0 {
					t.Errorf("got %+v", e)
				}
				if r := call.Retrieval(); r == nil || r.Attempts != 1 {
					t.Errorf("retrieval %+v", r)
				}
			}
		})
	}
}

func TestSilentTransport(t *testing.T) {
	p := exact()
	p.Retries = 0
	_, err := NewClient(Config{Policy: p, Transport: script(func(*http.Request) (*http.Response, error) { return nil, nil })}).Do(t.Context(), &Request{URL: origin})
	if e := failed(t, err); e.Kind != Network || !e.Transport {
		t.Errorf("got %+v", e)
	}
}

func TestAnomaliesOfOvercomeAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		call := new(Call)
		c := NewClient(Config{Policy: exact(), Transport: script(say(200, "<p>"), say(500, ""), say(200, "1"))})
		for range 2 {
			if _, err := c.Do(t.Context(), &Request{URL: origin, Mode: ModeJSON, Call: call}); err != nil {
				t.Fatal(err)
			}
		}
		want := &Retrieval{Requests: 2, Attempts: 4, Anomalies: []Kind{MalformedBody, HTTP5xx}}
		if d := cmp.Diff(want, call.Retrieval()); d != "" {
			t.Error(d)
		}
	})
}
