package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
)

// TestTwentyWriteOneRecord holds that of many who accept at the same time, each
// writes the whole file over what it has seen, and nothing else stays behind.
func TestTwentyWriteOneRecord(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	var mu sync.Mutex
	written := 0
	for i := range 20 {
		wg.Go(func() {
			for {
				r, err := openRecord(dir, "shapes/x.json")
				if err != nil {
					t.Error(err)
					return
				}
				before, _ := strconv.Atoi(string(r.current))
				err = r.write(t.Context(), []byte(strconv.Itoa(before+1)))
				r.close()
				if errors.Is(err, errChanged) {
					continue
				}
				if err != nil {
					t.Errorf("%d: %v", i, err)
				}
				mu.Lock()
				written++
				mu.Unlock()
				return
			}
		})
	}
	wg.Wait()
	data, err := os.ReadFile(filepath.Join(dir, "shapes", "x.json"))
	if err != nil || string(data) != "20" || written != 20 {
		t.Errorf("%q after %d writes: %v", data, written, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "shapes"))
	if err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
	info, err := os.Stat(filepath.Join(dir, "shapes", "x.json"))
	if err != nil || info.Mode().Perm()&0o400 == 0 || info.Mode().Perm()&0o133 != 0 {
		t.Error(info.Mode(), err)
	}
}

func TestARecordStaysInItsFolder(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	write(t, filepath.Join(outside, "x.json"), "theirs")
	for name, to := range map[string]string{"file.json": filepath.Join(outside, "x.json"), "folder": outside} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "made.json"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file.json", "folder/x.json", "folder/new.json", "../x.json", filepath.Join(outside, "x.json"), "made.json"} {
		r, err := openRecord(dir, name)
		if err == nil {
			err = r.write(t.Context(), []byte("ours"))
			r.close()
		}
		if err == nil {
			t.Errorf("%s was written", name)
		}
	}
	data, err := os.ReadFile(filepath.Join(outside, "x.json"))
	entries, _ := os.ReadDir(outside)
	if string(data) != "theirs" || err != nil || len(entries) != 1 {
		t.Errorf("%q %v %v", data, entries, err)
	}
}

func TestALockedRecordIsWaitedFor(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "x.json.lock"), "")
	r, err := openRecord(dir, "x.json")
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errSignal{2})
	if err := r.write(ctx, []byte("x")); !errors.Is(err, errSignal{2}) {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(dir, "x.json.lock")); err != nil {
		t.Fatal(err)
	}
	if err := r.write(t.Context(), []byte("x")); err != nil {
		t.Error(err)
	}
	if err := r.write(t.Context(), []byte("y")); !errors.Is(err, errChanged) {
		t.Error(err)
	}
}
