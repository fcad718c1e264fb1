package fetch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestForeignCodeCannotHang: what ignores its context is left behind within
// the budget and a little, and what it gives too late is closed.
func TestForeignCodeCannotHang(t *testing.T) {
	late := 10 * time.Minute
	deaf := func(closed *bool) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			time.Sleep(late)
			res, err := say(200, "{}")(r)
			res.Body = closing{strings.NewReader("{}"), closed}
			return res, err
		}
	}
	for _, tt := range []struct {
		name   string
		config func(*Config, *bool)
		mode   Mode
		kind   Kind
		detail Detail
		cause  Cause
		err    error
		closes bool
	}{
		{"transport", func(c *Config, b *bool) { c.Transport = script(deaf(b)) }, ModeJSON, Timeout, BudgetSpent, "", ErrBudget, true},
		{"transport, response mode", func(c *Config, b *bool) { c.Transport = script(deaf(b)) }, ModeResponse, Timeout, BudgetSpent, "", ErrBudget, true},
		{"inspect hook", func(c *Config, b *bool) {
			c.InspectBody = func(*http.Response, []byte) Kind { time.Sleep(late); return "" }
		}, ModeText, Aborted, "", CausePanic, ErrHook, false},
		{"retry hook", func(c *Config, b *bool) {
			c.Transport = script(say(503, ""))
			c.RetryOn = func(RetryEvent) bool { time.Sleep(late); return true }
		}, ModeText, Aborted, "", CausePanic, ErrHook, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				closed := false
				cfg := Config{Policy: exact(), Transport: script(say(200, ""))}
				tt.config(&cfg, &closed)
				start := time.Now()
				_, err := NewClient(cfg).Do(t.Context(), &Request{URL: origin, Mode: tt.mode})
				e := failed(t, err)
				if took := time.Since(start); took != cfg.Policy.Budget+grace {
					t.Errorf("took %v", took)
				}
				if e.Kind != tt.kind || e.Detail != tt.detail || e.Cause != tt.cause || !errors.Is(err, tt.err) || len(e.Trip.Attempts) != 1 {
					t.Errorf("got %+v", e)
				}
				time.Sleep(late)
				synctest.Wait() // the bubble ends only when no goroutine is left
				if closed != tt.closes {
					t.Errorf("closed: %v", closed)
				}
			})
		})
	}
}

type closing struct {
	io.Reader
	closed *bool
}

func (c closing) Close() error { *c.closed = true; return nil }

func TestCancelLeavesForeignCodeBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := NewClient(Config{Policy: exact(), Transport: script(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Hour)
			return say(200, "")(r)
		})}).Do(ctx, &Request{URL: origin})
		if e := failed(t, err); e.Kind != Aborted || e.Detail != Cancelled || time.Since(start) != time.Second+grace {
			t.Errorf("got %+v after %v", e, time.Since(start))
		}
		time.Sleep(time.Hour)
	})
}

// TestDeadlinesTellApart: whichever of run budget, trip budget and attempt
// timeout ends first is the one that is named.
func TestDeadlinesTellApart(t *testing.T) {
	errRun := errors.New("the run's budget")
	for _, tt := range []struct {
		name                 string
		run, budget, timeout time.Duration
		kind                 Kind
		detail               Detail
		cause                error
	}{
		{"attempt timeout", 30 * time.Second, 20 * time.Second, 10 * time.Second, Timeout, HeaderTimeout, ErrTimeout},
		{"trip budget", 30 * time.Second, 20 * time.Second, 40 * time.Second, Timeout, BudgetSpent, ErrBudget},
		{"run budget", 15 * time.Second, 20 * time.Second, 40 * time.Second, Aborted, Cancelled, errRun},
		{"run budget in an attempt of a longer timeout", 5 * time.Second, 20 * time.Second, 10 * time.Second, Aborted, Cancelled, errRun},
	} {
		synctest.Test(t, func(t *testing.T) {
			p := single()
			p.Budget, p.Timeout = tt.budget, tt.timeout
			ctx, cancel := context.WithTimeoutCause(t.Context(), tt.run, errRun)
			defer cancel()
			_, err := NewClient(Config{Policy: p, Transport: script(silence)}).Do(ctx, &Request{URL: origin})
			if e := failed(t, err); e.Kind != tt.kind || e.Detail != tt.detail || !errors.Is(err, tt.cause) || e.Trip.Duration != min(tt.run, tt.budget, tt.timeout) {
				t.Errorf("%s: got %s/%s %v after %v", tt.name, e.Kind, e.Detail, e.Err, e.Trip.Duration)
			}
		})
	}
}

func TestContextCarriesTheCall(t *testing.T) {
	if CurrentCall(t.Context()) != nil {
		t.Error("a context carries a collector by itself")
	}
	if _, err := RequireCall(t.Context()); !errors.Is(err, ErrNoCall) {
		t.Errorf("got %v", err)
	}
	if _, err := RequireCall(WithCall(t.Context(), nil)); !errors.Is(err, ErrNoCall) {
		t.Errorf("a nil collector: got %v", err)
	}
	carried, explicit := new(Call), new(Call)
	ctx := WithCall(t.Context(), carried)
	if got, err := RequireCall(ctx); got != carried || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	c := NewClient(Config{Policy: single(), Transport: script(say(200, ""))})
	c.Do(ctx, &Request{URL: origin})
	c.Do(ctx, &Request{URL: origin, Call: explicit})
	for name, call := range map[string]*Call{"carried": carried, "explicit": explicit} {
		if r := call.Retrieval(); r == nil || r.Requests != 1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
