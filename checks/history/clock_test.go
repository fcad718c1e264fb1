package history

import (
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

func unavailable(int) checks.Finding { return checks.Indisponivel }

// kept opens a history at a time, keeps a run of it, and closes it.
func kept(t *testing.T, dir string, o Options, project string, at time.Time, finding func(int) checks.Finding) *Run {
	t.Helper()
	o.Now = func() time.Time { return at }
	s := opened(t, dir, o)
	defer s.Close()
	run := runOf(at, 2, finding)
	saved(t, s, NamedProject(project), run)
	return run
}

// TestARunFarAheadTakesNothingAway holds that one run whose clock is years ahead
// is no reason for the runs of the present to go, nor for what is known of
// probes that are not in it: their age limits would begin anew.
func TestARunFarAheadTakesNothingAway(t *testing.T) {
	for name, o := range map[string]Options{"log": {}, "database": {unlocked: true}} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			kept(t, dir, o, "seldom", start, unavailable)
			var runs []*Run
			for day := range 10 {
				if day == 5 {
					kept(t, dir, o, "p", start.AddDate(10, 0, 0), unavailable)
				}
				runs = append(runs, kept(t, dir, o, "p", start.AddDate(0, 0, day).Add(time.Hour), allOK))
			}
			now := start.AddDate(0, 0, 10)
			o.Now = func() time.Time { return now }
			s := opened(t, dir, o)
			if n := keptOf(t, s, runs); n != len(runs) {
				t.Errorf("%d runs are kept, want %d", n, len(runs))
			}
			states, err := s.Before(t.Context(), NamedProject("seldom"), []Probe{{Name: "probe-00000"}})
			if err != nil || !states[0].UnmeasuredSince.Equal(start) {
				t.Errorf("%+v, %v", states, err)
			}
		})
	}
}

// TestARunFarBehindTakesNothingAway holds the same of a clock that had stood.
func TestARunFarBehindTakesNothingAway(t *testing.T) {
	dir := t.TempDir()
	var runs []*Run
	for day := range 10 {
		if day == 5 {
			kept(t, dir, Options{}, "p", start.AddDate(-20, 0, 0), allOK)
		}
		runs = append(runs, kept(t, dir, Options{}, "p", start.AddDate(0, 0, day), allOK))
	}
	s := opened(t, dir, Options{Now: func() time.Time { return start.AddDate(0, 0, 10) }})
	if n := keptOf(t, s, runs); n != len(runs) {
		t.Errorf("%d runs are kept, want %d", n, len(runs))
	}
	strips, err := s.History(t.Context(), Query{Since: start})
	if err != nil || len(strips) != 2 || strips[0].Windows[len(spans)].Runs != len(runs) {
		t.Errorf("%+v, %v", strips, err)
	}
}

// TestRetentionDoesNotWaitForTheFuture holds that a run of a time to come keeps
// nothing that was kept after it.
func TestRetentionDoesNotWaitForTheFuture(t *testing.T) {
	dir := t.TempDir()
	o := Options{Keep: 10 * 24 * time.Hour}
	ahead := kept(t, dir, o, "p", start.AddDate(10, 0, 0), allOK)
	var runs []*Run
	for day := range 30 {
		runs = append(runs, kept(t, dir, o, "p", start.AddDate(0, 0, day), allOK))
	}
	s := opened(t, dir, Options{Now: func() time.Time { return start.AddDate(0, 0, 30) }})
	if n := keptOf(t, s, []*Run{ahead}); n != 0 {
		t.Error("the run of a time to come is kept")
	}
	if n := keptOf(t, s, runs); n != 14 {
		t.Errorf("%d runs are kept, want 14", n)
	}
}

// TestAnAgeOutlivesTheRuns holds that a probe which runs more seldom than runs
// are kept for still grows old.
func TestAnAgeOutlivesTheRuns(t *testing.T) {
	dir := t.TempDir()
	o := Options{Keep: 24 * time.Hour}
	for week := range 8 {
		at := start.AddDate(0, 0, 7*week)
		o.Now = func() time.Time { return at }
		s := opened(t, dir, o)
		states, err := s.Before(t.Context(), NamedProject("weekly"), []Probe{{Name: "probe-00000"}})
		if err != nil || states[0].Unmeasured.Runs != week || week > 0 && !states[0].UnmeasuredSince.Equal(start) {
			t.Errorf("week %d: %+v, %v", week, states, err)
		}
		s.Close()
		kept(t, dir, o, "weekly", at, unavailable)
		kept(t, dir, o, "another", at.AddDate(0, 0, 3), allOK)
	}
}
