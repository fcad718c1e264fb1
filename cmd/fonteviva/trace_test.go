package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/report"
)

// TestTraceOfATerminalDrawsTheRunThatWasKeptLast holds what trace does where
// nothing is piped into it: the last run of the folder's declaration, or of any
// project where there is none, or words about what to give it.
func TestTraceOfATerminalDrawsTheRunThatWasKeptLast(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	trace := func(want int, words string) {
		t.Helper()
		var out, errs bytes.Buffer
		code := run([]string{"trace"}, streams{in: strings.NewReader(""), out: &out, err: &errs, inTTY: true})
		if code != want || !strings.Contains(out.String()+errs.String(), words) {
			t.Errorf("exit %d, want %d and %q\n%s%s", code, want, words, &out, &errs)
		}
	}
	trace(report.ExitUsage, "no run is kept to be drawn")

	store, err := history.Open(filepath.Join(dir, "state", "fonteviva"), history.Options{OpenTimeout: lookTimeout})
	if err != nil {
		t.Fatal(err)
	}
	keep := func(project history.Project, name string) {
		t.Helper()
		r := checks.Result{Name: name, Origin: "o", Trace: "7M2KQ0Z1", Asked: true, Finding: checks.Indisponivel, URL: "https://o.example/"}
		r.Trips = []checks.Trip{{Finding: r.Finding, Attempts: []checks.Attempt{{Requests: 1, TotalMS: 40}}}}
		if err := store.Save(t.Context(), project, &history.Run{Trace: "0000PAST", StartedAt: time.Now(), Results: []checks.Result{r}}); err != nil {
			t.Fatal(err)
		}
	}
	file := filepath.Join(dir, "fonteviva.yaml")
	keep(history.ProjectOf([]string{file}), "of-here-before")
	keep(history.ProjectOf([]string{file}), "of-here")
	keep(history.NamedProject("other"), "of-elsewhere")
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	trace(report.ExitOK, "of-elsewhere · indisponivel")
	write(t, file, "version: 1\norigins: {o: {url: 'https://o.example'}}\nprobes: [{name: of-here, origin: o, get: /}]\n")
	trace(report.ExitOK, "of-here · indisponivel")
}
