package report

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks"
)

func nagiosDocument(rep *checks.Report, profile string, on ...string) *Document {
	return NewDocument(rep, policyOf(profile, on...), DecideOptions{Format: "nagios"})
}

func TestNagiosOwnsTheExitCode(t *testing.T) {
	interrupted := results(checks.OK)
	interrupted.Interrupted = true
	cut := results(checks.OK)
	cut.Results = append(cut.Results, unaskedResult("late", checks.Alheio, checks.DetailRunBudget))
	cases := []struct {
		name    string
		rep     *checks.Report
		profile string
		on      []string
		min     string
		want    int
		word    string
	}{
		{name: "ok", rep: results(checks.OK), want: 0, word: "OK"},
		{name: "drift", rep: results(checks.OK, checks.Drift, checks.Ambiguo, checks.Indisponivel), want: 2, word: "CRITICAL"},
		{name: "warning before unknown", rep: results(checks.Indisponivel, checks.Ambiguo, checks.OK), want: 1, word: "WARNING"},
		{name: "unknown before ok", rep: results(checks.OK, checks.Indisponivel), want: 3, word: "UNKNOWN"},
		{name: "our own side", rep: results(checks.Alheio), want: 3, word: "UNKNOWN"},
		{name: "our own side, failed", rep: results(checks.Alheio), on: []string{"alheio=fail"}, want: 2, word: "CRITICAL"},
		{name: "all down", rep: results(checks.Indisponivel, checks.Indisponivel), want: 3, word: "UNKNOWN"},
		{name: "down, recovery", rep: results(checks.Indisponivel), profile: "recovery", want: 2, word: "CRITICAL"},
		{name: "nothing selected", rep: &checks.Report{}, want: 3, word: "UNKNOWN"},
		{name: "interrupted", rep: interrupted, want: 3, word: "UNKNOWN"},
		{name: "budget ended", rep: cut, want: 3, word: "UNKNOWN"},
		{name: "too little measured", rep: results(checks.OK), min: "2", want: 3, word: "UNKNOWN"},
	}
	f, _ := FormatNamed("nagios")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pol, err := ResolvePolicy(PolicyRequest{Profile: c.profile, On: c.on, MinMeasured: c.min})
			if err != nil {
				t.Fatal(err)
			}
			doc := NewDocument(c.rep, pol, DecideOptions{Format: "nagios"})
			if doc.Run.ExitCode != c.want {
				t.Errorf("exit %d, want %d", doc.Run.ExitCode, c.want)
			}
			if out := string(render(t, f, doc, Options{})); !strings.HasPrefix(out, "FONTEVIVA "+c.word+" - ") {
				t.Errorf("not %s: %s", c.word, out)
			}
			if again := doc.Rejudge(pol, "nagios"); again.Run.ExitCode != c.want && c.name != "interrupted" {
				t.Errorf("read again: exit %d", again.Run.ExitCode)
			}
		})
	}
}

// TestNagiosBesideAnotherFormat holds that the word is that of our own row.
func TestNagiosBesideAnotherFormat(t *testing.T) {
	f, _ := FormatNamed("nagios")
	doc := NewDocument(results(checks.Alheio), policyOf(""), DecideOptions{Format: "json"})
	if out := render(t, f, doc, Options{}); doc.Run.ExitCode != 3 || !bytes.HasPrefix(out, []byte("FONTEVIVA UNKNOWN - ")) {
		t.Errorf("exit %d, %s", doc.Run.ExitCode, out)
	}
}

func TestNagiosInterruptionSurvivesJSON(t *testing.T) {
	rep := results(checks.OK)
	rep.Results = append(rep.Results, unaskedResult("late", checks.Alheio, checks.DetailInterrupted))
	rep.Interrupted = true
	doc := nagiosDocument(rep, "")
	if again := doc.Rejudge(policyOf(""), "json"); doc.Run.ExitCode != 3 || again.Run.ExitCode != ExitInterrupt {
		t.Errorf("exit %d, then %d", doc.Run.ExitCode, again.Run.ExitCode)
	}
}

func TestNagiosBounds(t *testing.T) {
	rep := many(3000)
	for i := range rep.Results {
		rep.Results[i].Motivo = ptr(strings.Repeat(hostile, 50))
	}
	rep.Degraded = recorded().Degraded
	f, _ := FormatNamed("nagios")
	out := render(t, f, nagiosDocument(rep, ""), Options{})
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(out) > nagiosMax || len(lines) < 6 || !utf8.Valid(out) {
		t.Errorf("%d bytes in %d lines", len(out), len(lines))
	}
	if last := lines[len(lines)-1]; last != fmt.Sprintf("… and %d more", 600+2-(len(lines)-2)) { // of ten results two are broken or down
		t.Errorf("%q after %d lines", last, len(lines)-2)
	}
	for i, line := range lines {
		if bars := strings.Count(line, "|"); bars != 0 && (i != 0 || bars != 1) {
			t.Errorf("line %d has %d bars: %s", i+1, bars, line)
		}
	}
}

func TestNagiosByItsReaders(t *testing.T) {
	perl := reader(t, "perl", "perl")
	if exec.Command(perl, "-MMonitoring::Plugin::Performance", "-e", "1").Run() != nil {
		missing(t, "Monitoring::Plugin::Performance", "Debian: libmonitoring-plugin-perl")
	}
	const negate = "/usr/lib/nagios/plugins/negate"
	if _, err := os.Stat(negate); err != nil {
		missing(t, negate, "Debian: monitoring-plugins-basic")
	}
	path := written(t, "nagios", nagiosDocument(recorded(), ""), Options{}, "out.txt")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, perf, _ := strings.Cut(strings.Split(string(data), "\n")[0], " | ")
	out, err := exec.Command(perl, "-MMonitoring::Plugin::Performance", "-e",
		`printf "%s=%s%s max %s\n", $_->label, $_->value, $_->uom // "", $_->max // "" for Monitoring::Plugin::Performance->parse_perfstring($ARGV[0])`, perf).CombinedOutput()
	want := "measured=4 max 14\nasked=9 max 14\nok=3 max 14\ndrift=1 max 14\nrespondeu=2 max 14\nindisponivel=3 max 14\nambiguo=1 max 14\nalheio=4 max 14\ntime=3.25s max \n"
	if err != nil || string(out) != want {
		t.Errorf("%v: read as\n%s", err, out)
	}
	plugin := filepath.Join(t.TempDir(), "check_fonteviva")
	if err := os.WriteFile(plugin, fmt.Appendf(nil, "#!/bin/sh\ncat '%s'\nexit 2\n", path), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err = exec.Command(negate, "--substitute", "--critical=WARNING", plugin).CombinedOutput()
	if ee, ok := errors.AsType[*exec.ExitError](err); !ok || ee.ExitCode() != 1 || !bytes.HasPrefix(out, []byte("FONTEVIVA WARNING - measured 4 of 14")) {
		t.Errorf("%v: %s", err, out)
	}
}
