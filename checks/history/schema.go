package history

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	sqlite3 "modernc.org/sqlite/lib"
)

// migrations are the steps from an empty file to the present schema. A file's
// user_version is how many of them it has seen. Steps are added at the end,
// never changed.
var migrations = []string{
	// probes: the present state, and the newest cells until a strip is full.
	// strips: older cells of a probe, some dozens in a row; last is the time of
	// the newest. runs: head is a run without its results (JSON). blocks: results
	// of a run, compressed, with their trace codes (5 bytes each) in front.
	`CREATE TABLE projects (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, label TEXT NOT NULL);
	CREATE TABLE probes (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, name TEXT NOT NULL, vantage TEXT NOT NULL,
		at INTEGER NOT NULL, state BLOB NOT NULL, cells BLOB NOT NULL, UNIQUE (project, name, vantage));
	CREATE TABLE strips (id INTEGER PRIMARY KEY, probe INTEGER NOT NULL, last INTEGER NOT NULL, cells BLOB NOT NULL);
	CREATE INDEX strips_of ON strips (probe, last);
	CREATE TABLE runs (id INTEGER PRIMARY KEY, project INTEGER NOT NULL, trace TEXT NOT NULL, at INTEGER NOT NULL, head BLOB NOT NULL);
	CREATE INDEX runs_by_trace ON runs (trace);
	CREATE TABLE blocks (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, traces BLOB NOT NULL, results BLOB NOT NULL);
	CREATE INDEX blocks_of ON blocks (run);`,
	// folded: up to which place of a log its records are in here.
	`CREATE TABLE folded (id INTEGER PRIMARY KEY, generation BLOB NOT NULL UNIQUE, upto INTEGER NOT NULL)`,
}

// leastReadable is the oldest schema that can be looked at as it is.
const leastReadable = 1

// settle brings the file to the present schema. Many processes may do so at
// once: whoever comes second finds it done. The switch to WAL answers "locked"
// without waiting while another process makes it, so that it is tried again
// until the bound of Open.
func (s *Store) settle(ctx context.Context, db *sql.DB) error {
	pause := time.Millisecond
	for begin := time.Now(); ; {
		err := s.upgrade(ctx, db)
		if code := primary(err); code != sqlite3.SQLITE_BUSY && code != sqlite3.SQLITE_LOCKED || time.Since(begin) > s.opt.OpenTimeout || ctx.Err() != nil {
			return err
		}
		time.Sleep(pause)
		pause = min(2*pause, 20*time.Millisecond)
	}
}

func (s *Store) upgrade(ctx context.Context, db *sql.DB) error {
	version := 0
	if err := db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	s.schema = version
	switch {
	case version > len(s.steps):
		return newerSchema(version, len(s.steps))
	case version == len(s.steps), s.opt.ReadOnly && version >= leastReadable:
		return nil
	case s.opt.ReadOnly:
		return &Error{Reason: fmt.Sprintf("the file is of an older version (schema %d); the next run brings it to %d", version, len(s.steps))}
	}
	s.upgraded = true
	if version == 0 {
		// Only an empty file can be told to give back its free pages, and only
		// outside a transaction.
		if _, err := db.ExecContext(ctx, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL"); err != nil {
			return err
		}
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	if err := s.migrate(ctx, tx); err != nil {
		return err
	}
	return tx.Commit()
}

// migrate takes the steps that the file has not seen, whoever else may have
// taken some meanwhile.
func (s *Store) migrate(ctx context.Context, tx *sql.Tx) error {
	version := 0
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	if version == 0 {
		tables := 0
		if err := tx.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
			return err
		}
		if tables > 0 {
			return &Error{Reason: reasons[sqlite3.SQLITE_NOTADB]}
		}
	}
	for ; version < len(s.steps); version++ {
		if _, err := tx.ExecContext(ctx, s.steps[version]); err != nil {
			return err
		}
	}
	s.schema = version
	_, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", version))
	return err
}
