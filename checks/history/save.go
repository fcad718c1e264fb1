package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// Save keeps a run. When it returns nil the run is kept, whole, and no end of a
// process takes it away; on an error nothing of it is kept. It waits for other processes that write, within
// the store's WriteTimeout.
func (s *Store) Save(ctx context.Context, project Project, run *Run) error {
	_, err := call(ctx, s, s.opt.WriteTimeout, "store the run", func(ctx context.Context) (struct{}, error) {
		return struct{}{}, s.save(ctx, project, run)
	})
	return err
}

func (s *Store) save(ctx context.Context, project Project, run *Run) error {
	// Whatever takes long is done before the file is locked.
	head, err := json.Marshal(run)
	if err != nil {
		return err
	}
	blocks, err := run.blocks()
	if err != nil {
		return err
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	w := writer{tx: tx, now: s.opt.Now()}
	if err := w.write(project, run, head, blocks); err != nil {
		return err
	}
	if err := w.prune(w.now.Add(-s.opt.Keep).UnixMilli(), s.opt.MaxSize); err != nil {
		return err
	}
	// Its context was the transaction's: a run that came too late is not kept.
	return tx.Commit()
}

// writer writes one run inside a transaction. The transaction has the call's
// context; a statement that had it too would cost a goroutine each.
type writer struct {
	tx  *sql.Tx
	now time.Time
	run int64 // the number of the run, once it is written
}

func (w *writer) write(project Project, run *Run, head []byte, blocks []block) error {
	if _, err := w.tx.Exec("INSERT INTO projects (key, label) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET label = excluded.label", project.Key, project.Label); err != nil {
		return err
	}
	var id int64
	if err := w.tx.QueryRow("SELECT id FROM projects WHERE key = ?", project.Key).Scan(&id); err != nil {
		return err
	}
	if err := w.probes(id, run); err != nil {
		return err
	}
	res, err := w.tx.Exec("INSERT INTO runs (project, trace, at, head) VALUES (?, ?, ?, ?)", id, run.Trace, run.StartedAt.UnixMilli(), head)
	if err != nil {
		return err
	}
	if w.run, err = res.LastInsertId(); err != nil {
		return err
	}
	insert, err := w.tx.Prepare("INSERT INTO blocks (run, traces, results) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, b := range blocks {
		if _, err := insert.Exec(w.run, b.traces, b.results); err != nil {
			return err
		}
	}
	return nil
}

// stored is a probe's row.
type stored struct {
	id    int64
	state State
	cells []byte
}

// probes takes every result into its probe's state and strip.
func (w *writer) probes(project int64, run *Run) error {
	keys := make([]Probe, len(run.Results))
	for i := range run.Results {
		keys[i] = ProbeOf(&run.Results[i])
	}
	rows, err := readProbes(context.Background(), w.tx, project, keys)
	if err != nil {
		return err
	}
	var up upserts
	if err := up.prepare(w.tx); err != nil {
		return err
	}
	defer up.close()
	for i := range run.Results {
		o := Observe(&run.Results[i], run.StartedAt)
		row := rows[keys[i]]
		row.state = row.state.Next(o, w.now)
		if err := up.probe(project, keys[i], row, cellOf(&run.Results[i], o)); err != nil {
			return err
		}
	}
	return nil
}

// ProbeOf names the probe of a result.
func ProbeOf(r *checks.Result) Probe {
	p := Probe{Name: r.Name}
	if r.Vantage != nil {
		p.Vantage = *r.Vantage
	}
	return p
}

// upserts are the statements that a run needs once per probe.
type upserts struct{ insert, update, strip *sql.Stmt }

func (u *upserts) prepare(tx *sql.Tx) (err error) {
	for _, s := range []struct {
		into *(*sql.Stmt)
		text string
	}{
		{&u.insert, "INSERT INTO probes (project, name, vantage, at, state, cells) VALUES (?, ?, ?, ?, ?, ?)"},
		{&u.update, "UPDATE probes SET at = ?, state = ?, cells = ? WHERE id = ?"},
		{&u.strip, "INSERT INTO strips (probe, last, cells) VALUES (?, ?, ?)"},
	} {
		if *s.into, err = tx.Prepare(s.text); err != nil {
			return err
		}
	}
	return nil
}

func (u *upserts) close() {
	for _, s := range []*sql.Stmt{u.insert, u.update, u.strip} {
		s.Close() //nolint:errcheck // the transaction's end closes it too
	}
}

// stripCells is how many cells a probe's row holds at least before they become
// a strip; up to as many more, by the probe's number, so that ten thousand
// probes that run together do not all fill theirs in the same run.
const stripCells = 32

func (u *upserts) probe(project int64, key Probe, row stored, cell Cell) error {
	if n := len(row.cells) / cellSize; n >= stripCells+int(row.id%stripCells) {
		if _, err := u.strip.Exec(row.id, newest(row.cells), row.cells); err != nil {
			return err
		}
		row.cells = nil
	}
	state, cells := appendState(nil, row.state), appendCell(row.cells, cell)
	if row.id == 0 {
		_, err := u.insert.Exec(project, key.Name, key.Vantage, millis(row.state.At), state, cells)
		return err
	}
	_, err := u.update.Exec(millis(row.state.At), state, cells, row.id)
	return err
}

// newest is the latest time in a strip.
func newest(cells []byte) int64 {
	last := int64(0)
	for i := 0; i+cellSize <= len(cells); i += cellSize {
		last = max(last, cellAt(cells[i:]))
	}
	return last
}

// querier is a database or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// fewProbes is up to how many probes are looked up one by one; for more, all of
// the project are read.
const fewProbes = 50

// readProbes reads the rows of some probes of a project; one that is not known
// is left out.
func readProbes(ctx context.Context, q querier, project int64, keys []Probe) (map[Probe]stored, error) {
	const columns = "SELECT id, name, vantage, state, cells FROM probes WHERE project = ?"
	out := make(map[Probe]stored, len(keys))
	if len(keys) > fewProbes {
		return out, scanProbes(ctx, q, out, columns, project)
	}
	for _, k := range keys {
		if err := scanProbes(ctx, q, out, columns+" AND name = ? AND vantage = ?", project, k.Name, k.Vantage); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func scanProbes(ctx context.Context, q querier, into map[Probe]stored, query string, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var key Probe
		var row stored
		var state []byte
		if err := rows.Scan(&row.id, &key.Name, &key.Vantage, &state, &row.cells); err != nil {
			return err
		}
		if row.state, err = readState(state); err != nil {
			return fmt.Errorf("probe %s: %w", key.Name, err)
		}
		into[key] = row
	}
	return rows.Err()
}

// Before gives the states of probes as they were before the present run, within
// the store's ReadTimeout. A probe that was never run has no entry.
func (s *Store) Before(ctx context.Context, project Project, probes []Probe) (map[Probe]State, error) {
	return call(ctx, s, s.opt.ReadTimeout, "read the history", func(ctx context.Context) (map[Probe]State, error) {
		var id int64
		err := s.db.QueryRowContext(ctx, "SELECT id FROM projects WHERE key = ?", project.Key).Scan(&id)
		if errors.Is(err, sql.ErrNoRows) {
			return map[Probe]State{}, nil
		}
		if err != nil {
			return nil, err
		}
		rows, err := readProbes(ctx, s.db, id, probes)
		if err != nil {
			return nil, err
		}
		now := s.opt.Now()
		states := make(map[Probe]State, len(rows))
		for k, row := range rows {
			if row.state.At.After(now) {
				row.state = row.state.rewind(now)
			}
			states[k] = row.state
		}
		return states, nil
	})
}
