package history

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is why a history is not available, in words for a person.
type Error struct {
	Reason string
	Err    error
}

func (e *Error) Error() string { return e.Reason }
func (e *Error) Unwrap() error { return e.Err }

// reasons are the words for SQLite's result codes (the primary ones).
var reasons = map[int]string{
	sqlite3.SQLITE_BUSY:     "the file is locked by another process",
	sqlite3.SQLITE_LOCKED:   "the file is locked by another process",
	sqlite3.SQLITE_FULL:     "the disk is full",
	sqlite3.SQLITE_CORRUPT:  "the file is damaged; move it away to begin a new one",
	sqlite3.SQLITE_NOTADB:   "the file is not a history; move it away to begin a new one",
	sqlite3.SQLITE_READONLY: "the file or its folder cannot be written",
	sqlite3.SQLITE_CANTOPEN: "the file cannot be opened",
	sqlite3.SQLITE_IOERR:    "the disk gives errors",
	sqlite3.SQLITE_PERM:     "the file may not be opened",
	sqlite3.SQLITE_AUTH:     "the file may not be opened",
}

// primary is the primary result code of an error of SQLite, 0 for another's.
func primary(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// plainly puts an error into words that fit in a line.
func plainly(err error) error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	if words, ok := reasons[primary(err)]; ok {
		return &Error{Reason: words, Err: err}
	}
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return &Error{Reason: reasons[sqlite3.SQLITE_FULL], Err: err}
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &Error{Reason: fmt.Sprintf("%s: %v", e.Path, e.Err), Err: err}
	}
	return &Error{Reason: err.Error(), Err: err}
}
