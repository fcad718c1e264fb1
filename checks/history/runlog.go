package history

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"time"
)

// LogName is the file of the newest runs, beside FileName: each run appends one
// record, and now and then one of them takes all records over into SQLite and
// begins a new log. Keeping a run so costs one write instead of a database.
//
// A log begins with a head of 64 bytes: magic, version (4 bytes), 4 that are
// zero, generation (16), when it was made (8, milliseconds since 1970), where
// its runs begin (8), a checksum (4), zeros. Records follow. A record is a head
// of 28 bytes: kind, runs so far, the sizes of its two parts, their checksums,
// and a checksum of all that, of the generation and of the place; then the
// parts; then its whole size and the checksum of its head again, so that the
// newest record is found from the end. Numbers are big-endian, checksums are
// CRC-32 (IEEE 802.3: the tables of CRC-32C would cost a small run more than all
// the rest of its reading). A record is whole or it is not there: what a killed process leaves
// is shorter than its head says, and is cut off by the next that writes.
const LogName = "history.log"

const (
	logMagic   = "fvrunlog"
	logVersion = 1
	logHead    = 64
	recordHead = 28
	recordTail = 8
	// maxPart is the size of a part of a record at most, in bytes.
	maxPart = 1 << 30
)

// The kinds of records: a run, and states that were known when the log began.
const (
	kindRun = iota + 1
	kindKnown
)

var (
	errLogDamaged = &Error{Reason: LogName + " is damaged; move it away to begin a new one"}
	errLogForeign = &Error{Reason: LogName + " is not the log of a history; move it away to begin a new one"}
	errLogNewer   = &Error{Reason: LogName + " is of a newer version of fonteviva"}
	// errTorn is a record that was not written to its end.
	errTorn = errors.New("a torn record")
)

// logHeader is the head of a log.
type logHeader struct {
	generation [16]byte // tells logs apart: a record's place means something in its own only
	made       int64    // milliseconds since 1970
	base       int64    // where the runs begin
}

func (h *logHeader) append(b []byte) []byte {
	begin := len(b)
	b = append(b, logMagic...)
	b = binary.BigEndian.AppendUint32(b, logVersion)
	b = binary.BigEndian.AppendUint32(b, 0)
	b = append(b, h.generation[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(h.made))
	b = binary.BigEndian.AppendUint64(b, uint64(h.base))
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[begin:]))
	return append(b, make([]byte, logHead-(len(b)-begin))...)
}

func readLogHeader(b []byte) (h logHeader, err error) {
	switch {
	case string(b[:8]) != logMagic:
		return h, errLogForeign
	case binary.BigEndian.Uint32(b[8:]) != logVersion:
		return h, errLogNewer
	case crc32.ChecksumIEEE(b[:48]) != binary.BigEndian.Uint32(b[48:]):
		return h, errLogDamaged
	}
	copy(h.generation[:], b[16:])
	h.made, h.base = int64(binary.BigEndian.Uint64(b[32:])), int64(binary.BigEndian.Uint64(b[40:]))
	return h, nil
}

// runlog is a log as it was at a moment.
type runlog struct {
	window
	logHeader
	begun bool      // it has a head
	seen  time.Time // when it had last been written to
	// end is where its last whole record ends; last finds it.
	end int64
}

// readLog reads the head of a log. One that was cut off while its first record
// was written, or of which nothing reached the disk, is not begun.
func readLog(r io.ReaderAt, size int64) (*runlog, error) {
	l := &runlog{window: window{r: r, size: size}}
	head, err := l.view(0, int(min(size, logHead)))
	if err != nil {
		return nil, err
	}
	if zeros(head) {
		if err := l.broken(0); !errors.Is(err, errTorn) {
			return nil, err
		}
		return l, nil
	}
	if size < logHead {
		if n := min(len(head), len(logMagic)); string(head[:n]) != logMagic[:n] {
			return nil, errLogForeign
		}
		return l, nil
	}
	if l.logHeader, err = readLogHeader(head); err != nil {
		return nil, err
	}
	l.begun, l.end = true, logHead
	return l, nil
}

func zeros(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

// part is a part of a record: where it lies.
type part struct {
	at  int64
	n   int
	sum uint32
}

// record is where a record and its parts lie.
type record struct {
	kind, runs   uint32
	at, end      int64
	states, body part
}

// recordAt reads the head of the record that begins somewhere.
func (l *runlog) recordAt(at int64) (record, error) {
	if l.size-at < recordHead {
		return record{}, errTorn
	}
	b, err := l.view(at, recordHead)
	if err != nil {
		return record{}, err
	}
	number := func(i int) uint32 { return binary.BigEndian.Uint32(b[4*i:]) }
	if number(6) != l.headSum(b[:24], at) {
		return record{}, l.broken(at + recordHead - 1)
	}
	r := record{kind: number(0), runs: number(1), at: at}
	r.states = part{at + recordHead, int(number(2)), number(4)}
	r.body = part{r.states.at + int64(r.states.n), int(number(3)), number(5)}
	if r.end = r.body.at + int64(r.body.n) + recordTail; r.end > l.size {
		return record{}, errTorn
	}
	tail, err := l.view(r.end-recordTail, recordTail)
	if err != nil {
		return record{}, err
	}
	if binary.BigEndian.Uint32(tail) != uint32(r.end-at) || binary.BigEndian.Uint32(tail[4:]) != number(6) {
		return record{}, l.broken(r.end - 1)
	}
	return r, nil
}

// headSum is the checksum of a record's head in its place.
func (l *runlog) headSum(head []byte, at int64) uint32 {
	sum := crc32.Update(crc32.ChecksumIEEE(head), crc32.IEEETable, l.generation[:])
	return crc32.Update(sum, crc32.IEEETable, binary.BigEndian.AppendUint64(nil, uint64(at)))
}

// broken tells what a record is that is not as it should be at a place. Zeros
// from there to the end of the file never reached the disk, though the size of
// the file did: that is what a machine which lost its power leaves of a record.
func (l *runlog) broken(from int64) error {
	for from < l.size {
		n := min(windowSize, l.size-from)
		b, err := l.view(from, int(n))
		if err != nil {
			return err
		}
		if !zeros(b) {
			return errLogDamaged
		}
		from += n
	}
	return errTorn
}

// endingAt finds the record that ends somewhere by its last bytes.
func (l *runlog) endingAt(end int64) (record, bool) {
	if end-logHead < recordHead+recordTail {
		return record{}, false
	}
	tail, err := l.view(end-recordTail, recordTail)
	if err != nil {
		return record{}, false
	}
	at := end - int64(binary.BigEndian.Uint32(tail))
	if at < logHead || at > end-recordHead-recordTail {
		return record{}, false
	}
	r, err := l.recordAt(at)
	return r, err == nil && r.end == end
}

// last finds the newest whole record, and with it where the next one goes;
// false where there is none.
func (l *runlog) last() (newest record, ok bool, err error) {
	if r, ok := l.endingAt(l.size); ok && l.begun {
		l.end = l.size
		return r, true, nil
	}
	if !l.begun {
		return newest, false, nil
	}
	for l.end = logHead; l.end < l.size; l.end = newest.end {
		r, err := l.recordAt(l.end)
		if errors.Is(err, errTorn) {
			break
		}
		if err != nil {
			return newest, false, err
		}
		newest, ok = r, true
	}
	return newest, ok, nil
}

// before finds the record before another; false for the first.
func (l *runlog) before(r record) (record, bool, error) {
	if r.at == logHead {
		return record{}, false, nil
	}
	prev, ok := l.endingAt(r.at)
	if !ok {
		return record{}, false, errLogDamaged
	}
	return prev, true, nil
}

// runs lists the runs that end behind a place, the oldest first.
func (l *runlog) runs(behind int64) ([]record, error) {
	if _, _, err := l.last(); err != nil || !l.begun {
		return nil, err
	}
	var out []record
	for at := max(behind, logHead); at < l.end; {
		r, err := l.recordAt(at)
		if err != nil {
			return nil, errLogDamaged
		}
		if r.kind == kindRun {
			out = append(out, r)
		}
		at = r.end
	}
	return out, nil
}

// all lists all runs, the oldest first; none where there is no log.
func (l *runlog) all() ([]record, error) {
	if l == nil {
		return nil, nil
	}
	return l.runs(0)
}

// part reads a part of a record.
func (l *runlog) part(p part) ([]byte, error) {
	b, err := l.view(p.at, p.n)
	if err != nil {
		return nil, err
	}
	if crc32.ChecksumIEEE(b) != p.sum {
		return nil, errLogDamaged
	}
	return b, nil
}

// appendRecord writes a record that will lie at a place of the log.
func (l *runlog) appendRecord(b []byte, kind, runs uint32, states, body []byte, at int64) ([]byte, error) {
	if len(states) > maxPart || len(body) > maxPart {
		return nil, errors.New("the run is too large to be stored")
	}
	begin := len(b)
	for _, n := range [...]uint32{kind, runs, uint32(len(states)), uint32(len(body)), crc32.ChecksumIEEE(states), crc32.ChecksumIEEE(body)} {
		b = binary.BigEndian.AppendUint32(b, n)
	}
	sum := l.headSum(b[begin:], at)
	b = append(append(binary.BigEndian.AppendUint32(b, sum), states...), body...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(b)-begin+recordTail))
	return binary.BigEndian.AppendUint32(b, sum), nil
}
