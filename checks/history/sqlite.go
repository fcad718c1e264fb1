package history

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// writer writes inside a transaction. The transaction has the call's context; a
// statement that had it too would cost a goroutine each.
type writer struct {
	tx   *sql.Tx
	now  time.Time
	runs int   // how many it has written
	run  int64 // the number of the newest
}

// projectOf gives the number of a project, which is new or has a new label.
func (w *writer) projectOf(p Project) (int64, error) {
	if _, err := w.tx.Exec("INSERT INTO projects (key, label) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET label = excluded.label", p.Key, p.Label); err != nil {
		return 0, err
	}
	return projectID(context.Background(), w.tx, p.Key)
}

// store writes a run with its blocks.
func (w *writer) store(project, at int64, d *body) error {
	res, err := w.tx.Exec("INSERT INTO runs (project, trace, at, head) VALUES (?, ?, ?, ?)", project, d.trace, at, d.head)
	if err != nil {
		return err
	}
	if w.run, err = res.LastInsertId(); err != nil {
		return err
	}
	w.runs++
	insert, err := w.tx.Prepare("INSERT INTO blocks (run, traces, results) VALUES (?, ?, ?)")
	if err != nil {
		return err
	}
	defer insert.Close()
	for _, b := range d.blocks {
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

// upsert takes what was gathered of a project's probes into their rows and
// strips.
func (w *writer) upsert(ctx context.Context, g *gathered) error {
	keys := make([]Probe, len(g.order))
	for i, p := range g.order {
		keys[i] = p.key
	}
	rows, err := readProbes(ctx, w.tx, g.id, keys)
	if err != nil {
		return err
	}
	up := upserts{now: w.now.UnixMilli()}
	if err := up.prepare(w.tx); err != nil {
		return err
	}
	defer up.close()
	for _, p := range g.order {
		if err := up.probe(g.id, p, rows[p.key]); err != nil {
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

// upserts are the statements that a fold needs once per probe.
type upserts struct {
	now                   int64 // milliseconds since 1970
	insert, update, strip *sql.Stmt
}

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

func (u *upserts) probe(project int64, p *gatheredProbe, row stored) error {
	state, err := readState(p.state)
	if err != nil {
		return fmt.Errorf("probe %s: %w", p.key.Name, err)
	}
	full := (stripCells + int(row.id%stripCells)) * cellSize
	cells := append(row.cells, p.cells...)
	// When it ran last, as far as one clock that was wrong does not tell.
	at := min(u.now, max(millis(state.At), newest(cells)))
	// The newest stay in the row, one at least.
	older := max(0, (len(cells)-1)/full*full)
	if row.id == 0 {
		res, err := u.insert.Exec(project, p.key.Name, p.key.Vantage, at, p.state, cells[older:])
		if err != nil {
			return err
		}
		if row.id, err = res.LastInsertId(); err != nil {
			return err
		}
	} else if _, err := u.update.Exec(at, p.state, cells[older:], row.id); err != nil {
		return err
	}
	for strip := cells[:older]; len(strip) > 0; strip = strip[full:] {
		if _, err := u.strip.Exec(row.id, newest(strip[:full]), strip[:full]); err != nil {
			return err
		}
	}
	return nil
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
	rower
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// projectID is the number of a project; sql.ErrNoRows where it is not known.
func projectID(ctx context.Context, q rower, key string) (id int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT id FROM projects WHERE key = ?", key).Scan(&id)
	return id, err
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
