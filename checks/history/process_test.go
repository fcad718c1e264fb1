package history

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The environment of a child process: where it stores, its number, how many
// runs of how many probes.
const (
	childDir   = "HISTORY_TEST_DIR"
	childIndex = "HISTORY_TEST_INDEX"
	childRuns  = "HISTORY_TEST_RUNS"
	childSize  = "HISTORY_TEST_SIZE"
	childFold  = "HISTORY_TEST_FOLD" // after how many runs the log is taken over; 0 as usual
)

// folding are the options of a store that takes its log over every few runs.
func folding(runs int) Options {
	if runs == 0 {
		return Options{}
	}
	return Options{foldSize: 1, foldRuns: runs}
}

// child stores runs, and writes the trace of each that was reported as kept.
func child(dir string) int {
	number := func(name string) int { n, _ := strconv.Atoi(os.Getenv(name)); return n }
	index, runs, size := number(childIndex), number(childRuns), number(childSize)
	for i := range runs {
		// A store for each run, as each run of the program has its own.
		o := folding(number(childFold))
		o.Now, o.ReadTimeout, o.WriteTimeout = func() time.Time { return start.AddDate(0, 1, 0) }, 20*time.Second, 20*time.Second
		s, err := Open(dir, o)
		if err != nil {
			fmt.Fprintln(os.Stderr, "open:", err)
			return 1
		}
		run := runOf(start.Add(time.Duration(index*100_000+i)*time.Second), size, allOK)
		if err := s.Save(context.Background(), NamedProject("p"), run); err != nil {
			fmt.Fprintln(os.Stderr, "save:", err)
			return 1
		}
		fmt.Println(run.Trace)
		// A process of a single run ends as the program does.
		end := s.Close
		if runs == 1 {
			end = s.Leave
		}
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, "close:", err)
			return 1
		}
	}
	return 0
}

func childCommand(t *testing.T, dir string, index, runs, size, fold int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	// Under the race detector a process would wait a second before it ends.
	cmd.Env = append(os.Environ(), "GORACE=atexit_sleep_ms=0", childDir+"="+dir, fmt.Sprintf("%s=%d", childIndex, index), fmt.Sprintf("%s=%d", childRuns, runs), fmt.Sprintf("%s=%d", childSize, size), fmt.Sprintf("%s=%d", childFold, fold))
	return cmd
}

// TestManyProcessesStoreAtOnce begins with no file: making it is raced for too.
func TestManyProcessesStoreAtOnce(t *testing.T) {
	for _, fold := range []int{0, 1, 7} {
		t.Run(fmt.Sprint("taken over at ", fold), func(t *testing.T) { manyProcesses(t, fold) })
	}
}

func manyProcesses(t *testing.T, fold int) {
	const processes, runs, size = 20, 4, 30
	dir := t.TempDir() + "/state"
	var wg sync.WaitGroup
	outs := make([]bytes.Buffer, processes)
	for i := range processes {
		cmd := childCommand(t, dir, i, runs, size, fold)
		var errs bytes.Buffer
		cmd.Stdout, cmd.Stderr = &outs[i], &errs
		wg.Go(func() {
			if err := cmd.Run(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, errs.String())
			}
		})
	}
	wg.Wait()
	s := opened(t, dir, Options{ReadOnly: true})
	kept := 0
	for i := range outs {
		for _, trace := range strings.Fields(outs[i].String()) {
			if run, err := s.FindTrace(t.Context(), trace); err != nil || len(run.Results) != size {
				t.Errorf("run %s was reported as kept: %v", trace, err)
			}
			kept++
		}
	}
	if kept != processes*runs {
		t.Errorf("%d runs were kept, want %d", kept, processes*runs)
	}
	strips, err := s.History(t.Context(), Query{})
	if err != nil || len(strips) != size {
		t.Fatalf("%d strips, %v", len(strips), err)
	}
	for _, strip := range strips {
		if n := strip.Windows[len(spans)].Runs; n != processes*runs {
			t.Errorf("%s has %d runs, want %d", strip.Probe.Name, n, processes*runs)
		}
	}
	s = opened(t, dir, Options{})
	folded(t, s)
	wholeFile(t, s)
}

// TestTheLogsStaySmall holds that processes which leave the logs to each other
// let neither grow.
func TestTheLogsStaySmall(t *testing.T) {
	dir := t.TempDir()
	left, largest, log := 0, int64(0), int64(0)
	for i := range 60 {
		if out, err := childCommand(t, dir, i, 1, 40, 3).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if info, err := os.Stat(filepath.Join(dir, FileName+"-wal")); err == nil {
			left++
			largest = max(largest, info.Size())
		}
		if info, err := os.Stat(filepath.Join(dir, LogName)); err == nil {
			log = max(log, info.Size())
		}
	}
	if largest > logLimit || left < 30 {
		t.Errorf("the log of SQLite was left %d times of 60, and had up to %d bytes", left, largest)
	}
	if log > 64<<10 {
		t.Errorf("the log had up to %d bytes", log)
	}
	s := opened(t, dir, Options{ReadOnly: true})
	strips, err := s.History(t.Context(), Query{})
	if err != nil || len(strips) != 40 || strips[0].Windows[len(spans)].Runs != 60 {
		t.Errorf("%d strips, %v", len(strips), err)
	}
	wholeFile(t, s)
}

// TestKilledAtAnyMoment kills a process that stores one run after the other,
// each time after one more run was reported, and holds that all of those are
// there, once, and that the next process goes on; with a log that is taken over
// rarely, and with every run.
func TestKilledAtAnyMoment(t *testing.T) {
	for _, fold := range []int{0, 1, 4} {
		t.Run(fmt.Sprint("taken over at ", fold), func(t *testing.T) { killed(t, fold) })
	}
}

func killed(t *testing.T, fold int) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir()
	var kept []string
	for round := range rounds {
		cmd := childCommand(t, dir, round, 1000, 20, fold)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		for n := 0; n <= round%4 && lines.Scan(); n++ {
			kept = append(kept, lines.Text())
		}
		// By now it is somewhere in a later run.
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		for lines.Scan() {
			kept = append(kept, lines.Text())
		}
		var exit *exec.ExitError
		if err := cmd.Wait(); !errors.As(err, &exit) {
			t.Fatalf("the process ended by itself: %v", err)
		}
	}
	s := opened(t, dir, Options{})
	if len(kept) < rounds {
		t.Fatalf("only %d runs were reported as kept", len(kept))
	}
	strips, err := s.History(t.Context(), Query{Cells: 1 << 20})
	if err != nil || len(strips) != 20 {
		t.Fatalf("%d strips, %v", len(strips), err)
	}
	for _, trace := range kept {
		if run, err := s.FindTrace(t.Context(), trace); err != nil || len(run.Results) != 20 {
			t.Errorf("run %s was reported as kept: %v", trace, err)
		}
	}
	keptOnce(t, s, strips, len(kept))
}

// keptOnce holds that there is nothing of a run without its whole, and no run
// twice: every run has its twenty results, and every probe has a cell for each.
func keptOnce(t *testing.T, s *Store, strips []Strip, reported int) {
	t.Helper()
	db := folded(t, s)
	wholeFile(t, s)
	number := func(query string, args ...any) (n int) {
		if err := db.QueryRow(query, args...).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	if odd := number("SELECT count(*) FROM runs WHERE (SELECT sum(length(traces)) FROM blocks WHERE run = runs.id) <> ?", 20*traceSize); odd != 0 {
		t.Errorf("%d runs are not whole", odd)
	}
	all, distinct := number("SELECT count(*) FROM runs"), number("SELECT count(DISTINCT trace) FROM runs")
	if all != distinct || all < reported {
		t.Errorf("%d runs, %d of them distinct; %d were reported as kept", all, distinct, reported)
	}
	for _, strip := range strips {
		if len(strip.Cells) != all {
			t.Errorf("%s has %d cells of %d runs", strip.Probe.Name, len(strip.Cells), all)
		}
	}
}

// wholeFile holds that SQLite finds nothing wrong with the file.
func wholeFile(t *testing.T, s *Store) {
	t.Helper()
	var word string
	db, err := s.database(t.Context(), false)
	if err != nil || db == nil {
		t.Fatal("no database: ", err)
	}
	if err := db.QueryRow("PRAGMA integrity_check").Scan(&word); err != nil || word != "ok" {
		t.Errorf("the file is not whole: %s, %v", word, err)
	}
}

func opened(t *testing.T, dir string, o Options) *Store {
	t.Helper()
	if o.ReadTimeout == 0 {
		o.ReadTimeout = 10 * time.Second // a busy machine is no failure of a test
	}
	if o.Now == nil {
		o.Now = func() time.Time { return start.AddDate(0, 1, 0) }
	}
	s, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() }) //nolint:errcheck // the test has ended
	return s
}

// folded takes a store's log over, whether it is due or not, and gives the
// database.
func folded(t testing.TB, s *Store) *sql.DB {
	t.Helper()
	s.work.Lock()
	defer s.work.Unlock()
	l, _, err := s.lockLog(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { unlock(s.file) }()
	if !l.begun {
		s.begin(l)
	}
	if _, err := s.renew(context.Background(), l); err != nil {
		t.Fatal(err)
	}
	return s.db
}
