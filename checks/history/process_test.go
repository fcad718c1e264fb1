package history

import (
	"bufio"
	"bytes"
	"context"
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
)

// child stores runs, and writes the trace of each that was reported as kept.
func child(dir string) int {
	number := func(name string) int { n, _ := strconv.Atoi(os.Getenv(name)); return n }
	index, runs, size := number(childIndex), number(childRuns), number(childSize)
	for i := range runs {
		// A store for each run, as each run of the program has its own.
		s, err := Open(dir, Options{Now: func() time.Time { return start.AddDate(0, 1, 0) }, ReadTimeout: 20 * time.Second, WriteTimeout: 20 * time.Second})
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

func childCommand(t *testing.T, dir string, index, runs, size int) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+dir, fmt.Sprintf("%s=%d", childIndex, index), fmt.Sprintf("%s=%d", childRuns, runs), fmt.Sprintf("%s=%d", childSize, size))
	return cmd
}

// TestManyProcessesStoreAtOnce begins with no file: making it is raced for too.
func TestManyProcessesStoreAtOnce(t *testing.T) {
	const processes, runs, size = 20, 4, 30
	dir := t.TempDir() + "/state"
	var wg sync.WaitGroup
	outs := make([]bytes.Buffer, processes)
	for i := range processes {
		cmd := childCommand(t, dir, i, runs, size)
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
	wholeFile(t, s)
}

// TestTheLogStaysSmall holds that processes which leave the log to each other
// do not let it grow.
func TestTheLogStaysSmall(t *testing.T) {
	dir := t.TempDir()
	left, largest := 0, int64(0)
	for i := range 60 {
		if out, err := childCommand(t, dir, i, 1, 40).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		if info, err := os.Stat(filepath.Join(dir, FileName+"-wal")); err == nil {
			left++
			largest = max(largest, info.Size())
		}
	}
	if largest > logLimit || left < 30 {
		t.Errorf("the log was left %d times of 60, and had up to %d bytes", left, largest)
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
// there and that the next process goes on.
func TestKilledAtAnyMoment(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	dir := t.TempDir()
	var kept []string
	for round := range rounds {
		cmd := childCommand(t, dir, round, 1000, 20)
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
	for _, trace := range kept {
		if run, err := s.FindTrace(t.Context(), trace); err != nil || len(run.Results) != 20 {
			t.Errorf("run %s was reported as kept: %v", trace, err)
		}
	}
	wholeFile(t, s)
	// Nothing of a run without its whole: every run has its twenty results.
	var odd int
	if err := s.db.QueryRow("SELECT count(*) FROM runs WHERE (SELECT sum(length(traces)) FROM blocks WHERE run = runs.id) <> ?", 20*traceSize).Scan(&odd); err != nil || odd != 0 {
		t.Errorf("%d runs are not whole, %v", odd, err)
	}
}

// wholeFile holds that SQLite finds nothing wrong with the file.
func wholeFile(t *testing.T, s *Store) {
	t.Helper()
	var word string
	if err := s.db.QueryRow("PRAGMA integrity_check").Scan(&word); err != nil || word != "ok" {
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
