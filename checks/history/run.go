package history

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// Run is one finished run as it is kept. Its times are UTC; Results are not
// part of its own JSON.
type Run struct {
	Trace        string               `json:"trace"`
	StartedAt    time.Time            `json:"started_at"`
	DurationMS   int64                `json:"duration_ms"`
	Profile      string               `json:"profile"`
	PolicyFormat string               `json:"policy_format"`
	ExitCode     int                  `json:"exit_code"`
	Degraded     []checks.Degradation `json:"degraded"`
	Origins      []checks.OriginState `json:"origins"`
	Results      []checks.Result      `json:"-"`
	// Packed are the Results where Pack has begun with them; may be nil.
	Packed *Packed `json:"-"`
}

// Packed are results that are made ready to be stored beside other work.
type Packed struct {
	done   chan struct{}
	blocks []block
	err    error
}

// Pack begins to make results ready for Save. They must not change any more.
func Pack(results []checks.Result) *Packed {
	p := &Packed{done: make(chan struct{})}
	go func() {
		defer close(p.done)
		defer func() {
			if broke := recover(); broke != nil {
				p.err = fmt.Errorf("the store panicked: %v", broke)
			}
		}()
		p.blocks, p.err = pack(results)
	}()
	return p
}

// blockResults is how many results are compressed together at most, and
// blockText from how many bytes of text on no further one is added: enough for
// what they share to be written once, few enough to find one without reading
// megabytes.
const (
	blockResults = 256
	blockText    = 1 << 20
	resultText   = 1 << 10 // more than a usual result has
)

// traceSize is the size of a trace code in bytes: 8 characters of 5 bits.
const traceSize = 5

// block is some results of a run, ready to be stored.
type block struct{ traces, results []byte }

// blockForm begins a block that is compressed with S2. No DEFLATE stream (RFC
// 1951), which is what a block was before, begins with it: it would have a
// block type that is none.
const blockForm = 0xFE

var (
	headEncoder   = sync.OnceValue(func() encoder { return leanEncoder(reflect.TypeFor[Run]()) })
	resultEncoder = sync.OnceValue(func() encoder { return leanEncoder(reflect.TypeFor[checks.Result]()) })
)

// warm packs a run like a usual one while there is time: of what the first one
// takes, most is finding out about its types.
func warm() {
	_, _ = bodyOf(&Run{Origins: []checks.OriginState{{}}, Results: []checks.Result{{
		Retrieval: &fetch.Retrieval{}, Past: &checks.Past{}, Trips: []checks.Trip{{Attempts: []checks.Attempt{{}}}},
	}}})
}

// head is the run without its results.
func (r *Run) head() ([]byte, error) { return headEncoder()(nil, reflect.ValueOf(r).Elem()) }

// blocks are the results of a run, packed.
func (r *Run) blocks() ([]block, error) {
	if r.Packed == nil {
		return pack(r.Results)
	}
	<-r.Packed.done
	return r.Packed.blocks, r.Packed.err
}

func pack(list []checks.Result) ([]block, error) {
	var out []block
	var traces, packed []byte
	text := make([]byte, 0, min(len(list), blockResults)*resultText)
	results, encode := reflect.ValueOf(list), resultEncoder()
	for i := range list {
		code, _ := packTrace(list[i].Trace)
		traces = append(traces, code[:]...)
		var err error
		if text, err = encode(text, results.Index(i)); err != nil {
			return nil, err
		}
		text = append(text, '\n')
		if len(traces) < blockResults*traceSize && len(text) < blockText && i < len(list)-1 {
			continue
		}
		if len(text) > maxBlock {
			return nil, errors.New("a result is too large to be stored")
		}
		packed = slices.Grow(packed[:0], s2.MaxEncodedLen(len(text)))
		out = append(out, block{traces: traces, results: slices.Concat([]byte{blockForm}, s2.Encode(packed[:cap(packed)], text))})
		text, traces = text[:0], nil
	}
	return out, nil
}

// maxBlock bounds what a stored block may unpack to, in bytes: a damaged or
// hostile file must not fill the memory.
const maxBlock = 64 << 20

// unpack reads the results of a block.
func unpack(packed []byte) ([]checks.Result, error) {
	text, err := unpacked(packed)
	if err != nil {
		return nil, fmt.Errorf("stored results cannot be read: %w", err)
	}
	var out []checks.Result
	dec := json.NewDecoder(text)
	for {
		var r checks.Result
		switch err := dec.Decode(&r); err {
		case nil:
			out = append(out, r)
		case io.EOF:
			return out, nil
		default:
			return nil, fmt.Errorf("stored results cannot be read: %w", err)
		}
	}
}

func unpacked(packed []byte) (io.Reader, error) {
	if len(packed) == 0 || packed[0] != blockForm {
		return io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxBlock), nil
	}
	n, err := s2.DecodedLen(packed[1:])
	if err != nil {
		return nil, err
	}
	if n > maxBlock {
		return nil, fmt.Errorf("%d bytes are too many", n)
	}
	text, err := s2.Decode(nil, packed[1:])
	return bytes.NewReader(text), err
}

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// crockfordBits are the values of the alphabet's characters, in both cases; 0xff
// for others.
var crockfordBits = sync.OnceValue(func() *[256]byte {
	var bits [256]byte
	for i := range bits {
		bits[i] = 0xff
	}
	for i, c := range []byte(crockford) {
		bits[c], bits[c|0x20] = byte(i), byte(i) // a digit has that bit already
	}
	return &bits
})

// packTrace makes five bytes of a trace code, whatever its case; a text that is
// none gives zeros and false.
func packTrace(code string) (b [traceSize]byte, ok bool) {
	if len(code) != 8 {
		return b, false
	}
	var bits uint64
	values := crockfordBits()
	for i := range len(code) {
		v := values[code[i]]
		if v == 0xff {
			return [traceSize]byte{}, false
		}
		bits = bits<<5 | uint64(v)
	}
	for i := range b {
		b[i] = byte(bits >> (8 * (traceSize - 1 - i)))
	}
	return b, true
}
