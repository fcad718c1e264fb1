package history

import (
	"context"
	"database/sql"
	"errors"
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

// errNoTables is a database that is being made: it has no table yet.
var errNoTables = errors.New("the database has no tables yet")

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
	version, err := schemaOf(ctx, db, len(s.steps))
	if err != nil {
		return err
	}
	s.schema = version
	switch {
	case version == len(s.steps), s.opt.ReadOnly && version > 0:
		return nil
	case s.opt.ReadOnly:
		return errNoTables
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

// schemaOf reads the schema's number. Other programs have such numbers as well: a
// file without the tables of the first schema is not ours, and nothing of it
// may be changed, nor its journal. One statement, so that nobody else's upgrade
// comes between.
func schemaOf(ctx context.Context, db *sql.DB, known int) (version int, err error) {
	all, ours := 0, 0
	err = db.QueryRowContext(ctx, `SELECT user_version, (SELECT count(*) FROM sqlite_schema),
		(SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN ('projects', 'probes', 'strips', 'runs', 'blocks'))
		FROM pragma_user_version`).Scan(&version, &all, &ours)
	switch {
	case err != nil:
		return 0, err
	case version > known:
		return 0, newerSchema(version, known)
	case version == 0 && all > 0, version != 0 && ours < 5:
		return 0, &Error{Reason: reasons[sqlite3.SQLITE_NOTADB]}
	}
	return version, nil
}

// migrate takes the steps that the file has not seen, whoever else may have
// taken some meanwhile.
func (s *Store) migrate(ctx context.Context, tx *sql.Tx) error {
	version := 0
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
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
