package history

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
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
		if err != nil || states[0].Runs != len(runs) {
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

// TestALogThatWasPutBack holds that no run is lost, and none is there twice, where
// the log is an older one than the database knows: whatever the new end is.
func TestALogThatWasPutBack(t *testing.T) {
	for more := range 6 {
		dir := t.TempDir()
		path := filepath.Join(dir, LogName)
		s := opened(t, dir, Options{})
		var runs []*Run
		keep := func(n int) {
			for range n {
				run := runOf(start.Add(time.Duration(len(runs))*time.Hour), 2+len(runs)%3, allOK)
				runs = append(runs, run)
				saved(t, s, NamedProject("p"), run)
			}
		}
		keep(2)
		older, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		keep(3)
		folded(t, s)
		write(t, path, string(older))
		keep(more)
		for _, when := range []string{"in the log", "in the database"} {
			strips, err := s.History(t.Context(), Query{})
			if err != nil || len(strips) != 4 || strips[0].Windows[len(spans)].Runs != len(runs) {
				t.Fatalf("%d more, %s: %d strips, %v: %+v", more, when, len(strips), err, strips)
			}
			if n := keptOf(t, s, runs); n != len(runs) {
				t.Errorf("%d more, %s: %d runs of %d", more, when, n, len(runs))
			}
			folded(t, s)
		}
		n := 0
		if err := s.db.QueryRow("SELECT count(*) FROM runs").Scan(&n); err != nil || n != len(runs) {
			t.Errorf("%d more: %d runs, want %d, %v", more, n, len(runs), err)
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
		if err != nil || states[1].Runs != n {
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
	if states, err := s.Before(t.Context(), NamedProject("p"), keys); err != nil || states[1].Runs != 4 || s.db == nil {
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
		{100, 71 * hour, 1, 0, false}, {100, 73 * hour, 1, 0, true}, {100, -1 * hour, 1, 0, false}, {100, -1000 * hour, 1, 0, true}, {256<<10 + 1, 0, 1, 1 << 20, true}, {256 << 10, 0, 1, 1 << 20, false},
	} {
		s := &Store{opt: Options{MaxSize: c.maxSize, Now: func() time.Time { return start }}.filled()}
		l := &runlog{logHeader: logHeader{base: 5000, made: start.UnixMilli() - c.age}, end: 5000 + c.size}
		if got := s.due(l, record{runs: c.runs}); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
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

// TestAFoldThatFailsKeepsTheLog holds that runs are kept on, and their ages grow,
// where the database cannot take the log over or a run of the log is damaged; that
// each of them says so; and that the log has an end.
func TestAFoldThatFailsKeepsTheLog(t *testing.T) {
	for name, c := range map[string]struct {
		damage, repair func(t *testing.T, dir string)
		want           string
	}{
		"database": {
			func(t *testing.T, dir string) {
				write(t, filepath.Join(dir, FileName), "this is no database, and it came after the store was opened")
			},
			func(t *testing.T, dir string) {
				if err := os.Remove(filepath.Join(dir, FileName)); err != nil {
					t.Fatal(err)
				}
			},
			"the file is not a history; move it away to begin a new one",
		},
		"log": {flipped, flipped, "history.log is damaged; move it away to begin a new one"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := opened(t, dir, Options{foldSize: 1, foldRuns: 3, foldMost: 8 << 10})
			var runs []*Run
			var err error
			for n := 0; err == nil || errors.Is(err, ErrNotTakenOver); n++ {
				if n == 3 {
					c.damage(t, dir)
				}
				run := runOf(start.Add(time.Duration(n)*time.Hour), 2, unavailable)
				if err = s.Save(t.Context(), NamedProject("p"), run); n < 3 && err != nil {
					t.Fatal(err)
				}
				if want := "the run is kept, but history.log cannot be taken over into history.db: " + c.want; errors.Is(err, ErrNotTakenOver) && err.Error() != want {
					t.Fatalf("run %d: %v, want %s", n, err, want)
				}
				runs = append(runs, run)
			}
			if len(runs) < 6 || err.Error() != c.want {
				t.Errorf("%d runs, then %v", len(runs), err)
			}
			states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
			if err != nil || states[0].Unmeasured.Runs != len(runs)-1 || !states[0].UnmeasuredSince.Equal(start) {
				t.Errorf("%+v, %v", states, err)
			}
			c.repair(t, dir)
			if n := keptOf(t, s, runs); n != len(runs)-1 {
				t.Errorf("%d runs are kept, want %d", n, len(runs)-1)
			}
			saved(t, s, NamedProject("p"), runs[len(runs)-1])
			if n := keptOf(t, s, runs); n != len(runs) || s.db == nil {
				t.Errorf("%d runs are kept, want %d", n, len(runs))
			}
		})
	}
}

// flipped changes a byte in the results of a log's first run; twice, nothing.
func flipped(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, LogName)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	l, err := readLog(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	first, err := l.recordAt(logHead)
	if err != nil {
		t.Fatal(err)
	}
	b[first.body.at+40] ^= 1
	write(t, path, string(b))
}

// TestOneStoreServesManyGoroutines holds that a store takes its log over and
// answers whatever else is asked of it meanwhile.
func TestOneStoreServesManyGoroutines(t *testing.T) {
	s := opened(t, t.TempDir(), folding(3))
	var wg sync.WaitGroup
	const goroutines, each = 6, 5
	for g := range goroutines {
		wg.Go(func() {
			for n := range each {
				run := runOf(start.Add(time.Duration(g*100+n)*time.Minute), 3, allOK)
				if err := s.Save(t.Context(), NamedProject("p"), run); err != nil {
					t.Error(err)
				}
				if states, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00002"}}); err != nil || states[0].At.IsZero() {
					t.Errorf("%v, %v", states, err)
				}
				if got, err := s.FindTrace(t.Context(), run.Trace); err != nil || len(got.Results) != 3 {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	strips, err := s.History(t.Context(), Query{})
	if err != nil || len(strips) != 3 || strips[0].Windows[len(spans)].Runs != goroutines*each {
		t.Errorf("%+v, %v", strips, err)
	}
}
