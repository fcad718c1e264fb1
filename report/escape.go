package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// appendXML appends character data or an attribute's value: only characters
// that XML 1.0 allows (§2.2), the markup ones as references, "]]>" impossible
// because ">" never stands alone. In an attribute line ends and tabs are
// references too, else a reader would turn them into spaces (§3.3.3).
func appendXML(b []byte, s string, attribute bool) []byte {
	start := 0
	for i := 0; i < len(s); {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		if with := xmlReference(r, n, attribute); with != "" {
			b = append(append(b, s[start:i]...), with...)
			start = i + n
		}
		i += n
	}
	return append(b, s[start:]...)
}

// xmlReference is what stands for a character in XML, "" for itself.
func xmlReference(r rune, size int, attribute bool) string {
	switch r {
	case '&':
		return "&amp;"
	case '<':
		return "&lt;"
	case '>':
		return "&gt;"
	case '"':
		return "&quot;"
	case '\r':
		return "&#13;"
	case '\n', '\t':
		if attribute {
			return map[rune]string{'\n': "&#10;", '\t': "&#9;"}[r]
		}
		return ""
	case utf8.RuneError:
		if size == 1 {
			return "\uFFFD"
		}
		return ""
	}
	if r < 0x20 || r == 0xfffe || r == 0xffff {
		return "\uFFFD"
	}
	return ""
}

// The workflow commands' escapes: in data the percent sign and line ends, in a
// property also what separates properties.
var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// GuardLine keeps a line of text from being taken for a workflow command,
// which a runner also finds behind blanks.
func GuardLine(s string) string {
	rest := strings.TrimLeft(s, " \t")
	if strings.HasPrefix(rest, "::") {
		return s[:len(s)-len(rest)] + `\` + rest
	}
	return s
}

// markdown makes a text inert in GitHub's Markdown, tables included: every
// ASCII punctuation character but a few harmless ones is a character
// reference, which is never syntax (CommonMark §2.5). A mention or an issue's
// number is also cut by a comment, since those are looked for after rendering.
func markdown(s string) string {
	s = Inert(s, 0)
	var b strings.Builder
	for _, r := range s {
		switch {
		case r >= utf8.RuneSelf, r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			b.WriteRune(r)
		case r == ' ', r == ',', r == ';', r == '-' && b.Len() > 0:
			b.WriteRune(r)
		case r == '@', r == '#':
			fmt.Fprintf(&b, "&#%d;<!-- -->", r)
		default:
			fmt.Fprintf(&b, "&#%d;", r)
		}
	}
	return b.String()
}

// markdownCode is an origin's text as code, where nothing is looked for.
func markdownCode(s string) string {
	if s == "" {
		return ""
	}
	return "<code>" + markdown(s) + "</code>"
}

// breakAttachment keeps a text from naming a file that some readers of JUnit
// files would attach.
func breakAttachment(s string) string {
	return strings.ReplaceAll(s, "[[ATTACHMENT|", "[[ATTACHMENT¦")
}

// tapText makes a text a test's description or a directive's reason: one line
// in which no "#" begins a directive (TAP 14, "Escaping") and no "{" at the end
// opens a subtest.
func tapText(s string) string {
	s = strings.TrimSpace(tapEscapes.Replace(Inert(s, 0)))
	if strings.HasSuffix(s, "{") {
		s += "…"
	}
	return s
}

var tapEscapes = strings.NewReplacer(`\`, `\\`, "#", `\#`)

// nagiosText makes a text one line of a plugin's output of at most n bytes, in
// which nothing begins the performance data.
func nagiosText(s string, n int) string {
	return shorten(strings.ReplaceAll(Inert(s, 0), "|", "¦"), n)
}

// label is a text as a Prometheus label's value, between the quotes.
func label(s string) string { return labelEscapes.Replace(Inert(s, 200)) }

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// metricWord keeps of a text what a label of our own vocabulary has: lower-case
// letters, digits and underscores, at most 64 of them.
func metricWord(s string) string {
	var b []byte
	for _, r := range s {
		switch {
		case r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r < '0' || r > '9' && r < 'a' || r > 'z':
			r = '_'
		}
		if b = append(b, byte(r)); len(b) == 64 {
			break
		}
	}
	return string(b)
}
