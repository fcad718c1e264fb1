package jsonpath

import (
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
)

// Document is one JSON text. Any number of goroutines may select from it.
type Document struct {
	b      []byte
	once   sync.Once
	ready  atomic.Bool // the index is built
	err    error       // why it cannot be
	nodes  []node
	hidden map[uint32]bool // names that come again in their object; nil when there are none
}

// NewDocument makes a document of a text that is known to be one valid JSON
// value (RFC 8259). The text is kept, and must not change.
func NewDocument(b []byte) *Document { return &Document{b: b} }

// Text is the text of the document, which must not be changed.
func (d *Document) Text() []byte { return d.b }

// errTooLarge is what an index of 32 bits cannot hold.
var errTooLarge = errors.New("a JSON text of 4 GiB or more has no index")

// Index builds the index of the document, once. It is worth it before several
// paths are selected; a path that needs it builds it by itself.
func (d *Document) Index() error {
	d.once.Do(func() {
		if uint64(len(d.b)) >= math.MaxUint32 {
			d.err = errTooLarge
			return
		}
		d.build()
		d.ready.Store(true)
	})
	return d.err
}

// Select calls visit with every node that the path selects, in the order of
// RFC 9535, until it returns false. It ends with the context's error when that
// ends first. The location is only valid during the call.
func (d *Document) Select(ctx context.Context, p *Path, visit func(Value, *Location) bool) error {
	if p.Streams() && !d.ready.Load() {
		return d.stream(ctx, p, visit)
	}
	if err := d.Index(); err != nil {
		return err
	}
	return d.walk(ctx, p, visit)
}

// ticker asks the context now and then.
type ticker struct {
	ctx  context.Context
	work int // since it was asked
	err  error
}

// stop reports whether the context has ended; bytes is how much text is about
// to be looked at.
func (t *ticker) stop(bytes int) bool {
	if t.work += 64 + bytes; t.work > 64<<10 && t.err == nil {
		t.work, t.err = 0, t.ctx.Err()
	}
	return t.err != nil
}
