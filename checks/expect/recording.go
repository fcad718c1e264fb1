package expect

import (
	"context"
	"time"
)

// Recording is an expectation that compares an answer with what of an earlier
// one a person has accepted and keeps in a file.
type Recording interface {
	// Kind is the key that declares it.
	Kind() string
	// File is the path of the file, relative to the declaration.
	File() string
	// Record gives the file that accepts what was seen: the answers to every
	// probe that names the file. current is what it holds; nil for none yet. The
	// file is nil where it can stay as it is.
	Record(ctx context.Context, current []byte, seen []*Observation, by Acceptance) (file []byte, changes []Change, err error)
}

// Acceptance says of which probe an answer is accepted, and when.
type Acceptance struct {
	Probe string
	At    time.Time
}

// Change is one way in which an answer is not as it was recorded. Path, Was and
// Is hold an origin's text: they are short, but not escaped.
type Change struct {
	Code, Path, Was, Is string
	Breaking            bool // drift, not a warning
}

// Recordings lists the expectations of the probe that compare with a file of
// what was accepted.
func (s *Spec) Recordings() []Recording {
	var list []Recording
	for _, e := range s.list {
		if r, is := e.(Recording); is {
			list = append(list, r)
		}
	}
	return list
}
