package history

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

func TestFilesAreForTheirOwnerOnly(t *testing.T) {
	old := syscall.Umask(0)
	defer syscall.Umask(old)
	dir := filepath.Join(t.TempDir(), "a", "state")
	s := opened(t, dir, Options{})
	saved(t, s, NamedProject("p"), runOf(start, 3, allOK))
	folded(t, s)
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
	for _, name := range []string{FileName, FileName + "-wal", FileName + "-shm", LogName} {
		if m := mode(filepath.Join(dir, name)); m != 0o600 {
			t.Errorf("%s is %o", name, m)
		}
	}
}

// TestFullDisk fills a file system of 400 KiB: with the log alone, and with the
// database that the log is taken over into. It needs root and mount.
func TestFullDisk(t *testing.T) {
	for _, o := range []Options{{}, {foldSize: 16 << 10, foldRuns: 2}} {
		t.Run(fmt.Sprint("at ", o.foldRuns), func(t *testing.T) { fullDisk(t, o) })
	}
}

func fullDisk(t *testing.T, o Options) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=400k"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): run as root to test a full disk", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) }) //nolint:errcheck // the test has ended
	s := opened(t, dir, o)
	var kept []*Run
	var full error
	for n := 0; full == nil && n < 500; n++ {
		run := runOf(start.Add(time.Duration(n)*time.Minute), 200, func(i int) checks.Finding { return checks.Findings()[(i*7+n)%6] })
		full = s.Save(t.Context(), NamedProject("p"), run)
		if errors.Is(full, ErrNotTakenOver) {
			full = nil
		}
		if full == nil {
			kept = append(kept, run)
		}
	}
	if full == nil || full.Error() != "the disk is full" {
		t.Fatalf("after %d runs: %v", len(kept), full)
	}
	if len(kept) == 0 {
		t.Fatal("nothing fitted at all")
	}
	for _, s := range []*Store{s, opened(t, dir, o)} {
		strips, err := s.History(t.Context(), Query{})
		if err != nil || len(strips) != 200 || strips[0].Windows[len(spans)].Runs != len(kept) {
			t.Errorf("%d strips, %v", len(strips), err)
		}
		for _, run := range kept {
			if got, err := s.FindTrace(t.Context(), run.Trace); err != nil || len(got.Results) != len(run.Results) {
				t.Errorf("run %s was reported as kept: %v", run.Trace, err)
			}
		}
	}
	if db, err := s.database(t.Context(), false); err != nil || (db != nil) != (o.foldRuns > 0) {
		t.Errorf("database %v, %v", db, err)
	} else if db != nil {
		wholeFile(t, s)
	}
}

// TestReadOnlyDisk needs root and mount.
func TestReadOnlyDisk(t *testing.T) {
	for _, c := range []struct {
		name          string
		before, after int // runs before and after the log is taken over
	}{{"the log alone", 0, 2}, {"the database alone", 2, 0}, {"both", 2, 1}} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
				t.Skipf("a small file system cannot be mounted here (%v): run as root to test a read-only disk", err)
			}
			t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) }) //nolint:errcheck // the test has ended
			s := opened(t, dir, Options{})
			var last *Run
			for n := range c.before + c.after {
				if n == c.before && n > 0 {
					folded(t, s)
				}
				last = runOf(start.Add(time.Duration(n)*time.Hour), 3, allOK)
				saved(t, s, NamedProject("p"), last)
			}
			if c.after == 0 {
				folded(t, s)
			}
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(dir, Options{ReadTimeout: 10 * time.Second}); err == nil || !strings.Contains(err.Error(), "read-only file system") {
				t.Errorf("error %v", err)
			}
			// What is there can be looked at all the same.
			look := opened(t, dir, Options{ReadOnly: true})
			strips, err := look.History(t.Context(), Query{})
			if err != nil || len(strips) != 3 || strips[0].Windows[len(spans)].Runs != c.before+c.after {
				t.Errorf("%d strips, %v", len(strips), err)
			}
			if run, err := look.Latest(t.Context(), ""); err != nil || run.Trace != last.Trace {
				t.Errorf("the latest is %v, %v", run, err)
			}
		})
	}
}

// TestAPipeIsNoHistory: to open one for reading is to wait for somebody who
// writes, who never comes.
func TestAPipeIsNoHistory(t *testing.T) {
	for _, name := range []string{LogName, FileName} {
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, opt := range []Options{{}, {ReadOnly: true}} {
			s, err := Open(dir, opt)
			if err == nil {
				_, err = s.History(t.Context(), Query{})
				if cerr := s.Close(); cerr != nil {
					t.Errorf("%s: %v", name, cerr)
				}
			}
			if said, ok := errors.AsType[*Error](err); !ok || !strings.Contains(said.Reason, "move it away") {
				t.Errorf("%s, read only %v: %v", name, opt.ReadOnly, err)
			}
		}
	}
}
