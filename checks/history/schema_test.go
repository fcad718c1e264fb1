package history

import (
	"bytes"
	"compress/flate"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

// TestFileOfTheFirstSchema holds that what the versions before the log kept is
// read, before and after it is migrated, by one who looks and by a run.
func TestFileOfTheFirstSchema(t *testing.T) {
	dir := t.TempDir()
	old, err := open(dir, Options{unlocked: true, ReadTimeout: 10 * time.Second}.filled(), migrations[:1])
	if err != nil {
		t.Fatal(err)
	}
	run := runOf(start, 3, allOK)
	keepAsBefore(t, old.db, run)
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

// keepAsBefore keeps a run of probe-00001 as the first schema's versions did.
func keepAsBefore(t *testing.T, db *sql.DB, run *Run) {
	t.Helper()
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
		if _, err := db.Exec(row.text, row.args...); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAnotherProgramsDatabase is left as it is, whatever number its schema has:
// neither a run nor who looks changes a byte of it, and both say what it is.
func TestAnotherProgramsDatabase(t *testing.T) {
	for version := range len(migrations) + 1 {
		t.Run(fmt.Sprintf("schema %d", version), func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, FileName)
			database(t, path, fmt.Sprintf("CREATE TABLE theirs (a); CREATE TABLE runs (b); PRAGMA user_version = %d", version))
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for _, readOnly := range []bool{false, true} {
				s, err := Open(dir, Options{ReadOnly: readOnly, ReadTimeout: 10 * time.Second})
				if err == nil {
					_, err = s.Before(t.Context(), NamedProject("p"), []Probe{{Name: "probe-00001"}})
					s.Close() //nolint:errcheck // the error of the reading is the one to see
				}
				if want := "the file is not a history; move it away to begin a new one"; err == nil || err.Error() != want {
					t.Errorf("read only %v: error %v, want %q", readOnly, err, want)
				}
			}
			if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
				t.Errorf("the file was changed, or is gone (%v)", err)
			}
		})
	}
}

// TestLookingWhileTheDatabaseIsBeingMade finds the runs of the log: between the
// switch to WAL and the first step the file is there and has no table.
func TestLookingWhileTheDatabaseIsBeingMade(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir, Options{})
	saved(t, s, NamedProject("p"), runOf(start, 3, allOK))
	database(t, filepath.Join(dir, FileName), "PRAGMA journal_mode = WAL")
	r := opened(t, dir, Options{ReadOnly: true})
	got, err := r.History(t.Context(), Query{})
	if err != nil || len(got) != 3 {
		t.Errorf("%d probes, error %v; want 3", len(got), err)
	}
}

// database makes a database with a statement.
func database(t *testing.T, path, statement string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close() //nolint:errcheck // a test's own file
	if _, err := db.Exec(statement); err != nil {
		t.Fatal(err)
	}
}
