package history

import (
	"testing"
	"time"
)

// TestFigures holds what the history may cost: the best of three, since other
// work of the machine is no cost of ours.
func TestFigures(t *testing.T) {
	if testing.Short() || raceEnabled {
		t.Skip("figures take seconds, and say nothing under the race detector")
	}
	best := func(f func()) time.Duration {
		least := time.Hour
		for range 3 {
			begin := time.Now()
			f()
			least = min(least, time.Since(begin))
		}
		return least
	}
	s := opened(t, t.TempDir(), Options{})
	n := 0
	var keys []Probe
	within := func(what string, took, limit time.Duration) {
		t.Logf("%s: %s", what, took)
		if took > limit {
			t.Errorf("%s took %s, at most %s is allowed", what, took, limit)
		}
	}
	within("storing 10 000 results", best(func() {
		run := runOf(start.Add(time.Duration(n)*time.Minute), 10_000, allOK)
		if n++; keys == nil {
			for i := range run.Results {
				keys = append(keys, ProbeOf(&run.Results[i]))
			}
		}
		saved(t, s, NamedProject("p"), run)
	}), 500*time.Millisecond)
	small := opened(t, t.TempDir(), Options{})
	within("storing one result", best(func() {
		saved(t, small, NamedProject("p"), runOf(start, 1, allOK))
	}), 5*time.Millisecond)
	within("reading before the policy", best(func() {
		s.cache = cached{} // as in a process that has just begun
		if states, err := s.Before(t.Context(), NamedProject("p"), keys); err != nil || states[len(keys)-1].Runs == 0 {
			t.Fatal(err)
		}
	}), 200*time.Millisecond)
	million := filled(t, 1000, 1000, start.AddDate(0, 0, 1))
	defer million.Close()
	within("the history of 1 000 000 results", best(func() {
		if strips, err := million.History(t.Context(), Query{Cells: 78}); err != nil || len(strips) != 1000 {
			t.Fatal(len(strips), err)
		}
	}), 500*time.Millisecond)
}
