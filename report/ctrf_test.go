package report

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type ctrfRead struct {
	ReportID string
	Results  struct {
		Summary map[string]int64
		Tests   []struct {
			Name, Status, RawStatus, Message, Trace, FilePath string
			Duration                                          int64
			Suite                                             []string
			Line, Retries                                     int
			Flaky                                             bool
			RetryAttempts                                     []struct {
				Attempt int
				Status  string
				Message string
			}
		}
	}
}

func readCTRF(t *testing.T, doc *Document) ctrfRead {
	t.Helper()
	f, _ := FormatNamed("ctrf")
	var got ctrfRead
	if err := json.Unmarshal(render(t, f, doc, Options{}), &got); err != nil {
		t.Fatal(err)
	}
	return got
}

func TestCTRFStates(t *testing.T) {
	base := map[string]string{
		"selic-diaria": "passed", "warned": "passed", "flaky": "passed", "ipca-mensal": "failed", "renamed": "failed", "moved": "failed",
		"down": "skipped", "down-too": "skipped", "odd": "skipped", "broken @proxy": "failed",
		"late-1": "skipped", "late-2": "skipped", "needs-drift": "skipped", "behind-breaker": "skipped",
	}
	with := func(status string, names ...string) map[string]string {
		out := map[string]string{}
		for name, s := range base {
			out[name] = s
		}
		for _, name := range names {
			out[name] = status
		}
		return out
	}
	unmeasured := []string{"down", "down-too", "odd", "behind-breaker"}
	for _, c := range []struct {
		profile string
		on      []string
		want    map[string]string
	}{
		{"local", nil, base}, {"contract", nil, base}, {"cron", nil, base},
		{"smoke", nil, with("other", unmeasured...)}, {"recovery", nil, with("failed", unmeasured...)},
		{"local", []string{"drift=warn"}, with("other", "ipca-mensal")},
	} {
		got := readCTRF(t, NewDocument(remembered(recorded()), policyOf(c.profile, c.on...), DecideOptions{Format: "ctrf"}))
		counts, states := map[string]int64{}, map[string]string{}
		for _, test := range got.Results.Tests {
			states[test.Name] = test.Status
			counts[test.Status]++
		}
		want := maps.Clone(c.want)
		if c.profile != "smoke" { // where the budget's end only warns
			want["run: budget"] = "failed"
		}
		if diff := cmp.Diff(want, states); diff != "" {
			t.Errorf("%s %v: %s", c.profile, c.on, diff)
		}
		sum := got.Results.Summary
		for _, status := range []string{"passed", "failed", "skipped", "pending", "other"} {
			if sum[status] != counts[status] {
				t.Errorf("%s %v: the summary says %d %s, there are %d", c.profile, c.on, sum[status], status, counts[status])
			}
		}
		whole := int64(len(want) - len(c.want))
		if sum["tests"] != 14+whole || sum["flaky"] != 1 || sum["suites"] != 3+whole || sum["stop"]-sum["start"] != 3250 || sum["duration"] != 3250 {
			t.Errorf("%v", sum)
		}
	}
}

func TestCTRFTellsAttempts(t *testing.T) {
	doc := recordedDocument("ctrf")
	got := readCTRF(t, doc)
	flaky := got.Results.Tests[2]
	if !flaky.Flaky || flaky.Retries != 2 || len(flaky.RetryAttempts) != 2 || flaky.RetryAttempts[0].Status != "failed" ||
		flaky.RetryAttempts[1].Attempt != 2 || !strings.Contains(flaky.RetryAttempts[1].Message, "rate_limited") {
		t.Errorf("%+v", flaky)
	}
	if down := got.Results.Tests[6]; down.Flaky || down.Retries != 1 || down.RawStatus != "indisponivel" || down.FilePath != "fonteviva.yaml" || down.Line != 60 {
		t.Errorf("%+v", down)
	}
	if ok := got.Results.Tests[0]; ok.Flaky || ok.Retries != 0 || ok.Message != "" || len(ok.Suite) != 1 || ok.Suite[0] != "sgs" {
		t.Errorf("%+v", ok)
	}
	if again := readCTRF(t, doc); again.ReportID != got.ReportID {
		t.Error("the same report has two ids")
	}
	other := recorded()
	other.Trace = "AAAAAAAA"
	if again := readCTRF(t, NewDocument(other, policyOf(""), DecideOptions{Format: "ctrf"})); again.ReportID == got.ReportID {
		t.Error("two reports have one id")
	}
}

const ctrfScript = `import {readFileSync} from "node:fs"
import {validate} from "ctrf"
for (const file of process.argv.slice(2)) {
  const result = validate(JSON.parse(readFileSync(file, "utf8")))
  if (!result.valid) { console.log(file, JSON.stringify(result.errors)); process.exitCode = 1 }
}
const broken = JSON.parse(readFileSync(process.argv[2], "utf8"))
broken.results.tests.push({name: "x"})
if (validate(broken).valid) { console.log("it takes anything"); process.exitCode = 1 }`

func TestCTRFByItsValidator(t *testing.T) {
	program, dir := node(t, "ctrf")
	var paths []string
	for _, rep := range documents() {
		for _, profile := range []string{"local", "smoke", "recovery"} {
			paths = append(paths, written(t, "ctrf", NewDocument(rep, policyOf(profile), DecideOptions{Format: "ctrf"}), Options{}, "run.json"))
		}
	}
	script(t, program, dir, ctrfScript, paths...)
}
