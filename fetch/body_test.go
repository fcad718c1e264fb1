package fetch

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func deflated(b []byte, bare bool) []byte {
	var buf bytes.Buffer
	var w io.WriteCloser = zlib.NewWriter(&buf)
	if bare {
		w, _ = flate.NewWriter(&buf, flate.DefaultCompression)
	}
	w.Write(b)
	w.Close()
	return buf.Bytes()
}

func TestBodies(t *testing.T) {
	plain := `{"valor":"0.043739"}`
	packed := string(gzipped([]byte(plain)))
	for _, tt := range []struct {
		name   string
		mode   Mode
		status int
		coding string
		body   string
		limit  int64
		kind   Kind // "" means delivered
		detail Detail
		cause  Cause
		looks  LooksLike
		offset int64
		got    string
		notes  []Note
	}{
		{name: "json", mode: ModeJSON, body: plain, got: plain},
		{name: "duplicate names are legal", mode: ModeJSON, body: `{"a":1,"a":2}`, got: `{"a":1,"a":2}`},
		{name: "big integer keeps its digits", mode: ModeJSON, body: `{"id":653247040368672768}`, got: `{"id":653247040368672768}`},
		{name: "scalar", mode: ModeJSON, body: " 5.07730\n", got: " 5.07730\n"},
		{name: "bom", mode: ModeJSON, body: "\xef\xbb\xbf" + plain, got: plain, notes: []Note{NoteBOM}},
		{name: "bom in text", body: "\xef\xbb\xbfabc", got: "abc", notes: []Note{NoteBOM}},
		{name: "gzip", mode: ModeJSON, coding: "gzip", body: packed, got: plain},
		{name: "x-gzip", mode: ModeJSON, coding: "X-GZIP", body: packed, got: plain},
		{name: "gzip twice", mode: ModeJSON, coding: "gzip, gzip", body: string(gzipped([]byte(packed))), got: plain},
		{name: "identity", mode: ModeJSON, coding: "identity", body: plain, got: plain},
		{name: "zlib", mode: ModeJSON, coding: "deflate", body: string(deflated([]byte(plain), false)), got: plain},
		{name: "bare deflate", mode: ModeJSON, coding: "deflate", body: string(deflated([]byte(plain), true)), got: plain},
		{name: "empty text", body: "", got: ""},
		{name: "empty gzip text", coding: "gzip", body: "", got: ""},
		{name: "text is whatever it is", body: "<html>", got: "<html>"},

		{name: "empty", mode: ModeJSON, body: "", kind: MalformedBody, looks: LooksEmpty},
		{name: "204", mode: ModeJSON, status: 204, kind: MalformedBody, looks: LooksEmpty},
		{name: "white space", mode: ModeJSON, body: " \n", kind: MalformedBody, looks: LooksEmpty, got: " \n"},
		{name: "html", mode: ModeJSON, body: "<html lang=\"en\">", kind: MalformedBody, looks: LooksHTML, got: "<html lang=\"en\">"},
		{name: "nan", mode: ModeJSON, body: `{"ce": NaN}`, kind: MalformedBody, looks: LooksNaNJSON, offset: 7, got: `{"ce": NaN}`},
		{name: "nan behind a bom", mode: ModeJSON, body: "\xef\xbb\xbf" + `{"ce": NaN}`, kind: MalformedBody, looks: LooksNaNJSON, offset: 7, got: `{"ce": NaN}`},
		{name: "truncated", mode: ModeJSON, body: `[{"a":1},{"b`, kind: MalformedBody, looks: LooksTruncatedJSON, offset: 12, got: `[{"a":1},{"b`},
		{name: "minus infinity", mode: ModeJSON, body: `{"a":[1, -Infinity]}`, kind: MalformedBody, looks: LooksNaNJSON, offset: 9, got: `{"a":[1, -Infinity]}`},
		{name: "lower-case nan", mode: ModeJSON, body: `{"a":nan}`, kind: MalformedBody, looks: LooksNaNJSON, offset: 5, got: `{"a":nan}`},
		{name: "xssi", mode: ModeJSON, body: ")]}',\n{}", kind: MalformedBody, looks: LooksXSSIPrefix, offset: 0, got: ")]}',\n{}"},
		{name: "xssi loop", mode: ModeJSON, body: "\nfor(;;);{}", kind: MalformedBody, looks: LooksXSSIPrefix, offset: 1, got: "\nfor(;;);{}"},
		{name: "truncated word", mode: ModeJSON, body: `{"a":tru`, kind: MalformedBody, looks: LooksTruncatedJSON, offset: 8, got: `{"a":tru`},
		{name: "unquoted", mode: ModeJSON, body: `{ status:"x"}`, kind: MalformedBody, looks: LooksUnquotedJSON, offset: 2, got: `{ status:"x"}`},
		{name: "bad escape", mode: ModeJSON, body: `{"ab":"cd\qe"}`, kind: MalformedBody, looks: LooksInvalidJSON, offset: 9, got: `{"ab":"cd\qe"}`},
		{name: "two documents", mode: ModeJSON, body: "{}\n{}", kind: MalformedBody, looks: LooksMultipleDocuments, offset: 3, got: "{}\n{}"},
		{name: "latin-1", mode: ModeJSON, body: "{\"a\":\"\xe7\"}", kind: MalformedBody, looks: LooksWrongCharset, offset: 6, got: "{\"a\":\"\xe7\"}"},
		{name: "declared gzip, body plain", mode: ModeJSON, coding: "gzip", body: plain, kind: MalformedBody, detail: BadEncoding, offset: -1, got: plain},
		{name: "declared deflate, body plain", mode: ModeJSON, coding: "deflate", body: plain, kind: MalformedBody, detail: BadEncoding, offset: -1, got: plain},
		{name: "br", mode: ModeJSON, coding: "br", body: string(brotlied([]byte(plain))), got: plain},
		{name: "zstd", mode: ModeJSON, coding: "zstd", body: string(zstandard([]byte(plain))), got: plain},
		{name: "zstd in br in gzip", mode: ModeJSON, coding: "zstd, br, gzip", body: string(gzipped(brotlied(zstandard([]byte(plain))))), got: plain},
		{name: "packed larger than the limit, unpacked not", coding: "gzip", body: packed, limit: int64(len(plain)), got: plain},
		{name: "gzip cut short", coding: "gzip", body: packed[:len(packed)-6], kind: MalformedBody, detail: BadEncoding, offset: -1, got: plain},
		{name: "gzip with a tail", coding: "gzip", body: packed + "tail", kind: MalformedBody, detail: BadEncoding, offset: -1, got: plain},
		{name: "gzip not declared", mode: ModeJSON, body: packed, kind: MalformedBody, looks: LooksGzipBytes, got: packed},
		{name: "unknown coding", coding: "lzma", body: "xyz", kind: MalformedBody, detail: BadEncoding, offset: -1, looks: LooksPlainText, got: "xyz"},
		{name: "too many codings", coding: "gzip,gzip,gzip,gzip", body: packed, kind: MalformedBody, detail: BadEncoding, offset: -1, looks: LooksGzipBytes, got: packed},
		{name: "exactly the limit", body: "12345678", limit: 8, got: "12345678"},
		{name: "above the limit", body: "123456789", limit: 8, kind: Aborted, cause: CauseMaxBody, offset: -1},
		{name: "decoded above the limit", coding: "gzip", body: string(gzipped(make([]byte, 1000))), limit: 100, kind: Aborted, cause: CauseMaxBody, offset: -1},

		{name: "404 with broken gzip", status: 404, coding: "gzip", body: "no", kind: NotFound, offset: -1, looks: LooksPlainText, got: "no"},
		{name: "404 in gzip", status: 404, coding: "gzip", body: packed, kind: NotFound, offset: -1, got: plain},
		{name: "503 above the limit", status: 503, body: "busy, later", limit: 8, kind: HTTP5xx, offset: -1, looks: LooksPlainText, got: "busy, la"},
		{name: "502 with a page", status: 502, mode: ModeJSON, body: "<html><title>x", kind: HTTP5xx, offset: -1, looks: LooksHTMLErrorPage, got: "<html><title>x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if tt.coding != "" {
					w.Header().Set("Content-Encoding", tt.coding)
				}
				if tt.status != 0 {
					w.WriteHeader(tt.status)
				}
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			p := once()
			if tt.limit != 0 {
				p.MaxBody = tt.limit
			}
			a, err := newClient(t, Config{Policy: p}).Do(t.Context(), &Request{URL: s.URL, Mode: tt.mode})
			if tt.kind == "" {
				if err != nil {
					t.Fatal(err)
				}
				if string(a.Body) != tt.got || a.Trip.Attempts[0].Bytes != int64(len(tt.body)) {
					t.Errorf("got %q, %d bytes", a.Body, a.Trip.Attempts[0].Bytes)
				}
				if d := cmp.Diff(tt.notes, a.Notes); d != "" {
					t.Error(d)
				}
				return
			}
			e := failed(t, err)
			if e.Kind != tt.kind || e.Detail != tt.detail || e.Cause != tt.cause || e.LooksLike != tt.looks || e.Offset != tt.offset || string(e.Body) != tt.got {
				t.Errorf("got %s/%s cause %q looks %q offset %d body %q: %v", e.Kind, e.Detail, e.Cause, e.LooksLike, e.Offset, e.Body, e.Err)
			}
		})
	}
}

func TestErrorBodyIsBounded(t *testing.T) {
	big := strings.Repeat("x", maxErrorBody+1000)
	_, err := NewClient(Config{Policy: once(), Transport: script(say(500, big))}).Do(t.Context(), &Request{URL: origin})
	if e := failed(t, err); len(e.Body) != maxErrorBody {
		t.Errorf("kept %d bytes", len(e.Body))
	}
}

func TestExpectedStatusKeepsItsBody(t *testing.T) {
	req := &Request{URL: origin, Mode: ModeJSON, Expect: func(s int) bool { return s == 404 || s == 200 }}
	a, err := NewClient(Config{Policy: once(), Transport: script(say(404, "<p>gone"))}).Do(t.Context(), req)
	if err != nil || a.Status != 404 || string(a.Body) != "<p>gone" {
		t.Errorf("got %+v, %v", a, err)
	}
	_, err = NewClient(Config{Policy: once(), Transport: script(say(200, "<p>gone"))}).Do(t.Context(), req)
	if e := failed(t, err); e.Kind != MalformedBody {
		t.Errorf("an expected 200 that is no JSON: %v", err)
	}
}

// bomb is 512 MiB of zeros under gzip, as 512 members (RFC 1952 §2.2).
func bomb() []byte { return bytes.Repeat(gzipped(make([]byte, 1<<20)), 512) }

func TestBombCostsNoMoreThanTheLimit(t *testing.T) {
	raw := bomb()
	p := once()
	p.MaxBody = 8 << 20
	c := NewClient(Config{Policy: p, Transport: script(say(200, string(raw), "Content-Encoding", "gzip"))})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := c.Do(t.Context(), &Request{URL: origin})
	runtime.ReadMemStats(&after)
	if e := failed(t, err); e.Cause != CauseMaxBody {
		t.Fatal(e)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

func TestLyingLengthCostsNoMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	data, over, err := readUpTo(strings.NewReader("abc"), 1<<40, 1<<40)
	runtime.ReadMemStats(&after)
	if string(data) != "abc" || over || err != nil || after.TotalAlloc-before.TotalAlloc > maxPresize+1<<20 {
		t.Errorf("%q %v %v, %d bytes", data, over, err, after.TotalAlloc-before.TotalAlloc)
	}
}

func TestReadUpTo(t *testing.T) {
	broken := errors.New("broken")
	for _, size := range []int64{0, 1, 511, 512, 513, 5000} {
		for _, limit := range []int64{1, 511, 512, 513, 5000, 10000} {
			for _, hint := range []int64{-1, 0, size, 2 * size} {
				text := strings.Repeat("x", int(size))
				data, over, err := readUpTo(strings.NewReader(text), hint, limit)
				if err != nil || over != (size > limit) || int64(len(data)) != min(size, limit) {
					t.Errorf("size %d limit %d hint %d: %d bytes, over %v, %v", size, limit, hint, len(data), over, err)
				}
			}
		}
	}
	data, _, err := readUpTo(io.MultiReader(strings.NewReader("abc"), &failing{broken}), -1, 100)
	if string(data) != "abc" || err != broken {
		t.Errorf("%q %v", data, err)
	}
}

type failing struct{ err error }

func (f *failing) Read([]byte) (int, error) { return 0, f.err }

func FuzzDecode(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "gzip, deflate", "br", "identity", ",,"} {
		f.Add(gzipped([]byte("hello")), coding)
		f.Add(deflated([]byte("hello"), false), coding)
		f.Add(deflated([]byte("hello"), true), coding)
		f.Add([]byte("plain"), coding)
		f.Add([]byte{}, coding)
	}
	const limit = 1 << 12
	f.Fuzz(func(t *testing.T, raw []byte, coding string) {
		list := codings([]string{coding})
		out, err := decode(raw, list, limit)
		if len(list) > 0 && len(out) > limit {
			t.Errorf("%d bytes came out of %d", len(out), len(raw))
		}
		if len(list) == 0 && (err != nil || !bytes.Equal(out, raw)) {
			t.Errorf("nothing to undo, but %v", err)
		}
		if again, err := decode(gzipped(raw), []string{"gzip"}, 1<<30); err != nil || !bytes.Equal(again, raw) {
			t.Errorf("round trip: %v", err)
		}
	})
}

func ExampleParseRetryAfter() {
	h := http.Header{"Retry-After": {"120"}}
	fmt.Println(ParseRetryAfter(h, Clock{}.withDefaults().Now()))
	// Output: 2m0s true
}
