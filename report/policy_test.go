package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

// declare reads formats: and profiles: from YAML, with places, as a
// declaration has them.
func declare(t *testing.T, text string) (*checks.Declaration, *source.Collector) {
	t.Helper()
	c := &source.Collector{}
	root, ok := source.Parse("fv.yaml", []byte(text), c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := root.Pairs()
	d := &checks.Declaration{}
	for _, p := range pairs {
		switch p.Key {
		case "formats":
			d.Formats = rawOf(p.Value)
		case "profiles":
			d.Profiles = rawOf(p.Value)
		}
	}
	return d, c
}

func rawOf(n source.Node) []checks.Raw {
	pairs, _ := n.Pairs()
	out := []checks.Raw{}
	for _, p := range pairs {
		r := checks.Raw{Key: p.Key, KeyNode: p.KeyAt, Node: p.Value}
		if p.Value.IsMapping() {
			r.Children = rawOf(p.Value)
		} else {
			r.Value, _ = p.Value.String()
		}
		out = append(out, r)
	}
	return out
}

const declaredPolicy = `formats:
  junit: {indisponivel: fail, ambiguo: fail}
  json: {drift: warn}
profiles:
  nightly:
    extends: base
    on: {ambiguo: fail}
    budget: 5m
    wait: 10m
  base:
    extends: smoke
    min_measured: 80%
    formats:
      junit: {ambiguo: skip, respondeu: warn}
`

func TestPolicyLayers(t *testing.T) {
	d, c := declare(t, declaredPolicy)
	if CheckDeclaration(d, c); c.Err() != nil {
		t.Fatal(c.Err())
	}
	cases := []struct {
		name    string
		req     PolicyRequest
		format  string
		finding checks.Finding
		want    Disposition
		from    string
	}{
		{"default", PolicyRequest{}, "junit", checks.Indisponivel, Skip, "default"},
		{"formats:", PolicyRequest{Declaration: d}, "junit", checks.Indisponivel, Fail, "formats: fv.yaml:2:25"},
		{"formats: of another", PolicyRequest{Declaration: d}, "pretty", checks.Drift, Fail, "default"},
		{"profile over formats:", PolicyRequest{Declaration: d, Profile: "smoke"}, "junit", checks.Indisponivel, Warn, "profile smoke"},
		{"profile leaves the rest", PolicyRequest{Declaration: d, Profile: "smoke"}, "json", checks.Drift, Warn, "formats: fv.yaml:3:17"},
		{"declared, inherited", PolicyRequest{Declaration: d, Profile: "nightly"}, "pretty", checks.Indisponivel, Warn, "profile nightly"},
		{"declared, a format of the parent", PolicyRequest{Declaration: d, Profile: "nightly"}, "junit", checks.Respondeu, Warn, "profile nightly"},
		{"declared, its word for all", PolicyRequest{Declaration: d, Profile: "nightly"}, "junit", checks.Ambiguo, Fail, "profile nightly"},
		{"the parent alone", PolicyRequest{Declaration: d, Profile: "base"}, "junit", checks.Ambiguo, Skip, "profile base"},
		{"flag", PolicyRequest{Declaration: d, Profile: "nightly", On: []string{"ambiguo=skip"}}, "junit", checks.Ambiguo, Skip, "--on ambiguo=skip"},
		{"flag for one format", PolicyRequest{On: []string{"junit:ambiguo=fail"}}, "junit", checks.Ambiguo, Fail, "--on junit:ambiguo=fail"},
		{"flag for one format, another", PolicyRequest{On: []string{"junit:ambiguo=fail"}}, "pretty", checks.Ambiguo, Warn, "default"},
		{"flag that lets pass what was measured", PolicyRequest{On: []string{"drift=pass"}}, "json", checks.Drift, Pass, "--on drift=pass"},
		{"later flag", PolicyRequest{On: []string{"alheio=warn", "alheio=skip"}}, "json", checks.Alheio, Skip, "--on alheio=skip"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			p, err := ResolvePolicy(tc.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := p.Cell(tc.format, tc.finding); got != (Cell{tc.want, tc.from}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

func TestPolicyOfADeclaredProfile(t *testing.T) {
	d, _ := declare(t, declaredPolicy)
	p, err := ResolvePolicy(PolicyRequest{Declaration: d, Profile: "nightly"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Profile.Budget != 5*time.Minute || p.Profile.Wait != 10*time.Minute || !p.Profile.BudgetEndWarns || p.MinMeasured.String() != "80%" {
		t.Errorf("%+v, %v", p.Profile, p.MinMeasured)
	}
	if p, err = ResolvePolicy(PolicyRequest{Declaration: d, Profile: "nightly", MinMeasured: "3"}); err != nil || p.MinMeasured.String() != "3" {
		t.Errorf("%v, %v", p.MinMeasured, err)
	}
}

// TestDispositionBesideTheCell has where a result's own facts are stronger than
// the cell of its finding, and where they are not.
func TestDispositionBesideTheCell(t *testing.T) {
	warned := okResult("p", "sgs")
	warned.Mismatches = []expect.Mismatch{{Code: "max_duration", Severity: expect.Warn}}
	tooOld := unmeasuredFor("p", checks.Indisponivel, 25, 24)
	for _, c := range []struct {
		name, format string
		r            checks.Result
		on           []string
		want         Disposition
	}{
		{"ok with warnings", "json", warned, nil, Warn},
		{"ok with warnings, which fails", "json", warned, []string{"ok=fail"}, Fail},
		{"drift that passes", "json", driftResult(), []string{"drift=pass"}, Pass},
		{"ok has nothing to excuse", "json", withKnown(okResult("p", "sgs"), ""), []string{"ok=fail"}, Fail},
		{"a known failure over", "json", withKnown(driftResult(), checks.KnownExpired), nil, Fail},
		{"a known failure over, where nothing fails", "openmetrics", withKnown(driftResult(), checks.KnownExpired), nil, policyOf("local").Cell("openmetrics", checks.Drift).Disposition},
		{"too old", "json", tooOld, nil, Fail},
		{"too old, where nothing fails", "openmetrics", tooOld, nil, policyOf("local").Cell("openmetrics", checks.Indisponivel).Disposition},
	} {
		if got := policyOf("local", c.on...).Disposition(c.format, &c.r); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// Numbers alone fail nothing, and have no reason to.
	results := []checks.Result{tooOld, withKnown(okResult("q", "sgs"), checks.KnownPasses), withKnown(driftResult(), checks.KnownExpired)}
	if d := Decide(&checks.Report{Results: results}, policyOf("cron"), DecideOptions{Format: "openmetrics"}); len(d.Reasons) > 0 || d.ExitCode != 0 {
		t.Errorf("openmetrics fails for %v", d.Reasons)
	}
}

func TestPolicyRefuses(t *testing.T) {
	cases := []struct {
		req  PolicyRequest
		want []string
	}{
		{PolicyRequest{On: []string{"indisponivel=pass"}}, []string{"nothing unmeasured may look like a pass", "warn or skip"}},
		{PolicyRequest{On: []string{"junit:ambiguo=pass"}}, []string{"nothing unmeasured may look like a pass"}},
		{PolicyRequest{On: []string{"indisponível=fail"}}, []string{"unknown finding", `did you mean "indisponivel"?`}},
		{PolicyRequest{On: []string{"drift=fial"}}, []string{"unknown disposition", `did you mean "fail"?`}},
		{PolicyRequest{On: []string{"openmetrics:drift=warn"}}, []string{"data only"}},
		{PolicyRequest{On: []string{"drift"}}, []string{"FINDING=DISPOSITION"}},
		{PolicyRequest{On: []string{"junti:drift=fail"}}, []string{"unknown format", `did you mean "junit"?`}},
		{PolicyRequest{Profile: "smok"}, []string{"unknown profile", `did you mean "smoke"?`}},
		{PolicyRequest{MinMeasured: "most"}, []string{"--min-measured", `"most"`}},
	}
	for _, c := range cases {
		_, err := ResolvePolicy(c.req)
		if err == nil {
			t.Errorf("%+v was taken", c.req)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%q does not say %q", err, want)
			}
		}
	}
}

func TestCheckDeclarationTellsPlaces(t *testing.T) {
	d, c := declare(t, `formats:
  junti: {drift: fail}
  junit: {drfit: fail, drift: fial, ambiguo: pass}
  json: everything
profiles:
  smoke: {}
  a: {extends: b}
  b: {extends: a}
  c: {extends: smok, budget: soon, min_measured: 120%, wait: 0s, max_unmeasured: 0s, on: {alheio: pass}, formats: {xml: {}}}
  d: {budgte: 1m}
`)
	CheckDeclaration(d, c)
	err := c.Err()
	if err == nil {
		t.Fatal("nothing was wrong")
	}
	for _, want := range []string{
		`fv.yaml:2:3: unknown format "junti"`, `did you mean "junit"?`, `fv.yaml:3:11: unknown finding "drfit"`, `did you mean "drift"?`,
		`fv.yaml:3:31: unknown disposition "fial"`, "fv.yaml:3:46: ambiguo: pass is refused: nothing unmeasured may look like a pass",
		"fv.yaml:4:9: json takes a mapping", `fv.yaml:6:3: profile "smoke" is built in`, `fv.yaml:7:16: profile "a" extends itself`,
		`fv.yaml:8:16: profile "b" extends itself`, `fv.yaml:9:16: unknown profile "smok"`, `fv.yaml:9:30: "soon" is not a duration`,
		`fv.yaml:9:50: "120%" is neither`, "fv.yaml:9:62: wait must be longer than 0", "max_unmeasured must be longer than 0",
		"alheio: pass is refused", `unknown format "xml"`, `unknown key "budgte" in a profile`, `did you mean "budget"?`, "16 problems",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s", want)
		}
	}
	if t.Failed() {
		t.Log(err)
	}
	if _, err := ResolvePolicy(PolicyRequest{Declaration: d}); err == nil {
		t.Error("a policy was resolved from it")
	}
}

func TestPolicyJSONNamesEveryCell(t *testing.T) {
	data, err := json.Marshal(policyOf("contract", "drift=warn"))
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Profile string
		Formats []map[string]json.RawMessage
	}
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	if got.Profile != "contract" || len(got.Formats) != len(Formats()) {
		t.Fatalf("%s", data)
	}
	for _, row := range got.Formats {
		for _, f := range checks.Findings() {
			var cell Cell
			if err := json.Unmarshal(row[string(f)], &cell); err != nil || cell.Disposition == "" || cell.From == "" {
				t.Errorf("%s %s: %s", row["name"], f, row[string(f)])
			}
		}
	}
}
