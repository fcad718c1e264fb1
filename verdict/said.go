package verdict

import (
	"bytes"
	"html"
	"strings"
	"unicode"

	"github.com/fonteviva/fonteviva/fetch"
)

// excerptRunes bounds what of a body is repeated in a motivo.
const excerptRunes = 300

// said is what the origin's body says about a refusal: the title of an HTML
// page, else the beginning of a text.
func said(e *fetch.Error) string {
	if len(e.Body) == 0 || e.Cause != "" && e.Cause != fetch.CauseCommand {
		return ""
	}
	head := e.Body[:min(len(e.Body), 16<<10)]
	if title, isHTML := htmlTitle(head); isHTML {
		return line(title, excerptRunes)
	}
	if e.LooksLike == fetch.LooksBinary || e.LooksLike == fetch.LooksGzipBytes || bytes.IndexByte(head, 0) >= 0 {
		return ""
	}
	return line(strings.ToValidUTF8(string(head), "\ufffd"), excerptRunes)
}

// titleOpen and titleEnd are the tags around a page's title. A title holds no
// other tag (HTML §4.2.2), so that no parser is needed to find it.
var (
	titleOpen = []byte("<title")
	titleEnd  = []byte("</title")
)

// htmlTitle finds the first title of a page; the second result is whether the
// text is a page at all.
func htmlTitle(body []byte) (string, bool) {
	trimmed := bytes.TrimLeft(body, " \t\r\n\ufeff")
	if len(trimmed) == 0 || trimmed[0] != '<' {
		return "", false
	}
	lower := asciiLower(trimmed)
	open := bytes.Index(lower, titleOpen)
	if open < 0 {
		return "", true
	}
	begin := bytes.IndexByte(lower[open:], '>')
	if begin < 0 {
		return "", true
	}
	begin += open + 1
	end := bytes.Index(lower[begin:], titleEnd)
	if end < 0 {
		end = len(lower) - begin
	}
	return html.UnescapeString(string(trimmed[begin : begin+end])), true
}

// asciiLower lowers A to Z and keeps every other byte, and so every place.
func asciiLower(b []byte) []byte {
	out := bytes.Clone(b)
	for i, c := range out {
		if 'A' <= c && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}
	return out
}

// line folds a text onto one line of at most n runes, without control
// characters and with every run of spaces as one.
func line(s string, n int) string {
	var b strings.Builder
	count, space := 0, false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			space = count > 0
			continue
		}
		if space {
			b.WriteByte(' ')
			count, space = count+1, false
		}
		if count >= n {
			b.WriteString("…")
			break
		}
		b.WriteRune(r)
		count++
	}
	return b.String()
}
