package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// FileName is the file of the history in its folder. SQLite keeps two more
// beside it while it is open.
const FileName = "history.db"

// Options are the bounds of a store; a zero field takes its default.
type Options struct {
	Now     func() time.Time // time.Now
	Keep    time.Duration    // how long runs are kept; 90 days
	MaxSize int64            // bytes that are kept at most; 512 MiB
	// ReadTimeout bounds Before (200 ms), OpenTimeout bounds Open (as long),
	// WriteTimeout bounds Save (5 s), the wait for other processes included.
	ReadTimeout, OpenTimeout, WriteTimeout time.Duration
	// ReadOnly opens a history to be looked at: nothing is made or changed.
	ReadOnly bool
}

// The defaults of Options.
const (
	DefaultKeep    = 90 * 24 * time.Hour
	DefaultMaxSize = 512 << 20
	readTimeout    = 200 * time.Millisecond
	writeTimeout   = 5 * time.Second
)

// Store is an open history. It is safe for several goroutines; any number of
// processes may have the same file open.
type Store struct {
	db  *sql.DB
	dir string
	opt Options

	// After a call ran out of time its work may still hold the connection.
	mu    sync.Mutex
	stuck bool
}

// Open opens the history of a folder and makes both where they are missing:
// the folder for its owner only (0700), the file too (0600). A file of an older
// version is migrated, one of a newer version is refused. Every error is fit
// for "history unavailable (…)".
func Open(dir string, opt Options) (*Store, error) {
	opt = opt.filled()
	return within(opt.OpenTimeout, "open", func() (*Store, error) { return open(dir, opt, migrations) })
}

func (o Options) filled() Options {
	if o.Now == nil {
		o.Now = time.Now
	}
	set := func(d *time.Duration, otherwise time.Duration) {
		if *d <= 0 {
			*d = otherwise
		}
	}
	set(&o.Keep, DefaultKeep)
	set(&o.ReadTimeout, readTimeout)
	set(&o.OpenTimeout, o.ReadTimeout)
	set(&o.WriteTimeout, writeTimeout)
	if o.MaxSize <= 0 {
		o.MaxSize = DefaultMaxSize
	}
	return o
}

func open(dir string, opt Options, steps []string) (*Store, error) {
	path := filepath.Join(dir, FileName)
	if err := prepare(dir, path, opt.ReadOnly); err != nil {
		return nil, plainly(err)
	}
	s, err := connect(dir, dsn(path, opt.ReadOnly), opt, steps)
	if err != nil && opt.ReadOnly && settled(path) {
		// Not even the index of the log can be made in a folder that cannot be
		// written; and without a log nobody needs it.
		s, err = connect(dir, dsn(path, true)+"&immutable=1", opt, steps)
	}
	return s, plainly(err)
}

func connect(dir, dsn string, opt Options, steps []string) (*Store, error) {
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	// One connection: a process has one run to read for and to write.
	db.SetMaxOpenConns(1)
	s := &Store{db: db, dir: dir, opt: opt}
	if err := s.settle(steps); err != nil {
		db.Close() //nolint:errcheck // the first error is the one to tell
		return nil, err
	}
	return s, nil
}

// settled reports whether everything is in the file, and nothing in its log.
func settled(path string) bool {
	info, err := os.Stat(path + "-wal")
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
}

// prepare makes the folder and an empty file, so that neither is ever open to
// other users, whatever the umask: SQLite gives its further files the mode of
// the first.
func prepare(dir, path string, readOnly bool) error {
	if readOnly {
		_, err := os.Stat(path)
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return file.Close()
}

// dsn names a database and what holds for its connection. A lock that another
// process holds is waited for in small steps until the bound of the call ends
// the wait; the pragma's own bound lies above all of ours.
func dsn(path string, readOnly bool) string {
	v := url.Values{"_txlock": {"immediate"}, "_pragma": {"busy_timeout(10000)"}}
	if readOnly {
		v.Set("mode", "ro")
	} else {
		// NORMAL: the disk is waited for when the log goes into the file, and not by
		// each run. Whatever happens to a process, what it has committed stays; a
		// machine that loses its power may lose the last runs, and never the file.
		v["_pragma"] = append(v["_pragma"], "synchronous(normal)")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: v.Encode()}).String()
}

// logLimit is up to what size, in bytes, a log is left for a later run: small
// enough to be read again by each run in no time.
const logLimit = 512 << 10

// Leave ends the use of the store by a process that ends now. Closing waits for
// the disk; what was saved is safe without, so that only one run in a dozen or
// so, which finds the log grown, does it.
func (s *Store) Leave() error {
	if info, err := os.Stat(s.Path() + "-wal"); err == nil && info.Size() <= logLimit {
		return nil
	}
	return s.Close()
}

// Close ends the use of the store; whoever is the last waits for the disk.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stuck {
		return nil // the process ends anyway, and the file survives that
	}
	return s.db.Close()
}

// Path is the file of the store.
func (s *Store) Path() string { return filepath.Join(s.dir, FileName) }

// errTime is a call that did not end in its time.
type errTime struct {
	what string
	d    time.Duration
}

func (e errTime) Error() string { return fmt.Sprintf("could not %s within %s", e.what, e.d) }

// within runs f and gives up on it after d. A file system that does not answer
// cannot be interrupted: f is then left behind, and its outcome is dropped.
func within[T any](d time.Duration, what string, f func() (T, error)) (T, error) {
	type outcome struct {
		v   T
		err error
	}
	done := make(chan outcome, 1)
	go func() {
		var o outcome
		defer func() {
			if p := recover(); p != nil {
				o.err = fmt.Errorf("the store panicked: %v", p)
			}
			done <- o
		}()
		o.v, o.err = f()
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case o := <-done:
		return o.v, o.err
	case <-timer.C:
		var none T
		return none, errTime{what, d}
	}
}

// call runs f within the bound of a call and the caller's context.
func call[T any](ctx context.Context, s *Store, d time.Duration, what string, f func(context.Context) (T, error)) (T, error) {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck {
		var none T
		return none, errors.New("an earlier call has not ended")
	}
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	// The context ends what SQLite can interrupt; what it cannot gets a little
	// more time and is left behind.
	v, err := within(d+d/4, what, func() (T, error) { return f(ctx) })
	if errors.As(err, new(errTime)) {
		s.mu.Lock()
		s.stuck = true
		s.mu.Unlock()
	}
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = errTime{what, d}
	}
	return v, plainly(err)
}
