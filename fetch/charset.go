package fetch

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"
)

// CharsetError is a body that is not written in what it should be.
type CharsetError struct {
	Charset string // a known name in lower case; "" when nothing that is known was named
	Offset  int64  // of the first byte that does not fit
}

// Error says where it stops fitting.
func (e *CharsetError) Error() string {
	if e.Charset == "" {
		return fmt.Sprintf("the body is not valid UTF-8 at byte %d, and no known charset is named", e.Offset)
	}
	return fmt.Sprintf("the body is not valid %s at byte %d", e.Charset, e.Offset)
}

// marks are the byte order marks.
var marks = []struct{ bytes, charset string }{
	{"\xef\xbb\xbf", utf8Name}, {"\xff\xfe", "utf-16le"}, {"\xfe\xff", "utf-16be"},
}

// toUTF8 gives a body as UTF-8 text without its byte order mark. What it is
// written in is said, the strongest first, by a byte order mark, by the
// declaration, by the bytes themselves where they are valid UTF-8 already
// (an origin that names another charset in front of such bytes is wrong), by
// the Content-Type, and by an XML declaration or an HTML meta element. On an
// error it gives the body as it came.
func toUTF8(h http.Header, declared string, body []byte) ([]byte, []Note, error) {
	for _, m := range marks {
		if bytes.HasPrefix(body, []byte(m.bytes)) && !isUTF32(body) {
			text, notes, err := transcode(body[len(m.bytes):], m.charset)
			if err != nil {
				return body, nil, err
			}
			return text, append([]Note{NoteBOM}, notes...), nil
		}
	}
	if declared != "" {
		return transcode(body, declared)
	}
	said := charsetOf(h)
	if isUTF8(body, said) {
		return body, nil, nil
	}
	for _, label := range []string{said, writtenCharset(body)} {
		if _, _, ok := lookupCharset(label); ok {
			return transcode(body, label)
		}
	}
	return body, nil, &CharsetError{Offset: invalidAt(body)}
}

// isUTF8 reports valid UTF-8 that is not the escape sequences or the padded
// ASCII of what the Content-Type names.
func isUTF8(body []byte, said string) bool {
	if !utf8.Valid(body) {
		return false
	}
	if said == "" || strings.EqualFold(said, utf8Name) {
		return true
	}
	if enc, _, ok := lookupCharset(said); !ok || enc == nil {
		return true
	}
	return bytes.IndexByte(body, 0) < 0 && bytes.IndexByte(body, 0x1b) < 0
}

func isUTF32(b []byte) bool {
	return bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) || bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff"))
}

// invalidAt is where b stops being UTF-8.
func invalidAt(b []byte) int64 {
	at := 0
	for at < len(b) {
		r, n := utf8.DecodeRune(b[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		at += n
	}
	return int64(at)
}

// withoutHalf drops the beginning of a character at the end of a text that was
// cut at a limit.
func withoutHalf(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			break
		}
	}
	return b
}

// charsetOf is the charset parameter of Content-Type (RFC 9110 §8.3.2), or "".
func charsetOf(h http.Header) string {
	_, params, _ := strings.Cut(h.Get("Content-Type"), ";")
	for part := range strings.SplitSeq(params, ";") {
		name, value, _ := strings.Cut(part, "=")
		if strings.EqualFold(trimOWS(name), "charset") {
			return strings.Trim(trimOWS(value), `"'`)
		}
	}
	return ""
}

// textTypes are in the names of the media types of text.
var textTypes = []string{"text/", "json", "xml", "javascript", "ecmascript", "csv", "yaml", "html", "x-www-form-urlencoded"}

// isText reports a media type of text, or none.
func isText(h http.Header) bool {
	media, _, _ := strings.Cut(strings.ToLower(h.Get("Content-Type")), ";")
	if media = trimOWS(media); media == "" {
		return true
	}
	for _, t := range textTypes {
		if strings.Contains(media, t) {
			return true
		}
	}
	return false
}

// maxPrescan is how far in the declaration of a charset is looked for, as in
// browsers.
const maxPrescan = 1024

// What a document says it is written in (XML 1.0 §4.3.3, HTML §13.2.3.2).
var (
	xmlEncoding = lazy(`^\s*<\?xml\s[^>]*\bencoding\s*=\s*["']([A-Za-z][\w.:-]*)["']`)
	metaCharset = lazy(`(?i)<meta\s[^>]*\bcharset\s*=\s*["']?\s*([\w.:-]+)`)
)

// writtenCharset is what a document names itself, or "".
func writtenCharset(body []byte) string {
	head := body[:min(len(body), maxPrescan)]
	if bytes.IndexByte(head, '<') < 0 {
		return ""
	}
	m := xmlEncoding().FindSubmatch(head)
	if m == nil {
		m = metaCharset().FindSubmatch(head)
	}
	if m == nil {
		return ""
	}
	return string(m[1])
}
