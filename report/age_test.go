package report

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

const hour = int64(time.Hour / time.Millisecond)

// remembered gives every result of a run a past in which nothing happened.
func remembered(rep *checks.Report) *checks.Report {
	rep.Results = slices.Clone(rep.Results)
	for i := range rep.Results {
		if rep.Results[i].Past == nil {
			rep.Results[i].Past = &checks.Past{}
		}
	}
	return rep
}

// unmeasuredFor is a result that was not measured for some hours; limit is its
// probe's own, 0 for none.
func unmeasuredFor(name string, f checks.Finding, hours, limit int64) checks.Result {
	r := failed(name, "ibge", f, "http_5xx", "retryable")
	r.UnmeasuredSince = ptr(startedAt.Add(-time.Duration(hours) * time.Hour).Truncate(time.Millisecond))
	r.Past = &checks.Past{Runs: 6, UnmeasuredMS: hours * hour, Unmeasured: checks.Unmeasured{Runs: 7, Indisponivel: 6, Ambiguo: 1}}
	if limit > 0 {
		r.Past.MaxUnmeasuredMS = ptr(limit * hour)
	}
	return r
}

func TestAgeLimits(t *testing.T) {
	measuredLate := unmeasuredFor("p", checks.Indisponivel, 500, 1)
	measuredLate.Measured, measuredLate.Finding = true, checks.OK
	unasked := unaskedResult("p", checks.Alheio, checks.DetailInterrupted)
	unaskedOld := unasked
	unaskedOld.Past = unmeasuredFor("p", checks.Alheio, 100, 0).Past
	forgotten := unmeasuredFor("p", checks.Ambiguo, 1, 0)
	forgotten.Past = nil
	for _, c := range []struct {
		name    string
		r       checks.Result
		profile string
		on      []string
		want    Disposition
		exit    int
	}{
		{"within its own", unmeasuredFor("p", checks.Indisponivel, 24, 24), "local", nil, Warn, 0},
		{"over its own", unmeasuredFor("p", checks.Indisponivel, 25, 24), "local", nil, Fail, 5},
		{"over its own, in every profile", unmeasuredFor("p", checks.Ambiguo, 25, 24), "contract", nil, Fail, 5},
		{"no cell overrides it", unmeasuredFor("p", checks.Ambiguo, 25, 24), "smoke", []string{"ambiguo=skip", "pretty:ambiguo=warn"}, Fail, 5},
		{"no limit", unmeasuredFor("p", checks.Indisponivel, 5000, 0), "local", nil, Warn, 0},
		{"within cron's", unmeasuredFor("p", checks.Indisponivel, 72, 0), "cron", nil, Skip, 0},
		{"over cron's", unmeasuredFor("p", checks.Indisponivel, 73, 0), "cron", nil, Fail, 5},
		{"its own is stronger than cron's", unmeasuredFor("p", checks.Indisponivel, 73, 168), "cron", nil, Skip, 0},
		{"its own is stricter than cron's", unmeasuredFor("p", checks.Indisponivel, 3, 2), "cron", nil, Fail, 5},
		{"measured", measuredLate, "cron", nil, Pass, 0},
		{"failing anyway", unmeasuredFor("p", checks.Indisponivel, 73, 72), "recovery", nil, Fail, 5},
		{"broken and too old", unmeasuredFor("p", checks.Respondeu, 73, 72), "local", nil, Fail, 1},
		{"not asked", unasked, "cron", nil, Skip, 0},
		{"not asked, but too old", unaskedOld, "cron", nil, Fail, 5},
		{"nobody knows, under cron", forgotten, "cron", nil, Fail, 5},
		{"nobody knows, elsewhere", forgotten, "local", nil, Warn, 0},
	} {
		rep := &checks.Report{StartedAt: startedAt, Results: []checks.Result{c.r}}
		doc := NewDocument(rep, policyOf(c.profile, c.on...), DecideOptions{Format: "pretty"})
		if got := doc.Decision.Dispositions[0]; got != c.want || doc.Run.ExitCode != c.exit {
			t.Errorf("%s: %s, exit %d; want %s, exit %d", c.name, got, doc.Run.ExitCode, c.want, c.exit)
		}
		// The same once more from the document alone, as report does.
		if again := doc.Rejudge(policyOf(c.profile, c.on...), "pretty"); again.Run.ExitCode != c.exit && !interrupted(&c.r) {
			t.Errorf("%s: judged anew, exit %d", c.name, again.Run.ExitCode)
		}
		for _, f := range Formats() {
			if d := policyOf(c.profile, c.on...).Disposition(f.Name, &c.r); c.exit == 5 && d != Fail && !f.DataOnly {
				t.Errorf("%s: %s in %s", c.name, d, f.Name)
			}
		}
	}
}

func TestAgeLimitsSayWhy(t *testing.T) {
	old := []checks.Result{unmeasuredFor("a", checks.Indisponivel, 218, 168), unmeasuredFor("b", checks.Ambiguo, 73, 0)}
	for _, name := range []string{"c", "d", "e"} {
		old = append(old, unmeasuredFor(name, checks.Indisponivel, 100, 0))
	}
	d := Decide(&checks.Report{Results: old}, policyOf("cron"), DecideOptions{Format: "pretty"})
	if len(d.Reasons) != 1 {
		t.Fatalf("%d reasons: %v", len(d.Reasons), d.Reasons)
	}
	for _, want := range []string{
		"not measured for too long: a since 2026-11-20 18:00 UTC (9 d 2 h, 7 runs: 6 indisponivel, 1 ambiguo), max_unmeasured 7d; b since",
		"(3 d 1 h, 7 runs: 6 indisponivel, 1 ambiguo), max_unmeasured 3d; c since", "; and 2 more",
	} {
		if !strings.Contains(d.Reasons[0].Text.EN, want) {
			t.Errorf("%q is not in %q", want, d.Reasons[0].Text.EN)
		}
	}
	if three := Decide(&checks.Report{Results: old[:3]}, policyOf("cron"), DecideOptions{Format: "pretty"}); strings.Contains(three.Reasons[0].Text.EN, "more") {
		t.Errorf("three are all named: %q", three.Reasons[0].Text.EN)
	}
	if want := "sem medição há tempo demais: a desde 2026-11-20 18:00 UTC (9 d 2 h, 7 execuções:"; !strings.HasPrefix(d.Reasons[0].Text.PT, want) {
		t.Errorf("%q", d.Reasons[0].Text.PT)
	}
}

func TestLasting(t *testing.T) {
	for ms, want := range map[int64]string{24 * hour: "1 d", 24*hour - 1: "23 h 59 min", hour: "1 h", 218 * hour: "9 d 2 h"} {
		if got := lasting(ms); got != want {
			t.Errorf("%d ms: %q, want %q", ms, got, want)
		}
	}
	if got := lasting(hour - 1); got != millis(hour-1) {
		t.Errorf("under an hour: %q", got)
	}
}

// pastRun is a run whose results have every kind of past.
func pastRun() *checks.Report {
	ago := func(hours int) *time.Time { return ptr(startedAt.Add(-time.Duration(hours) * time.Hour)) }
	broke, still, back, plainly, alternating := driftResult(), respondeuResult(), okResult("back", "sgs"), okResult("plain", "sgs"), okResult("alternating", "sgs")
	broke.Past = &checks.Past{Before: ptr(checks.OK), Change: ptr(checks.Broke), BrokenSince: ago(0), Runs: 1}
	still.Past = &checks.Past{Before: ptr(checks.Drift), Change: ptr(checks.StillBroken), BrokenSince: ago(144), Runs: 6, Unmeasured: checks.Unmeasured{Runs: 6, Respondeu: 6}, UnmeasuredMS: 120 * hour}
	still.UnmeasuredSince = ago(120)
	still.Past.MaxUnmeasuredMS = ptr(1000 * hour)
	back.Past = &checks.Past{Before: ptr(checks.Drift), Change: ptr(checks.Recovered), Runs: 1}
	plainly.Past = &checks.Past{Before: ptr(checks.OK), Runs: 90}
	alternating.Past = &checks.Past{Before: ptr(checks.OK), Runs: 1, Flaky: true}
	return &checks.Report{Trace: "9Q77WKZW", StartedAt: startedAt, Results: []checks.Result{
		broke, still, back, plainly, alternating, unmeasuredFor("old", checks.Indisponivel, 80, 0), unmeasuredFor("young", checks.Indisponivel, 30, 0),
	}}
}

func TestDeclaredProfileSetsAnAge(t *testing.T) {
	d, _ := declare(t, "profiles:\n  nightly: {extends: cron, max_unmeasured: 7d}\n  weekly: {extends: nightly}\n  mine: {max_unmeasured: 2h}\n")
	for name, want := range map[string]time.Duration{"nightly": 7 * 24 * time.Hour, "weekly": 7 * 24 * time.Hour, "mine": 2 * time.Hour} {
		p, err := ResolvePolicy(PolicyRequest{Declaration: d, Profile: name})
		if err != nil {
			t.Fatal(err)
		}
		if p.Profile.MaxUnmeasured != want || p.Profile.AgeUnknownFails != (name != "mine") {
			t.Errorf("%s: %+v", name, p.Profile)
		}
	}
}
