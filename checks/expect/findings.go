package expect

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxPerCheck bounds the mismatches that one matcher of one assertion reports.
const maxPerCheck = 10

// findings gathers mismatches.
type findings struct {
	list   []Mismatch
	redact func(string) string // nil leaves texts as they are
}

// text masks secrets in s and then, never before, shortens it.
func (f *findings) text(s string) string {
	if f.redact != nil {
		s = f.redact(s)
	}
	return shorten(s)
}

func (f *findings) add(m Mismatch) { f.list = append(f.list, m) }

// check is one matcher at work: it bounds its mismatches and counts the rest.
type check struct {
	out      *findings
	code     string
	severity Severity
	count    int
}

// report adds a mismatch; path is only made for those that are kept. A nil
// path is a place that has none.
func (c *check) report(path func() string, want, got string) {
	c.count++
	if c.count > maxPerCheck {
		return
	}
	m := Mismatch{Code: c.code, Severity: c.severity, Want: c.out.text(want), Got: c.out.text(got)}
	if path != nil {
		p := c.out.text(path())
		m.Path = &p
	}
	c.out.add(m)
}

// close says how many mismatches were left out; whole names what was looked at.
func (c *check) close(whole string) {
	if more := c.count - maxPerCheck; more > 0 {
		c.out.add(Mismatch{Code: c.code, Path: &whole, Severity: c.severity,
			Want: "no mismatch", Got: "and " + strconv.Itoa(more) + " more"})
	}
}

// maxText is the longest Want, Got or Path, in characters.
const maxText = 200

// shorten makes valid UTF-8 of at most maxText characters.
func shorten(s string) string {
	const most = maxText * utf8.UTFMax
	cut := len(s) > most
	if cut {
		s = s[:most]
	}
	s = strings.ToValidUTF8(s, string(utf8.RuneError))
	if !cut && len(s) <= maxText {
		return s
	}
	n := 0
	for i := range s {
		if n++; n == maxText && (cut || utf8.RuneCountInString(s[i:]) > 1) {
			return s[:i] + "…"
		}
	}
	return s
}
