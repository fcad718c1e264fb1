package history

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
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
	run, err := s.findRun(ctx, strings.ToUpper(code))
	if errors.Is(err, sql.ErrNoRows) {
		run, err = s.findResult(ctx, packed)
	}
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNoTrace
	}
	return run, plainly(err)
}

// ErrNoRun is a history, or a project of it, that keeps no run.
var ErrNoRun = errors.New("no run is kept")

// Latest is the run of a project that was kept last, by its key; "" is for all
// projects. ErrNoRun where none is kept.
func (s *Store) Latest(ctx context.Context, project string) (*Run, error) {
	run, err := s.readRun(ctx, `SELECT runs.id, head FROM runs JOIN projects ON projects.id = runs.project
		WHERE ? IN ('', projects.key) ORDER BY runs.id DESC LIMIT 1`, project)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, ErrNoRun
	}
	return run, plainly(err)
}

func (s *Store) findRun(ctx context.Context, code string) (*Run, error) {
	return s.readRun(ctx, "SELECT id, head FROM runs WHERE trace = ? ORDER BY id DESC LIMIT 1", code)
}

// readRun reads the run whose id and head a query gives, with all its results.
func (s *Store) readRun(ctx context.Context, query, arg string) (*Run, error) {
	var id int64
	var head []byte
	if err := s.db.QueryRowContext(ctx, query, arg).Scan(&id, &head); err != nil {
		return nil, err
	}
	run, err := readHead(head)
	if err != nil {
		return nil, err
	}
	rows, err := s.db.QueryContext(ctx, "SELECT results FROM blocks WHERE run = ? ORDER BY id", id)
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
func (s *Store) findResult(ctx context.Context, code [traceSize]byte) (*Run, error) {
	rows, err := s.db.QueryContext(ctx, "SELECT id, traces FROM blocks WHERE instr(traces, ?) > 0 ORDER BY id DESC", code[:])
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
		for i := 0; (i+1)*traceSize <= len(traces); i++ {
			if bytes.Equal(traces[i*traceSize:(i+1)*traceSize], code[:]) {
				rows.Close() //nolint:errcheck // the connection is needed for the next query
				return s.oneResult(ctx, id, i)
			}
		}
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	return nil, sql.ErrNoRows
}

func (s *Store) oneResult(ctx context.Context, block int64, index int) (*Run, error) {
	var head, packed []byte
	if err := s.db.QueryRowContext(ctx, "SELECT head, results FROM blocks JOIN runs ON runs.id = blocks.run WHERE blocks.id = ?", block).Scan(&head, &packed); err != nil {
		return nil, err
	}
	run, err := readHead(head)
	if err != nil {
		return nil, err
	}
	results, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	if index >= len(results) {
		return nil, fmt.Errorf("stored results cannot be read: %d of them, number %d is meant", len(results), index+1)
	}
	run.Results = []checks.Result{results[index]}
	return run, nil
}

func readHead(head []byte) (*Run, error) {
	run := &Run{}
	if err := json.Unmarshal(head, run); err != nil {
		return nil, fmt.Errorf("a stored run cannot be read: %w", err)
	}
	return run, nil
}
