package source

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// VisibleJSON writes each character of a JSON text that shows nothing, or moves
// or hides what stands around it, as its escape (RFC 8259 §7): the files that
// are made of what an origin sends are read in reviews. Such characters stand in
// strings only.
func VisibleJSON(text []byte) []byte {
	hidden := func(r rune) bool { return r != '\n' && r != utf8.RuneError && !strconv.IsPrint(r) }
	if !bytes.ContainsFunc(text, hidden) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch high, low := utf16.EncodeRune(r); {
		case !hidden(r):
			out = append(out, text[:size]...)
		case high != utf8.RuneError:
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		text = text[size:]
	}
	return out
}
