package expect

import (
	"fmt"
	"slices"
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
	limit  error               // the first limit of ours that was reached
}

// short keeps that an expectation reached a limit of ours: it warns, since it
// says nothing about the answer.
func (f *findings) short(m Mismatch, limit error) {
	if f.limit == nil {
		f.limit = limit
	}
	m.Severity, m.Got = Warn, "not judged: "+limit.Error()
	f.add(m)
}

// unfollowed is the limit that left an answer unjudged, where nothing else
// failed it.
func (f *findings) unfollowed() error {
	if f.limit == nil || slices.ContainsFunc(f.list, func(m Mismatch) bool { return m.Severity == Fail }) {
		return nil
	}
	return fmt.Errorf("%w: %w", ErrLimit, f.limit)
}

// text masks secrets in s and then, never before, shortens it.
func (f *findings) text(s string) string {
	if f.redact != nil {
		s = f.redact(s)
	}
	return shorten(s)
}

// add masks and shortens the texts of a mismatch, and keeps it.
func (f *findings) add(m Mismatch) {
	m.Want, m.Got = f.text(m.Want), f.text(m.Got)
	if m.Path != nil {
		path := f.text(*m.Path)
		m.Path = &path
	}
	f.list = append(f.list, m)
}

// check is one matcher at work: it bounds its mismatches and counts the rest.
type check struct {
	section  string // what the code begins with; may be ""
	code     string
	severity Severity
	want     want
	list     []Mismatch
	more     int
}

func (c *check) name() string {
	if c.section == "" {
		return c.code
	}
	return c.section + "." + c.code
}

// report adds a mismatch; path is only made for those that are kept. A nil
// path is a place that has none.
func (c *check) report(path func() string, got string) {
	if len(c.list) == maxPerCheck {
		c.more++
		return
	}
	m := Mismatch{Code: c.name(), Severity: c.severity, Want: c.want.String(), Got: got}
	if path != nil {
		p := path()
		m.Path = &p
	}
	c.list = append(c.list, m)
}

// close hands the mismatches over, and says how many were left out of what was
// looked at.
func (c *check) close(whole string, f *findings) {
	for _, m := range c.list {
		f.add(m)
	}
	if c.more > 0 {
		at := whole // of its own, so that a check without a mismatch keeps nothing
		f.add(Mismatch{Code: c.name(), Path: &at, Severity: c.severity,
			Want: c.want.String(), Got: "and " + strconv.Itoa(c.more) + " more"})
	}
}

// maxText is the longest Want, Got or Path, in characters. maxRaw is how much
// of an origin's text, in bytes, is looked through for secrets before that.
const (
	maxText = 200
	maxRaw  = 16 << 10
)

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
