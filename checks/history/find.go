package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// ErrNoTrace is a trace code that no kept run has.
var ErrNoTrace = errors.New("no kept run has this trace code")

// FindTrace finds a kept run by its own trace code, or a result by its: the run
// then has that one result. The code's case does not matter. Of several runs
// with one code the latest is meant. ErrNoTrace where none is kept.
func (s *Store) FindTrace(ctx context.Context, code string) (*Run, error) {
	packed, ok := packTrace(code)
	if !ok {
		return nil, ErrNoTrace
	}
	code = strings.ToUpper(code)
	run, err := s.seek(ctx, []search{
		{
			inLog: func(_ *known, d *body) (*Run, error) {
				if strings.ToUpper(d.trace) != code {
					return nil, nil
				}
				return d.run()
			},
			inDB: func(db *sql.DB) (*Run, error) {
				return readRun(ctx, db, "SELECT id, head FROM runs WHERE trace = ? ORDER BY id DESC LIMIT 1", code)
			},
		},
		{
			inLog: func(_ *known, d *body) (*Run, error) { return d.result(packed) },
			inDB:  func(db *sql.DB) (*Run, error) { return findResult(ctx, db, packed) },
		},
	})
	if err == nil && run == nil {
		return nil, ErrNoTrace
	}
	return run, plainly(err)
}

// ErrNoRun is a history, or a project of it, that keeps no run.
var ErrNoRun = errors.New("no run is kept")

// Latest is the run of a project that was kept last, by its key; "" is for all
// projects. ErrNoRun where none is kept.
func (s *Store) Latest(ctx context.Context, project string) (*Run, error) {
	run, err := s.seek(ctx, []search{{
		inLog: func(k *known, d *body) (*Run, error) {
			if project != "" && k.project.Key != project {
				return nil, nil
			}
			return d.run()
		},
		inDB: func(db *sql.DB) (*Run, error) {
			return readRun(ctx, db, `SELECT runs.id, head FROM runs JOIN projects ON projects.id = runs.project
				WHERE ? IN ('', projects.key) ORDER BY runs.id DESC LIMIT 1`, project)
		},
	}})
	if err == nil && run == nil {
		return nil, ErrNoRun
	}
	return run, plainly(err)
}

// search is a way to find a run: in a record of the log (nil where it is not
// there), or in the database (sql.ErrNoRows).
type search struct {
	inLog func(*known, *body) (*Run, error)
	inDB  func(*sql.DB) (*Run, error)
}

// seek tries one way after the other, each in the log from its newest run on
// and then in the database; nil where nothing is found. What moves from the one
// into the other meanwhile is found in one of them.
func (s *Store) seek(ctx context.Context, ways []search) (run *Run, err error) {
	s.work.Lock()
	defer s.work.Unlock()
	err = s.look(func(l *runlog) error {
		runs, err := newestFirst(l)
		if err != nil {
			return err
		}
		db, err := s.database(ctx, false)
		if err != nil {
			return err
		}
		for _, way := range ways {
			for i := 0; run == nil && err == nil && i < len(runs); i++ {
				run, err = l.ask(runs[i], way)
			}
			if run == nil && err == nil && db != nil {
				run, err = way.inDB(db)
			}
			if errors.Is(err, sql.ErrNoRows) {
				err = nil
			}
			if run != nil || err != nil {
				return err
			}
		}
		return nil
	})
	return run, err
}

func newestFirst(l *runlog) ([]record, error) {
	runs, err := l.all()
	slices.Reverse(runs)
	return runs, err
}

// ask asks one record.
func (l *runlog) ask(r record, way search) (*Run, error) {
	k, d, err := l.read(r)
	if err != nil {
		return nil, err
	}
	return way.inLog(k, d)
}

// read takes a record of a run to pieces.
func (l *runlog) read(r record) (*known, *body, error) {
	states, err := l.part(r.states)
	if err != nil {
		return nil, nil, err
	}
	packed, err := l.part(r.body)
	if err != nil {
		return nil, nil, err
	}
	k, err := readKnown(states, r.kind)
	if err != nil {
		return nil, nil, err
	}
	d, err := readBody(packed)
	return k, d, err
}

// readRun reads the run whose id and head a query gives, with all its results.
func readRun(ctx context.Context, db querier, query, arg string) (*Run, error) {
	var id int64
	var head []byte
	if err := db.QueryRowContext(ctx, query, arg).Scan(&id, &head); err != nil {
		return nil, err
	}
	run, err := readHead(head)
	if err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, "SELECT results FROM blocks WHERE run = ? ORDER BY id", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var packed []byte
		if err := rows.Scan(&packed); err != nil {
			return nil, err
		}
		results, err := unpack(packed)
		if err != nil {
			return nil, err
		}
		run.Results = append(run.Results, results...)
	}
	return run, rows.Err()
}

// findResult looks for a result's code among the codes that stand in front of
// the blocks: five bytes a result are read of all that is kept, and no index of
// them has to be written by every run.
func findResult(ctx context.Context, db querier, code [traceSize]byte) (*Run, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, traces FROM blocks WHERE instr(traces, ?) > 0 ORDER BY id DESC", code[:])
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		var traces []byte
		if err := rows.Scan(&id, &traces); err != nil {
			return nil, err
		}
		if i := traceIndex(traces, code); i >= 0 {
			rows.Close() //nolint:errcheck // the connection is needed for the next query
			var head, packed []byte
			if err := db.QueryRowContext(ctx, "SELECT head, results FROM blocks JOIN runs ON runs.id = blocks.run WHERE blocks.id = ?", id).Scan(&head, &packed); err != nil {
				return nil, err
			}
			return oneOf(head, packed, i)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return nil, sql.ErrNoRows
}

// traceIndex is which result of a block has a code; -1 for none.
func traceIndex(traces []byte, code [traceSize]byte) int {
	for i := 0; (i+1)*traceSize <= len(traces); i++ {
		if [traceSize]byte(traces[i*traceSize:]) == code {
			return i
		}
	}
	return -1
}

func readHead(head []byte) (*Run, error) {
	run := &Run{}
	if err := json.Unmarshal(head, run); err != nil {
		return nil, fmt.Errorf("a stored run cannot be read: %w", err)
	}
	return run, nil
}
