package report

import (
	"fmt"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

func ptr[T any](v T) *T { return &v }

// hostile is what an origin may send to act on whoever reads the report.
const hostile = "\x1b[31mred\x1b]8;;http://evil.example\x07link \x00\x9b2J\u009b\u202egnp\u2066 a\u200bb \r\n::error::pwn\n  ::add-mask::ok\n" +
	"x ##vso[add-mask]y ]]> | `tick` <script>alert(1)</script> <!-- [[ATTACHMENT|/etc/passwd]] @org/team #1 [x](javascript:alert(1)) " +
	"</details> 100% \xff\xfe \ufffe \U000e0041 \"quoted\" back\\slash 日本語 🎉"

var startedAt = time.Date(2026, 11, 29, 20, 0, 0, 123456789, time.UTC)

// recorded is one run with every finding, every shape of a result and hostile
// text wherever an origin's text can be.
func recorded() *checks.Report {
	return &checks.Report{
		Trace: "9Q77WKZW", StartedAt: startedAt, Duration: 3250 * time.Millisecond,
		Origins: []checks.OriginState{{Name: "sgs", Breaker: ptr("closed")}, {Name: "ibge", Breaker: ptr("open")}, {Name: "local"}},
		Degraded: []checks.Degradation{
			{Feature: "history", Reason: "database is locked", Count: 1},
			{Feature: "rate limit " + hostile, Reason: hostile, Count: 3},
		},
		Results:     recordedResults(),
		BudgetEnded: true,
	}
}

func recordedResults() []checks.Result {
	return []checks.Result{
		okResult("selic-diaria", "sgs"),
		warnedResult(), flakyResult(), driftResult(), respondeuResult(), redirectResult(),
		indisponivelResult(), sharedResult(), ambiguousResult(), panicResult(),
		unaskedResult("late-1", checks.Alheio, checks.DetailRunBudget),
		unaskedResult("late-2", checks.Alheio, checks.DetailRunBudget),
		unaskedResult("needs-drift", checks.Alheio, detailDependency),
		unaskedResult("behind-breaker", checks.Indisponivel, string(fetch.CircuitOpen)),
	}
}

func okResult(name, origin string) checks.Result {
	return checks.Result{
		Name: name, Origin: origin, Trace: "7M2KQ0ZD", Tags: []string{"daily"}, File: "fonteviva.yaml", Line: 24,
		Asked: true, Measured: true, Finding: checks.OK, Status: ptr(200), URL: "https://api.example/" + name,
		FinalURL: ptr("https://api.example/" + name), Retrieval: &fetch.Retrieval{Requests: 1, Attempts: 1, Anomalies: []fetch.Kind{}},
		RetrievedAt: ptr(startedAt), DurationMS: 64, Reproduce: ptr("curl https://api.example/" + name),
		Trips: []checks.Trip{{Finding: checks.OK, Attempts: []checks.Attempt{{Requests: 1, Status: ptr(200), DNSMS: ptr(int64(1)), ConnectMS: ptr(int64(2)),
			TLSMS: ptr(int64(9)), TTFBMS: ptr(int64(30)), BodyMS: ptr(int64(4)), TotalMS: 46, Bytes: 812}}}},
	}
}

func warnedResult() checks.Result {
	r := okResult("warned", "sgs")
	r.Title = ptr("Selic diária | meta " + hostile)
	r.Mismatches = []expect.Mismatch{{Code: "max_duration", Severity: expect.Warn, Want: "at most 50 ms", Got: "64 ms"}}
	return r
}

func flakyResult() checks.Result {
	r := okResult("flaky", "sgs")
	r.Unstable = true
	r.Retrieval = &fetch.Retrieval{Requests: 2, Attempts: 3, Anomalies: []fetch.Kind{fetch.HTTP5xx, fetch.RateLimited}}
	r.Trips = []checks.Trip{
		{Finding: checks.Indisponivel, Stopped: ptr("retries"), Attempts: []checks.Attempt{
			{Requests: 1, Kind: ptr(fetch.HTTP5xx), Status: ptr(503), TotalMS: 12},
			{StartMS: 1012, WaitMS: 1000, WaitReason: ptr("backoff"), Requests: 2, Kind: ptr(fetch.RateLimited), Detail: ptr(hostile), Status: ptr(429), TotalMS: 8},
		}},
		{WaitMS: 5000, QueuedMS: 20, Finding: checks.OK, Attempts: []checks.Attempt{{StartMS: 8020, WaitMS: 2000, WaitReason: ptr("retry_after"), Requests: 1, Status: ptr(200), TotalMS: 40}}},
	}
	r.DurationMS = 8060
	return r
}

func driftResult() checks.Result {
	r := okResult("ipca-mensal", "sgs")
	r.Finding, r.Line = checks.Drift, 40
	r.Motivo = ptr("a fonte mudou: " + hostile)
	r.Mismatches = []expect.Mismatch{
		{Code: "json.matches", Path: ptr("$['data']" + hostile), Severity: expect.Fail, Want: `text that matches ^\d{2}/\d{2}/\d{4}$`, Got: hostile},
		{Code: "json.type", Path: ptr("$[*]['valor']"), Severity: expect.Warn, Want: "string", Got: "number"},
	}
	return r
}

func failed(name, origin string, f checks.Finding, kind fetch.Kind, outcome fetch.Outcome) checks.Result {
	return checks.Result{
		Name: name, Origin: origin, Trace: "0000000A", File: "fonteviva.yaml", Line: 60, Asked: true, Finding: f,
		Verdict: ptr(string(f)), Kind: ptr(kind), Outcome: ptr(outcome), URL: "https://api.example/" + name, Motivo: ptr("a fonte disse: " + hostile),
		Retrieval: &fetch.Retrieval{Requests: 1, Attempts: 1}, DurationMS: 120,
		Trips: []checks.Trip{{Finding: f, Stopped: ptr("not_retryable"), Attempts: []checks.Attempt{{Requests: 1, Kind: ptr(kind), TotalMS: 120}}}},
	}
}

func respondeuResult() checks.Result {
	r := failed("renamed", "ibge", checks.Respondeu, fetch.NotFound, fetch.OutcomeClientError)
	r.Status = ptr(404)
	return r
}

func redirectResult() checks.Result {
	r := failed("moved", "ibge", checks.Respondeu, fetch.Redirect, fetch.OutcomeRedirect)
	r.Status, r.Detail = ptr(302), ptr(string(fetch.RedirectCrossHost))
	r.Redirect = &checks.Redirect{Location: "https://elsewhere.example/" + hostile, CrossHost: true}
	return r
}

func indisponivelResult() checks.Result {
	r := failed("down", "ibge", checks.Indisponivel, fetch.HTTP5xx, fetch.OutcomeRetryable)
	r.Status, r.LooksLike = ptr(503), ptr(fetch.LooksHTMLErrorPage)
	r.Retrieval = &fetch.Retrieval{Requests: 1, Attempts: 2, Anomalies: []fetch.Kind{fetch.HTTP5xx, fetch.HTTP5xx}}
	r.Trips[0].Attempts = append(r.Trips[0].Attempts, checks.Attempt{StartMS: 1120, WaitMS: 1000, WaitReason: ptr("backoff"), Requests: 1, Kind: ptr(fetch.HTTP5xx), Status: ptr(503), TotalMS: 90})
	r.Trips[0].Stopped, r.Trips[0].UnfitMS = ptr("budget"), ptr(int64(60000))
	return r
}

func sharedResult() checks.Result {
	r := failed("down-too", "ibge", checks.Indisponivel, fetch.HTTP5xx, fetch.OutcomeRetryable)
	r.Asked, r.SharedWith, r.ServedFromCache, r.Retrieval, r.Trips = false, ptr("down"), true, nil, nil
	return r
}

func ambiguousResult() checks.Result {
	r := failed("odd", "ibge", checks.Ambiguo, fetch.MalformedBody, fetch.OutcomeSuccess)
	r.Status, r.LooksLike, r.Persistent = ptr(200), ptr(fetch.LooksHTMLErrorPage), true
	r.Rule = ptr(`{status: 200, body_is: html}`)
	return r
}

func panicResult() checks.Result {
	return checks.Result{
		Name: "broken", Origin: "local", Vantage: ptr("proxy"), Trace: "0000000B", File: "sub/local.yaml", Line: 7, Asked: true, Finding: checks.Alheio,
		Verdict: ptr("alheio"), Cause: ptr(fetch.CausePanic), Detail: ptr(checks.DetailPanic), Outcome: ptr(fetch.OutcomeFatal), Motivo: ptr("o nosso código quebrou: " + hostile),
	}
}

func unaskedResult(name string, f checks.Finding, detail string) checks.Result {
	return checks.Result{Name: name, Origin: "local", Trace: "0000000C", File: "fonteviva.yaml", Line: 90, Finding: f, Verdict: ptr(string(f)),
		Detail: ptr(detail), Motivo: ptr("não foi perguntada")}
}

// many is a run of n results in the usual mixture.
func many(n int) *checks.Report {
	rep := &checks.Report{Trace: "9Q77WKZW", StartedAt: startedAt, Duration: time.Second}
	for i := range n {
		name, origin := fmt.Sprintf("probe-%05d", i), fmt.Sprintf("origin-%02d", i%20)
		r := okResult(name, origin)
		switch i % 10 {
		case 7:
			r = driftResult()
		case 8:
			r = indisponivelResult()
		case 9:
			r = flakyResult()
		}
		r.Name, r.Origin = name, origin
		rep.Results = append(rep.Results, r)
	}
	return rep
}

// policyOf resolves a policy that must be right.
func policyOf(profile string, on ...string) *Policy {
	p, err := ResolvePolicy(PolicyRequest{Profile: profile, On: on})
	if err != nil {
		panic(err)
	}
	return p
}

func recordedDocument(format string) *Document {
	return NewDocument(recorded(), policyOf(""), DecideOptions{Format: format})
}
