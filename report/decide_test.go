package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// one is a run of a single asked result with a finding.
func one(f checks.Finding) *checks.Report {
	r := checks.Result{Name: "p", Origin: "o", Asked: true, Finding: f, Measured: measured(f)}
	return remembered(&checks.Report{Results: []checks.Result{r}})
}

// decisions is the whole table, written out: for each profile and kind of
// format, the disposition and exit code of ok, drift, respondeu, indisponivel,
// ambiguo, alheio.
var decisions = map[string]map[string]string{
	"local": {
		"reading":    "pass 0, fail 1, fail 1, warn 0, warn 0, fail 3",
		"skipping":   "pass 0, fail 1, fail 1, skip 0, skip 0, fail 3",
		"monitoring": "pass 0, fail 2, fail 2, skip 3, warn 1, skip 3",
		"counting":   "pass 0, warn 0, warn 0, warn 0, warn 0, warn 0",
	},
	"smoke": {
		"reading":    "pass 0, fail 1, fail 1, warn 0, warn 0, fail 3",
		"skipping":   "pass 0, fail 1, fail 1, warn 0, warn 0, fail 3",
		"monitoring": "pass 0, fail 2, fail 2, warn 1, warn 1, skip 3",
		"counting":   "pass 0, warn 0, warn 0, warn 0, warn 0, warn 0",
	},
	"contract": {
		"reading":    "pass 0, fail 1, fail 1, skip 0, skip 0, fail 3",
		"skipping":   "pass 0, fail 1, fail 1, skip 0, skip 0, fail 3",
		"monitoring": "pass 0, fail 2, fail 2, skip 3, skip 3, skip 3",
		"counting":   "pass 0, warn 0, warn 0, warn 0, warn 0, warn 0",
	},
	"cron": {
		"reading":    "pass 0, fail 1, fail 1, skip 0, skip 0, fail 3",
		"skipping":   "pass 0, fail 1, fail 1, skip 0, skip 0, fail 3",
		"monitoring": "pass 0, fail 2, fail 2, skip 3, skip 3, skip 3",
		"counting":   "pass 0, warn 0, warn 0, warn 0, warn 0, warn 0",
	},
	"recovery": {
		"reading":    "pass 0, fail 1, fail 1, fail 75, fail 4, fail 3",
		"skipping":   "pass 0, fail 1, fail 1, fail 75, fail 4, fail 3",
		"monitoring": "pass 0, fail 2, fail 2, fail 2, fail 2, skip 3",
		"counting":   "pass 0, warn 0, warn 0, warn 0, warn 0, warn 0",
	},
}

// rowKinds says which row of the table each format has.
var rowKinds = map[string]string{
	"pretty": "reading", "json": "reading", "ndjson": "reading", "github": "reading", "junit": "skipping", "tap": "skipping", "tap14": "skipping",
	"ctrf": "skipping", "gitlab": "skipping", "markdown": "reading", "html": "reading", "nagios": "monitoring", "openmetrics": "counting", "textfile": "counting",
}

func TestDecideWholeTable(t *testing.T) {
	for _, profile := range Profiles() {
		for _, format := range Formats() {
			want := decisions[profile.Name][rowKinds[format.Name]]
			if want == "" {
				t.Fatalf("the table does not know profile %s, format %s", profile.Name, format.Name)
			}
			var got []string
			for _, f := range checks.Findings() {
				d := Decide(one(f), policyOf(profile.Name), DecideOptions{Format: format.Name})
				got = append(got, fmt.Sprintf("%s %d", d.Dispositions[0], d.ExitCode))
			}
			if s := strings.Join(got, ", "); s != want {
				t.Errorf("%s × %s:\n got %s\nwant %s", profile.Name, format.Name, s, want)
			}
		}
	}
}

func TestDecideUnaskedIsSkipEverywhere(t *testing.T) {
	for _, profile := range Profiles() {
		for _, format := range Formats() {
			pol := policyOf(profile.Name, "alheio=fail")
			for _, detail := range []string{checks.DetailRunBudget, checks.DetailInterrupted, string(fetch.Cancelled), detailDependency} {
				r := unaskedResult("p", checks.Alheio, detail)
				if d := pol.Disposition(format.Name, &r); d != Skip {
					t.Errorf("%s × %s: unasked, %s: %s", profile.Name, format.Name, detail, d)
				}
			}
			asked := unaskedResult("p", checks.Alheio, checks.DetailInterrupted)
			asked.Asked = true
			if d := pol.Disposition(format.Name, &asked); d != Fail && !format.DataOnly {
				t.Errorf("%s × %s: interrupted while it was asked: %s", profile.Name, format.Name, d)
			}
			breaker := unaskedResult("p", checks.Indisponivel, "circuit_open")
			breaker.Past = &checks.Past{}
			if d, want := pol.Disposition(format.Name, &breaker), pol.Cell(format.Name, checks.Indisponivel).Disposition; d != want {
				t.Errorf("%s × %s: behind an open breaker: %s, want %s", profile.Name, format.Name, d, want)
			}
		}
	}
}

func results(findings ...checks.Finding) *checks.Report {
	rep := &checks.Report{}
	for _, f := range findings {
		rep.Results = append(rep.Results, one(f).Results...)
	}
	return rep
}

func TestDecideExitCodes(t *testing.T) {
	cut := unaskedResult("late", checks.Alheio, checks.DetailRunBudget)
	ended := func() *checks.Report {
		rep := results(checks.OK)
		rep.Results, rep.BudgetEnded = append(rep.Results, cut), true
		return rep
	}
	cutWhileAsked := results(checks.OK)
	cutWhileAsked.Results = append(cutWhileAsked.Results, cut)
	cutWhileAsked.Results[1].Asked = true
	saysDown := results(checks.OK, checks.Indisponivel)
	saysDown.Results[1].Detail = ptr(checks.DetailRunBudget)
	interrupted := results(checks.OK, checks.Drift)
	interrupted.Interrupted = true
	incomplete := results(checks.OK)
	incomplete.Degraded = []checks.Degradation{{Feature: FeatureReport, Reason: "cut", Count: 1}}
	all := results(checks.Drift, checks.Alheio, checks.Ambiguo, checks.Indisponivel)
	cases := []struct {
		name    string
		rep     *checks.Report
		profile string
		on      []string
		min     string
		signal  int
		want    int
		reasons int
	}{
		{name: "all ok", rep: results(checks.OK, checks.OK)},
		{name: "all down", rep: results(checks.Indisponivel, checks.Indisponivel)},
		{name: "nothing selected", rep: &checks.Report{}, want: 5, reasons: 1},
		{name: "drift before alheio", rep: results(checks.Alheio, checks.Drift), want: 1, reasons: 2},
		{name: "alheio before unmeasured", rep: results(checks.Alheio), min: "1", want: 3, reasons: 2},
		{name: "unmeasured before ambiguo", rep: results(checks.Ambiguo), profile: "recovery", min: "1", want: 5, reasons: 2},
		{name: "ambiguo before indisponivel", rep: results(checks.Indisponivel, checks.Ambiguo), profile: "recovery", want: 4, reasons: 2},
		{name: "indisponivel", rep: results(checks.Indisponivel), profile: "recovery", want: 75, reasons: 1},
		{name: "all of them", rep: all, profile: "recovery", min: "50%", want: 1, reasons: 5},
		{name: "a signal outranks", rep: all, profile: "recovery", signal: 15, want: 143, reasons: 5},
		{name: "SIGINT", rep: interrupted, signal: 2, want: 130, reasons: 2},
		{name: "cancelled without a signal", rep: interrupted, want: 130, reasons: 2},
		{name: "budget ended", rep: ended(), want: 5, reasons: 1},
		{name: "budget ended, smoke", rep: ended(), profile: "smoke"},
		{name: "budget ended, smoke, min-measured", rep: ended(), profile: "smoke", min: "100%", want: 5, reasons: 1},
		{name: "budget cut what was asked", rep: cutWhileAsked, want: 5, reasons: 1},
		{name: "what the cut one said", rep: saysDown},
		{name: "min-measured met", rep: results(checks.OK, checks.Indisponivel), min: "50%"},
		{name: "min-measured not met", rep: results(checks.OK, checks.Indisponivel), min: "51%", want: 5, reasons: 1},
		{name: "min-measured above the total", rep: results(checks.OK), min: "2", want: 5, reasons: 1},
		{name: "incomplete", rep: incomplete, want: 5, reasons: 1},
		{name: "drift is let go", rep: results(checks.Drift), on: []string{"drift=warn"}},
		{name: "ok is failed", rep: results(checks.OK), on: []string{"ok=fail"}, want: 1, reasons: 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			pol, err := ResolvePolicy(PolicyRequest{Profile: c.profile, On: c.on, MinMeasured: c.min})
			if err != nil {
				t.Fatal(err)
			}
			d := Decide(c.rep, pol, DecideOptions{Format: "pretty", Signal: c.signal})
			if d.ExitCode != c.want || len(d.Reasons) != c.reasons {
				t.Errorf("exit %d with %d reasons, want %d with %d: %v", d.ExitCode, len(d.Reasons), c.want, c.reasons, d.Reasons)
			}
			if c.reasons > 0 && d.Reasons[0].Code != d.ExitCode {
				t.Errorf("the first reason is for %d, the exit code is %d", d.Reasons[0].Code, d.ExitCode)
			}
			if d.AllDown != (len(c.rep.Results) > 0 && d.Summary.Measured == 0) {
				t.Error("all down is wrong")
			}
		})
	}
}

func TestDecideSaysOnceThatAgeLimitsAreMissing(t *testing.T) {
	features := func(d Decision) []string {
		var out []string
		for _, g := range d.Degraded {
			out = append(out, g.Feature)
		}
		return out
	}
	cases := []struct {
		name    string
		rep     *checks.Report
		profile string
		asked   bool
		want    []string
	}{
		{"cron, all measured", results(checks.OK), "cron", false, nil},
		{"declared", results(checks.Ambiguo), "local", true, []string{featureAge}},
		{"declared, remembered", remembered(results(checks.Ambiguo)), "local", true, nil},
		{"not asked for", results(checks.Ambiguo), "local", false, nil},
	}
	for i := range cases {
		if cases[i].name != "declared, remembered" {
			cases[i].rep.Results[0].Past = nil
		}
	}
	for _, c := range cases {
		d := Decide(c.rep, policyOf(c.profile), DecideOptions{Format: "json", AgeLimits: c.asked})
		if diff := cmp.Diff(c.want, features(d)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if d.ExitCode != 0 {
			t.Errorf("%s: exit %d", c.name, d.ExitCode)
		}
		again := NewDocument(c.rep, policyOf(c.profile), DecideOptions{Format: "json", AgeLimits: c.asked}).Rejudge(policyOf(c.profile), "json")
		if diff := cmp.Diff(c.want, features(again.Decision)); diff != "" {
			t.Errorf("%s, judged twice: %s", c.name, diff)
		}
	}
}

func TestDecideIsPure(t *testing.T) {
	rep := recorded()
	before := fmt.Sprintf("%+v", rep)
	a := Decide(rep, policyOf(""), DecideOptions{Format: "junit"})
	b := Decide(rep, policyOf(""), DecideOptions{Format: "junit"})
	if diff := cmp.Diff(a, b); diff != "" {
		t.Error(diff)
	}
	if after := fmt.Sprintf("%+v", rep); after != before {
		t.Error("the report was changed")
	}
}

func TestWorst(t *testing.T) {
	order := []int{143, 1, 3, 5, 4, 75, 74, 0}
	for i, strong := range order {
		for _, weak := range order[i:] {
			if got := Worst(weak, strong); got != strong {
				t.Errorf("of %d and %d: %d", weak, strong, got)
			}
		}
	}
	if got := Worst(); got != 0 {
		t.Errorf("of none: %d", got)
	}
}

func TestSummarizeCounts(t *testing.T) {
	got := Summarize(recordedResults())
	want := Summary{Total: 14, Asked: 9, Measured: 4, OK: 3, Drift: 1, Indisponivel: 3, Respondeu: 2, Ambiguo: 1, Alheio: 4}
	if got != want {
		t.Errorf("%+v", got)
	}
}

func TestThreshold(t *testing.T) {
	for s, want := range map[string]Threshold{"0": {}, "41": {N: 41}, "80%": {N: 80, Percent: true}, "100%": {N: 100, Percent: true}} {
		got, err := ParseThreshold(s)
		if err != nil || got != want || got.String() != s {
			t.Errorf("%s: %v, %v", s, got, err)
		}
	}
	for _, s := range []string{"", "%", "-1", "101%", "1.5", "+3", "all", "10 %"} {
		if got, err := ParseThreshold(s); err == nil {
			t.Errorf("%q was read as %v", s, got)
		}
	}
	if (Threshold{N: 34, Percent: true}).Met(1, 3) || !(Threshold{N: 33, Percent: true}).Met(1, 3) {
		t.Error("a share is rounded")
	}
	if (Threshold{N: 3}).Met(2, 5) || !(Threshold{N: 3}).Met(3, 5) || !(Threshold{}).Met(0, 5) {
		t.Error("a number is met by itself and more")
	}
}

func TestProfiles(t *testing.T) {
	smoke := builtIn("smoke")
	if smoke.Budget != 2*time.Minute || !smoke.BudgetEndWarns {
		t.Errorf("smoke: %+v", smoke)
	}
	if cron := builtIn("cron"); !cron.Quiet || cron.MaxUnmeasured != 72*time.Hour {
		t.Errorf("cron: %+v", cron)
	}
	var names []string
	for _, p := range Profiles() {
		names = append(names, p.Name)
	}
	if !slices.Equal(names, []string{"local", "smoke", "contract", "cron", "recovery"}) {
		t.Error(names)
	}
}
