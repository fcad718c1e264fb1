package history

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

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
			db, err := s.database(t.Context(), true)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := db.Exec("PRAGMA user_version = 0"); err != nil {
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
	folded(t, s)
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
	for _, c := range []struct {
		name, want string
		o          Options // of the store that waits
		hold       func(t *testing.T, dir string) (release func())
	}{
		{"the log", "could not store the run within 600ms", Options{}, func(t *testing.T, dir string) func() {
			holder := opened(t, dir, Options{})
			if _, _, err := holder.lockLog(t.Context()); err != nil {
				t.Fatal(err)
			}
			return func() { unlock(holder.file) }
		}},
		{"the database", "the run is kept, but history.log cannot be taken over into history.db: could not write into it within 450ms", Options{foldSize: 1, foldRuns: 1}, func(t *testing.T, dir string) func() {
			tx, err := folded(t, opened(t, dir, Options{})).Begin()
			if err != nil {
				t.Fatal(err)
			}
			return func() { tx.Rollback() } //nolint:errcheck // nothing was written
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			saved(t, opened(t, dir, Options{}), NamedProject("p"), runOf(start, 1, allOK))
			release := c.hold(t, dir)
			saved := runOf(start, 1, allOK)
			o := c.o
			o.WriteTimeout = 600 * time.Millisecond
			s := opened(t, dir, o)
			var err error
			for range 2 { // the first may go into the log yet
				err = s.Save(t.Context(), NamedProject("p"), saved)
			}
			if err == nil || err.Error() != c.want && !strings.Contains(err.Error(), "locked") && !strings.Contains(err.Error(), "could not store the run") {
				t.Errorf("error %v", err)
			}
			// A reader does not wait for a writer.
			if _, err := opened(t, dir, Options{}).Before(t.Context(), NamedProject("p"), []Probe{{Name: "a"}}); err != nil {
				t.Errorf("before: %v", err)
			}
			release()
			if err := opened(t, dir, c.o).Save(t.Context(), NamedProject("p"), saved); err != nil {
				t.Errorf("once it is free: %v", err)
			}
		})
	}
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
