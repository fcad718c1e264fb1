package history

import (
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

func TestRememberSaysWhatChanged(t *testing.T) {
	for _, c := range []struct {
		runs string // the last is the present one
		want checks.Change
	}{
		{"o", ""}, {"D", ""}, {"R", ""}, {"oo", ""}, {"oi", ""}, {"io", ""},
		{"oD", checks.Broke}, {"oR", checks.Broke}, {"oiD", checks.Broke}, {"oiaxD", checks.Broke},
		{"DD", checks.StillBroken}, {"DR", checks.StillBroken}, {"DiD", checks.StillBroken}, {"oDD", checks.StillBroken},
		{"Do", checks.Recovered}, {"Ro", checks.Recovered}, {"Dio", checks.Recovered},
		{"Di", ""}, {"D-", ""}, {"oDoo", ""},
		// Longer than the age limit of four hours without a measurement.
		{"oiiiiiio", checks.Recovered}, {"oiiiiio", ""},
	} {
		n := len(c.runs) - 1
		r := resultOf(rune(c.runs[n]))
		Remember(&r, observed(n, 'o').At, after(c.runs[:n]), Limits{Overdue: 4 * time.Hour})
		got := checks.Change("")
		if r.Past.Change != nil {
			got = *r.Past.Change
		}
		if got != c.want {
			t.Errorf("%s: change %q, want %q", c.runs, got, c.want)
		}
	}
}

// resultOf is the result that a letter of a strip stands for.
func resultOf(c rune) checks.Result {
	r := result("p", words[c])
	if c == '-' {
		detail := checks.DetailInterrupted
		r.Asked, r.Detail = false, &detail
	}
	if c == 'e' {
		r.Mismatches = []expect.Mismatch{{Code: CodeEmpty, Severity: expect.Warn}}
	}
	return r
}

func TestRememberFillsTimes(t *testing.T) {
	r := resultOf('i')
	Remember(&r, observed(4, 'i').At, after("oaii"), Limits{MaxUnmeasured: time.Hour})
	at := func(n int) time.Time { return observed(n, 'o').At }
	if !r.Since.Equal(at(2)) || !r.LastMeasuredAt.Equal(at(0)) || !r.UnmeasuredSince.Equal(at(1)) {
		t.Errorf("since %v, measured %v, unmeasured %v", r.Since, r.LastMeasuredAt, r.UnmeasuredSince)
	}
	p := r.Past
	if p.Runs != 3 || p.UnmeasuredMS != (3*time.Hour).Milliseconds() || *p.MaxUnmeasuredMS != 3_600_000 || p.Flaky {
		t.Errorf("past %+v", p)
	}
	if want := (checks.Unmeasured{Runs: 4, Indisponivel: 3, Ambiguo: 1}); p.Unmeasured != want {
		t.Errorf("unmeasured %+v, want %+v", p.Unmeasured, want)
	}
	if p.Before == nil || *p.Before != checks.OK || p.BrokenSince != nil {
		t.Errorf("before %v, broken since %v", p.Before, p.BrokenSince)
	}
}

func TestRememberOfAProbeThatWasNeverRun(t *testing.T) {
	r := resultOf('i')
	Remember(&r, start, State{}, Limits{})
	if !r.Since.Equal(start) || r.LastMeasuredAt != nil || !r.UnmeasuredSince.Equal(start) || r.Past.UnmeasuredMS != 0 || r.Past.Unmeasured.Runs != 1 || r.Past.MaxUnmeasuredMS != nil {
		t.Errorf("%+v, past %+v", r, r.Past)
	}
}

// TestRememberOvertaken holds that a run which a newer one has overtaken claims
// nothing of that one's streak.
func TestRememberOvertaken(t *testing.T) {
	r := resultOf('D')
	Remember(&r, observed(1, 'D').At, after("o-o"), Limits{})
	if !r.Since.Equal(observed(1, 'D').At) || r.Past.Runs != 1 {
		t.Errorf("since %v, %d runs", r.Since, r.Past.Runs)
	}
}

func TestRememberMakesDriftOfALongEmptiness(t *testing.T) {
	for _, c := range []struct {
		runs string
		want checks.Finding
	}{
		{"e", checks.OK}, {"eeee", checks.OK}, {"eeeee", checks.Drift}, {"eoeee", checks.OK}, {"eiiie", checks.Drift}, {"oeeee", checks.OK},
		{"eeeeo", checks.OK}, {"eeeei", checks.Indisponivel},
	} {
		n := len(c.runs) - 1
		r := resultOf(rune(c.runs[n]))
		Remember(&r, observed(n, 'o').At, after(c.runs[:n]), Limits{MaxEmpty: 3 * time.Hour})
		if r.Finding != c.want {
			t.Errorf("%s: %s, want %s", c.runs, r.Finding, c.want)
		}
		last := ""
		if m := len(r.Mismatches); m > 0 {
			last = r.Mismatches[m-1].Code
		}
		if (last == CodeMaxEmpty) != (c.want == checks.Drift) {
			t.Errorf("%s: the last mismatch is %q", c.runs, last)
		}
	}
	r := resultOf('e')
	Remember(&r, observed(4, 'e').At, after("eeee"), Limits{MaxEmpty: 3 * time.Hour})
	m := r.Mismatches[1]
	if m.Want != "data at least once in 3h" || m.Got != "none since 2026-03-01T03:00:00Z, in 5 runs" || m.Severity != expect.Fail {
		t.Errorf("mismatch %+v", m)
	}
}

// TestARecoveryAfterAClockThatRanAheadIsNews holds that an outage which lasted too
// long ends in news although its last run was of a time to come.
func TestARecoveryAfterAClockThatRanAheadIsNews(t *testing.T) {
	now := start.Add(96 * time.Hour)
	before := State{}.Next(Observation{At: start, Finding: checks.Indisponivel}, start)
	before = before.Next(Observation{At: start.AddDate(1, 0, 0), Finding: checks.Indisponivel}, start.AddDate(1, 0, 0))
	for limit, want := range map[time.Duration]bool{72 * time.Hour: true, 97 * time.Hour: false} {
		for name, state := range map[string]State{"read": before.rewind(now), "kept": before} {
			r := resultOf('o')
			Remember(&r, now, state, Limits{Overdue: limit, Now: now})
			if got := r.Past.Change != nil && *r.Past.Change == checks.Recovered; got != want {
				t.Errorf("%s, limit %s: %v", name, limit, r.Past.Change)
			}
		}
	}
}

// TestRememberDoesNotBelieveTheFuture holds that a clock which ran ahead in an
// earlier run puts no age limit to sleep: what lies in the future counts as the
// present, and what it had said before that day still counts.
func TestRememberDoesNotBelieveTheFuture(t *testing.T) {
	now := start.Add(48 * time.Hour)
	ahead := start.AddDate(1, 0, 0)
	measured := State{}.Next(Observation{At: ahead, Finding: checks.OK, Measured: true}, ahead)
	down := State{}.Next(Observation{At: ahead, Finding: checks.Indisponivel}, ahead)
	old := State{}.Next(Observation{At: start, Finding: checks.Indisponivel}, start)
	old = old.Next(Observation{At: ahead, Finding: checks.Indisponivel}, ahead)
	empty := State{}.Next(Observation{At: ahead, Finding: checks.OK, Measured: true, Empty: true}, ahead)
	for name, c := range map[string]struct {
		before State
		since  time.Time
		runs   int
	}{
		"measured in the future": {measured, now, 1},
		"down in the future":     {down, now, 2},
		"down before, too":       {old, start, 3},
		"empty in the future":    {empty, now, 1},
	} {
		r := resultOf('i')
		Remember(&r, now, c.before, Limits{MaxUnmeasured: time.Hour, MaxEmpty: time.Hour, Now: now.Add(time.Second)})
		if r.UnmeasuredSince == nil || !r.UnmeasuredSince.Equal(c.since) || r.Past.Unmeasured.Runs != c.runs || r.Past.UnmeasuredMS != now.Sub(c.since).Milliseconds() {
			t.Errorf("%s: since %v, %d runs, %d ms", name, r.UnmeasuredSince, r.Past.Unmeasured.Runs, r.Past.UnmeasuredMS)
		}
		if r.LastMeasuredAt != nil && r.LastMeasuredAt.After(now) || r.Since.After(now) {
			t.Errorf("%s: last measured at %v, so since %v", name, r.LastMeasuredAt, r.Since)
		}
	}
	// A run that is no more than newer, and over by now, is believed.
	r := resultOf('i')
	newer := State{}.Next(Observation{At: now.Add(time.Second), Finding: checks.OK, Measured: true}, now.Add(2*time.Second))
	Remember(&r, now, newer, Limits{Now: now.Add(3 * time.Second)})
	if r.LastMeasuredAt == nil || !r.LastMeasuredAt.Equal(now.Add(time.Second)) {
		t.Errorf("last measured at %v", r.LastMeasuredAt)
	}
}
