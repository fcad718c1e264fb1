package history

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// Cell is one run of a probe in its strip.
type Cell struct {
	At       time.Time // the run's start
	Finding  checks.Finding
	Asked    bool
	Measured bool
	Unstable bool
	Kind     fetch.Kind // "" for none
	Status   int
	// LatencyMS is how long the last attempt took; without meaning where nothing
	// was asked.
	LatencyMS int64
	// Unjudged says that something else kept the probe from being asked: the
	// cell's finding is then no answer of the source.
	Unjudged bool
}

// cellSize is the size of a stored cell in bytes: 6 of milliseconds since 1970,
// one of finding and flags, one of kind, two of status, four of latency, two
// that are zero.
const cellSize = 16

const (
	flagAsked = 1 << (iota + 3)
	flagMeasured
	flagUnstable
	flagUnjudged
)

// kindCodes are the stored numbers of the kinds, from 1. New ones go to the
// end: stored cells keep their meaning.
var kindCodes = []fetch.Kind{
	fetch.Timeout, fetch.Network, fetch.RateLimited, fetch.HTTP5xx, fetch.HTTP4xx, fetch.MalformedBody, fetch.NotFound, fetch.Redirect, fetch.Aborted,
}

// cellOf makes the cell of a result.
func cellOf(r *checks.Result, o Observation) Cell {
	c := Cell{At: o.At, Finding: r.Finding, Asked: r.Asked, Measured: r.Measured, Unstable: r.Unstable, Unjudged: o.Unjudged || withheld(r)}
	if r.Kind != nil {
		c.Kind = *r.Kind
	}
	if r.Status != nil {
		c.Status = *r.Status
	}
	if n := len(r.Trips); n > 0 {
		if m := len(r.Trips[n-1].Attempts); m > 0 {
			c.LatencyMS = r.Trips[n-1].Attempts[m-1].TotalMS
		}
	}
	return c
}

// withheld reports whether a probe was kept from being asked, whatever it was
// then found to be: a need's finding, and that of an origin whose breaker is
// open, come from other answers, which are counted where they were given.
func withheld(r *checks.Result) bool {
	if r.Asked || r.Detail == nil {
		return false
	}
	switch *r.Detail {
	case checks.DetailRunBudget, checks.DetailInterrupted, checks.DetailDependency, string(fetch.Cancelled), string(fetch.CircuitOpen):
		return true
	}
	return false
}

func appendCell(b []byte, c Cell) []byte {
	var cell [cellSize]byte
	setCellAt(cell[:], max(0, millis(c.At)))
	cell[6] = findingCode(c.Finding)
	for i, set := range [...]bool{c.Asked, c.Measured, c.Unstable, c.Unjudged} {
		if set {
			cell[6] |= flagAsked << i
		}
	}
	for i, k := range kindCodes {
		if k == c.Kind {
			cell[7] = byte(i + 1)
		}
	}
	binary.BigEndian.PutUint16(cell[8:], uint16(min(max(0, c.Status), math.MaxUint16)))
	binary.BigEndian.PutUint32(cell[10:], uint32(min(max(0, c.LatencyMS), math.MaxUint32)))
	return append(b, cell[:]...)
}

// cellAt reads when a stored cell was.
func cellAt(b []byte) int64 { return int64(binary.BigEndian.Uint64(b[:8]) >> 16) }

// setCellAt writes when a stored cell was.
func setCellAt(b []byte, at int64) {
	binary.BigEndian.PutUint16(b, uint16(at>>32))
	binary.BigEndian.PutUint32(b[2:], uint32(at))
}

func readCell(b []byte) Cell {
	c := Cell{
		At: atMillis(cellAt(b)), Finding: findingOf(b[6] & 7),
		Asked: b[6]&flagAsked != 0, Measured: b[6]&flagMeasured != 0, Unstable: b[6]&flagUnstable != 0, Unjudged: b[6]&flagUnjudged != 0,
		Status: int(binary.BigEndian.Uint16(b[8:])), LatencyMS: int64(binary.BigEndian.Uint32(b[10:])),
	}
	if code := int(b[7]); code >= 1 && code <= len(kindCodes) {
		c.Kind = kindCodes[code-1]
	}
	return c
}
