package report

import (
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// footer writes what concerns the run as a whole; a quiet profile says it only
// when there is something to say.
func (v *prettyView) footer() {
	run, d := &v.doc.Run, &v.doc.Decision
	for i := range run.Degraded {
		v.said++
		v.p.line(0, v.p.warn, DegradedLine(&run.Degraded[i], v.o.Lang))
	}
	if d.AllDown {
		v.said++
		v.p.line(0, v.p.loud, allDownLine(&v.doc.Summary, v.o.Lang))
	}
	for _, note := range d.Notes {
		v.said++
		v.p.line(0, v.p.warn, "⚠ "+note.In(v.o.Lang))
	}
	if v.quiet && v.said == 0 && run.ExitCode == ExitOK {
		return
	}
	v.p.line(0, v.p.bold, coverageLine(v.doc, v.o.Lang))
	style := v.p.ok
	if run.ExitCode != ExitOK {
		style = v.p.bad
	}
	v.p.line(0, style, exitLine(v.doc, v.o.Lang))
}

// DegradedLine says to a person what could not be done, as inert text.
func DegradedLine(d *checks.Degradation, lang Lang) string {
	times := ""
	if d.Count > 1 {
		times = " ×" + strconv.Itoa(d.Count)
	}
	return textf("⚠ %[1]s unavailable (%[2]s)%[3]s", "⚠ %[1]s indisponível (%[2]s)%[3]s", Inert(d.Feature, 80), Inert(d.Reason, 600), times).In(lang)
}

// allDownLine is the loud one: nothing failed, and nothing is known.
func allDownLine(s *Summary, lang Lang) string {
	return textf("▲ NOTHING WAS MEASURED: 0 of %d; this run says nothing about any contract",
		"▲ NADA FOI MEDIDO: 0 de %d; esta execução nada diz sobre contrato algum", s.Total).In(lang)
}

// coverageLine says how much was measured, and the counts that are not zero.
func coverageLine(doc *Document, lang Lang) string {
	s := &doc.Summary
	line := textf("measured %d of %d", "medidas %d de %d", s.Measured, s.Total).In(lang)
	if s.Asked != s.Total {
		line += textf(", asked %d", ", perguntadas %d", s.Asked).In(lang)
	}
	var counts []string
	for i, n := range [6]int{s.OK, s.Drift, s.Respondeu, s.Indisponivel, s.Ambiguo, s.Alheio} {
		if n > 0 {
			counts = append(counts, strconv.Itoa(n)+" "+string(checks.Findings()[i]))
		}
	}
	if len(counts) > 0 {
		line += " · " + strings.Join(counts, ", ")
	}
	return line + " · " + millis(doc.Run.DurationMS) + " · " + Inert(doc.Run.Trace, 40)
}

// exitLine says the exit code and why.
func exitLine(doc *Document, lang Lang) string {
	line := textf("exit %d: ", "saída %d: ", doc.Run.ExitCode).In(lang)
	var reasons []string
	for _, r := range doc.Decision.Reasons {
		reasons = append(reasons, r.Text.In(lang))
	}
	if len(reasons) == 0 {
		reasons = append(reasons, Text{"nothing failed under the policy", "nada reprovou na política"}.In(lang))
	}
	return line + strings.Join(reasons, "; ") + textf(" (profile %s)", " (perfil %s)", Inert(doc.Run.Profile, 100)).In(lang)
}
