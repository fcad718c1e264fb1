package history

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

func saved(t *testing.T, s *Store, project Project, run *Run) {
	t.Helper()
	if err := s.Save(t.Context(), project, run); err != nil {
		t.Fatal(err)
	}
}

func TestRunsSurviveTheStore(t *testing.T) {
	s := opened(t, t.TempDir(), Options{})
	run := runOf(start, 130, func(i int) checks.Finding { return checks.Findings()[i%6] })
	run.Degraded = []checks.Degradation{{Feature: "output", Reason: "disk", Count: 2}}
	run.Results[7].Vantage = new("proxy-br")
	Remember(&run.Results[3], start, State{}, Limits{})
	saved(t, s, NamedProject("p"), run)
	got, err := s.FindTrace(t.Context(), strings.ToLower(run.Trace))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(run, got); d != "" {
		t.Errorf("the run has changed: %s", d)
	}
	for _, i := range []int{0, 63, 64, 129} {
		got, err := s.FindTrace(t.Context(), run.Results[i].Trace)
		if err != nil || len(got.Results) != 1 {
			t.Fatalf("result %d: %v", i, err)
		}
		if d := cmp.Diff(run.Results[i], got.Results[0]); d != "" {
			t.Errorf("result %d has changed: %s", i, d)
		}
	}
	for _, code := range []string{"00000000", "short", "7M2KQ0ZU", ""} {
		if _, err := s.FindTrace(t.Context(), code); !errors.Is(err, ErrNoTrace) {
			t.Errorf("%q: %v", code, err)
		}
	}
}

func TestProjectsDoNotMix(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	a, b := ProjectOf([]string{filepath.Join(dir, "a.yaml")}), ProjectOf([]string{filepath.Join(dir, "b.yaml")})
	saved(t, s, a, runOf(start, 2, allOK))
	saved(t, s, b, runOf(start, 2, func(int) checks.Finding { return checks.Drift }))
	for project, want := range map[Project]checks.Finding{a: checks.OK, b: checks.Drift, NamedProject("c"): ""} {
		states, err := s.Before(t.Context(), project, []Probe{{Name: "probe-00000"}, {Name: "nobody"}})
		if err != nil || states[0].Finding != want || states[1] != (State{}) {
			t.Errorf("%s: %v, %v", project.Label, states, err)
		}
	}
	strips, err := s.History(t.Context(), Query{Project: a.Key, Match: []string{"*-00001"}, Cells: 5})
	if err != nil || len(strips) != 1 || strips[0].Streak.Finding != checks.OK || len(strips[0].Cells) != 1 {
		t.Errorf("%+v, %v", strips, err)
	}
	if got, want := ProjectOf([]string{"b.yaml", "a.yaml"}), ProjectOf([]string{"./a.yaml", "b.yaml"}); got != want {
		t.Errorf("the order or form of paths makes another project: %v, %v", got, want)
	}
}

// TestStatesFollowRuns holds that what Before gives is what the transitions say,
// whether probes are looked up one by one or all at once, over full strips.
func TestStatesFollowRuns(t *testing.T) {
	s := opened(t, t.TempDir(), Options{})
	const probes, runs = fewProbes + 10, 2*stripCells + 40
	finding := func(n int) func(int) checks.Finding {
		return func(i int) checks.Finding { return checks.Findings()[(n/9+i)%6] }
	}
	want := map[Probe]State{}
	var keys []Probe
	for n := range runs {
		run := runOf(start.Add(time.Duration(n)*time.Hour), probes, finding(n))
		saved(t, s, NamedProject("p"), run)
		for i := range run.Results {
			k := ProbeOf(&run.Results[i])
			if n == 0 {
				keys = append(keys, k)
			}
			want[k] = want[k].Next(Observe(&run.Results[i], run.StartedAt), s.opt.Now())
		}
	}
	for _, asked := range [][]Probe{keys, keys[:3]} {
		got, err := s.Before(t.Context(), NamedProject("p"), asked)
		if err != nil {
			t.Fatal(err)
		}
		for i, k := range asked {
			if d := cmp.Diff(want[k], got[i]); d != "" {
				t.Errorf("%s: %s", k.Name, d)
			}
		}
	}
	strips, err := s.History(t.Context(), Query{Cells: runs + 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, strip := range strips {
		for n, c := range strip.Cells {
			if !c.At.Equal(start.Add(time.Duration(n)*time.Hour)) || c.Finding != finding(n)(i) {
				t.Fatalf("%s: cell %d is %+v", strip.Probe.Name, n, c)
			}
		}
		if len(strip.Cells) != runs {
			t.Errorf("%s: %d cells, want %d", strip.Probe.Name, len(strip.Cells), runs)
		}
	}
	if len(strips) != probes {
		t.Errorf("%d strips, want %d", len(strips), probes)
	}
}

// TestOldRunsGo holds that retention takes away runs and strips that are too old,
// a few with each run, and nothing else. Two runs more than are of the time stay:
// what the present is, a usual one of the newest five tells. The state of a probe
// that does not run any more and was not measured stays, without its cells, and
// goes much later.
func TestOldRunsGo(t *testing.T) {
	now := start
	s := opened(t, t.TempDir(), Options{Now: func() time.Time { return now }, Keep: 10 * 24 * time.Hour})
	gone := runOf(start, 3, func(i int) checks.Finding { return []checks.Finding{checks.OK, checks.Indisponivel, checks.Drift}[i] })
	gone.Results[0].Name, gone.Results[1].Name, gone.Results[2].Name = "gone", "down", "changed"
	saved(t, s, NamedProject("p"), gone)
	const days = 120
	for day := range days {
		now = start.AddDate(0, 0, day)
		saved(t, s, NamedProject("p"), runOf(now, 2, allOK))
	}
	if _, err := s.FindTrace(t.Context(), gone.Trace); !errors.Is(err, ErrNoTrace) {
		t.Errorf("the first run is still there: %v", err)
	}
	counts := map[string]int{}
	db := folded(t, s)
	for _, table := range []string{"runs", "blocks", "probes"} {
		var n int
		if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	if want := map[string]int{"runs": 13, "blocks": 13, "probes": 4}; !cmp.Equal(counts, want) {
		t.Errorf("kept %v, want %v", counts, want)
	}
	strips, err := s.History(t.Context(), Query{Since: now.AddDate(0, 0, -10)})
	if err != nil || len(strips) != 2 || strips[0].Windows[len(spans)].Runs != 11 {
		t.Errorf("%+v, %v", strips, err)
	}
	if strips, err := s.History(t.Context(), Query{}); err != nil || len(strips) != 2 {
		t.Errorf("%d strips, %v", len(strips), err)
	}
	asked := []Probe{{Name: "gone"}, {Name: "down"}, {Name: "changed"}}
	states, err := s.Before(t.Context(), NamedProject("p"), asked)
	if err != nil || !states[0].At.IsZero() || !states[1].UnmeasuredSince.Equal(start) || !states[2].ContractSince.Equal(start) {
		t.Errorf("%+v, %v", states, err)
	}
	for range recentRows {
		now = now.Add(keepState / 2)
		saved(t, s, NamedProject("p"), runOf(now, 2, allOK))
	}
	states, err = s.Before(t.Context(), NamedProject("p"), asked)
	if err != nil || !states[1].At.IsZero() || !states[2].At.IsZero() {
		t.Errorf("%+v, %v", states, err)
	}
}

func TestSizeIsBounded(t *testing.T) {
	s := opened(t, t.TempDir(), Options{MaxSize: 256 << 10})
	var last *Run
	for n := range 80 {
		last = runOf(start.Add(time.Duration(n)*time.Minute), 300, func(i int) checks.Finding { return checks.Findings()[(i*i+n)%6] })
		saved(t, s, NamedProject("p"), last)
	}
	if _, err := s.FindTrace(t.Context(), last.Trace); err != nil {
		t.Errorf("the newest run: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(s.Path())
	if err != nil || info.Size() > 1<<20 {
		t.Errorf("the file has %d bytes, %v", info.Size(), err)
	}
}

func TestOlderFileIsMigrated(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	run := runOf(start, 3, allOK)
	saved(t, s, NamedProject("p"), run)
	folded(t, s)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	newer := append(append([]string{}, migrations...), "ALTER TABLE runs ADD COLUMN note TEXT; UPDATE runs SET note = 'old'")
	opt := Options{ReadTimeout: 10 * time.Second}.filled()
	s, err := open(dir, opt, newer)
	if err != nil {
		t.Fatal(err)
	}
	var note string
	if err := s.db.QueryRow("SELECT note FROM runs WHERE trace = ?", run.Trace).Scan(&note); err != nil || note != "old" {
		t.Errorf("note %q, %v", note, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// And the other way round: what a newer version wrote is left alone.
	_, err = open(dir, opt, migrations)
	if err == nil || err.Error() != "the file is of a newer version of fonteviva (schema 3, this one knows 2)" {
		t.Errorf("error %v", err)
	}
}

// TestAFailedMigrationChangesNothing holds that a step which fails leaves the
// file as it was.
func TestAFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	folded(t, s)
	s.Close()
	opt := Options{ReadTimeout: 10 * time.Second}.filled()
	if _, err := open(dir, opt, append(append([]string{}, migrations...), "CREATE TABLE half (a); nonsense")); err == nil {
		t.Fatal("a wrong step was taken")
	}
	s = opened(t, dir, Options{})
	var n int
	if err := folded(t, s).QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d halves, %v", n, err)
	}
}
