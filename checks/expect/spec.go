package expect

import (
	"context"
	"errors"
	"slices"

	"github.com/fonteviva/fonteviva/checks/source"
)

// ErrLimit is our own limit: an expectation costs more steps than are followed,
// so that nothing is known of whether it holds.
var ErrLimit = errors.New("an expectation costs more steps than are followed")

// expectation is one compiled key of the expect: mapping.
type expectation interface {
	// evaluate adds what does not hold. It returns early when ctx ends.
	evaluate(ctx context.Context, o *Observation, f *findings)
}

// Spec is the compiled expect: mapping of one probe. It never changes after
// Decode: any number of goroutines may evaluate it.
type Spec struct {
	list   []expectation // in declared order
	status *statusExpectation
	json   bool
	xml    bool
	cel    bool
	text   bool   // the body as text
	mcp    *Asked // nil: nothing about an MCP server
	files  *Files // while it is read
}

// Decode reads the expect: mapping. Problems go to the node's collector, so
// that the result, which is never nil, must not be evaluated when there are
// any. A zero node gives a Spec that expects nothing.
// The files that it names are read with files, which may be nil.
func Decode(n source.Node, files *Files) *Spec {
	s := &Spec{files: files}
	if !n.IsZero() {
		table.Decode(n, s)
	}
	if s.PrefersJSON() {
		s.add(duplicateKeys{})
	}
	s.files = nil
	return s
}

// OfJSON is the same expectations of a body that the probe says is JSON, or
// becomes it: no key of it, and no column, may come twice, whether another
// expectation reads it or not.
func (s *Spec) OfJSON() *Spec {
	if s.PrefersJSON() {
		return s
	}
	c := *s
	c.list = append(slices.Clip(s.list), duplicateKeys{})
	return &c
}

// Evaluate lists what does not hold of an answer, in declared order and, in
// one expectation, in the order of the document. The number of mismatches of
// one expectation is bounded; the last one then counts the others. The error
// is the context's, with which the list is what was found until then, or wraps
// ErrLimit where nothing that was found fails: what broke the contract has
// broken it, whatever could not be followed beside it.
func (s *Spec) Evaluate(ctx context.Context, o *Observation) ([]Mismatch, error) {
	f := findings{redact: o.Redact}
	for _, e := range s.list {
		if err := ctx.Err(); err != nil {
			return f.list, err
		}
		e.evaluate(ctx, o, &f)
	}
	if err := ctx.Err(); err != nil {
		return f.list, err
	}
	return f.list, f.unfollowed()
}

// NeedsBody reports whether an expectation can only hold of an answer that has
// a body.
func (s *Spec) NeedsBody() bool { return s.json || s.xml || s.text }

// NeedsJSON reports whether an expectation reads the body as JSON.
func (s *Spec) NeedsJSON() bool { return s.json }

// PrefersJSON reports whether an expectation reads the body as JSON unless the
// probe says that it is something else: NeedsJSON, or a predicate.
func (s *Spec) PrefersJSON() bool { return s.json || s.cel }

// NeedsXML reports whether an expectation reads the body as XML.
func (s *Spec) NeedsXML() bool { return s.xml }

// NeedsTLS reports whether an expectation is about the connection's TLS.
func (s *Spec) NeedsTLS() bool {
	return slices.ContainsFunc(s.list, func(e expectation) bool { _, ok := e.(*tlsExpectation); return ok })
}

// HasStatus reports whether the probe says which statuses it expects.
func (s *Spec) HasStatus() bool { return s.status != nil }

// StatusExpected reports whether the probe says that it expects this status;
// false when it says nothing about statuses.
func (s *Spec) StatusExpected(status int) bool {
	return s.status != nil && s.status.holds(status)
}

// Empty reports whether nothing is expected.
func (s *Spec) Empty() bool { return len(s.list) == 0 }

// ReadsNothing reports whether nothing is expected but, at most, a success
// status, which every answer has that is judged.
func (s *Spec) ReadsNothing() bool {
	return len(s.list) == 0 || len(s.list) == 1 && s.status != nil && s.status.onlySuccess()
}

func (s *Spec) add(e expectation) { s.list = append(s.list, e) }
