package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// maxDiagnosis bounds what is said about one result, in bytes, in the formats
// that say everything.
const maxDiagnosis = 32 << 10

// tapWriter makes the writer of one version of the protocol. The plan comes
// first, so that a stream that was cut never looks whole.
func tapWriter(format string, version int) func(io.Writer, *Document, Options) error {
	return func(w io.Writer, doc *Document, o Options) error {
		t := &tap{doc: doc, o: o, format: format}
		b := fmt.Appendf(make([]byte, 0, flushAt+maxDiagnosis), "TAP version %d\n", version)
		switch {
		case len(doc.Results) > 0:
			b = fmt.Appendf(b, "1..%d\n", len(doc.Results))
		case !t.bails():
			b = append(append(b, "1..0 # SKIP "...), Text{"no probe was selected\n", "nenhuma sonda foi selecionada\n"}.In(o.Lang)...)
		}
		// A run without a point that fails has no plan: after 1..0 readers take a
		// bail-out for idle text.
		for i := range doc.Results {
			b = t.point(b, i+1, &doc.Results[i])
			var err error
			if b, err = flush(w, b, flushAt); err != nil {
				return err
			}
		}
		_, err := flush(w, t.end(b), 0)
		return err
	}
}

type tap struct {
	doc    *Document
	o      Options
	format string
}

// point writes one result. What was not measured is skipped; a broken contract
// that the policy lets go, or that is known, is a TODO, which is not ok and fails nothing.
func (t *tap) point(b []byte, n int, r *checks.Result) []byte {
	d := t.doc.disposition(t.format, r)
	directive := ""
	switch {
	case d == Fail:
		b = append(b, "not "...)
	case d == Warn && (r.Finding == checks.Drift || excused(r)):
		b = append(b, "not "...)
		directive = "TODO"
	case d == Skip || !r.Measured:
		directive = "SKIP"
	}
	b = append(strconv.AppendInt(append(b, "ok "...), int64(n), 10), " - "...)
	name := Inert(r.Origin, 0) + "/" + displayName(r)
	if r.Title != nil {
		name += " · " + Inert(*r.Title, 200)
	}
	b = append(b, tapText(name)...)
	if directive != "" {
		b = append(append(append(b, " # "...), directive...), ' ')
		b = append(b, tapText(headline(r, t.o.Lang))...)
	}
	b = append(b, '\n')
	if directive == "" && d == Pass && plain(r) {
		return b
	}
	return t.diagnosis(b, d, r)
}

// diagnosis writes a YAML block. Every text is one line in double quotes, in
// JSON's own escapes: nothing of an origin can end the block. The lines of the
// detail have numbers for keys, since Perl's reader takes a quoted item of a
// list for a key where it holds a colon.
func (t *tap) diagnosis(b []byte, d Disposition, r *checks.Result) []byte {
	b = append(b, "  ---\n"...)
	text := func(indent, s string) {
		b = append(appendString(append(b, indent...), s), '\n')
	}
	text("  finding: ", string(r.Finding))
	text("  disposition: ", string(d))
	text("  message: ", headline(r, t.o.Lang))
	b = fmt.Appendf(b, "  duration_ms: %d\n", r.DurationMS)
	text("  at:\n    file: ", Inert(relative(r.File, t.o.Dir), 400))
	b = fmt.Appendf(b, "    line: %d\n  detail:\n", r.Line)
	for i, line := range strings.Split(shorten(detailText(r, t.o), maxDiagnosis), "\n") {
		text("    "+strconv.Itoa(i+1)+": ", line)
	}
	return append(b, "  ...\n"...)
}

// bails reports whether the run as a whole fails by what no point can tell.
func (t *tap) bails() bool {
	return slices.ContainsFunc(t.doc.Decision.Reasons, func(r Reason) bool { return ofTheRun(r.Code) })
}

// end says what concerns the run as a whole. What no point can tell, that the
// run was interrupted or measured too little, bails out.
func (t *tap) end(b []byte) []byte {
	for i := range t.doc.Run.Degraded {
		b = fmt.Appendf(b, "# %s\n", DegradedLine(&t.doc.Run.Degraded[i], t.o.Lang))
	}
	if t.doc.Decision.AllDown {
		b = fmt.Appendf(b, "# %s\n", allDownLine(&t.doc.Summary, t.o.Lang))
	}
	for _, note := range t.doc.Decision.Notes {
		b = fmt.Appendf(b, "# ⚠ %s\n", note.In(t.o.Lang))
	}
	b = fmt.Appendf(b, "# fonteviva: %s\n", coverageLine(t.doc, t.o.Lang))
	for _, reason := range t.doc.Decision.Reasons {
		if ofTheRun(reason.Code) {
			return fmt.Appendf(b, "Bail out! %s\n", Inert(reason.Text.In(t.o.Lang), 400))
		}
	}
	return b
}

// ofTheRun reports whether a code says something that no result of the run
// does: that it was interrupted, or that too little was measured.
func ofTheRun(code int) bool { return code == ExitUnmeasured || exitRank(code) < 0 }
