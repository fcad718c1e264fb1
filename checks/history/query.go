package history

import (
	"cmp"
	"context"
	"database/sql"
	"path"
	"slices"
	"time"
)

// Query is what History is asked for. The zero value is every probe of every
// project over all that is kept.
type Query struct {
	Project string   // a project's key; "" for all
	Match   []string // names, or globs as path.Match reads them; empty for all
	Since   time.Time
	// Cells is how many of the newest cells each strip gives back; 0 is none,
	// and the figures are of all of them in any case.
	Cells int
}

// Strip is what is kept of a probe.
type Strip struct {
	Project Project
	Probe   Probe
	State   State
	// Cells are the newest runs, the oldest first.
	Cells []Cell
	// Streak is the end of the strip: the runs in a row that say the same.
	Streak Streak
	// Windows are figures over the spans of Spans, up to the present, and over
	// all that was asked for.
	Windows [len(spans) + 1]Window
}

// History gives a strip for each probe that was asked for and was run since
// then, in the order of their projects' labels and their names.
func (s *Store) History(ctx context.Context, q Query) ([]Strip, error) {
	strips, err := s.history(ctx, q)
	return strips, plainly(err)
}

func (s *Store) history(ctx context.Context, q Query) ([]Strip, error) {
	for _, m := range q.Match {
		if _, err := path.Match(m, ""); err != nil {
			return nil, err
		}
	}
	// One transaction, so that probes and strips are of the same moment.
	tx, err := s.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	found, order, err := selectProbes(tx, q)
	if err != nil {
		return nil, err
	}
	if err := addStrips(tx, found, q.Since); err != nil {
		return nil, err
	}
	now := s.opt.Now()
	out := make([]Strip, 0, len(order))
	for _, id := range order {
		if p := found[id]; len(p.cells) > 0 {
			out = append(out, p.strip(q.Cells, now))
		}
	}
	return out, nil
}

// selected is a probe that was asked for, with its cells in no order.
type selected struct {
	Strip
	tail  []byte
	cells []byte
}

func selectProbes(tx *sql.Tx, q Query) (map[int64]*selected, []int64, error) {
	rows, err := tx.Query(`SELECT probes.id, projects.key, projects.label, name, vantage, state, cells FROM probes
		JOIN projects ON projects.id = probes.project WHERE ? IN ('', projects.key)`, q.Project)
	if err != nil {
		return nil, nil, err
	}
	defer rows.Close()
	found := map[int64]*selected{}
	var order []int64
	for rows.Next() {
		var id int64
		var state []byte
		p := &selected{}
		if err := rows.Scan(&id, &p.Project.Key, &p.Project.Label, &p.Probe.Name, &p.Probe.Vantage, &state, &p.tail); err != nil {
			return nil, nil, err
		}
		if !matches(q.Match, p.Probe.Name) {
			continue
		}
		if p.State, err = readState(state); err != nil {
			return nil, nil, err
		}
		found[id] = p
		order = append(order, id)
	}
	slices.SortFunc(order, func(a, b int64) int {
		x, y := found[a], found[b]
		return cmp.Or(cmp.Compare(x.Project.Label, y.Project.Label), cmp.Compare(x.Project.Key, y.Project.Key),
			cmp.Compare(x.Probe.Name, y.Probe.Name), cmp.Compare(x.Probe.Vantage, y.Probe.Vantage))
	})
	return found, order, rows.Err()
}

func matches(globs []string, name string) bool {
	if len(globs) == 0 {
		return true
	}
	return slices.ContainsFunc(globs, func(g string) bool {
		ok, err := path.Match(g, name)
		return err == nil && ok
	})
}

// addStrips gathers the cells since a time: one by one for few probes, in one
// pass over all strips for many.
func addStrips(tx *sql.Tx, found map[int64]*selected, since time.Time) error {
	after := millis(since)
	if len(found) > fewProbes {
		if err := scanStrips(tx, found, after, "SELECT probe, cells FROM strips WHERE last >= ?", after); err != nil {
			return err
		}
	} else {
		for id := range found {
			if err := scanStrips(tx, found, after, "SELECT probe, cells FROM strips WHERE probe = ? AND last >= ?", id, after); err != nil {
				return err
			}
		}
	}
	for _, p := range found {
		p.add(p.tail, after)
	}
	return nil
}

func scanStrips(tx *sql.Tx, found map[int64]*selected, after int64, query string, args ...any) error {
	rows, err := tx.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var cells sql.RawBytes
		if err := rows.Scan(&id, &cells); err != nil {
			return err
		}
		if p := found[id]; p != nil {
			p.add(cells, after)
		}
	}
	return rows.Err()
}

// add takes over the cells that are not older than a time.
func (p *selected) add(cells []byte, after int64) {
	for ; len(cells) >= cellSize; cells = cells[cellSize:] {
		if cellAt(cells) >= after {
			p.cells = append(p.cells, cells[:cellSize]...)
		}
	}
}
