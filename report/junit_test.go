package report

import (
	"bytes"
	"encoding/xml"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

type (
	xmlSuites struct {
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Time     string     `xml:"time,attr"`
		Suites   []xmlSuite `xml:"testsuite"`
	}
	xmlSuite struct {
		Name     string    `xml:"name,attr"`
		Tests    int       `xml:"tests,attr"`
		Failures int       `xml:"failures,attr"`
		Errors   int       `xml:"errors,attr"`
		Skipped  int       `xml:"skipped,attr"`
		Cases    []xmlCase `xml:"testcase"`
	}
	xmlCase struct {
		Name      string   `xml:"name,attr"`
		Classname string   `xml:"classname,attr"`
		Time      string   `xml:"time,attr"`
		File      string   `xml:"file,attr"`
		Failure   *xmlText `xml:"failure"`
		Error     *xmlText `xml:"error"`
		Skipped   *xmlText `xml:"skipped"`
		Flaky     []struct {
			Type  string `xml:"type,attr"`
			Trace string `xml:"stackTrace"`
		} `xml:"flakyFailure"`
		Out string `xml:"system-out"`
	}
	xmlText struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
		Text    string `xml:",chardata"`
	}
)

func parseJUnit(t *testing.T, data []byte) (xmlSuites, map[string]xmlCase) {
	t.Helper()
	var got xmlSuites
	dec := xml.NewDecoder(bytes.NewReader(data))
	if err := dec.Decode(&got); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	cases := map[string]xmlCase{}
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			cases[c.Name] = c
		}
	}
	return got, cases
}

// state reads a case as the strictest reader does: failure before error before
// skipped before success.
func (c xmlCase) state() string {
	switch {
	case c.Failure != nil:
		return "failure " + c.Failure.Type
	case c.Error != nil:
		return "error " + c.Error.Type
	case c.Skipped != nil:
		return "skipped"
	}
	return "success"
}

func TestJUnitStates(t *testing.T) {
	f, _ := FormatNamed("junit")
	skipping := map[string]string{
		"selic-diaria": "success", "warned": "success", "flaky": "success", "ipca-mensal": "failure contract.drift",
		"renamed": "failure contract.respondeu", "moved": "failure contract.respondeu", "down": "skipped", "down-too": "skipped", "odd": "skipped",
		"broken @proxy": "error own.alheio", "late-1": "skipped", "late-2": "skipped", "needs-drift": "skipped", "behind-breaker": "skipped",
	}
	recovery := map[string]string{}
	for name, state := range skipping {
		recovery[name] = state
	}
	recovery["down"], recovery["down-too"], recovery["odd"] = "error origin.http_5xx", "error origin.http_5xx", "error origin.malformed_body"
	recovery["behind-breaker"] = "error origin.indisponivel"
	for profile, want := range map[string]map[string]string{"local": skipping, "contract": skipping, "smoke": skipping, "recovery": recovery} {
		doc := NewDocument(recorded(), policyOf(profile), DecideOptions{Format: "junit"})
		got, cases := parseJUnit(t, render(t, f, doc, Options{}))
		want := maps.Clone(want)
		if profile != "smoke" { // where the budget's end only warns
			want["run: budget"] = "error own.budget"
		}
		if len(cases) != len(want) || got.Tests != len(want) {
			t.Errorf("%s: %d cases, tests=%d, want %d", profile, len(cases), got.Tests, len(want))
		}
		for name, state := range want {
			if s := cases[name].state(); s != state {
				t.Errorf("%s: %s is %q, want %q", profile, name, s, state)
			}
		}
	}
}

func TestJUnitSumsAndTexts(t *testing.T) {
	f, _ := FormatNamed("junit")
	got, cases := parseJUnit(t, render(t, f, recordedDocument("junit"), Options{}))
	if got.Tests != 15 || got.Failures != 3 || got.Errors != 2 || got.Time != "3.250" || len(got.Suites) != 4 {
		t.Errorf("%d tests, %d failures, %d errors, time %s, %d suites", got.Tests, got.Failures, got.Errors, got.Time, len(got.Suites))
	}
	if s := got.Suites[1]; s.Name != "ibge" || s.Tests != 5 || s.Failures != 2 || s.Skipped != 3 {
		t.Errorf("%s: %d tests, %d failures, %d skipped", s.Name, s.Tests, s.Failures, s.Skipped)
	}
	if c := cases["flaky"]; len(c.Flaky) != 2 || c.Flaky[0].Type != "overcome.http_5xx" || c.Time != "8.060" {
		t.Errorf("flaky: %+v", c)
	}
	for _, want := range []string{"trip 1: #1 ", "trip 1: #2 ", "trip 2: #1 +8.0 s  ok 200"} {
		if c := cases["flaky"]; !strings.Contains(c.Out, want) {
			t.Errorf("flaky does not tell %q: %s", want, c.Out)
		}
	}
	if c := cases["warned"]; !strings.Contains(c.Out, "max_duration") {
		t.Errorf("the warning is not told: %+v", c)
	}
	if c := cases["down"]; !strings.HasPrefix(c.Skipped.Message, "indisponivel: ") {
		t.Errorf("skipped because of %q", c.Skipped.Message)
	}
	drift := cases["ipca-mensal"].Failure
	if !strings.HasPrefix(drift.Text, drift.Message) {
		t.Error("the text does not repeat the message")
	}
	for name, c := range cases {
		for _, text := range []*xmlText{c.Failure, c.Error, c.Skipped, {Text: c.Out}} {
			if text != nil && strings.Contains(text.Text+text.Message, "[[ATTACHMENT|") {
				t.Errorf("%s names an attachment", name)
			}
		}
	}
}

func TestJUnitBoundsText(t *testing.T) {
	f, _ := FormatNamed("junit")
	r := driftResult()
	long := strings.Repeat("é", 6<<20)
	for range 200 {
		r.Mismatches = append(r.Mismatches, expect.Mismatch{Code: "json.equals", Severity: expect.Fail, Want: "x", Got: long})
	}
	out := render(t, f, NewDocument(&checks.Report{Results: []checks.Result{r}}, policyOf(""), DecideOptions{Format: "junit"}), Options{})
	if len(out) > 3*junitMaxText {
		t.Errorf("%d bytes", len(out))
	}
	parseJUnit(t, out)
}

func TestJUnitAgainstItsSchema(t *testing.T) {
	xmllint := reader(t, "xmllint", "libxml2-utils")
	f, _ := FormatNamed("junit")
	for name, rep := range documents() {
		for _, profile := range []string{"local", "recovery"} {
			path := filepath.Join(t.TempDir(), name+".xml")
			doc := NewDocument(rep, policyOf(profile), DecideOptions{Format: "junit"})
			if err := os.WriteFile(path, render(t, f, doc, Options{}), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(xmllint, "--noout", "--schema", "testdata/junit.xsd", path).CombinedOutput(); err != nil {
				t.Errorf("%s, %s: %s", name, profile, out)
			}
		}
	}
}
