package fetch

import (
	"fmt"
	"strings"

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
	"ibm858": charmap.CodePage858, "cp858": charmap.CodePage858, "cp00858": charmap.CodePage858, "ibm00858": charmap.CodePage858,
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
func CheckCharset(label string) error {
	if _, _, ok := lookupCharset(label); label != "" && !ok {
		return fmt.Errorf("charset %q is not known", label)
	}
	return nil
}
