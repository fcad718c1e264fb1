package history

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

// TestKilledBetweenTheDatabaseAndTheNewLog holds that records which are in both
// are kept once, read once and taken over once.
func TestKilledBetweenTheDatabaseAndTheNewLog(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	var runs []*Run
	more := func(s *Store, n int) {
		for range n {
			runs = append(runs, runOf(start.Add(time.Duration(len(runs))*time.Hour), 3, allOK))
			saved(t, s, NamedProject("p"), runs[len(runs)-1])
		}
	}
	holds := func(s *Store) {
		t.Helper()
		strips, err := s.History(t.Context(), Query{Cells: 100})
		if err != nil || len(strips) != 3 || len(strips[0].Cells) != len(runs) || strips[0].State.Runs != len(runs) {
			t.Fatalf("%d strips, %v: %+v", len(strips), err, strips)
		}
		if n := keptOf(t, s, runs); n != len(runs) {
			t.Errorf("%d runs of %d", n, len(runs))
		}
		states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
		if err != nil || states[Probe{Name: "probe-00001"}].Runs != len(runs) {
			t.Errorf("%+v, %v", states, err)
		}
	}
	more(s, 4)
	for range 2 { // twice in a row, with one more run in between
		l, _, err := s.lockLog(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.fold(t.Context(), l, nil); err != nil {
			t.Fatal(err)
		}
		unlock(s.file)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, LogName+newSuffix), "half a new log")
		s = opened(t, dir, Options{})
		holds(s)
		holds(opened(t, dir, Options{ReadOnly: true}))
		more(s, 1)
		holds(s)
	}
	db := folded(t, s)
	holds(s)
	for query, want := range map[string]int{"SELECT count(*) FROM runs": len(runs), "SELECT sum(length(cells)) FROM probes": 3 * len(runs) * cellSize} {
		var n int
		if err := db.QueryRow(query).Scan(&n); err != nil || n != want {
			t.Errorf("%s: %d, want %d, %v", query, n, want, err)
		}
	}
}

// TestARunNeedsNoDatabase holds that SQLite is not opened by a usual run: not
// before there is a database, and not after the log was taken over.
func TestARunNeedsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	keys := []Probe{{Name: "probe-00000"}, {Name: "probe-00001"}}
	for n := range 4 {
		s := opened(t, dir, Options{})
		states, err := s.Before(t.Context(), NamedProject("p"), keys)
		if err != nil || n > 0 && states[keys[1]].Runs != n {
			t.Fatalf("run %d: %v, %v", n, states, err)
		}
		saved(t, s, NamedProject("p"), runOf(start.Add(time.Duration(n)*time.Hour), 2, allOK))
		if s.db != nil {
			t.Errorf("run %d opened the database", n)
		}
		if n == 1 {
			folded(t, s)
		}
		if err := s.Leave(); err != nil {
			t.Fatal(err)
		}
	}
	// What the log has forgotten, the database has not.
	s := opened(t, dir, Options{})
	folded(t, s)
	saved(t, s, NamedProject("other"), runOf(start, 1, allOK))
	folded(t, s)
	saved(t, s, NamedProject("other"), runOf(start, 1, allOK))
	folded(t, s)
	s.Close()
	s = opened(t, dir, Options{})
	if states, err := s.Before(t.Context(), NamedProject("p"), keys); err != nil || states[keys[1]].Runs != 4 || s.db == nil {
		t.Errorf("%v, %v", states, err)
	}
}

func TestWhenALogIsDue(t *testing.T) {
	hour := time.Hour.Milliseconds()
	for _, c := range []struct {
		size, age int64
		runs      uint32
		maxSize   int64
		want      bool
	}{
		{100, 0, 1, 0, false}, {1 << 20, 0, 31, 0, false}, {1 << 20, 0, 32, 0, true}, {512 << 10, 0, 1000, 0, false},
		{64<<20 + 1, 0, 1, 0, true}, {64 << 20, 0, 1, 0, false}, {0, 1000 * hour, 0, 0, false},
		{100, 71 * hour, 1, 0, false}, {100, 73 * hour, 1, 0, true}, {256<<10 + 1, 0, 1, 1 << 20, true}, {256 << 10, 0, 1, 1 << 20, false},
	} {
		s := &Store{opt: Options{MaxSize: c.maxSize, Now: func() time.Time { return start }}.filled()}
		l := &runlog{logHeader: logHeader{base: 5000, made: start.UnixMilli() - c.age}, end: 5000 + c.size}
		if got := s.due(l, record{runs: c.runs}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestLogAndDatabaseAgree has random runs of random selections kept in four
// ways: as the program does, with a log that is taken over every now and then,
// in SQLite at once, and not at all but judged by the transitions alone. All
// come to the same states and strips.
func TestLogAndDatabaseAgree(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { agree(t, rand.New(rand.NewPCG(seed, 7))) })
	}
}

func agree(t *testing.T, r *rand.Rand) {
	dirs := []string{t.TempDir(), t.TempDir(), t.TempDir()}
	ways := []Options{{}, {foldSize: 1, foldRuns: 1 + r.IntN(6)}, {unlocked: true}}
	want := map[string]map[Probe]State{"a": {}, "b": {}}
	for n := range 60 {
		project := []string{"a", "b"}[r.IntN(2)]
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
				for _, key := range keys {
					if d := cmp.Diff(want[project][key], before[key]); d != "" {
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

// TestFileOfTheFirstSchema holds that what the versions before the log kept is
// read, before and after it is migrated, by one who looks and by a run.
func TestFileOfTheFirstSchema(t *testing.T) {
	dir := t.TempDir()
	old, err := open(dir, Options{unlocked: true, ReadTimeout: 10 * time.Second}.filled(), migrations[:1])
	if err != nil {
		t.Fatal(err)
	}
	run := runOf(start, 3, allOK)
	state := State{}.Next(Observe(&run.Results[1], start), start)
	head, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	var traces []byte
	for i := range run.Results {
		code, _ := packTrace(run.Results[i].Trace)
		traces = append(traces, code[:]...)
		if err := json.NewEncoder(w).Encode(&run.Results[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		text string
		args []any
	}{
		{"INSERT INTO projects (id, key, label) VALUES (1, 'name:p', 'p')", nil},
		{"INSERT INTO probes (project, name, vantage, at, state, cells) VALUES (1, 'probe-00001', '', ?, ?, ?)", []any{millis(start), appendState(nil, state), appendCell(nil, Cell{At: start, Finding: checks.OK})}},
		{"INSERT INTO runs (id, project, trace, at, head) VALUES (1, 1, ?, ?, ?)", []any{run.Trace, millis(start), head}},
		{"INSERT INTO blocks (run, traces, results) VALUES (1, ?, ?)", []any{traces, packed.Bytes()}},
	} {
		if _, err := old.db.Exec(row.text, row.args...); err != nil {
			t.Fatal(err)
		}
	}
	old.Close()
	os.Remove(filepath.Join(dir, LogName)) //nolint:errcheck // that version had none
	holds := func(s *Store, runs int) {
		t.Helper()
		strips, err := s.History(t.Context(), Query{Match: []string{"probe-00001"}})
		if err != nil || len(strips) != 1 || strips[0].State.Runs != runs {
			t.Errorf("%+v, %v", strips, err)
		}
		for _, want := range []*Run{run, {Results: run.Results[2:]}} {
			code := want.Trace
			if code == "" {
				code = want.Results[0].Trace
			}
			got, err := s.FindTrace(t.Context(), code)
			if err != nil || !cmp.Equal(got.Results, want.Results) {
				t.Errorf("%s: %v, %v", code, got, err)
			}
		}
	}
	look := opened(t, dir, Options{ReadOnly: true})
	holds(look, 1)
	look.Close() // the last to close brings all into the file
	s := opened(t, dir, Options{})
	next := runOf(start.Add(time.Hour), 3, allOK)
	saved(t, s, NamedProject("p"), next)
	holds(s, 2)
	folded(t, s)
	holds(s, 2)
	s.Close()
	if found, err := lies(filepath.Join(dir, FileName), len(migrations)); found != lieKnown || err != nil {
		t.Errorf("the file tells %v, %v", found, err)
	}
	holds(opened(t, dir, Options{ReadOnly: true}), 2)
}

// TestOldRunsInTheLogGo holds that retention comes for runs which nobody takes
// over for their size.
func TestOldRunsInTheLogGo(t *testing.T) {
	now := start
	dir := t.TempDir()
	first := runOf(start, 1, allOK)
	for day := range 100 {
		now = start.AddDate(0, 0, day)
		run := runOf(now, 1, allOK)
		if day == 0 {
			run = first
		}
		s := opened(t, dir, Options{Now: func() time.Time { return now }})
		saved(t, s, NamedProject("p"), run)
		if err := s.Leave(); err != nil {
			t.Fatal(err)
		}
	}
	s := opened(t, dir, Options{Now: func() time.Time { return now }})
	if n := keptOf(t, s, []*Run{first}); n != 0 {
		t.Error("a run of 100 days ago is kept")
	}
	if strips, err := s.History(t.Context(), Query{}); err != nil || strips[0].State.Runs != 100 {
		t.Errorf("%+v, %v", strips, err)
	}
}

// TestAFoldThatFailsKeepsTheLog holds that nothing is lost, and nothing claimed,
// where the database cannot take the log over.
func TestAFoldThatFailsKeepsTheLog(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{foldSize: 1, foldRuns: 3})
	var runs []*Run
	for n := range 3 {
		runs = append(runs, runOf(start.Add(time.Duration(n)*time.Hour), 2, allOK))
		saved(t, s, NamedProject("p"), runs[n])
	}
	write(t, filepath.Join(dir, FileName), "this is no database, and it came after the store was opened")
	late := runOf(start.Add(3*time.Hour), 2, allOK)
	if err := s.Save(context.Background(), NamedProject("p"), late); err == nil || err.Error() != "the file is not a history; move it away to begin a new one" {
		t.Errorf("error %v", err)
	}
	if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
		t.Fatal(err)
	}
	if n := keptOf(t, s, append(runs, late)); n != 3 {
		t.Errorf("%d runs, want 3", n)
	}
	saved(t, s, NamedProject("p"), late)
	if n := keptOf(t, s, append(runs, late)); n != 4 || s.db == nil {
		t.Errorf("%d runs, want 4", n)
	}
}
