package report

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
)

// tapStates is what each result of the recorded run has to be, by its name.
var tapStates = map[string]string{
	"sgs/selic-diaria": "ok", "sgs/warned": "ok", "sgs/flaky": "ok", "sgs/ipca-mensal": "not ok", "ibge/renamed": "not ok",
	"ibge/moved": "not ok", "ibge/down": "skip", "ibge/down-too": "skip", "ibge/odd": "skip", "local/broken @proxy": "not ok",
	"local/late-1": "skip", "local/late-2": "skip", "local/needs-drift": "skip", "local/behind-breaker": "skip",
}

// unended is the recorded run without the budget's end, which bails out.
func unended() *checks.Report {
	rep := recorded()
	rep.BudgetEnded = false
	for i := range rep.Results {
		if opt(rep.Results[i].Detail) == checks.DetailRunBudget {
			rep.Results[i].Detail = ptr(detailDependency)
		}
	}
	return rep
}

func tapDocument(rep *checks.Report, format, profile string, on ...string) *Document {
	return NewDocument(rep, policyOf(profile, on...), DecideOptions{Format: format})
}

// withTitle is one result whose title is the given text, failing or passing.
func withTitle(title string, f checks.Finding) *checks.Report {
	rep := results(f)
	rep.StartedAt = startedAt
	rep.Results[0].Title, rep.Results[0].Motivo, rep.Results[0].URL = &title, &title, title
	return rep
}

// tapTraps are titles that turn a failure green where they are not escaped.
var tapTraps = []string{
	"x # TODO y", "x # skip", `x \# TODO y`, `x \\# TODO y`, "# TODO", "x\nok 2", "x\nBail out!", "x {", "x { ", `x \`, "x # time=1ms", "ok 9", "1..0", "TAP version 12",
	"  ...\nok 3", "x\r\n1..0 # skip", hostile,
}

type tapRead struct {
	OK    bool `json:"ok"`
	Count int  `json:"count"`
	Bail  any  `json:"bailout"`
	Pass  int  `json:"pass"`
	Tests []struct {
		OK      bool           `json:"ok"`
		Name    string         `json:"name"`
		Skip    any            `json:"skip"`
		Todo    any            `json:"todo"`
		Diag    map[string]any `json:"diag"`
		Failure string         `json:"tapError"`
	} `json:"tests"`
	Failures []json.RawMessage `json:"failures"`
	Extra    []string          `json:"extra"`
	Version  int               `json:"version"`
}

const tapScript = `import {readFileSync} from "node:fs"
import {Parser} from "tap-parser"
const all = process.argv.slice(2).map(file => {
  const tests = [], extra = []
  let version = 0, final
  const p = new Parser(r => { final = r })
  p.on("assert", r => tests.push(r))
  p.on("extra", s => extra.push(s))
  p.on("version", v => { version = v })
  p.end(readFileSync(file))
  return {...final, tests, extra, version, failures: final.failures}
})
console.log(JSON.stringify(all))`

func tapParse(t *testing.T, paths ...string) []tapRead {
	t.Helper()
	program, dir := node(t, "tap-parser")
	var got []tapRead
	out := script(t, program, dir, tapScript, paths...)
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v in %s", err, out)
	}
	return got
}

func TestTAPByTapParser(t *testing.T) {
	for version, format := range map[int]string{13: "tap", 14: "tap14"} {
		got := tapParse(t, written(t, format, tapDocument(unended(), format, ""), Options{}, "run.tap"))[0]
		if got.OK || got.Count != 14 || len(got.Tests) != 14 || len(got.Extra) != 0 || got.Version != version || got.Bail != false {
			t.Errorf("%s: ok %t, %d tests, extra %q, version %d, bailout %v", format, got.OK, got.Count, got.Extra, got.Version, got.Bail)
		}
		for _, test := range got.Tests {
			name, _, _ := strings.Cut(test.Name, " · ")
			state := map[bool]string{true: "ok", false: "not ok"}[test.OK]
			if test.Skip != nil && test.Skip != false {
				state = "skip"
			}
			if want := tapStates[name]; state != want {
				t.Errorf("%s: %s is %s, want %s", format, test.Name, state, want)
			}
			if state != "ok" && (test.Diag["finding"] == nil || test.Diag["detail"] == nil) {
				t.Errorf("%s: %s has no diagnosis: %v", format, name, test.Diag)
			}
		}
	}
}

func TestTAPTrapsByTapParser(t *testing.T) {
	var paths []string
	for _, title := range tapTraps {
		for _, f := range []checks.Finding{checks.Drift, checks.OK} {
			paths = append(paths, written(t, "tap", tapDocument(withTitle(title, f), "tap", ""), Options{}, "run.tap"))
		}
	}
	for i, got := range tapParse(t, paths...) {
		title, want := tapTraps[i/2], i%2 == 1
		if got.OK != want || got.Count != 1 || len(got.Extra) != 0 || got.Bail != false {
			t.Errorf("%q: %+v, want ok %t", title, got, want)
		}
		if test := got.Tests[0]; !strings.HasSuffix(strings.TrimSuffix(test.Name, "…"), strings.TrimSpace(Inert(title, 200))) {
			t.Errorf("%q is read as %q", title, test.Name)
		}
	}
}

func TestTAPEnds(t *testing.T) {
	interrupted := results(checks.OK)
	interrupted.StartedAt, interrupted.Interrupted = startedAt, true
	let := results(checks.Drift)
	let.StartedAt = startedAt
	down := results(checks.Indisponivel)
	down.StartedAt = startedAt
	cases := []struct {
		name  string
		doc   *Document
		line  string
		ok    bool
		prove string
	}{
		{"interrupted", NewDocument(interrupted, policyOf(""), DecideOptions{Format: "tap", Signal: 15}), "Bail out! interrupted by a signal", false, "Bailout called"},
		{"budget ended", tapDocument(recorded(), "tap", ""), "Bail out! the run's budget ended: 2 not measured for it", false, "Bailout called"},
		{"nothing selected", tapDocument(&checks.Report{StartedAt: startedAt}, "tap", ""), "Bail out! no probe was selected", false, "Bailout called"},
		{"let go", tapDocument(let, "tap", "", "drift=warn"), "not ok 1 - o/p # TODO drift", true, "PASS"},
		{"down", tapDocument(down, "tap", ""), "ok 1 - o/p # SKIP indisponivel", true, "PASS"},
		{"down, warned about", tapDocument(down, "tap", "smoke"), "ok 1 - o/p # SKIP indisponivel", true, "PASS"},
		{"down, failed", tapDocument(down, "tap", "recovery"), "not ok 1 - o/p", false, "FAIL"},
	}
	for _, c := range cases {
		path := written(t, "tap", c.doc, Options{}, "run.tap")
		f, _ := FormatNamed("tap")
		if out := render(t, f, c.doc, Options{}); !strings.Contains(string(out), c.line+"\n") {
			t.Errorf("%s: %q is not in\n%s", c.name, c.line, out)
		}
		t.Run("prove/"+c.name, func(t *testing.T) {
			if out, ok := proveReads(t, path); ok != c.ok || !strings.Contains(out, c.prove) {
				t.Errorf("ok %t\n%s", ok, out)
			}
		})
		t.Run("tap-parser/"+c.name, func(t *testing.T) {
			if got := tapParse(t, path)[0]; got.OK != c.ok {
				t.Errorf("%+v", got)
			}
		})
	}
}

// proveReads gives what prove says about a file, and whether it passes.
func proveReads(t *testing.T, path string) (string, bool) {
	t.Helper()
	// An executable that prints the file: prove runs tests, it reads no files.
	out, err := exec.Command(reader(t, "prove", "perl"), "--verbose", "--exec", "cat", path).CombinedOutput()
	return string(out), err == nil
}

// TestTAPByProve is for version 13: prove knows no later one.
func TestTAPByProve(t *testing.T) {
	out, ok := proveReads(t, written(t, "tap", tapDocument(unended(), "tap", ""), Options{}, "run.t"))
	if ok || !strings.Contains(out, "Failed tests:  4-6, 10") || !strings.Contains(out, "less 7 skipped subtests: 3 okay") || strings.Contains(out, "Parse errors") {
		t.Error(out)
	}
	for i, title := range tapTraps {
		for _, f := range []checks.Finding{checks.Drift, checks.OK} {
			out, ok := proveReads(t, written(t, "tap", tapDocument(withTitle(title, f), "tap", ""), Options{}, fmt.Sprintf("trap-%d.t", i)))
			if ok != (f == checks.OK) || strings.Contains(out, "Parse errors") || strings.Contains(out, "skipped:") {
				t.Errorf("%q, %s: %s", title, f, out)
			}
		}
	}
}
