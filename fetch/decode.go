package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
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

var (
	errUnknownCoding = errors.New("not a coding that is known")
	errTail          = errors.New("more data after the end")
)

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

// decode undoes content codings (RFC 9110 §8.4), the last one first, one
// reading from the other: however many lie on one another, nothing but the end
// of the chain is kept, and the limit holds while it runs. On an error it gives
// what had been decoded by then.
func decode(raw []byte, codings []string, limit int64) ([]byte, error) {
	if len(codings) > maxCodings {
		return nil, &EncodingError{Encoding: strings.Join(codings, ", "), Err: errUnknownCoding}
	}
	if len(raw) == 0 || len(codings) == 0 {
		return raw, nil
	}
	chain := make([]*stage, 0, maxCodings)
	defer func() {
		for _, s := range chain {
			s.free()
		}
	}()
	var src io.Reader = bytes.NewReader(raw)
	for i := len(codings) - 1; i >= 0; i-- {
		s := &stage{name: codings[i], src: bufio.NewReader(src), free: nothing, left: headroom(limit)}
		chain = append(chain, s)
		if err := s.start(); err != nil {
			return nil, err
		}
		src = s
	}
	last := chain[len(chain)-1]
	last.left = headroom(limit) // readUpTo stops before
	hint := int64(len(raw)) * 2
	if len(chain) == 1 && strings.HasSuffix(last.name, "gzip") {
		hint = expansion(raw)
	}
	data, over, err := readUpTo(last, hint, limit)
	if err == nil && over {
		err = &BodyTooLargeError{Limit: limit}
	}
	return data, err
}

// headroom is limit, and what packing can add to bytes that cannot be packed: a
// body whose packed form is larger than that is no honest one.
func headroom(limit int64) int64 {
	const most = 1 << 62
	if limit >= most/2 {
		return most
	}
	return limit + limit/8 + 64<<10
}

// stage undoes one coding of a chain.
type stage struct {
	name string
	src  *bufio.Reader
	out  io.Reader
	free func()
	left int64 // bytes that may still come out
	max  int64
}

// start reads the head of the coding. Nothing at all stays nothing.
func (s *stage) start() error {
	s.max = s.left
	open, ok := coders[s.name]
	if !ok {
		return s.wrap(errUnknownCoding)
	}
	if _, err := s.src.Peek(1); err != nil {
		s.out = bytes.NewReader(nil)
		if err == io.EOF {
			return nil
		}
		return err // of the stage before, named already
	}
	var err error
	s.out, s.free, err = open(s.src)
	return s.wrap(err)
}

// Read gives decoded bytes, up to the stage's own limit.
func (s *stage) Read(p []byte) (int, error) {
	if s.left <= 0 {
		return 0, &BodyTooLargeError{Limit: s.max}
	}
	if int64(len(p)) > s.left {
		p = p[:s.left]
	}
	n, err := s.out.Read(p)
	s.left -= int64(n)
	if err == io.EOF {
		if _, more := s.src.Peek(1); more == nil {
			err = errTail
		} else if more != io.EOF {
			err = more
		}
	}
	return n, s.wrap(err)
}

// wrap names the coding that failed, once.
func (s *stage) wrap(err error) error {
	var named *EncodingError
	var large *BodyTooLargeError
	if err == nil || err == io.EOF || errors.As(err, &named) || errors.As(err, &large) {
		return err
	}
	return &EncodingError{Encoding: s.name, Err: err}
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
