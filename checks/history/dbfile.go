package history

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"
)

// sqliteMagic begins every file of SQLite that holds anything, and at
// userVersion its schema's number stands (https://www.sqlite.org/fileformat.html,
// 1.3).
const (
	sqliteMagic = "SQLite format 3\x00"
	sqliteHead  = 100
	userVersion = 60
)

// lie is what the first bytes of a database tell.
type lie int

const (
	lieNone   lie = iota // there is no database
	lieKnown             // it is of the present schema
	lieUnsure            // SQLite has to be asked
)

// irregular reports that a path is neither a file nor a folder: to open a pipe
// is to wait for somebody who writes into it.
func irregular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// lies finds out what lies at the path of the database without opening SQLite.
// A database that is of another program, or newer, is an error.
func lies(path string, schema int) (lie, error) {
	if irregular(path) {
		return lieNone, &Error{Reason: reasons[sqlite3.SQLITE_NOTADB]}
	}
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return lieNone, nil
	}
	if err != nil {
		return lieNone, err
	}
	defer f.Close() //nolint:errcheck // it was read only
	head := make([]byte, sqliteHead)
	n, err := io.ReadFull(f, head)
	if n == 0 && err == io.EOF {
		if settled(path) {
			return lieNone, nil
		}
		return lieUnsure, nil
	}
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return lieNone, err
	}
	if n < sqliteHead || string(head[:len(sqliteMagic)]) != sqliteMagic {
		return lieNone, &Error{Reason: reasons[sqlite3.SQLITE_NOTADB]}
	}
	switch version := int(binary.BigEndian.Uint32(head[userVersion:])); {
	case version > schema:
		return lieNone, newerSchema(version, schema)
	case version == schema:
		return lieKnown, nil
	}
	return lieUnsure, nil // it is older, or what makes it newer is still in its log
}

func newerSchema(version, known int) error {
	return &Error{Reason: fmt.Sprintf("the file is of a newer version of fonteviva (schema %d, this one knows %d)", version, known)}
}

// settled reports whether everything is in the file, and nothing in its log.
func settled(path string) bool {
	info, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// database opens SQLite if it is not open yet. Where there is no database it is
// made if that is asked for, and otherwise there is none: nil.
func (s *Store) database(ctx context.Context, create bool) (*sql.DB, error) {
	if s.db != nil {
		return s.db, nil
	}
	path := s.Path()
	if irregular(path) {
		return nil, &Error{Reason: reasons[sqlite3.SQLITE_NOTADB]}
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 && settled(path) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if !create || s.opt.ReadOnly {
			return nil, nil
		}
	}
	if !s.opt.ReadOnly {
		// So that it is never open to other users, whatever the umask: SQLite gives
		// its further files the mode of the first.
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			return nil, err
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
	}
	err := s.connect(ctx, s.dsn(path))
	if err != nil && s.opt.ReadOnly && settled(path) && !errors.Is(err, errNoTables) {
		// Not even the index of the log can be made in a folder that cannot be
		// written; and without a log nobody needs it.
		err = s.connect(ctx, s.dsn(path)+"&immutable=1")
	}
	if errors.Is(err, errNoTables) {
		return nil, nil
	}
	return s.db, err
}

func (s *Store) connect(ctx context.Context, dsn string) error {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return err
	}
	// One connection: a process has one run to read for and to write.
	db.SetMaxOpenConns(1)
	if err := s.settle(ctx, db); err != nil {
		db.Close() //nolint:errcheck // the first error is the one to tell
		return err
	}
	s.db = db
	return nil
}

// dsn names a database and what holds for its connection. A lock that another
// process holds is waited for in small steps until the bound of the call ends
// the wait; the pragma's own bound lies above all of ours.
func (s *Store) dsn(path string) string {
	v := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)"}}
	switch {
	case s.opt.ReadOnly:
		v.Set("mode", "ro")
	case s.direct:
		// The disk is waited for when SQLite's log goes into the file, and not by
		// each run. Whatever happens to a process, what it has committed stays; a
		// machine that loses its power may lose the last runs, and never the file.
		v["_pragma"] = append(v["_pragma"], "synchronous(normal)")
	default:
		// What is taken over goes away where it was: the disk has to have it first.
		v["_pragma"] = append(v["_pragma"], "synchronous(full)")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: v.Encode()}).String()
}

// logLimit is up to what size, in bytes, a log of SQLite is left for a later
// process: small enough to be read again by each in no time.
const logLimit = 512 << 10

// Leave ends the use of the store by a process that ends now. Closing waits for
// the disk; what was saved is safe without, so that only a process that finds
// SQLite's log grown, or has made or changed the file, does it.
func (s *Store) Leave() error {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck {
		return nil
	}
	s.work.Lock()
	db, settledAnew := s.db, s.upgraded
	s.work.Unlock()
	if info, err := os.Stat(filepath.Join(s.dir, FileName) + "-wal"); db != nil && !settledAnew && err == nil && info.Size() <= logLimit {
		return nil
	}
	return s.Close()
}
