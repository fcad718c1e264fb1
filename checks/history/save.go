package history

import (
	"context"
	"errors"
	"slices"
	"time"
)

// ErrNotTakenOver is of a run that is kept and may be one of the last: the log
// that it is in cannot be taken over, and has a size at most.
var ErrNotTakenOver = errors.New("the log cannot be taken over")

// Save keeps a run. When it returns nil the run is kept, whole, and no end of a
// process takes it away; on an error nothing of it is kept, unless it is an
// ErrNotTakenOver. It waits for other processes that write, within the store's
// WriteTimeout.
func (s *Store) Save(ctx context.Context, project Project, run *Run) error {
	_, err := call(ctx, s, s.opt.WriteTimeout, "store the run", func(ctx context.Context) (struct{}, error) {
		s.work.Lock()
		defer s.work.Unlock()
		return struct{}{}, s.save(ctx, project, run)
	})
	return err
}

func (s *Store) save(ctx context.Context, project Project, run *Run) error {
	// Whatever takes long is done before the log is locked.
	d, err := bodyOf(run)
	if err != nil {
		return err
	}
	e := &entry{project: project, run: run, body: d.packed(), now: s.opt.Now()}
	if s.direct {
		return s.saveDirectly(ctx, e)
	}
	l, newest, err := s.lockLog(ctx)
	if err != nil {
		return err
	}
	defer func() { unlock(s.file) }() // whichever log it is then
	var left error
	if s.due(l, newest) {
		fresh, err := s.tidy(ctx, l)
		switch {
		case err == nil:
			l, newest = fresh, record{}
		case l.end-l.base > s.opt.foldMost: // it cannot grow for ever
			return err
		default:
			left = notTakenOver(err)
		}
	}
	if err := s.append(ctx, l, newest, e); err != nil {
		return err
	}
	return left
}

// tidy takes the log over, and leaves time for what then goes into it.
func (s *Store) tidy(ctx context.Context, l *runlog) (*runlog, error) {
	limit := s.opt.WriteTimeout * 3 / 4
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	fresh, err := s.renew(ctx, l)
	if err != nil && ctx.Err() == context.DeadlineExceeded {
		err = &Error{Reason: errTime{"write into it", limit}.Error(), Err: err} // nothing has been left behind
	}
	return fresh, err
}

// notTakenOver tells of a log that goes on as it is. A database that is damaged or
// locked, or one damaged run of the log, is no reason to keep no run any more:
// no age would grow.
func notTakenOver(err error) error {
	reason := "the run is kept, but " + LogName + " cannot be taken over into " + FileName + ": " + plainly(err).Error()
	return &Error{Reason: reason, Err: errors.Join(ErrNotTakenOver, err)}
}

// entry is a run on its way into the history.
type entry struct {
	project Project
	run     *Run
	body    []byte
	now     time.Time
}

// append adds a run to the locked log.
func (s *Store) append(ctx context.Context, l *runlog, newest record, e *entry) error {
	var b []byte
	if !l.begun {
		s.begin(l)
		b = l.logHeader.append(b)
	}
	before, err := s.states(ctx, l, e.project.Key, e.keys())
	if err != nil {
		return err
	}
	states := e.judged(before)
	at := l.end + int64(len(b))
	b = slices.Grow(b, recordHead+len(states)+len(e.body)+recordTail)
	if b, err = l.appendRecord(b, kindRun, newest.runs+1, states, e.body, at); err != nil {
		return err
	}
	// A run that came too late is not kept.
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.write(l, b); err != nil {
		return err
	}
	l.begun = true
	return nil
}

// keys are the probes of the run's results.
func (e *entry) keys() []Probe {
	keys := make([]Probe, len(e.run.Results))
	for i := range e.run.Results {
		keys[i] = ProbeOf(&e.run.Results[i])
	}
	return keys
}

// judged takes every result into its probe's state, and gives them as the first
// part of the run's record.
func (e *entry) judged(before *lookup) []byte {
	b := appendKnownHead(make([]byte, 0, 256+96*len(before.keys)), e.project, e.run.StartedAt.UnixMilli(), len(before.keys))
	cells := make([]byte, 0, len(before.keys)*cellSize)
	var state []byte
	for i, key := range before.keys {
		r := &e.run.Results[i]
		o := Observe(r, e.run.StartedAt)
		state = appendState(state[:0], before.found[i].Next(o, e.now))
		b = appendEntry(b, key, state)
		cells = appendCell(cells, cellOf(r, o))
	}
	return append(b, cells...)
}

// saveDirectly keeps a run where no log can be: in SQLite, with whatever a log
// that came from elsewhere still has for it.
func (s *Store) saveDirectly(ctx context.Context, e *entry) error {
	return s.look(func(l *runlog) error {
		if l == nil {
			l = &runlog{}
		}
		_, err := s.fold(ctx, l, e)
		return err
	})
}
