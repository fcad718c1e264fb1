package main

import (
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

// TestProgressNamesWhatRuns holds that the line names a probe that is not done.
func TestProgressNamesWhatRuns(t *testing.T) {
	start := func(name string) checks.Event { return checks.Event{Kind: checks.EventStart, Probe: name} }
	wait := func(name string) checks.Event { return checks.Event{Kind: checks.EventRetrip, Probe: name} }
	done := func(name string, f checks.Finding) checks.Event {
		return checks.Event{Kind: checks.EventDone, Probe: name, Result: &checks.Result{Finding: f}}
	}
	p := &progress{total: 4, lang: report.EN, done: map[string]bool{}, retrips: map[string]bool{}}
	for i, step := range []struct {
		event checks.Event
		want  string
	}{
		{start("a"), "fonteviva: 0 of 4 probes, now a"},
		{start("b"), "fonteviva: 0 of 4 probes, now a"},
		{start("c"), "fonteviva: 0 of 4 probes, now a"},
		{done("c", checks.OK), "fonteviva: 1 of 4 probes, now a"},
		{wait("a"), "fonteviva: 1 of 4 probes, 1 waiting for another trip, now b"},
		{done("b", checks.Drift), "fonteviva: 2 of 4 probes, 1 not ok, 1 waiting for another trip, now a"},
		{done("d", checks.Alheio), "fonteviva: 3 of 4 probes, 2 not ok, 1 waiting for another trip, now a"},
		{done("a", checks.OK), "fonteviva: 4 of 4 probes, 2 not ok"},
		{start("b"), "fonteviva: 4 of 4 probes, 2 not ok, now b"}, // another round
		{done("b", checks.Ambiguo), "fonteviva: 4 of 4 probes, 2 not ok"},
		{done("d", checks.OK), "fonteviva: 4 of 4 probes, 1 not ok"},
	} {
		p.observe(step.event)
		if got := p.line(); got != step.want {
			t.Errorf("step %d: %q, want %q", i, got, step.want)
		}
	}
	for lang, want := range map[report.Lang]string{report.EN: "fonteviva: 0 of 1 probe", report.PT: "fonteviva: 0 de 1 sonda"} {
		if got := (&progress{total: 1, lang: lang}).line(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
