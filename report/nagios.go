package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// The states of a monitoring plugin, which are its exit codes.
const (
	nagiosOK       = 0
	nagiosWarning  = 1
	nagiosCritical = 2
	nagiosUnknown  = 3
)

// nagiosMax bounds the whole output in bytes: what NRPE carries.
const nagiosMax = 4 << 10

var (
	nagiosWords  = [4]string{"OK", "WARNING", "CRITICAL", "UNKNOWN"}
	nagiosStates = map[Disposition]int{Pass: nagiosOK, Warn: nagiosWarning, Skip: nagiosUnknown, Fail: nagiosCritical}
	// nagiosOrder is who wins: what is known to be broken before what is not known.
	nagiosOrder = []int{nagiosCritical, nagiosWarning, nagiosUnknown, nagiosOK}
)

func nagiosWorse(a, b int) int {
	if slices.Index(nagiosOrder, b) < slices.Index(nagiosOrder, a) {
		return b
	}
	return a
}

// nagiosExit is the exit code where nagios is the main format: the worst state
// of any result or reason. Interrupted, too little measured and not written are
// unknown; any other reason is something broken.
func nagiosExit(d *Decision) int {
	state := nagiosOK
	for _, disposition := range d.Dispositions {
		state = nagiosWorse(state, nagiosStates[disposition])
	}
	for _, reason := range d.Reasons {
		if ofTheRun(reason.Code) || reason.Code == ExitOutput {
			state = nagiosWorse(state, nagiosUnknown)
		} else {
			state = nagiosWorse(state, nagiosCritical)
		}
	}
	return state
}

// nagiosState is the state that the output names. Where another format owns the
// exit code, the reasons that come of its findings are not ours.
func nagiosState(doc *Document) int {
	d := Decision{Dispositions: make([]Disposition, len(doc.Results))}
	for i := range doc.Results {
		d.Dispositions[i] = doc.disposition("nagios", &doc.Results[i])
	}
	for _, reason := range doc.Decision.Reasons {
		if ofTheRun(reason.Code) || doc.Run.PolicyFormat == "nagios" {
			d.Reasons = append(d.Reasons, reason)
		}
	}
	return nagiosExit(&d)
}

// writeNagios writes the plugin's line with its performance data, then the
// worst results one a line, in at most 4 KiB.
func writeNagios(w io.Writer, doc *Document, o Options) error {
	text := Text{"no probe was selected", "nenhuma sonda foi selecionada"}.In(o.Lang)
	if doc.Summary.Total > 0 {
		text, _, _ = strings.Cut(coverageLine(doc, o.Lang), " · "+millis(doc.Run.DurationMS))
	}
	worst := worstFirst(doc, "nagios")
	if len(worst) > 0 {
		text += " · " + displayName(worst[0]) + ": " + headline(worst[0], o.Lang)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "FONTEVIVA %s - %s | %s\n", nagiosWords[nagiosState(doc)], nagiosText(text, 400), nagiosData(doc))
	const more = 40 // bytes for the line that says how much was left out
	lines := nagiosLines(doc, o)
	for i, line := range lines {
		if b.Len()+len(line) > nagiosMax-more {
			b.WriteString(textf("… and %d more\n", "… e mais %d\n", len(lines)-i).In(o.Lang))
			break
		}
		b.WriteString(line)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// nagiosLines is the long output: what could not be done, then the results that
// did not pass, the worst first.
func nagiosLines(doc *Document, o Options) []string {
	var lines []string
	for i := range doc.Run.Degraded {
		lines = append(lines, nagiosText(DegradedLine(&doc.Run.Degraded[i], o.Lang), 240)+"\n")
	}
	for _, reason := range doc.Decision.Reasons {
		if ofTheRun(reason.Code) {
			lines = append(lines, nagiosText("[UNKNOWN] "+reason.Text.In(o.Lang), 240)+"\n")
		}
	}
	for _, r := range worstFirst(doc, "nagios") {
		word := nagiosWords[nagiosStates[doc.disposition("nagios", r)]]
		lines = append(lines, nagiosText("["+word+"] "+Inert(r.Origin, 100)+"/"+displayName(r)+": "+headline(r, o.Lang), 240)+"\n")
	}
	return lines
}

// nagiosData is the performance data: counts with their range, and seconds.
func nagiosData(doc *Document) string {
	s := &doc.Summary
	data := fmt.Sprintf("measured=%d;;;0;%d asked=%d;;;0;%d", s.Measured, s.Total, s.Asked, s.Total)
	for i, n := range [6]int{s.OK, s.Drift, s.Respondeu, s.Indisponivel, s.Ambiguo, s.Alheio} {
		data += fmt.Sprintf(" %s=%d;;;0;%d", checks.Findings()[i], n, s.Total)
	}
	ms := max(doc.Run.DurationMS, 0)
	return data + fmt.Sprintf(" time=%d.%03ds;;;0", ms/1000, ms%1000)
}
