package fetch

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
)

// written is s in an encoding.
func written(t testing.TB, s string, enc interface {
	String(string) (string, error)
}) string {
	t.Helper()
	out, err := enc.String(s)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestCharsets(t *testing.T) {
	const title = `{"título":"Requisição inválida"}`
	latin := written(t, title, charmap.Windows1252.NewEncoder())
	little := written(t, title, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM).NewEncoder())
	big := written(t, title, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM).NewEncoder())
	kanji := written(t, `{"都市":"東京"}`, japanese.ISO2022JP.NewEncoder())
	from := func(names ...string) (notes []Note) {
		for _, n := range names {
			notes = append(notes, NoteTranscoded(n))
		}
		return notes
	}
	for _, tt := range []struct {
		name, media, declared, body string
		text                        bool // text mode, else json
		want                        string
		notes                       []Note
		offset                      int64 // of a body that is malformed
		looks                       LooksLike
	}{
		{name: "by the header", media: "application/json; charset=ISO-8859-1", body: latin, want: title, notes: from("iso-8859-1")},
		{name: "by the header, quoted, among others", media: `application/json; a=b; Charset="latin1"`, body: latin, want: title, notes: from("latin1")},
		{name: "by the declaration", media: "application/json", declared: "ISO-8859-1", body: latin, want: title, notes: from("iso-8859-1")},
		{name: "the declaration outweighs the header", media: "application/json; charset=utf-8", declared: "windows-1252", body: latin, want: title, notes: from("windows-1252")},
		{name: "the declaration outweighs what looks like UTF-8", declared: "windows-1252", body: `{"a":"ã"}`, want: `{"a":"Ã£"}`, notes: from("windows-1252")},
		{name: "the header is wrong about UTF-8", media: "text/html; charset=iso-8859-1", body: title, want: title},
		{name: "H10 json under text/html", media: "text/html; charset=utf-8", body: title, want: title},
		{name: "ASCII under any charset", declared: "iso-8859-1", body: `{"a":1}`, want: `{"a":1}`},
		{name: "UTF-16LE by its mark", body: "\xff\xfe" + little, want: title, notes: append([]Note{NoteBOM}, from("utf-16le")...)},
		{name: "UTF-16BE by its mark, whatever is declared", declared: "iso-8859-1", body: "\xfe\xff" + big, want: title, notes: append([]Note{NoteBOM}, from("utf-16be")...)},
		{name: "UTF-16 by the header", media: "application/json; charset=utf-16be", body: big, want: title, notes: from("utf-16be")},
		{name: "UTF-8 mark under a declared charset", declared: "iso-8859-1", body: "\xef\xbb\xbf" + title, want: title, notes: []Note{NoteBOM}},
		{name: "escape sequences are valid UTF-8", media: "application/json; charset=iso-2022-jp", body: kanji, want: `{"都市":"東京"}`, notes: from("iso-2022-jp")},
		{name: "an old code page", text: true, declared: "IBM850", body: "S\xc6o", want: "São", notes: from("ibm850")},
		{name: "a replacement character that was written", text: true, declared: "utf-16le", body: "a\x00\xfd\xff", want: "a\uFFFD", notes: from("utf-16le")},
		{name: "XML says so itself", text: true, media: "application/xml", body: `<?xml version="1.0" encoding="ISO-8859-1"?><a>S` + "\xe3o</a>", want: `<?xml version="1.0" encoding="ISO-8859-1"?><a>São</a>`, notes: from("iso-8859-1")},
		{name: "HTML says so itself", text: true, media: "text/html", body: `<html><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">S` + "\xe3o", want: `<html><meta http-equiv="Content-Type" content="text/html; charset=iso-8859-1">São`, notes: from("iso-8859-1")},
		{name: "bytes of no text are nobody's charset", text: true, media: "application/octet-stream", body: "\xff\xfe\xe7\x00\xff", want: "\xff\xfe\xe7\x00\xff"},
		{name: "a mark before bytes of no text", text: true, media: "application/octet-stream", body: "\xef\xbb\xbfa;b", want: "a;b", notes: []Note{NoteBOM}},
		{name: "declared for bytes of no text", text: true, media: "application/octet-stream", declared: "iso-8859-1", body: "S\xe3o", want: "São", notes: from("iso-8859-1")},

		{name: "nothing says what it is", media: "application/json", body: latin, offset: 3, looks: LooksWrongCharset},
		{name: "nothing says what the text is", text: true, media: "text/csv", body: "a;b\nS\xe3o;1\n", offset: 5, looks: LooksWrongCharset},
		{name: "nothing says what it is, without a type", text: true, media: "-", body: "S\xe3o", offset: 1, looks: LooksWrongCharset},
		{name: "nothing says what the page is", text: true, media: "text/html", body: "<html><title>S\xe3o", offset: 14, looks: LooksWrongCharset},
		{name: "nothing says what the XML is", text: true, media: "text/xml", body: "<r>S\xe3o</r>", offset: 4, looks: LooksWrongCharset},
		{name: "nothing says what the page of an error is", text: true, media: "text/html", body: "<html><title>Erro S\xe3o", offset: 19, looks: LooksHTMLErrorPage},
		{name: "a page in the place of JSON", media: "text/html", body: "<html><title>S\xe3o", offset: 0, looks: LooksHTML},
		{name: "the header says UTF-8", text: true, media: "text/csv; charset=utf-8", body: "S\xe3o", offset: 1, looks: LooksWrongCharset},
		{name: "the header says what nobody knows", text: true, media: "text/csv; charset=pt-br", body: "S\xe3o", offset: 1, looks: LooksWrongCharset},
		{name: "the declaration says UTF-8", text: true, media: "application/octet-stream", declared: "UTF-8", body: "ok \xe3", offset: 3, looks: LooksWrongCharset},
		{name: "not what the declaration says", text: true, declared: "shift_jis", body: "ab\x83\x41\x81\xff", offset: 4, looks: LooksWrongCharset},
		{name: "half a character of UTF-16", text: true, body: "\xff\xfea\x00b", offset: 2, looks: LooksWrongCharset},
		{name: "half a pair of UTF-16", text: true, declared: "utf-16le", body: "a\x00\x00\xd8b\x00", offset: 2, looks: LooksWrongCharset},
		{name: "UTF-32", text: true, body: "\xff\xfe\x00\x00a\x00\x00\x00", offset: 0, looks: LooksWrongCharset},
		{name: "UTF-16 without a mark", media: "application/json", body: little, offset: 1, looks: LooksWrongCharset},
		{name: "an HTML page in latin-1", media: "text/html", body: "<html><title>Requisi\xe7\xe3o", offset: 0, looks: LooksHTML},
		{name: "nan behind a charset", media: "application/json; charset=iso-8859-1", body: "{\"\xe7\": NaN}", offset: 7, looks: LooksNaNJSON},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if tt.media != "" && tt.media != "-" {
					w.Header().Set("Content-Type", tt.media)
				}
				io.WriteString(w, tt.body)
			}))
			defer s.Close()
			mode := ModeJSON
			if tt.text {
				mode = ModeText
			}
			a, err := newClient(t, Config{Policy: once(), Charset: tt.declared}).Do(t.Context(), &Request{URL: s.URL, Mode: mode})
			if tt.looks != "" {
				e := failed(t, err)
				if e.Kind != MalformedBody || e.Outcome != OutcomeSuccess || e.Offset != tt.offset || e.LooksLike != tt.looks || !e.Retryable {
					t.Errorf("got %s offset %d looks %q: %v", e.Kind, e.Offset, e.LooksLike, e.Err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if string(a.Body) != tt.want {
				t.Errorf("got %q, want %q", a.Body, tt.want)
			}
			if d := cmp.Diff(tt.notes, a.Notes); d != "" {
				t.Error(d)
			}
		})
	}
}

// TestErrorTextIsReadable: rules and people read the body of an error status,
// too, even one that was cut in a character.
func TestErrorTextIsReadable(t *testing.T) {
	for _, tt := range []struct{ name, media, body, want string }{
		{"latin-1", "text/html; charset=iso-8859-1", "inv\xe1lida", "inválida"},
		{"unknown", "text/plain", "inv\xe1lida", "inv\xe1lida"},
		{"cut", "text/plain; charset=iso-8859-1", strings.Repeat("x", maxErrorBody-1) + "á", strings.Repeat("x", maxErrorBody-1)},
	} {
		_, err := NewClient(Config{Policy: once(), Transport: script(say(404, tt.body, "Content-Type", tt.media))}).Do(t.Context(), &Request{URL: origin})
		if e := failed(t, err); e.Kind != NotFound || string(e.Body) != tt.want {
			t.Errorf("%s: %s, %d bytes: %.20q", tt.name, e.Kind, len(e.Body), e.Body)
		}
	}
}

// TestExpectedStatusKeepsItsBytes: outside 2xx the charset judges nothing.
func TestExpectedStatusKeepsItsBytes(t *testing.T) {
	c := NewClient(Config{Policy: once(), Transport: script(say(404, "S\xe3o", "Content-Type", "text/plain"))})
	a, err := c.Do(t.Context(), &Request{URL: origin, Expect: func(s int) bool { return s == 404 }})
	if err != nil || string(a.Body) != "S\xe3o" {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestCheckCharset(t *testing.T) {
	for _, name := range []string{"", "UTF-8", "utf8", "ISO-8859-1", "iso-8859-15", "Windows-1252", "us-ascii", "UTF-16", "Shift_JIS", "GB18030", "Big5", "EUC-KR", "KOI8-R", "IBM850", "cp860", " latin1 "} {
		if err := CheckCharset(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, name := range []string{"pt-br", "utf-7", "iso-2022-kr", "hz-gb-2312", "replacement", "binary", "utf-32", " "} {
		if CheckCharset(name) == nil {
			t.Errorf("%q passes", name)
		}
	}
}

func TestNoteCharset(t *testing.T) {
	if got := NoteTranscoded("koi8-r").Charset(); got != "koi8-r" {
		t.Error(got)
	}
	if got := NoteBOM.Charset(); got != "" {
		t.Error(got)
	}
}

func FuzzToUTF8(f *testing.F) {
	for _, label := range []string{"", "utf-8", "iso-8859-1", "utf-16", "utf-16be", "shift_jis", "iso-2022-jp", "gb18030", "ibm850", "pt-br", "x-user-defined"} {
		for _, body := range []string{"", "a", "São", "S\xe3o", "\xff\xfea\x00", "\xfe\xff\x00a", "\xef\xbb\xbfx", "\x1b$B", "\xd8\x00", "<?xml version=\"1.0\" encoding=\"koi8-r\"?>\xe3", "<meta charset=big5>\xe3"} {
			f.Add("text/plain; charset="+label, label, []byte(body))
			f.Add("", "", []byte(body))
		}
	}
	f.Fuzz(func(t *testing.T, media, declared string, body []byte) {
		h := http.Header{"Content-Type": {media}}
		text, notes, err := toUTF8(h, declared, body)
		var charset *CharsetError
		switch {
		case err == nil && !utf8.Valid(text):
			t.Errorf("%q is not UTF-8", text)
		case err != nil && !errors.As(err, &charset):
			t.Errorf("%T", err)
		case err != nil && (!bytes.Equal(text, body) || notes != nil || charset.Offset < 0 || charset.Offset > int64(len(body))):
			t.Errorf("%q, %v, offset %d", text, notes, charset.Offset)
		case len(text) > 4*len(body)+4:
			t.Errorf("%d bytes of %d", len(text), len(body))
		}
		if utf8.Valid(body) && media == "" && declared == "" && err != nil && !bytes.HasPrefix(body, []byte("\xff")) {
			t.Errorf("UTF-8 is refused: %v", err)
		}
	})
}

// TestGB18030 is a charset that can write U+FFFD, and so can say whether it
// did.
func TestGB18030(t *testing.T) {
	body := written(t, "\uFFFD北京", simplifiedchinese.GB18030.NewEncoder())
	text, _, err := transcode([]byte(body), "gb18030")
	if err != nil || string(text) != "\uFFFD北京" {
		t.Errorf("%q, %v", text, err)
	}
	if _, _, err := transcode([]byte("a\xff"), "gb18030"); err == nil {
		t.Error("no character passes")
	}
}
