package history

import (
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

// TestReadOnlyDisk needs root and mount.
func TestReadOnlyDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("a small file system cannot be mounted here (%v): run as root to test a read-only disk", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) }) //nolint:errcheck // the test has ended
	s := opened(t, dir, Options{})
	saved(t, s, NamedProject("p"), runOf(start, 3, allOK))
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
	strips, err := opened(t, dir, Options{ReadOnly: true}).History(t.Context(), Query{})
	if err != nil || len(strips) != 3 {
		t.Errorf("%d strips, %v", len(strips), err)
	}
}
