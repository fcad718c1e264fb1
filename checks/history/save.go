package history

import (
	"context"
	"slices"
	"time"
)

// Save keeps a run. When it returns nil the run is kept, whole, and no end of a
// process takes it away; on an error nothing of it is kept. It waits for other
// processes that write, within the store's WriteTimeout.
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
	if s.due(l, newest) {
		if l, err = s.renew(ctx, l); err != nil {
			return err
		}
		newest = record{}
	}
	return s.append(ctx, l, newest, e)
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
