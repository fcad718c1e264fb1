package history

import (
	"context"
	"database/sql"
	"os"
	"runtime/debug"
	"slices"
)

// When the log is taken over. Small, a run reads nothing but its end; what
// bounds it is what a look at the history reads of it. Many runs are to share
// what SQLite costs, which is most where each has thousands of results.
const (
	foldSize = 512 << 10 // bytes at least
	foldRuns = 32        // runs at least, of a log that has not
	foldMost = 64 << 20  // bytes, at whatever number of runs
	// largeLog is from how many bytes on a run with thousands of results is in it.
	largeLog = 1 << 20
	// foldShare is what part of the size that is kept a log may have, and foldAge
	// what part of the time: retention is SQLite's.
	foldShare = 4
	foldAge   = 30
)

// due reports whether the log is to be taken over before another run goes into
// it.
func (s *Store) due(l *runlog, newest record) bool {
	size := l.end - l.base
	switch {
	case newest.runs == 0:
		return false
	case size > s.opt.foldMost, size > s.opt.foldSize && int(newest.runs) >= s.opt.foldRuns:
		return true
	}
	age, limit := s.opt.Now().UnixMilli()-l.made, s.opt.Keep.Milliseconds()/foldAge
	return age > limit || age < -limit // the clock that it was made by had run ahead
}

// renew takes the locked log over and puts a new one in its place, which is
// locked in its turn. A process that ends in between leaves a log whose records
// are in SQLite as well; the database knows that.
func (s *Store) renew(ctx context.Context, old *runlog) (*runlog, error) {
	if old.end-old.base > largeLog {
		// SQLite takes memory of its own, beside what the run no longer needs.
		debug.FreeOSMemory()
	}
	f, err := s.fold(ctx, old, nil)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	l := &runlog{begun: true}
	s.begin(l)
	b, err := f.known(l)
	if err != nil {
		return nil, err
	}
	path := s.logPath() + newSuffix
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err = file.Write(b); err == nil {
		_, err = tryLock(file)
	}
	if err == nil {
		err = os.Rename(path, s.logPath())
	}
	if err != nil {
		file.Close()    //nolint:errcheck // the first error is the one to tell
		os.Remove(path) //nolint:errcheck // the next one begins anew anyway
		return nil, err
	}
	s.file.Close() //nolint:errcheck // all that it holds is in SQLite
	s.file = file
	l.window = window{r: file, size: int64(len(b))}
	l.end = l.size
	return l, nil
}

// newSuffix is what a new log is called until it takes the old one's place.
const newSuffix = "-new"

// rower is a database or a transaction.
type rower interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// folder takes records over into SQLite, in one transaction.
type folder struct {
	writer
	projects map[string]*gathered
	order    []*gathered
}

// gathered is what the records of a log have of a project's probes.
type gathered struct {
	project Project
	id      int64
	at      int64 // of its newest run
	order   []*gatheredProbe
	probes  map[Probe]*gatheredProbe
	next    int // where the next entry is expected
}

type gatheredProbe struct {
	key   Probe
	state []byte // the newest
	cells []byte // all that are new
}

// fold takes over what is not in the database of a log, and then one more run
// if there is one.
func (s *Store) fold(ctx context.Context, l *runlog, e *entry) (*folder, error) {
	db, err := s.database(ctx, true)
	if err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	f := &folder{writer: writer{tx: tx, now: s.opt.Now()}, projects: map[string]*gathered{}}
	if l.begun {
		if err := f.log(ctx, l); err != nil {
			return nil, err
		}
	}
	if e != nil {
		if err := f.further(ctx, e); err != nil {
			return nil, err
		}
	}
	for _, g := range f.order {
		if err := f.upsert(ctx, g); err != nil {
			return nil, err
		}
	}
	if err := f.prune(s.opt.Keep, s.opt.MaxSize); err != nil {
		return nil, err
	}
	// Its context was the transaction's: what came too late is not kept.
	return f, tx.Commit()
}

// log takes over the records of a log that are not in the database.
func (f *folder) log(ctx context.Context, l *runlog) error {
	runs, err := unfolded(ctx, f.tx, l)
	if err != nil {
		return err
	}
	for _, r := range runs {
		states, err := l.part(r.states)
		if err != nil {
			return err
		}
		body, err := l.part(r.body)
		if err != nil {
			return err
		}
		if err := f.record(states, r.kind, body); err != nil {
			return err
		}
	}
	if _, err := f.tx.Exec("INSERT INTO folded (generation, upto) VALUES (?, ?) ON CONFLICT (generation) DO UPDATE SET upto = excluded.upto", l.generation[:], l.end); err != nil {
		return err
	}
	// A log that has been replaced is never asked for again; what still reads one
	// is done long before so many others have been.
	_, err = f.tx.Exec("DELETE FROM folded WHERE id <= (SELECT max(id) FROM folded) - 64")
	return err
}

// further takes over a run that is in no log.
func (f *folder) further(ctx context.Context, e *entry) error {
	k := newLookup(e.keys())
	if g := f.projects[e.project.Key]; g != nil {
		for i, key := range k.keys {
			p := g.probes[key]
			if p == nil {
				continue
			}
			state, err := readState(p.state)
			if err != nil {
				return err
			}
			k.set(i, state)
		}
	}
	if err := k.ask(ctx, f.tx, e.project.Key); err != nil {
		return err
	}
	return f.record(e.judged(k), kindRun, e.body)
}

// record takes one run over, and gathers what it has of its probes.
func (f *folder) record(states []byte, kind uint32, packed []byte) error {
	k, err := readKnown(states, kind)
	if err != nil {
		return err
	}
	d, err := readBody(packed)
	if err != nil {
		return err
	}
	g := f.projects[k.project.Key]
	if g == nil {
		g = &gathered{probes: map[Probe]*gatheredProbe{}}
		if g.id, err = f.projectOf(k.project); err != nil {
			return err
		}
		f.projects[k.project.Key] = g
		f.order = append(f.order, g)
	}
	g.project, g.at = k.project, k.at
	if err := g.gather(k); err != nil {
		return err
	}
	return f.store(g.id, k.at, d)
}

// gather takes over the states and cells of a run.
func (g *gathered) gather(k *known) error {
	g.next = 0
	return k.each(func(i int, name, vantage, state []byte) error {
		p := g.probe(name, vantage)
		p.state = state
		p.cells = append(p.cells, k.cell(i)...)
		return nil
	})
}

func (g *gathered) probe(name, vantage []byte) *gatheredProbe {
	if g.next < len(g.order) {
		if p := g.order[g.next]; p.key.Name == string(name) && p.key.Vantage == string(vantage) {
			g.next++
			return p
		}
	}
	key := Probe{string(name), string(vantage)}
	p := g.probes[key]
	if p == nil {
		p = &gatheredProbe{key: key}
		g.probes[key] = p
		g.order = append(g.order, p)
	}
	return p
}

// known is a new log that knows the states of all probes that were gathered, so
// that the runs that follow need no database.
func (f *folder) known(l *runlog) ([]byte, error) {
	var records []byte
	for _, g := range f.order {
		states := appendKnownHead(nil, g.project, g.at, len(g.order))
		for _, p := range g.order {
			states = appendEntry(states, p.key, p.state)
		}
		var err error
		if records, err = l.appendRecord(records, kindKnown, 0, states, nil, logHead+int64(len(records))); err != nil {
			return nil, err
		}
	}
	l.base = logHead + int64(len(records))
	return slices.Concat(l.logHeader.append(nil), records), nil
}
