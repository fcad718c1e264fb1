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

func (s *Store) history(ctx context.Context, q Query) (out []Strip, err error) {
	for _, m := range q.Match {
		if _, err := path.Match(m, ""); err != nil {
			return nil, err
		}
	}
	s.work.Lock()
	defer s.work.Unlock()
	err = s.look(func(l *runlog) error {
		found := &selection{Query: q, of: map[probeOf]*selected{}, byID: map[int64]*selected{}}
		runs, err := s.selectStored(ctx, found, l)
		if err == nil {
			err = found.addLog(l, runs)
		}
		if err == nil {
			out = found.strips(s.opt.Now())
		}
		return err
	})
	return out, err
}

// selectStored gathers what the database has, and says which runs of the log it
// has not. One transaction, so that all of it is of the same moment; the log is
// of a moment before, so that no run is in neither.
func (s *Store) selectStored(ctx context.Context, found *selection, l *runlog) (runs []record, err error) {
	db, err := s.database(ctx, false)
	if err != nil {
		return nil, err
	}
	if db == nil {
		return l.all()
	}
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	if l != nil && s.schema > 1 {
		runs, err = unfolded(ctx, tx, l)
	} else {
		runs, err = l.all()
	}
	if err != nil {
		return nil, err
	}
	if err := found.selectProbes(tx); err != nil {
		return nil, err
	}
	return runs, found.addStrips(tx)
}

// selection is the probes that were asked for.
type selection struct {
	Query
	of   map[probeOf]*selected
	byID map[int64]*selected // those that the database has
}

// probeOf names a probe of a project, by its key.
type probeOf struct {
	project string
	Probe
}

// selected is a probe that was asked for, with its cells in the order in which
// they were kept: its strips, its row's, then the log's.
type selected struct {
	Strip
	tail  []byte
	cells []byte
}

func (s *selection) selectProbes(tx *sql.Tx) error {
	rows, err := tx.Query(`SELECT probes.id, projects.key, projects.label, name, vantage, state, cells FROM probes
		JOIN projects ON projects.id = probes.project WHERE ? IN ('', projects.key)`, s.Project)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var state []byte
		p := &selected{}
		if err := rows.Scan(&id, &p.Project.Key, &p.Project.Label, &p.Probe.Name, &p.Probe.Vantage, &state, &p.tail); err != nil {
			return err
		}
		if !matches(s.Match, p.Probe.Name) {
			continue
		}
		if p.State, err = readState(state); err != nil {
			return err
		}
		s.of[probeOf{p.Project.Key, p.Probe}], s.byID[id] = p, p
	}
	return rows.Err()
}

// addLog gathers what some runs of the log have.
func (s *selection) addLog(l *runlog, runs []record) error {
	for _, r := range runs {
		b, err := l.part(r.states)
		if err != nil {
			return err
		}
		k, err := readKnown(b, r.kind)
		if err != nil {
			return err
		}
		if s.Project != "" && s.Project != k.project.Key {
			continue
		}
		if err := s.addRun(k); err != nil {
			return err
		}
	}
	return nil
}

func (s *selection) addRun(k *known) error {
	after := millis(s.Since)
	return k.each(func(i int, name, vantage, state []byte) (err error) {
		key := probeOf{k.project.Key, Probe{string(name), string(vantage)}}
		p := s.of[key]
		if p == nil {
			if !matches(s.Match, key.Name) {
				return nil
			}
			p = &selected{Strip: Strip{Probe: key.Probe}}
			s.of[key] = p
		}
		p.Project = k.project
		p.add(k.cell(i), after)
		p.State, err = readState(state)
		return err
	})
}

// strips are the strips of the probes that ran, in their order.
func (s *selection) strips(now time.Time) []Strip {
	order := make([]*selected, 0, len(s.of))
	for _, p := range s.of {
		if len(p.cells) > 0 {
			order = append(order, p)
		}
	}
	slices.SortFunc(order, func(x, y *selected) int {
		return cmp.Or(cmp.Compare(x.Project.Label, y.Project.Label), cmp.Compare(x.Project.Key, y.Project.Key),
			cmp.Compare(x.Probe.Name, y.Probe.Name), cmp.Compare(x.Probe.Vantage, y.Probe.Vantage))
	})
	out := make([]Strip, 0, len(order))
	for _, p := range order {
		out = append(out, p.strip(s.Cells, now))
	}
	return out
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

// addStrips gathers the cells since a time, in the order in which they were kept:
// one by one for few probes, in one pass over all strips for many.
func (s *selection) addStrips(tx *sql.Tx) error {
	after := millis(s.Since)
	if len(s.byID) > fewProbes {
		if err := scanStrips(tx, s.byID, after, "SELECT probe, cells FROM strips WHERE last >= ? ORDER BY id", after); err != nil {
			return err
		}
	} else {
		for id := range s.byID {
			if err := scanStrips(tx, s.byID, after, "SELECT probe, cells FROM strips WHERE probe = ? AND last >= ? ORDER BY id", id, after); err != nil {
				return err
			}
		}
	}
	for _, p := range s.byID {
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
