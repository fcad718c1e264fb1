package history

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

// TestLogAndDatabaseAgree has random runs of random selections kept in four
// ways: as the program does, with a log that is taken over every now and then,
// in SQLite at once, and not at all but judged by the transitions alone. All
// come to the same states and strips.
func TestLogAndDatabaseAgree(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { agree(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

// randomRun is the n-th run: of some of twelve probes, in some order.
func randomRun(r *rand.Rand, n int) *Run {
	run := runOf(start.Add(time.Duration(n)*time.Hour), 12, func(int) checks.Finding { return checks.Findings()[r.IntN(6)] })
	if r.IntN(5) == 0 { // one that began before others that are kept
		run.StartedAt = run.StartedAt.Add(-time.Duration(r.IntN(5)) * time.Hour)
	}
	if r.IntN(2) == 0 {
		at := r.IntN(12)
		run.Results = run.Results[at : at+r.IntN(12-at)+1]
	}
	if r.IntN(4) == 0 {
		r.Shuffle(len(run.Results), func(i, j int) { run.Results[i], run.Results[j] = run.Results[j], run.Results[i] })
	}
	return run
}

func agree(t *testing.T, r *rand.Rand) {
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	ways := []Options{{}, {foldSize: 1, foldRuns: 1 + r.IntN(6)}, {unlocked: true}}
	want := map[string]map[Probe]State{"a": {}, "b": {}}
	for n := range 60 {
		project := []string{"a", "b"}[r.IntN(2)]
		run := randomRun(r, n)
		var keys []Probe
		for i := range run.Results {
			keys = append(keys, ProbeOf(&run.Results[i]))
		}
		for i, o := range ways {
			s := opened(t, dirs[i], o)
			if r.IntN(3) > 0 {
				before, err := s.Before(t.Context(), NamedProject(project), keys)
				if err != nil {
					t.Fatal(err)
				}
				for j, key := range keys {
					if d := cmp.Diff(want[project][key], before[j]); d != "" {
						t.Fatalf("way %d, run %d, %s: %s", i, n, key.Name, d)
					}
				}
			}
			saved(t, s, NamedProject(project), run)
			s.Close()
		}
		for i, key := range keys {
			want[project][key] = want[project][key].Next(Observe(&run.Results[i], run.StartedAt), start.AddDate(0, 1, 0))
		}
	}
	var all [][]Strip
	for i, dir := range dirs {
		s := opened(t, dir, ways[i])
		strips, err := s.History(t.Context(), Query{Cells: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, strip := range strips {
			if d := cmp.Diff(want[strip.Project.Label][strip.Probe], strip.State); d != "" {
				t.Errorf("way %d, %s: %s", i, strip.Probe.Name, d)
			}
		}
		all = append(all, strips)
	}
	for i := range all[1:] {
		if d := cmp.Diff(all[0], all[i+1]); d != "" {
			t.Errorf("ways 0 and %d: %s", i+1, d)
		}
	}
}

// TestALogThatCannotBeLocked holds that what a log which came from elsewhere has
// is gone on from where there are no locks, once.
func TestALogThatCannotBeLocked(t *testing.T) {
	dir := t.TempDir()
	keys := []Probe{{Name: "probe-00000"}, {Name: "probe-00001"}, {Name: "nobody"}}
	for n := range 5 {
		s := opened(t, dir, Options{unlocked: n >= 2})
		states, err := s.Before(t.Context(), NamedProject("p"), keys)
		if err != nil || states[1].Runs != n || states[2] != (State{}) {
			t.Fatalf("run %d: %+v, %v", n, states, err)
		}
		saved(t, s, NamedProject("p"), runOf(start.Add(time.Duration(n)*time.Hour), 2, allOK))
		strips, err := s.History(t.Context(), Query{Cells: 10})
		if err != nil || len(strips) != 2 || len(strips[1].Cells) != n+1 || strips[1].State.Runs != n+1 {
			t.Fatalf("run %d: %+v, %v", n, strips, err)
		}
		s.Close()
	}
}

// TestAClockThatRanAheadIsReadBack holds that Before gives no state of the
// future, and leaves the stored one as it is.
func TestAClockThatRanAheadIsReadBack(t *testing.T) {
	now := start.AddDate(1, 0, 0)
	dir := t.TempDir()
	clock := func() time.Time { return now }
	saved(t, opened(t, dir, Options{Now: clock}), NamedProject("p"), runOf(now, 2, allOK))
	now = start
	s := opened(t, dir, Options{Now: clock})
	for range 2 {
		states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00000"}, {Name: "probe-00001"}})
		if err != nil || states[1].LastMeasuredAt.After(now) || !states[1].At.IsZero() || states[1].Runs != 1 {
			t.Errorf("%+v, %v", states, err)
		}
		if kept := s.cache.found.found[1].At; !kept.After(now) {
			t.Errorf("what is kept has become %s", kept)
		}
	}
}
