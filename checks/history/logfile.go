package history

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

func (s *Store) logPath() string { return filepath.Join(s.dir, LogName) }

// openLog opens the log, made if it is not there, and finds out whether it can
// be locked: where it cannot, s.direct says that runs go into SQLite at once.
func (s *Store) openLog() error {
	f, err := os.OpenFile(s.logPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	locked, err := tryLock(f)
	if locked {
		unlock(f)
	}
	if s.direct = s.opt.unlocked || errors.Is(err, errors.ErrUnsupported); s.direct {
		err = nil
	}
	if err == nil {
		_, err = readFile(f)
	}
	if err != nil {
		f.Close() //nolint:errcheck // the first error is the one to tell
		return err
	}
	s.file = f
	return nil
}

// readFile is the log as it is now.
func readFile(f *os.File) (*runlog, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errLogForeign
	}
	l, err := readLog(f, info.Size())
	if err == nil {
		l.seen = info.ModTime()
	}
	return l, err
}

// pause is how long a lock is waited for before it is tried again: from a
// usual write's time up to a fold's tenth.
const (
	leastPause = 100 * time.Microsecond
	mostPause  = 10 * time.Millisecond
)

// lockLog locks the log that lies at the path now, and cuts off what a killed
// process left of a record. The log is left locked, and its newest record is
// given with it.
func (s *Store) lockLog(ctx context.Context) (l *runlog, newest record, err error) {
	for pause := leastPause; ; pause = min(2*pause, mostPause) {
		locked, err := tryLock(s.file)
		if err != nil {
			return nil, newest, err
		}
		if locked {
			same, err := s.current()
			if same {
				break
			}
			unlock(s.file)
			if err != nil {
				return nil, newest, err
			}
			continue
		}
		select {
		case <-ctx.Done():
			return nil, newest, ctx.Err()
		case <-time.After(pause):
		}
	}
	if l, newest, err = s.whole(); err != nil {
		unlock(s.file)
	}
	return l, newest, err
}

// current reports whether the open log is the one at the path; where it is not
// (any more), the one at the path is opened.
func (s *Store) current() (bool, error) {
	mine, err := s.file.Stat()
	if err != nil {
		return false, err
	}
	there, err := os.Stat(s.logPath())
	if err == nil && os.SameFile(mine, there) {
		return true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	f, err := os.OpenFile(s.logPath(), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return false, err
	}
	s.file.Close() //nolint:errcheck // nothing of it is wanted any more
	s.file = f
	return false, nil
}

// whole reads the locked log and cuts off what is not whole.
func (s *Store) whole() (*runlog, record, error) {
	l, err := readFile(s.file)
	if err != nil {
		return nil, record{}, err
	}
	newest, _, err := l.last()
	if err == nil && l.end < l.size {
		err = s.file.Truncate(l.end)
		l.size = l.end
	}
	return l, newest, err
}

// begin gives a log that is not begun its head, in memory.
func (s *Store) begin(l *runlog) {
	rand.Read(l.generation[:]) //nolint:errcheck // crypto/rand.Read never fails
	l.made, l.base = s.opt.Now().UnixMilli(), logHead
}

// write appends to the locked log in one call. What did not fit is cut off, so
// that nothing of a run is kept of which that is not said.
func (s *Store) write(l *runlog, b []byte) error {
	n, err := s.file.WriteAt(b, l.end)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	if err != nil {
		_ = s.file.Truncate(l.end) // what is left is torn, and nobody reads it
		return err
	}
	l.end += int64(len(b))
	return nil
}

// viewLog is the log at the path as it is now, for a look at it; nil where
// there is none. The file is to be closed, if there is one: where runs are
// written too, it is the open one.
func (s *Store) viewLog() (*runlog, *os.File, error) {
	for s.file != nil {
		same, err := s.current()
		if err != nil {
			return nil, nil, err
		}
		if same {
			l, err := readFile(s.file)
			return l, nil, err
		}
	}
	if irregular(s.logPath()) {
		return nil, nil, errLogForeign
	}
	f, err := os.Open(s.logPath())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	if err != nil {
		return nil, nil, err
	}
	l, err := readFile(f)
	if err != nil {
		f.Close() //nolint:errcheck // the first error is the one to tell
		return nil, nil, err
	}
	return l, f, nil
}

// lookTimes is how often a log is looked at before it is called damaged: a
// reader has no lock, and what it reads may be cut off and written anew.
const lookTimes = 3

// look calls f with the log as it is now, nil where there is none or it is not
// begun.
func (s *Store) look(f func(*runlog) error) error {
	for n := 1; ; n++ {
		changed, err := s.lookOnce(f)
		if !changed || n == lookTimes || !errors.Is(err, errLogDamaged) {
			return err
		}
	}
}

// lookOnce looks at the log, and reports whether it is another by now.
func (s *Store) lookOnce(f func(*runlog) error) (changed bool, err error) {
	l, file, err := s.viewLog()
	if err != nil {
		return false, err
	}
	if file != nil {
		defer file.Close() //nolint:errcheck // it was read only
	}
	if l == nil || !l.begun {
		return false, f(nil)
	}
	if err := f(l); err != nil {
		now, statErr := os.Stat(s.logPath())
		return statErr != nil || now.Size() != l.size || now.ModTime().After(l.seen), err
	}
	return false, nil
}
