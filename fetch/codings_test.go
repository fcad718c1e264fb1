package fetch

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

func brotlied(b []byte) []byte {
	var buf bytes.Buffer
	w := brotli.NewWriterLevel(&buf, 2)
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

func zstandard(b []byte, opts ...zstd.EOption) []byte {
	var buf bytes.Buffer
	w, err := zstd.NewWriter(&buf, append([]zstd.EOption{zstd.WithEncoderConcurrency(1)}, opts...)...)
	if err != nil {
		panic(err)
	}
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

// packers pack with each coding that is undone.
var packers = map[string]func([]byte) []byte{
	"gzip":    gzipped,
	"x-gzip":  gzipped,
	"deflate": func(b []byte) []byte { return deflated(b, false) },
	"br":      brotlied,
	"zstd":    func(b []byte) []byte { return zstandard(b) },
}

func TestEveryCodingAndEveryPair(t *testing.T) {
	for _, text := range []string{"x", strings.Repeat(smallJSON, 2000)} {
		for first, pack := range packers {
			packed := pack([]byte(text))
			if out, err := decode(packed, []string{first}, 1<<20); err != nil || string(out) != text {
				t.Errorf("%s: %d bytes, %v", first, len(out), err)
			}
			for second, again := range packers {
				if out, err := decode(again(packed), []string{first, second}, 1<<20); err != nil || string(out) != text {
					t.Errorf("%s, %s: %d bytes, %v", first, second, len(out), err)
				}
			}
		}
	}
}

func TestBrokenCodings(t *testing.T) {
	text := []byte(strings.Repeat(smallJSON, 2000))
	for name, pack := range packers {
		packed := pack(text)
		var named *EncodingError
		var large *BodyTooLargeError
		for what, raw := range map[string][]byte{
			"cut": packed[:len(packed)-1], "cut in half": packed[:len(packed)/2], "with a tail": append(bytes.Clone(packed), "tail"...), "plain": text,
		} {
			out, err := decode(raw, []string{name}, 1<<20)
			if !errors.As(err, &named) || named.Encoding != name || errors.As(err, &large) {
				t.Errorf("%s %s: %v", name, what, err)
			}
			if what != "plain" && !bytes.HasPrefix(text, out) {
				t.Errorf("%s %s: something else came out", name, what)
			}
		}
		for _, limit := range []int{0, 1, 100, len(text) - 1} {
			out, err := decode(packed, []string{name}, int64(limit))
			if !errors.As(err, &large) || large.Limit != int64(limit) || len(out) != limit {
				t.Errorf("%s under %d: %d bytes, %v", name, limit, len(out), err)
			}
		}
		if out, err := decode(packed, []string{name}, int64(len(text))); err != nil || !bytes.Equal(out, text) {
			t.Errorf("%s at its very limit: %v", name, err)
		}
	}
}

// TestOuterFaultIsNamed: the coding that failed is the one that is named.
func TestOuterFaultIsNamed(t *testing.T) {
	packed := gzipped(brotlied([]byte("text")))
	packed[len(packed)-5] ^= 1 // the checksum of gzip
	var named *EncodingError
	if _, err := decode(packed, []string{"br", "gzip"}, 1<<10); !errors.As(err, &named) || named.Encoding != "gzip" {
		t.Error(err)
	}
	if _, err := decode(gzipped([]byte("no brotli")), []string{"br", "gzip"}, 1<<10); !errors.As(err, &named) || named.Encoding != "br" {
		t.Error(err)
	}
}

// TestWhatIsPackedInsideIsBounded: the inner packed form of a nested bomb ends
// the decoding even where nothing of it would come out.
func TestWhatIsPackedInsideIsBounded(t *testing.T) {
	empty := bytes.Repeat(gzipped(nil), 1<<17)
	var large *BodyTooLargeError
	if _, err := decode(gzipped(empty), []string{"gzip", "gzip"}, 1<<10); !errors.As(err, &large) {
		t.Error(err)
	}
}

// TestZstdWindow: RFC 9659 bounds the memory that a body may ask for.
func TestZstdWindow(t *testing.T) {
	text := make([]byte, 20<<20)
	for i := range text {
		text[i] = byte(i >> 12)
	}
	stream := func(window int) []byte {
		var buf bytes.Buffer
		w, err := zstd.NewWriter(&buf, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(window))
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(w, onlyReader{bytes.NewReader(text)})
		w.Close()
		return buf.Bytes()
	}
	if out, err := decode(stream(zstdWindow), []string{"zstd"}, 1<<30); err != nil || !bytes.Equal(out, text) {
		t.Errorf("8 MiB: %v", err)
	}
	var named *EncodingError
	if _, err := decode(stream(2*zstdWindow), []string{"zstd"}, 1<<30); !errors.As(err, &named) || !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("16 MiB: %v", err)
	}
}

// onlyReader hides every method but Read.
type onlyReader struct{ io.Reader }

// fuzzCoding holds one decoder to never panicking, never giving more than the
// limit, and undoing what packs.
func fuzzCoding(f *testing.F, coding string) {
	pack := packers[coding]
	for _, s := range []string{"", "x", smallJSON, strings.Repeat(smallJSON, 100)} {
		packed := pack([]byte(s))
		f.Add(packed)
		f.Add(packed[:len(packed)/2])
		f.Add([]byte(s))
	}
	const limit = 1 << 14
	f.Fuzz(func(t *testing.T, raw []byte) {
		var named *EncodingError
		var large *BodyTooLargeError
		out, err := decode(raw, []string{coding}, limit)
		if len(out) > limit || err != nil && !errors.As(err, &named) && !errors.As(err, &large) {
			t.Errorf("%d bytes, %v", len(out), err)
		}
		if again, err := decode(pack(raw), []string{coding}, 1<<30); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("round trip: %v", err)
		}
	})
}

func FuzzGzip(f *testing.F)    { fuzzCoding(f, "gzip") }
func FuzzDeflate(f *testing.F) { fuzzCoding(f, "deflate") }
func FuzzBrotli(f *testing.F)  { fuzzCoding(f, "br") }
func FuzzZstd(f *testing.F)    { fuzzCoding(f, "zstd") }
