package history

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// FileName is the database of the history in its folder, beside LogName.
const FileName = "history.db"

// Files are the names of all files that a history may have in its folder: SQLite
// keeps two beside its own, and a new log has another name until it takes the
// old one's place.
func Files() []string {
	return []string{FileName, FileName + "-wal", FileName + "-shm", LogName, LogName + newSuffix}
}

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

	// When the log is taken over into SQLite: see due.
	foldSize, foldMost int64
	foldRuns           int
	// unlocked does without a log, as where there are no locks.
	unlocked bool
}

// The defaults of Options.
const (
	DefaultKeep    = 90 * 24 * time.Hour
	DefaultMaxSize = 512 << 20
	readTimeout    = 200 * time.Millisecond
	writeTimeout   = 5 * time.Second
)

// Store is an open history. It is safe for several goroutines; any number of
// processes may have the same files open.
type Store struct {
	dir   string
	opt   Options
	steps []string // migrations

	// work is held by whoever uses what follows.
	work     sync.Mutex
	file     *os.File // the log; nil for one who only looks
	direct   bool     // the log cannot be locked: runs go into SQLite at once
	db       *sql.DB  // nil until it is needed
	schema   int      // of the open database
	upgraded bool     // its head is to reach its file
	cache    cached

	// After a call ran out of time its work may still hold the rest.
	mu    sync.Mutex
	stuck bool
}

// Open opens the history of a folder and makes both where they are missing:
// the folder for its owner only (0700), its files too (0600). A file of an older
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
	size := func(n *int64, otherwise int64) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	size(&o.MaxSize, DefaultMaxSize)
	size(&o.foldMost, foldMost)
	o.foldMost = min(o.foldMost, o.MaxSize/foldShare)
	size(&o.foldSize, foldSize)
	if o.foldRuns <= 0 {
		o.foldRuns = foldRuns
	}
	return o
}

func open(dir string, opt Options, steps []string) (*Store, error) {
	s := &Store{dir: dir, opt: opt, steps: steps}
	err := s.open()
	if err != nil {
		s.shut() //nolint:errcheck // the first error is the one to tell
		return nil, plainly(err)
	}
	return s, nil
}

// open looks at what is there. SQLite is opened only where that does not tell
// whether it can be used; that costs as much as all the rest of a small run.
func (s *Store) open() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.opt.OpenTimeout)
	defer cancel()
	if s.opt.ReadOnly {
		return s.openToLook(ctx)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	found, err := lies(s.Path(), len(s.steps))
	if err != nil {
		return err
	}
	if err := s.openLog(); err != nil {
		return err
	}
	if found == lieUnsure || s.direct {
		s.upgraded = true
		_, err = s.database(ctx, true)
	}
	warm()
	return err
}

// openToLook opens what is there; that nothing is, is fs.ErrNotExist.
func (s *Store) openToLook(ctx context.Context) error {
	db, err := s.database(ctx, false)
	if err != nil {
		return err
	}
	_, file, err := s.viewLog()
	if err != nil {
		return err
	}
	if file != nil {
		return file.Close()
	}
	if db == nil {
		_, err = os.Stat(s.Path())
	}
	return err
}

// Close ends the use of the store; whoever is the last waits for the disk.
func (s *Store) Close() error {
	s.mu.Lock()
	stuck := s.stuck
	s.mu.Unlock()
	if stuck {
		return nil // the process ends anyway, and the files survive that
	}
	s.work.Lock()
	defer s.work.Unlock()
	return s.shut()
}

func (s *Store) shut() error {
	var errs []error
	if s.file != nil {
		errs = append(errs, s.file.Close())
	}
	if s.db != nil {
		errs = append(errs, s.db.Close())
	}
	s.file, s.db = nil, nil
	return errors.Join(errs...)
}

// Path is the database of the store.
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
