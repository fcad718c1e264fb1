package history

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

var words = map[rune]checks.Finding{
	'o': checks.OK, 'e': checks.OK, 'D': checks.Drift, 'R': checks.Respondeu, 'i': checks.Indisponivel, 'a': checks.Ambiguo, 'x': checks.Alheio, '-': checks.Alheio,
}

// observed is the observation of the n-th run, an hour after the one before: a
// letter of a strip, "e" for an ok that is empty, "-" for what was not asked.
func observed(n int, c rune) Observation {
	f := words[c]
	return Observation{
		At: start.Add(time.Duration(n) * time.Hour), Finding: f, Measured: f == checks.OK || f == checks.Drift,
		Unjudged: c == '-', Empty: c == 'e',
	}
}

// after is the state after a run for each letter.
func after(runs string) State {
	var s State
	for i, c := range runs {
		s = s.Next(observed(i, c), start.AddDate(1, 0, 0))
	}
	return s
}

// shown writes what a state says in a line; times are the numbers of runs.
func shown(s State) string {
	n := func(t time.Time) string {
		if t.IsZero() {
			return "·"
		}
		return fmt.Sprint(int(t.Sub(start) / time.Hour))
	}
	u := s.Unmeasured
	return fmt.Sprintf("%s since %s ×%d · measured %s · unmeasured %s ×%d R%d i%d a%d x%d · contract %s since %s · empty %s ×%d · %s",
		s.Finding, n(s.Since), s.Runs, n(s.LastMeasuredAt), n(s.UnmeasuredSince), u.Runs, u.Respondeu, u.Indisponivel, u.Ambiguo, u.Alheio,
		s.Contract, n(s.ContractSince), n(s.EmptySince), s.EmptyRuns, s.Recent)
}

func TestStateTransitions(t *testing.T) {
	for _, c := range []struct{ runs, want string }{
		{"o", "ok since 0 ×1 · measured 0 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 0 · empty · ×0 · o"},
		{"ooo", "ok since 0 ×3 · measured 2 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 0 · empty · ×0 · ooo"},
		// The clock of an age starts at the first unmeasured run, not at the
		// last measurement.
		{"oii", "indisponivel since 1 ×2 · measured 0 · unmeasured 1 ×2 R0 i2 a0 x0 · contract ok since 0 · empty · ×0 · oii"},
		{"i", "indisponivel since 0 ×1 · measured · · unmeasured 0 ×1 R0 i1 a0 x0 · contract  since · · empty · ×0 · i"},
		{"oiaxR", "respondeu since 4 ×1 · measured 0 · unmeasured 1 ×4 R1 i1 a1 x1 · contract respondeu since 4 · empty · ×0 · oiaxR"},
		{"oiaio", "ok since 4 ×1 · measured 4 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 0 · empty · ×0 · oiaio"},
		// An outage neither heals a contract nor breaks it.
		{"oDiD", "drift since 3 ×1 · measured 3 · unmeasured · ×0 R0 i0 a0 x0 · contract drift since 1 · empty · ×0 · oDiD"},
		{"oDR", "respondeu since 2 ×1 · measured 1 · unmeasured 2 ×1 R1 i0 a0 x0 · contract respondeu since 1 · empty · ×0 · oDR"},
		{"oDo", "ok since 2 ×1 · measured 2 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 2 · empty · ×0 · oDo"},
		// What was not asked is not measured, and ends no streak.
		{"DD--", "drift since 0 ×2 · measured 1 · unmeasured 2 ×2 R0 i0 a0 x2 · contract drift since 0 · empty · ×0 · DD"},
		{"D-D", "drift since 0 ×2 · measured 2 · unmeasured · ×0 R0 i0 a0 x0 · contract drift since 0 · empty · ×0 · DD"},
		{"-", " since · ×0 · measured · · unmeasured 0 ×1 R0 i0 a0 x1 · contract  since · · empty · ×0 · "},
		// Runs without a measurement neither end nor lengthen an emptiness.
		{"oeie", "ok since 3 ×1 · measured 3 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 0 · empty 1 ×2 · oeie"},
		{"eeo", "ok since 0 ×3 · measured 2 · unmeasured · ×0 R0 i0 a0 x0 · contract ok since 0 · empty · ×0 · ooo"},
		{"oooooooooooD", "drift since 11 ×1 · measured 11 · unmeasured · ×0 R0 i0 a0 x0 · contract drift since 11 · empty · ×0 · oooooooooD"},
	} {
		want := strings.Replace(c.want, "oeie", "ooio", 1)
		if got := shown(after(c.runs)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", c.runs, got, want)
		}
	}
}

// TestStateTakesLateRuns holds what a run does that began before the newest
// known one and is stored after it.
func TestStateTakesLateRuns(t *testing.T) {
	for _, c := range []struct {
		runs string
		late int
		as   rune
		want string
	}{
		{"o-o", 1, 'i', "ok since 0 ×2 · measured 2 · unmeasured · ×0 R0 i0 a0 x0"},
		{"o-o", 1, 'D', "ok since 0 ×2 · measured 2 · unmeasured · ×0 R0 i0 a0 x0"},
		{"o-ii", 1, 'i', "indisponivel since 2 ×2 · measured 0 · unmeasured 1 ×4 R0 i3 a0 x1"},
		// A measurement in the middle: only the newest run is known to be later.
		{"oiii", 2, 'o', "indisponivel since 1 ×3 · measured 2 · unmeasured 3 ×1 R0 i1 a0 x0"},
		{"iii", 0, 'o', "indisponivel since 0 ×3 · measured 0 · unmeasured 0 ×3 R0 i3 a0 x0"},
	} {
		s := after(c.runs)
		newest := s.At
		s = s.Next(observed(c.late, c.as), start.AddDate(1, 0, 0))
		if got := shown(s); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s, then late %c at %d:\n got %s\nwant %s", c.runs, c.as, c.late, got, c.want)
		}
		if !s.At.Equal(newest) {
			t.Errorf("%s: a late run became the newest", c.runs)
		}
	}
}

// TestStateSurvivesAClockThatRanAhead holds that a run of a wrong clock makes
// no later run a late one, and no age negative.
func TestStateSurvivesAClockThatRanAhead(t *testing.T) {
	ahead := State{}.Next(Observation{At: start.AddDate(1, 0, 0), Finding: checks.OK, Measured: true}, start.AddDate(1, 0, 0))
	now := start.Add(time.Minute)
	s := ahead.Next(Observation{At: now, Finding: checks.Indisponivel}, now)
	if !s.At.Equal(now) || !s.UnmeasuredSince.Equal(now) || s.LastMeasuredAt.After(now) || s.Finding != checks.Indisponivel {
		t.Errorf("the state is %+v", s)
	}
}

func TestFlaky(t *testing.T) {
	for runs, want := range map[string]bool{
		"": false, "o": false, "oooooooooo": false, "oio": false, "ooiioo": false, "oioi": true, "oDoD": true, "oioiooooooo": true,
		"oioioooooooooo": false, "Dooooooooi": false, "oiDo": true,
	} {
		if got := after(runs).Flaky(); got != want {
			t.Errorf("%q: flaky %v, want %v", runs, got, want)
		}
	}
}

func TestStateSurvivesItsStoredForm(t *testing.T) {
	for _, runs := range []string{"", "o", "-", "oiaxR", "eeie", "oDoDoDoDoDoDoD"} {
		s := after(runs)
		got, err := readState(appendState(nil, s))
		if err != nil {
			t.Fatalf("%s: %v", runs, err)
		}
		if d := cmp.Diff(s, got); d != "" {
			t.Errorf("%s: %s", runs, d)
		}
	}
}

func FuzzReadState(f *testing.F) {
	f.Add(appendState(nil, after("oiaxR")))
	f.Add([]byte{stateForm, 1, 2})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := readState(b)
		if err != nil {
			return
		}
		if again, err := readState(appendState(nil, s)); err != nil || !cmp.Equal(s, again) {
			t.Errorf("%x does not survive: %v", b, err)
		}
	})
}

func TestCellSurvivesItsStoredForm(t *testing.T) {
	for _, c := range []Cell{
		{}, {At: start, Finding: checks.OK, Asked: true, Measured: true, Status: 200, LatencyMS: 41},
		{At: start.Add(1), Finding: checks.Indisponivel, Asked: true, Kind: "http_5xx", Status: 504, Unstable: true},
		{At: start, Finding: checks.Alheio, Unjudged: true}, {At: start, Finding: checks.Ambiguo, Kind: "aborted", Status: 999, LatencyMS: 1<<32 - 1},
	} {
		c.At = atMillis(millis(c.At))
		if got := readCell(appendCell(nil, c)); got != c {
			t.Errorf("got %+v, want %+v", got, c)
		}
	}
}
