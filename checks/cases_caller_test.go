package checks_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptrace"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// callerCases: whose clock it was. The attempt's own timeout is the origin's
// delay; TestTheCallersCut has the others.
var callerCases = []row{
	{id: "M11 the attempt's timeout", origin: `timeout: 200ms`, probe: `get: "/m11/slow?ms=60000", as: json`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "header_timeout", trips: "indisponivel:2", stopped: "retries",
		motivo: "não respondeu a tempo", more: nothingCame},
	{id: "M11 the probe's own timeout", probe: `get: "/m11/slow?ms=60000", as: json, timeout: 200ms, retries: 0`,
		finding: checks.Indisponivel, kind: fetch.Timeout, detail: "header_timeout", trips: "indisponivel:1", stopped: "retries", more: nothingCame},
	{id: "M11 in time", probe: `get: "/m11/slow?ms=20", as: json`, finding: checks.OK, status: 200, trips: "ok:1"},
}

// onceSent calls back when a request has been written to the wire.
type onceSent struct {
	http.RoundTripper
	call func()
}

func (s onceSent) RoundTrip(r *http.Request) (*http.Response, error) {
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { s.call() }}
	return s.RoundTripper.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), trace)))
}

// CloseIdleConnections lets the run end its connections.
func (s onceSent) CloseIdleConnections() { s.RoundTripper.(*http.Transport).CloseIdleConnections() }

// TestTheCallersCut is M8 and the other half of M11: what our own side ended
// says nothing about the origin, however slow that was.
func TestTheCallersCut(t *testing.T) {
	t.Parallel()
	const probe = `get: "/m8/slow?ms=60000", expect: {json: [{path: $, length: 5}]}`
	for _, c := range []struct {
		name        string
		budget      time.Duration
		cut         func(context.Context) (ctx context.Context, sent func())
		detail      string
		motivo      string
		interrupted bool
	}{
		{name: "M8 a signal mid-flight", cut: func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithCancelCause(ctx)
			return ctx, func() { cancel(errors.New("a signal")) }
		}, detail: "cancelled", motivo: "interrompida por nós", interrupted: true},
		{name: "M11 the caller's deadline", cut: func(ctx context.Context) (context.Context, func()) {
			ctx, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
			t.Cleanup(cancel)
			return ctx, func() {}
		}, detail: "cancelled", motivo: "interrompida por nós", interrupted: true},
		{name: "M8 the run's budget", budget: 200 * time.Millisecond, cut: func(ctx context.Context) (context.Context, func()) {
			return ctx, func() {}
		}, detail: checks.DetailRunBudget, motivo: "orçamento de tempo da execução"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := start(t)
			w := &row{
				probe: probe, finding: checks.Alheio, kind: fetch.Aborted, detail: c.detail,
				trips: "alheio:1", stopped: "cancelled", motivo: c.motivo,
			}
			ctx, sent := c.cut(t.Context())
			opt := w.options(t, o)
			opt.Budget = c.budget
			opt.Transport = func(*checks.Origin) http.RoundTripper { return onceSent{&http.Transport{}, sent} }
			began := time.Now()
			report := plan(t, w.declaration(o), opt).Run(ctx)
			if took := time.Since(began); took > 3*time.Second {
				t.Errorf("it took %s to end", took)
			}
			if report.Interrupted != c.interrupted || report.BudgetEnded {
				t.Errorf("interrupted %v, budget ended with probes unasked %v", report.Interrupted, report.BudgetEnded)
			}
			r := &report.Results[0]
			w.compare(t, r)
			sound(t, r)
			if t.Failed() {
				t.Log(text(r))
			}
		})
	}
}

// TestACutAfterAFailureSaysWhatFailed: the run's budget ends while the answer to
// a retry is awaited; the 503 before it stays an outage.
func TestACutAfterAFailureSaysWhatFailed(t *testing.T) {
	t.Parallel()
	o := start(t)
	w := &row{
		origin: `backoff: {base: 30s, max: 30s}, budget: 10m`, probe: `get: "/flaky/503?bad=all", as: json`,
		finding: checks.Indisponivel, kind: fetch.HTTP5xx, looks: fetch.LooksEmpty, status: 503, trips: "indisponivel:1", stopped: "cancelled",
	}
	opt := w.options(t, o)
	opt.Budget = 300 * time.Millisecond
	r := &plan(t, w.declaration(o), opt).Run(t.Context()).Results[0]
	w.compare(t, r)
	w.arrived(t, r, o)
	sound(t, r)
	if o.Hits("/flaky/503") != 1 {
		t.Errorf("%d requests", o.Hits("/flaky/503"))
	}
}
