package fetch

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// coder starts to undo one coding; free gives back what it holds.
type coder func(src *bufio.Reader) (out io.Reader, free func(), err error)

// coders are the content codings of RFC 9110 §8.4.1, RFC 7932 and RFC 8878.
var coders = map[string]coder{
	"gzip": gunzip, "x-gzip": gunzip, "deflate": inflate, "br": unbrotli, "zstd": unzstd,
}

// offered is Accept-Encoding: what is undone here, but for deflate, of which
// servers know two (see inflate).
const offered = "gzip, br, zstd"

func nothing() {}

var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

func gunzip(src *bufio.Reader) (io.Reader, func(), error) {
	z := gzipReaders.Get().(*gzip.Reader)
	return z, func() { gzipReaders.Put(z) }, z.Reset(src)
}

// inflate accepts what RFC 9110 §8.4.1.2 asks for (the zlib format) and the
// bare deflate data that some servers send instead.
func inflate(src *bufio.Reader) (io.Reader, func(), error) {
	head, _ := src.Peek(2)
	if isZlib(head) {
		z, err := zlib.NewReader(src)
		return z, nothing, err
	}
	return flate.NewReader(src), nothing, nil
}

// isZlib checks the two bytes of a zlib header (RFC 1950 §2.2).
func isZlib(b []byte) bool {
	return len(b) >= 2 && b[0]&0x0f == 8 && (uint(b[0])<<8|uint(b[1]))%31 == 0
}

func unbrotli(src *bufio.Reader) (io.Reader, func(), error) {
	return brotli.NewReader(src), nothing, nil
}

// zstdWindow is the largest window that a body may ask us to hold (RFC 9659
// §3).
const zstdWindow = 8 << 20

// unzstd decodes in the caller's own goroutine.
func unzstd(src *bufio.Reader) (io.Reader, func(), error) {
	z, err := zstd.NewReader(src, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(zstdWindow))
	if err != nil {
		return nil, nothing, err
	}
	return z, z.Close, nil
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
