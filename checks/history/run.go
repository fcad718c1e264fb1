package history

import (
	"bytes"
	"compress/flate"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
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
}

// blockResults is how many results are compressed together: enough for what
// they share to be written once, few enough to find one without reading a
// megabyte.
const blockResults = 64

// traceSize is the size of a trace code in bytes: 8 characters of 5 bits.
const traceSize = 5

// block is some results of a run, ready to be stored.
type block struct{ traces, results []byte }

// blocks packs the results of a run.
func (r *Run) blocks() ([]block, error) {
	var out []block
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for start := 0; start < len(r.Results); start += blockResults {
		part := r.Results[start:min(start+blockResults, len(r.Results))]
		b := block{traces: make([]byte, 0, len(part)*traceSize)}
		packed.Reset()
		w.Reset(&packed)
		for i := range part {
			code, _ := packTrace(part[i].Trace)
			b.traces = append(b.traces, code[:]...)
			if err := enc.Encode(&part[i]); err != nil {
				return nil, err
			}
		}
		if err := w.Close(); err != nil {
			return nil, err
		}
		b.results = bytes.Clone(packed.Bytes())
		out = append(out, b)
	}
	return out, nil
}

// maxBlock bounds what a stored block may unpack to, in bytes: a damaged or
// hostile file must not fill the memory.
const maxBlock = 64 << 20

// unpack reads the results of a block.
func unpack(packed []byte) ([]checks.Result, error) {
	var out []checks.Result
	dec := json.NewDecoder(io.LimitReader(flate.NewReader(bytes.NewReader(packed)), maxBlock))
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

const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// packTrace makes five bytes of a trace code, whatever its case; a text that is
// none gives zeros and false.
func packTrace(code string) (b [traceSize]byte, ok bool) {
	if len(code) != 8 {
		return b, false
	}
	var bits uint64
	for _, c := range strings.ToUpper(code) {
		i := strings.IndexRune(crockford, c)
		if i < 0 {
			return [traceSize]byte{}, false
		}
		bits = bits<<5 | uint64(i)
	}
	for i := range b {
		b[i] = byte(bits >> (8 * (traceSize - 1 - i)))
	}
	return b, true
}
