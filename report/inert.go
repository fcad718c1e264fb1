package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// acts reports whether a character could act on whoever shows it: move a
// cursor, reorder or hide text, end a line, or be no character at all. ASCII
// below the space is included.
func acts(r rune) bool {
	switch {
	case r < 0x20, r >= 0x7f && r < 0xa0: // C0, DEL, C1
		return true
	case r < 0xad:
		return false
	case r == 0xad, r == 0x034f, r == 0x061c, r == 0x180e, r == 0xfeff: // soft hyphen, joiner, Arabic mark, byte order mark
		return true
	case r >= 0x200b && r <= 0x200f, r >= 0x2028 && r <= 0x202e, r >= 0x2060 && r <= 0x206f: // zero width, separators, bidi
		return true
	case r >= 0x115f && r <= 0x1160, r == 0x3164, r == 0xffa0: // fillers that show nothing
		return true
	case r >= 0xfff0 && r <= 0xfffb, r >= 0xfe00 && r <= 0xfe0f, r >= 0xe0000 && r <= 0xe0fff: // tags, variation selectors
		return true
	}
	return r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef // noncharacters
}

// logCommand reports whether the bracket at i ends "##[" or a named one such as
// "##vso[", which some CI logs take for a command wherever it stands.
func logCommand(s string, i int) bool {
	for i > 0 && commandName(s[i-1]) {
		i--
	}
	return i >= 2 && s[i-1] == '#' && s[i-2] == '#'
}

func commandName(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.'
}

// maxInert bounds one text of an origin in a report, in bytes.
const maxInert = 4096

// Inert makes an origin's text harmless for a terminal and a CI log: control
// characters, bidirectional and invisible ones are shown as escapes, bytes that
// are not UTF-8 become U+FFFD, line ends become \n in sight, "##[" and
// "##name[" are broken, and the whole is at most limit bytes (0: 4096), with a note where it was cut.
func Inert(s string, limit int) string {
	if limit <= 0 {
		limit = maxInert
	}
	// Only the beginning is looked at, however long the text is.
	s = s[:min(len(s), limit+utf8.UTFMax)]
	if len(s) <= limit && harmless(s) {
		return s
	}
	if !utf8.ValidString(s) {
		// Byte by byte and before the length is looked at, so that a text which
		// went through JSON on the way is cut at the same place.
		s = string([]rune(s))
	}
	cut := len(s) > limit
	if cut {
		s = shortenTo(s, limit)
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	start := 0
	for i, r := range s {
		if !acts(r) && !(r == '[' && logCommand(s, i)) {
			continue
		}
		b.WriteString(s[start:i])
		writeShown(&b, r)
		start = i + utf8.RuneLen(r)
	}
	b.WriteString(s[start:])
	if cut {
		b.WriteString("… (cut)")
	}
	return b.String()
}

// harmless reports whether a text needs no change: the usual case.
func harmless(s string) bool {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c < 0x20 || c >= 0x7f || (c == '[' && logCommand(s, i)) {
			return false
		}
	}
	return true
}

// writeShown writes what is seen in place of a character that acts.
func writeShown(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == '[':
		b.WriteString(`\[`)
	case r < 0x100:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}
