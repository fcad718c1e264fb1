package fetch

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
)

// codePages are what old systems still write and the WHATWG's index, which is
// made for browsers, leaves out. By IANA name and its aliases.
var codePages = map[string]encoding.Encoding{
	"ibm437": charmap.CodePage437, "cp437": charmap.CodePage437,
	"ibm850": charmap.CodePage850, "cp850": charmap.CodePage850,
	"ibm852": charmap.CodePage852, "cp852": charmap.CodePage852,
	"ibm00858": charmap.CodePage858, "cp858": charmap.CodePage858, "cp00858": charmap.CodePage858,
	"ibm860": charmap.CodePage860, "cp860": charmap.CodePage860,
}

// utf8Name is the charset that needs no transcoding.
const utf8Name = "utf-8"

// lookupCharset finds an encoding by its IANA name or an alias of it, whatever
// the case. As in browsers, iso-8859-1 and us-ascii are read as windows-1252,
// which only adds to them. A nil encoding is UTF-8. The name that it gives is
// one of a closed list.
func lookupCharset(label string) (enc encoding.Encoding, name string, ok bool) {
	name = strings.ToLower(strings.Trim(label, " \t\r\n"))
	if enc, ok = codePages[name]; ok {
		return enc, name, true
	}
	enc, err := htmlindex.Get(name)
	if err != nil || enc == encoding.Replacement {
		return nil, "", false
	}
	if canonical, _ := htmlindex.Name(enc); canonical == utf8Name {
		return nil, utf8Name, true
	}
	return enc, name, true
}

// CheckCharset says whether a declared charset is one that can be read, or nil.
// "" is none.
func CheckCharset(label string) error {
	if _, _, ok := lookupCharset(label); label != "" && !ok {
		return fmt.Errorf("charset %q is not known", label)
	}
	return nil
}

// replacement is what decoders write for bytes that have no meaning.
const replacement = "\uFFFD"

// transcode decodes a charset. Bytes that it gives no meaning are an error
// rather than U+FFFD; a U+FFFD that was really written stays. On an error it
// gives the body as it came.
func transcode(body []byte, label string) ([]byte, []Note, error) {
	enc, name, ok := lookupCharset(label)
	switch {
	case !ok:
		return body, nil, &CharsetError{}
	case enc == nil && utf8.Valid(body):
		return body, nil, nil
	case enc == nil:
		return body, nil, &CharsetError{Charset: name, Offset: invalidAt(body)}
	}
	text, err := enc.NewDecoder().Bytes(body)
	if err != nil {
		return body, nil, &CharsetError{Charset: name}
	}
	if i := bytes.Index(text, []byte(replacement)); i >= 0 && !writtenAs(enc, text, body) {
		return body, nil, &CharsetError{Charset: name, Offset: sourceOffset(enc, text[:i], body)}
	}
	if bytes.Equal(text, body) {
		return body, nil, nil
	}
	return text, []Note{NoteTranscoded(name)}, nil
}

// writtenAs reports whether text is written as body.
func writtenAs(enc encoding.Encoding, text, body []byte) bool {
	again, err := enc.NewEncoder().Bytes(text)
	return err == nil && bytes.Equal(again, body)
}

// sourceOffset is how many bytes of body the text before a fault took.
func sourceOffset(enc encoding.Encoding, text, body []byte) int64 {
	before, _ := enc.NewEncoder().Bytes(text)
	return int64(min(len(before), len(body)))
}
