package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
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
		if err != nil || states[Probe{Name: "probe-00000"}].Finding != want || len(states) > 1 {
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
		for _, k := range asked {
			if d := cmp.Diff(want[k], got[k]); d != "" {
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

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "a", "state")
	s := opened(t, dir, Options{})
	saved(t, s, NamedProject("p"), runOf(start, 3, allOK))
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Mode().Perm()
	}
	if m := mode(dir); m != 0o700 {
		t.Errorf("the folder is %o", m)
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if m := mode(s.Path() + suffix); m != 0o600 {
			t.Errorf("the file%s is %o", suffix, m)
		}
	}
}

// TestOldRunsGo holds that retention takes away runs, strips and probes that
// are too old, a few with each run, and nothing else.
func TestOldRunsGo(t *testing.T) {
	now := start
	s := opened(t, t.TempDir(), Options{Now: func() time.Time { return now }, Keep: 10 * 24 * time.Hour})
	gone := runOf(start, 1, allOK)
	gone.Results[0].Name = "gone"
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
	for _, table := range []string{"runs", "blocks", "probes"} {
		var n int
		if err := s.db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
			t.Fatal(err)
		}
		counts[table] = n
	}
	if want := map[string]int{"runs": 11, "blocks": 11, "probes": 2}; !cmp.Equal(counts, want) {
		t.Errorf("kept %v, want %v", counts, want)
	}
	strips, err := s.History(t.Context(), Query{Since: now.AddDate(0, 0, -10)})
	if err != nil || len(strips) != 2 || strips[0].Windows[len(spans)].Runs != 11 {
		t.Errorf("%+v, %v", strips, err)
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
	if err == nil || err.Error() != "the file is of a newer version of fonteviva (schema 2, this one knows 1)" {
		t.Errorf("error %v", err)
	}
}

// TestAFailedMigrationChangesNothing holds that a step which fails leaves the
// file as it was.
func TestAFailedMigrationChangesNothing(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	s.Close()
	opt := Options{ReadTimeout: 10 * time.Second}.filled()
	if _, err := open(dir, opt, append(append([]string{}, migrations...), "CREATE TABLE half (a); nonsense")); err == nil {
		t.Fatal("a wrong step was taken")
	}
	s = opened(t, dir, Options{})
	var n int
	if err := s.db.QueryRow("SELECT count(*) FROM sqlite_schema WHERE name = 'half'").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d halves, %v", n, err)
	}
}

func TestUnusableFilesSayWhy(t *testing.T) {
	for _, c := range []struct {
		name, want string
		root       bool // holds for root as well
		make       func(t *testing.T, dir string)
	}{
		{"not a database", "the file is not a history; move it away to begin a new one", true, func(t *testing.T, dir string) {
			write(t, filepath.Join(dir, FileName), strings.Repeat("hello, I am no database\n", 100))
		}},
		{"another program's database", "the file is not a history; move it away to begin a new one", true, func(t *testing.T, dir string) {
			s := &Store{opt: Options{}.filled()}
			var err error
			if s, err = open(dir, s.opt, []string{"CREATE TABLE theirs (a)"}); err != nil {
				t.Fatal(err)
			}
			if _, err := s.db.Exec("PRAGMA user_version = 0"); err != nil {
				t.Fatal(err)
			}
			s.Close()
		}},
		{"a folder in its place", "", true, func(t *testing.T, dir string) {
			if err := os.MkdirAll(filepath.Join(dir, FileName), 0o700); err != nil {
				t.Fatal(err)
			}
		}},
		{"a folder that cannot be written", "", false, func(t *testing.T, dir string) {
			if err := os.Chmod(dir, 0o500); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !c.root && os.Geteuid() == 0 {
				t.Skip("root may write everywhere: run as another user to test this")
			}
			dir := t.TempDir()
			c.make(t, dir)
			s, err := Open(dir, Options{ReadTimeout: 10 * time.Second})
			if err == nil {
				s.Close()
				t.Fatal("it was opened")
			}
			if c.want != "" && err.Error() != c.want {
				t.Errorf("error %q, want %q", err, c.want)
			}
			if strings.ContainsAny(err.Error(), "\n") {
				t.Errorf("the reason is more than a line: %q", err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestDamagedFile overwrites parts of a whole file: every call then ends with
// an error or a right answer, and never with a panic.
func TestDamagedFile(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	for n := range 20 {
		saved(t, s, NamedProject("p"), runOf(start.Add(time.Duration(n)*time.Hour), 100, allOK))
	}
	s.Close()
	whole, err := os.ReadFile(s.Path())
	if err != nil {
		t.Fatal(err)
	}
	said := false
	for at := 0; at < len(whole); at += len(whole)/23 + 1 {
		damaged := append([]byte{}, whole...)
		for i := at; i < min(at+3000, len(damaged)); i++ {
			damaged[i] = byte(i * 7)
		}
		write(t, s.Path(), string(damaged))
		d, err := Open(dir, Options{Now: s.opt.Now, ReadTimeout: 10 * time.Second})
		if err != nil {
			said = said || strings.Contains(err.Error(), "move it away")
			continue
		}
		_, err1 := d.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
		_, err2 := d.History(t.Context(), Query{})
		_, err3 := d.FindTrace(t.Context(), "00000000")
		err4 := d.Save(t.Context(), NamedProject("p"), runOf(start.AddDate(0, 0, 3), 100, allOK))
		for _, err := range []error{err1, err2, err3, err4} {
			said = said || err != nil && strings.Contains(err.Error(), "damaged")
		}
		d.Close()
		for _, suffix := range []string{"-wal", "-shm"} {
			os.Remove(s.Path() + suffix) //nolint:errcheck // it may not be there
		}
	}
	if !said {
		t.Error("no damage was ever named")
	}
}

func TestALockIsWaitedForAndNamed(t *testing.T) {
	dir := t.TempDir()
	holder := opened(t, dir, Options{})
	tx, err := holder.db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	s := opened(t, dir, Options{WriteTimeout: 50 * time.Millisecond})
	err = s.Save(t.Context(), NamedProject("p"), runOf(start, 1, allOK))
	if err == nil || !strings.Contains(err.Error(), "could not store the run within 50ms") && !strings.Contains(err.Error(), "locked") {
		t.Errorf("error %v", err)
	}
	// A reader does not wait for a writer.
	if _, err := s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "a"}}); err != nil {
		t.Errorf("before: %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	s = opened(t, dir, Options{})
	saved(t, s, NamedProject("p"), runOf(start, 1, allOK))
}

func TestACancelledSaveKeepsNothing(t *testing.T) {
	s := opened(t, t.TempDir(), Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	run := runOf(start, 3, allOK)
	if err := s.Save(ctx, NamedProject("p"), run); err == nil {
		t.Fatal("it was reported as kept")
	}
	if _, err := s.FindTrace(t.Context(), run.Trace); !errors.Is(err, ErrNoTrace) {
		t.Errorf("it was kept: %v", err)
	}
}

// TestFullDisk fills a file system of 400 KiB. It needs root and mount.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400k"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): run as root to test a full disk", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) }) //nolint:errcheck // the test has ended
	s := opened(t, dir, Options{})
	var kept []*Run
	var full error
	for n := 0; full == nil && n < 500; n++ {
		run := runOf(start.Add(time.Duration(n)*time.Minute), 200, func(i int) checks.Finding { return checks.Findings()[(i*7+n)%6] })
		if full = s.Save(t.Context(), NamedProject("p"), run); full == nil {
			kept = append(kept, run)
		}
	}
	if full == nil || full.Error() != "the disk is full" {
		t.Fatalf("after %d runs: %v", len(kept), full)
	}
	if len(kept) == 0 {
		t.Fatal("nothing fitted at all")
	}
	for _, run := range kept {
		if got, err := s.FindTrace(t.Context(), run.Trace); err != nil || len(got.Results) != len(run.Results) {
			t.Errorf("run %s was reported as kept: %v", run.Trace, err)
		}
	}
	wholeFile(t, s)
}

// TestStuckStoreIsLeftAlone holds that a call which does not end is given up
// on, and that nobody waits for the store afterwards.
func TestStuckStoreIsLeftAlone(t *testing.T) {
	s := &Store{opt: Options{}.filled()}
	release, ended := make(chan struct{}), make(chan struct{})
	_, err := call(t.Context(), s, time.Millisecond, "read the history", func(context.Context) (int, error) {
		defer close(ended)
		<-release
		return 1, nil
	})
	if err == nil || err.Error() != "could not read the history within 1ms" {
		t.Errorf("error %v", err)
	}
	if _, err := s.Before(t.Context(), Project{}, nil); err == nil || err.Error() != "an earlier call has not ended" {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	close(release)
	<-ended
}

func TestAPanicOfTheStoreIsAnError(t *testing.T) {
	s := &Store{opt: Options{}.filled()}
	_, err := call(t.Context(), s, time.Second, "read the history", func(context.Context) (int, error) { panic("oh") })
	if err == nil || err.Error() != "the store panicked: oh" {
		t.Errorf("error %v", err)
	}
}
