package livetest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/fonteviva/fonteviva/checks"
)

// maxText bounds one text of a result, in characters.
const maxText = 2000

// Report says one result to a test: ok passes (warnings are logged), drift and
// respondeu are errors, indisponivel and ambiguo skip with their motivo, and so
// does what was never asked because the run ended; any other alheio is an
// error. Texts of the origin are made harmless.
func Report(t testing.TB, r *checks.Result) {
	t.Helper()
	switch r.Finding {
	case checks.OK:
		if r.Unstable {
			t.Log("unstable: an earlier trip said otherwise")
		}
		if len(r.Mismatches) > 0 {
			t.Log(mismatches("ok, with warnings", r))
		}
	case checks.Drift:
		t.Error(mismatches("drift: the source changed", r) + command(r))
	case checks.Indisponivel, checks.Ambiguo:
		t.Skip(said(r) + "; nothing was measured")
	case checks.Alheio:
		if !r.Asked && neverAsked(r) {
			t.Skip(said(r) + "; nothing was asked")
			return
		}
		t.Error(said(r) + command(r))
	default:
		t.Error(said(r) + command(r))
	}
}

// neverAsked reports whether the run itself ended before this probe's turn.
func neverAsked(r *checks.Result) bool {
	return r.Detail != nil && (*r.Detail == checks.DetailRunBudget || *r.Detail == checks.DetailInterrupted)
}

// said is the finding with its sentence and the rule that decided.
func said(r *checks.Result) string {
	s := string(r.Finding)
	if r.Motivo != nil {
		s += ": " + inert(*r.Motivo)
	}
	if r.Rule != nil {
		s += " (" + inert(*r.Rule) + ")"
	}
	return s
}

// mismatches lists what does not hold, a line each.
func mismatches(head string, r *checks.Result) string {
	var b strings.Builder
	b.WriteString(head)
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		fmt.Fprintf(&b, "\n%s", inert(m.Code))
		if m.Path != nil {
			fmt.Fprintf(&b, " %s", inert(*m.Path))
		}
		fmt.Fprintf(&b, ": wanted %s, got %s", inert(m.Want), inert(m.Got))
		if m.Severity == "warn" {
			b.WriteString(" (warning)")
		}
	}
	return b.String()
}

// command is how to ask the same by hand.
func command(r *checks.Result) string {
	if r.Reproduce == nil {
		return ""
	}
	return "\n" + inert(*r.Reproduce)
}

// inert makes a text harmless for a terminal and a CI log: one line, no
// character that acts or is invisible, no command of a log, bounded.
func inert(s string) string {
	var b strings.Builder
	n := 0
	for _, r := range s {
		if n++; n > maxText {
			b.WriteString("… (cut)")
			break
		}
		if unicode.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return logCommand.ReplaceAllString(b.String(), `$1\[`)
}

// logCommand is what some CI logs take for a command wherever it stands.
var logCommand = regexp.MustCompile(`(##[\w.-]*)\[`)
