package fetch

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCancelDuringAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		why := errors.New("the run's budget")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(3*time.Second, func() { cancel(why) })
		call := new(Call)
		_, err := NewClient(Config{Policy: exact(), Transport: script(say(503, ""), silence)}).Do(ctx, &Request{URL: origin, Call: call})
		e := failed(t, err)
		if e.Kind != Aborted || e.Detail != Cancelled || e.Retryable || e.Trip.Stopped != StopCancelled || e.Trip.Duration != 3*time.Second {
			t.Errorf("got %+v", e)
		}
		if !errors.Is(err, why) || !errors.Is(err, context.Canceled) {
			t.Errorf("%v wraps neither the cause nor the cancel", err)
		}
		if e.Previous == nil || e.Previous.Kind != HTTP5xx || len(e.Trip.Attempts) != 2 {
			t.Errorf("previous %+v, %d attempts", e.Previous, len(e.Trip.Attempts))
		}
		if d := cmp.Diff(&Retrieval{Requests: 1, Attempts: 2, Anomalies: []Kind{HTTP5xx}}, call.Retrieval()); d != "" {
			t.Error(d)
		}
	})
}

func TestCancelDuringWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		_, err := NewClient(Config{Policy: exact(), Transport: script(say(503, ""))}).Do(ctx, &Request{URL: origin})
		e := failed(t, err)
		if e.Kind != Aborted || !errors.Is(err, context.DeadlineExceeded) || len(e.Trip.Attempts) != 1 || e.Previous == nil || e.Previous.Kind != HTTP5xx || e.Transport {
			t.Errorf("got %+v", e)
		}
	})
}

// TestCallersDeadline is M11: a deadline of the caller is a cancel, not a
// timeout of the origin.
func TestCallersDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
		defer cancel()
		_, err := NewClient(Config{Policy: exact(), Transport: script(silence)}).Do(ctx, &Request{URL: origin})
		if e := failed(t, err); e.Kind != Aborted || e.Trip.Duration != 4*time.Second {
			t.Errorf("got %v after %v", e.Kind, e.Trip.Duration)
		}
	})
}

func TestNotAskedOnceWhenCancelledBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	call, f := new(Call), script(say(200, ""))
	_, err := NewClient(Config{Transport: f}).Do(ctx, &Request{URL: origin, Call: call})
	if e := failed(t, err); e.Kind != Aborted || len(e.Trip.Attempts) != 0 || e.Transport || f.count() != 0 || call.Retrieval() != nil {
		t.Errorf("got %+v, %d requests", e, f.count())
	}
}

func TestStatusWinsOverHangingBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := exact()
		p.Retries = 0
		_, err := NewClient(Config{Policy: p, Transport: script(hangingBody(503, "wait for it"))}).Do(t.Context(), &Request{URL: origin})
		e := failed(t, err)
		if e.Kind != HTTP5xx || string(e.Body) != "wait for it" || e.Trip.Duration != p.Timeout {
			t.Errorf("got %v %q after %v", e.Kind, e.Body, e.Trip.Duration)
		}
	})
}

func TestCancelDuringErrorBodyIsAborted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := NewClient(Config{Policy: exact(), Transport: script(hangingBody(503, "x"))}).Do(ctx, &Request{URL: origin})
		e := failed(t, err)
		if e.Kind != Aborted || e.Status != 503 || e.Previous == nil || e.Previous.Kind != HTTP5xx || e.Trip.Attempts[0].Status != 503 {
			t.Errorf("got %+v", e)
		}
	})
}

func TestBodyTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := exact()
		p.Retries = 0
		_, err := NewClient(Config{Policy: p, Transport: script(hangingBody(200, "{"))}).Do(t.Context(), &Request{URL: origin, Mode: ModeJSON})
		if e := failed(t, err); e.Kind != Timeout || e.Detail != BodyTimeout || e.Transport || e.Status != 200 || !errors.Is(err, ErrTimeout) {
			t.Errorf("got %+v", e)
		}
	})
}

// TestResponseModeDeadline: the attempt's deadline ends at the headers, and the
// caller's cancel still ends the body.
func TestResponseModeDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		f := script(hangingBody(200, "first"))
		a, err := NewClient(Config{Policy: exact(), Transport: f}).Do(ctx, &Request{URL: origin, Mode: ModeResponse})
		if err != nil {
			t.Fatal(err)
		}
		defer a.Response.Body.Close()
		if f.got[0].Header.Get("Accept-Encoding") != "" {
			t.Error("a coding was offered that nobody undoes")
		}
		time.Sleep(time.Hour)
		if err := f.got[0].Context().Err(); err != nil {
			t.Fatalf("the stream's context ended by itself: %v", err)
		}
		buf := make([]byte, 16)
		if n, _ := a.Response.Body.Read(buf); string(buf[:n]) != "first" {
			t.Errorf("read %q", buf[:n])
		}
		time.AfterFunc(time.Second, cancel)
		if _, err := a.Response.Body.Read(buf); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
}

func TestResponseModeTimeoutAndFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := script(silence, say(503, "busy"))
		_, err := NewClient(Config{Policy: exact(), Transport: f}).Do(t.Context(), &Request{URL: origin, Mode: ModeResponse})
		e := failed(t, err)
		if d := cmp.Diff([]Kind{Timeout, HTTP5xx, HTTP5xx}, kinds(e.Trip)); d != "" {
			t.Error(d)
		}
		if e.Response == nil || e.Response.StatusCode != 503 {
			t.Fatalf("response %+v", e.Response)
		}
		e.Response.Body.Close()
		if f.got[2].Context().Err() == nil {
			t.Error("closing the body did not end the attempt")
		}
	})
}
