package history

import (
	"encoding/binary"
	"fmt"

	"github.com/fonteviva/fonteviva/checks"
)

// A record's first part is what the next run asks for: whose probes, when, and
// for each probe its name, vantage and state after the run; behind them, in a
// run, the cells. The second part is the run itself: its trace code, its head
// (JSON) and its blocks. Texts have their length in front.

func appendBytes[T string | []byte](b []byte, s T) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// reader takes a part to pieces. What it is asked for beyond the end is empty,
// and said at the end.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) number() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.b, r.bad = nil, true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.b)) {
		r.b, r.bad = nil, true
		return nil
	}
	out := r.b[:n:n]
	r.b = r.b[n:]
	return out
}

// known is the first part of a record, taken to pieces.
type known struct {
	project Project
	at      int64 // the run's start in milliseconds since 1970
	count   int
	entries reader
	cells   []byte // of a run: one for each entry
}

func appendKnownHead(b []byte, p Project, at int64, count int) []byte {
	b = appendBytes(appendBytes(b, p.Key), p.Label)
	return binary.AppendUvarint(binary.AppendVarint(b, at), uint64(count))
}

func appendEntry(b []byte, k Probe, state []byte) []byte {
	return appendBytes(appendBytes(appendBytes(b, k.Name), k.Vantage), state)
}

func readKnown(b []byte, kind uint32) (*known, error) {
	r := reader{b: b}
	k := &known{project: Project{Key: string(r.bytes()), Label: string(r.bytes())}}
	at := r.number()
	k.at = int64(at>>1) ^ -int64(at&1)
	n := r.number()
	// An entry has three lengths at least.
	if r.bad || n > uint64(len(r.b))/3 {
		return nil, errLogDamaged
	}
	k.count, k.entries = int(n), r
	if kind == kindRun {
		size := len(r.b) - k.count*cellSize
		if size < 0 {
			return nil, errLogDamaged
		}
		k.entries.b, k.cells = r.b[:size], r.b[size:]
	}
	return k, nil
}

// each goes through the entries. What f is given stays.
func (k *known) each(f func(i int, name, vantage, state []byte) error) error {
	r := k.entries
	for i := range k.count {
		name, vantage, state := r.bytes(), r.bytes(), r.bytes()
		if r.bad {
			return errLogDamaged
		}
		if err := f(i, name, vantage, state); err != nil {
			return err
		}
	}
	if len(r.b) > 0 {
		return errLogDamaged
	}
	return nil
}

func (k *known) cell(i int) []byte { return k.cells[i*cellSize : (i+1)*cellSize] }

// body is the second part of a run's record.
type body struct {
	trace  string
	head   []byte
	blocks []block
}

// bodyOf packs a run.
func bodyOf(run *Run) (*body, error) {
	head, err := run.head()
	if err != nil {
		return nil, err
	}
	blocks, err := run.blocks()
	return &body{trace: run.Trace, head: head, blocks: blocks}, err
}

func (d *body) packed() []byte {
	size := len(d.trace) + len(d.head) + 4*binary.MaxVarintLen64
	for i := range d.blocks {
		size += len(d.blocks[i].traces) + len(d.blocks[i].results) + 2*binary.MaxVarintLen64
	}
	b := make([]byte, 0, size)
	b = binary.AppendUvarint(appendBytes(appendBytes(b, d.trace), d.head), uint64(len(d.blocks)))
	for i := range d.blocks {
		b = appendBytes(appendBytes(b, d.blocks[i].traces), d.blocks[i].results)
	}
	return b
}

func readBody(b []byte) (*body, error) {
	r := reader{b: b}
	d := &body{trace: string(r.bytes()), head: r.bytes()}
	for n := r.number(); n > 0 && !r.bad; n-- {
		d.blocks = append(d.blocks, block{traces: r.bytes(), results: r.bytes()})
	}
	if r.bad || len(r.b) > 0 {
		return nil, errLogDamaged
	}
	return d, nil
}

// run unpacks the run.
func (d *body) run() (*Run, error) {
	run, err := readHead(d.head)
	if err != nil {
		return nil, err
	}
	for i := range d.blocks {
		results, err := unpack(d.blocks[i].results)
		if err != nil {
			return nil, err
		}
		run.Results = append(run.Results, results...)
	}
	return run, nil
}

// result unpacks the run with one of its results, by its trace code; nil where
// it has none such.
func (d *body) result(code [traceSize]byte) (*Run, error) {
	for i := range d.blocks {
		if at := traceIndex(d.blocks[i].traces, code); at >= 0 {
			return oneOf(d.head, d.blocks[i].results, at)
		}
	}
	return nil, nil
}

// oneOf is a run with one result of a block.
func oneOf(head, packed []byte, index int) (*Run, error) {
	run, err := readHead(head)
	if err != nil {
		return nil, err
	}
	results, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	if index >= len(results) {
		return nil, fmt.Errorf("stored results cannot be read: %d of them, number %d is meant", len(results), index+1)
	}
	run.Results = []checks.Result{results[index]}
	return run, nil
}
