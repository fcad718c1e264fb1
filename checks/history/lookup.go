package history

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"
)

// lookup finds the states of probes.
type lookup struct {
	keys  []Probe
	found []State
	known []bool
	left  int
	// next is where the next entry is expected: runs of one declaration have their
	// probes in one order. index is for those that have not.
	next  int
	index map[Probe]int
}

func newLookup(keys []Probe) *lookup {
	return &lookup{keys: keys, found: make([]State, len(keys)), known: make([]bool, len(keys)), left: len(keys)}
}

// place is where a probe is among those that are asked for; -1 for another.
func (k *lookup) place(name, vantage []byte) int {
	if i := k.next; i < len(k.keys) && k.keys[i].Name == string(name) && k.keys[i].Vantage == string(vantage) {
		k.next++
		return i
	}
	if k.index == nil {
		k.index = make(map[Probe]int, len(k.keys))
		for i, key := range k.keys {
			k.index[key] = i
		}
	}
	i, ok := k.index[Probe{string(name), string(vantage)}]
	if !ok {
		return -1
	}
	k.next = i + 1
	return i
}

func (k *lookup) set(i int, s State) {
	if k.known[i] {
		return
	}
	k.found[i], k.known[i] = s, true
	k.left--
}

// take takes over what a record knows and no newer one did.
func (k *lookup) take(from *known) error {
	k.next = 0
	return from.each(func(_ int, name, vantage, state []byte) error {
		i := k.place(name, vantage)
		if i < 0 || k.known[i] {
			return nil
		}
		s, err := readState(state)
		if err != nil {
			return errLogDamaged
		}
		k.set(i, s)
		return nil
	})
}

// walk goes through the records of a log from the newest back to a place, until
// every probe is found.
func (k *lookup) walk(l *runlog, project string, behind int64) error {
	r, ok, err := l.last()
	for ; ok && err == nil && r.end > behind && k.left > 0; r, ok, err = l.before(r) {
		b, err := l.part(r.states)
		if err != nil {
			return err
		}
		from, err := readKnown(b, r.kind)
		if err != nil {
			return err
		}
		if from.project.Key != project {
			continue
		}
		if err := k.take(from); err != nil {
			return err
		}
	}
	return err
}

// ask asks a database for the rest.
func (k *lookup) ask(ctx context.Context, q querier, project string) error {
	id, err := projectID(ctx, q, project)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	var missing []Probe
	for i, key := range k.keys {
		if !k.known[i] {
			missing = append(missing, key)
		}
	}
	rows, err := readProbes(ctx, q, id, missing)
	if err != nil {
		return err
	}
	for i, key := range k.keys {
		if row, ok := rows[key]; ok {
			k.set(i, row.state)
		}
	}
	return nil
}

// cached is what is known of probes from a log up to a place, and from the
// database that stood beside it.
type cached struct {
	project    string
	generation [16]byte
	end        int64
	found      *lookup
}

// states finds the states of probes: in the log as far as it knows them, and
// else in the database. What is known already is not read again while the log
// is the same; no probe of the database changes meanwhile.
func (s *Store) states(ctx context.Context, l *runlog, project string, keys []Probe) (*lookup, error) {
	if _, _, err := l.last(); err != nil {
		return nil, err
	}
	c := &s.cache
	if l.begun && c.found != nil && c.generation == l.generation && c.end <= l.end && c.project == project && slices.Equal(c.found.keys, keys) {
		return s.update(l, project, c)
	}
	k := newLookup(keys)
	behind := int64(0)
	if s.direct {
		var err error
		if behind, err = s.folded(ctx, l); err != nil {
			return nil, err
		}
	}
	if err := k.walk(l, project, behind); err != nil {
		return nil, err
	}
	if k.left > 0 {
		db, err := s.database(ctx, false)
		if err != nil {
			return nil, err
		}
		if db != nil {
			if err := k.ask(ctx, db, project); err != nil {
				return nil, err
			}
		}
	}
	return s.keep(l, project, k), nil
}

// update lays what a log has got since over what was known.
func (s *Store) update(l *runlog, project string, c *cached) (*lookup, error) {
	if c.end == l.end {
		return c.found, nil
	}
	k := newLookup(c.found.keys)
	if err := k.walk(l, project, c.end); err != nil {
		return nil, err
	}
	for i := range k.keys {
		if c.found.known[i] {
			k.set(i, c.found.found[i])
		}
	}
	return s.keep(l, project, k), nil
}

// keep remembers what was found, for the run that asked.
func (s *Store) keep(l *runlog, project string, k *lookup) *lookup {
	if l.begun && !s.direct {
		s.cache = cached{project: project, generation: l.generation, end: l.end, found: k}
	}
	return k
}

// folded is up to which place the records of a log are in the database.
func (s *Store) folded(ctx context.Context, l *runlog) (int64, error) {
	db, err := s.database(ctx, false)
	if err != nil || db == nil || s.schema < 2 {
		return 0, err
	}
	return foldedUpTo(ctx, db, l)
}

func foldedUpTo(ctx context.Context, q rower, l *runlog) (upto int64, err error) {
	err = q.QueryRowContext(ctx, "SELECT upto FROM folded WHERE generation = ?", l.generation[:]).Scan(&upto)
	if errors.Is(err, sql.ErrNoRows) {
		err = nil
	}
	return upto, err
}

// unfolded lists the runs of a log that a database does not have, the oldest
// first. How far the log was taken over tells which, unless it has another end by
// now, because an older one was put back or a machine lost its power: then their
// trace codes do.
func unfolded(ctx context.Context, q rower, l *runlog) ([]record, error) {
	upto, err := foldedUpTo(ctx, q, l)
	if err != nil {
		return nil, err
	}
	runs, err := l.runs(upto)
	if upto == 0 || err == nil && upto <= l.end {
		return runs, err
	}
	if runs, err = l.runs(0); err != nil {
		return nil, err
	}
	var missing []record
	for _, r := range runs {
		k, d, err := l.read(r)
		if err != nil {
			return nil, err
		}
		n := 0
		if err := q.QueryRowContext(ctx, "SELECT count(*) FROM runs WHERE trace = ? AND at = ?", d.trace, k.at).Scan(&n); err != nil {
			return nil, err
		}
		if n == 0 {
			missing = append(missing, r)
		}
	}
	return missing, nil
}

// Before gives the states of probes as they were before the present run, each in
// the place of its probe, within the store's ReadTimeout. A probe that was never
// run has the zero State. The states are not to be changed.
func (s *Store) Before(ctx context.Context, project Project, probes []Probe) ([]State, error) {
	return call(ctx, s, s.opt.ReadTimeout, "read the history", func(ctx context.Context) ([]State, error) {
		s.work.Lock()
		defer s.work.Unlock()
		var states []State
		err := s.look(func(l *runlog) error {
			if l == nil {
				l = &runlog{}
			}
			k, err := s.states(ctx, l, project.Key, probes)
			if err == nil {
				states = rewound(k.found, s.opt.Now())
			}
			return err
		})
		return states, err
	})
}

// rewound takes states that lie in the future back to the present, in a copy.
func rewound(states []State, now time.Time) []State {
	copied := false
	for i := range states {
		if !states[i].At.After(now) {
			continue
		}
		if !copied {
			states, copied = slices.Clone(states), true
		}
		states[i] = states[i].rewind(now)
	}
	return states
}
