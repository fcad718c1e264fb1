package source

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Position is a place in a declaration. Line and Col count from 1; Col counts
// characters, not bytes. A zero Line means the file as a whole.
type Position struct {
	File string
	Line int
	Col  int
}

// String gives file:line:column, or the file alone.
func (p Position) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// Problem is one thing wrong with a declaration: what, where, why, and what to
// do about it.
type Problem struct {
	Pos     Position
	Message string
	Hint    string // what to do; may be ""
	Excerpt string // the source line; "" when there is none to show
}

// String renders the problem with its excerpt, a caret and the hint.
func (p Problem) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", clean(p.Pos.String()), p.Message)
	if p.Excerpt != "" {
		line, col := clip(p.Excerpt, p.Pos.Col)
		fmt.Fprintf(&b, "\n%6d | %s\n       | %s^", p.Pos.Line, line, strings.Repeat(" ", max(col-1, 0)))
	}
	if p.Hint != "" {
		fmt.Fprintf(&b, "\n         %s", p.Hint)
	}
	return b.String()
}

// clip keeps an excerpt on one terminal line and free of control characters;
// col is the caret's place in the result.
func clip(line string, col int) (string, int) {
	const width = 100
	from := 0
	if col > width && utf8.RuneCountInString(line) > width {
		from = col - width/2
	}
	n, start := 0, len(line)
	for i := range line {
		if n == from {
			start = i
		}
		if n == from+width {
			line = line[:i]
			break
		}
		n++
	}
	return clean(line[min(start, len(line)):]), col - from
}

// clean replaces what a terminal could take for a command or for another
// direction of writing.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) || isBidi(r) {
			return ' '
		}
		return r
	}, s)
}

func isBidi(r rune) bool {
	return (r >= 0x202a && r <= 0x202e) || (r >= 0x2066 && r <= 0x2069) || r == 0x200e || r == 0x200f
}

// Problems is everything wrong with a declaration, sorted by place. It is an
// error; an empty one must be turned into nil with Err.
type Problems []Problem

// Error renders every problem, and their number when there are several.
func (ps Problems) Error() string {
	parts := make([]string, 0, len(ps)+1)
	for _, p := range ps {
		parts = append(parts, p.String())
	}
	if len(ps) > 1 && len(ps) <= maxProblems {
		parts = append(parts, fmt.Sprintf("%d problems in the declaration", len(ps)))
	}
	return strings.Join(parts, "\n")
}

// Err is nil when there is no problem, else the sorted problems.
func (ps Problems) Err() error {
	if len(ps) == 0 {
		return nil
	}
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return ps
}

// maxProblems and maxMessage (in bytes) bound what a hostile or foreign file
// can make us print.
const (
	maxProblems = 100
	maxMessage  = 600
)

// Collector gathers problems over several files.
type Collector struct {
	problems Problems
	dropped  int
}

// Add records a problem at a node-less place, such as a whole file.
func (c *Collector) Add(pos Position, hint, format string, args ...any) {
	c.add(Problem{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *Collector) add(p Problem) {
	if len(c.problems) >= maxProblems {
		c.dropped++
		return
	}
	p.Message, p.Hint = bound(p.Message), bound(p.Hint)
	// What each: makes several probes of is read once for every one.
	if slices.ContainsFunc(c.problems, func(q Problem) bool { return q.Pos == p.Pos && q.Message == p.Message }) {
		return
	}
	c.problems = append(c.problems, p)
}

// bound makes a message that is safe to print; it may quote what was declared.
func bound(s string) string {
	if len(s) > maxMessage {
		s = s[:maxMessage] + "…"
	}
	return clean(strings.ToValidUTF8(s, string(utf8.RuneError)))
}

// Len is the number of problems so far.
func (c *Collector) Len() int { return len(c.problems) + c.dropped }

// Err is nil when nothing is wrong, else a Problems; its last one then says how
// many are not shown, if there are more.
func (c *Collector) Err() error {
	ps := slices.Clone(c.problems)
	if err := ps.Err(); err == nil || c.dropped == 0 {
		return err
	}
	return append(ps, Problem{Pos: Position{File: ps[len(ps)-1].Pos.File}, Message: fmt.Sprintf("and %d more problems", c.dropped)})
}
