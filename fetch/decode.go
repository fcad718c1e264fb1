package fetch

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// maxCodings bounds how many content codings may lie on one another.
const maxCodings = 3

// EncodingError is a body that is not what its Content-Encoding says.
type EncodingError struct {
	Encoding string
	Err      error
}

// Error says which coding failed.
func (e *EncodingError) Error() string {
	return "content encoding " + e.Encoding + ": " + e.Err.Error()
}

// Unwrap gives the underlying error.
func (e *EncodingError) Unwrap() error { return e.Err }

// BodyTooLargeError is a body above our own cap.
type BodyTooLargeError struct{ Limit int64 }

// Error says what the cap is.
func (e *BodyTooLargeError) Error() string {
	return fmt.Sprintf("the body is larger than our limit of %d bytes", e.Limit)
}

var errUnknownCoding = errors.New("not a coding that was asked for")

// decode undoes content codings (RFC 9110 §8.4), the last one first. The
// limit holds while each runs, so that a bomb costs no more than the limit. On
// an error it gives what had been decoded by then.
func decode(raw []byte, codings []string, limit int64) ([]byte, error) {
	if len(codings) > maxCodings {
		return nil, &EncodingError{Encoding: strings.Join(codings, ", "), Err: errUnknownCoding}
	}
	data := raw
	for i := len(codings) - 1; i >= 0 && len(data) > 0; i-- {
		var err error
		if data, err = decodeOne(data, codings[i], limit); err != nil {
			return data, err
		}
	}
	return data, nil
}

// codings lists the content codings of a header, identity left out.
func codings(lines []string) []string {
	var list []string
	for _, line := range lines {
		for c := range strings.SplitSeq(line, ",") {
			if c = strings.ToLower(trimOWS(c)); c != "" && c != "identity" {
				list = append(list, c)
			}
		}
	}
	return list
}

var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

func decodeOne(raw []byte, coding string, limit int64) ([]byte, error) {
	var out []byte
	var over bool
	var err error
	switch coding {
	case "gzip", "x-gzip":
		out, over, err = gunzip(raw, limit)
	case "deflate":
		out, over, err = inflate(raw, limit)
	default:
		err = errUnknownCoding
	}
	if err != nil {
		return out, &EncodingError{Encoding: coding, Err: err}
	}
	if over {
		return out, &BodyTooLargeError{Limit: limit}
	}
	return out, nil
}

func gunzip(raw []byte, limit int64) ([]byte, bool, error) {
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(raw)); err != nil {
		return nil, false, err
	}
	return readUpTo(z, expansion(raw), limit)
}

// inflate accepts what RFC 9110 §8.4.1.2 asks for (the zlib format) and the
// bare deflate data that some servers send instead.
func inflate(raw []byte, limit int64) ([]byte, bool, error) {
	src := bufio.NewReader(bytes.NewReader(raw))
	if isZlib(raw) {
		z, err := zlib.NewReader(src)
		if err != nil {
			return nil, false, err
		}
		return readUpTo(z, int64(len(raw))*2, limit)
	}
	return readUpTo(flate.NewReader(src), int64(len(raw))*2, limit)
}

// isZlib checks the two bytes of a zlib header (RFC 1950 §2.2).
func isZlib(b []byte) bool {
	return len(b) >= 2 && b[0]&0x0f == 8 && (uint(b[0])<<8|uint(b[1]))%31 == 0
}

// expansion guesses the decoded size: what the trailer says (RFC 1952 §2.3.1),
// when that is likely.
func expansion(raw []byte) int64 {
	if len(raw) < 18 {
		return 0
	}
	t := raw[len(raw)-4:]
	said := int64(t[0]) | int64(t[1])<<8 | int64(t[2])<<16 | int64(t[3])<<24
	return min(said, int64(len(raw))*20)
}

// maxPresize bounds the memory that a stranger's announcement of a size makes
// us take.
const maxPresize = 8 << 20

// readUpTo reads r to its end, or to limit: over says that there was more. The
// hint is how much to expect, negative when not known. It gives what was read
// even with an error.
func readUpTo(r io.Reader, hint, limit int64) (data []byte, over bool, err error) {
	size := min(max(hint, 0), limit, maxPresize) + 1 // one more, to meet the end without growing
	buf := make([]byte, 0, max(size, 512))
	for {
		if len(buf) == cap(buf) {
			buf = append(make([]byte, 0, min(int64(cap(buf))*2, limit+1)), buf...)
		}
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if int64(len(buf)) > limit {
			return buf[:limit], true, nil
		}
		if err == io.EOF {
			return buf, false, nil
		}
		if err != nil {
			return buf, false, err
		}
	}
}
