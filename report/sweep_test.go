package report

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What a killed run left beside its report goes; nothing else does.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	path := filepath.Join(dir, "r.json")
	old := now.Add(-abandoned - time.Minute)
	for name, at := range map[string]time.Time{
		"r.json": old, "r.json.12-0.tmp": old, "r.json.99999-100.tmp": old, "r.json.13-0.tmp": now.Add(-abandoned / 2),
		"r.json.tmp": old, "r.json.12.tmp": old, "r.json.-.tmp": old, "r.json.a-0.tmp": old, "other.json.12-0.tmp": old, "r.json.12-0.tmp.old": old,
	} {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "r.json.14-0.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(filepath.Join(dir, "r.json.14-0.tmp"), old, old); err != nil {
		t.Fatal(err)
	}
	sweep(path, now)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	want := []string{
		"other.json.12-0.tmp", "r.json", "r.json.-.tmp", "r.json.12-0.tmp.old", "r.json.12.tmp", "r.json.13-0.tmp", "r.json.14-0.tmp",
		"r.json.a-0.tmp", "r.json.tmp",
	}
	if !slices.Equal(left, want) {
		t.Errorf("left are\n%q, want\n%q", left, want)
	}
	sweep(filepath.Join(dir, "nowhere", "r.json"), now) // is no error
	t.Chdir(dir)
	if err := os.Chtimes("r.json.13-0.tmp", old, old); err != nil {
		t.Fatal(err)
	}
	sweep("r.json", now)
	if _, err := os.Stat("r.json.13-0.tmp"); !os.IsNotExist(err) {
		t.Errorf("beside a report in the current folder: %v", err)
	}
}

// The name that a temporary file is given is one that is swept.
func TestTemporaryFilesAreSwept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.json")
	for range 2 {
		file, err := createBeside(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if name := filepath.Base(file.Name()); !isTemporary(name, "r.json") {
			t.Errorf("%s is not swept", name)
		}
	}
}
