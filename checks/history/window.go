package history

import "io"

// windowSize is how much of a log is read at once where less is asked for.
const windowSize = 4 << 10

// window reads parts of a file that lie near each other with few calls.
type window struct {
	r    io.ReaderAt
	size int64
	at   int64  // where buf begins
	buf  []byte // never written to again: what was given out stays
}

// view gives n bytes from a place, which are there for good.
func (w *window) view(at int64, n int) ([]byte, error) {
	end := at + int64(n)
	if at < 0 || end > w.size {
		return nil, errLogDamaged
	}
	if at < w.at || end > w.at+int64(len(w.buf)) {
		if err := w.load(at, end); err != nil {
			return nil, err
		}
	}
	return w.buf[at-w.at : end-w.at : end-w.at], nil
}

// load reads at least what lies between two places: what is before it too where
// the file is read from its end, what is behind it where it is read on.
func (w *window) load(at, end int64) error {
	switch {
	case w.size <= windowSize:
		at, end = 0, w.size
	case end-at >= windowSize:
	case w.buf == nil || at < w.at:
		at = max(0, end-windowSize)
	default:
		end = min(w.size, at+windowSize)
	}
	buf := make([]byte, end-at)
	n, err := w.r.ReadAt(buf, at)
	if n < len(buf) {
		if err == nil || err == io.EOF { // it was cut off meanwhile
			err = errLogDamaged
		}
		return err
	}
	w.at, w.buf = at, buf
	return nil
}
