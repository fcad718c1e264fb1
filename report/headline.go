package report

import (
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// headline says a result in one line: the finding and the first thing that is
// wrong.
func headline(r *checks.Result, lang Lang) string {
	line := string(r.Finding)
	if excused(r) {
		line += " (" + labelKnown.In(lang) + ": " + Inert(*r.KnownFailure, 200) + ")"
	}
	switch {
	case len(r.Mismatches) > 0:
		m := &r.Mismatches[0]
		line += textf(": %s: wanted %s, got %s", ": %s: esperado %s, veio %s", mismatchHead(m), Inert(m.Want, 200), Inert(m.Got, 200)).In(lang)
		if n := len(r.Mismatches) - 1; n > 0 {
			line += textf(" (and %d more)", " (e mais %d)", n).In(lang)
		}
	case r.Motivo != nil:
		line += ": " + Inert(*r.Motivo, 300)
	case r.Detail != nil:
		line += ": " + Inert(*r.Detail, 100)
	}
	return line
}

// detailText says a result in several lines of inert text.
func detailText(r *checks.Result, o Options) string {
	var lines []string
	add := func(label, text string) {
		if text != "" {
			lines = append(lines, label+": "+text)
		}
	}
	if r.Motivo != nil {
		add("motivo", Inert(*r.Motivo, 600))
	}
	add(labelFacts.In(o.Lang), factsLine(r))
	add(labelKnown.In(o.Lang), inertOpt(r.KnownFailure, 400))
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		lines = append(lines, fmt.Sprintf("%s (%s)", mismatchHead(m), Inert(string(m.Severity), 20)),
			"  "+strings.TrimSpace(labelWant.In(o.Lang))+": "+Inert(m.Want, 1000), "  "+strings.TrimSpace(labelGot.In(o.Lang))+": "+Inert(m.Got, 1000))
	}
	add(labelWaited.In(o.Lang), triesLine(r, o.Lang))
	for i := range r.Trips {
		for k := range r.Trips[i].Attempts {
			add(textf("trip %d", "viagem %d", i+1).In(o.Lang), attemptLine(k+1, &r.Trips[i].Attempts[k], o.Lang))
		}
	}
	add(labelNext.In(o.Lang), nextStep(r).In(o.Lang))
	add(labelAt.In(o.Lang), declaredAt(r, o.Dir))
	for i := range lines {
		lines[i] = GuardLine(lines[i])
	}
	return strings.Join(lines, "\n")
}
