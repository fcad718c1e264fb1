package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

const issue = "https://tracker.example/7"

// withKnown gives a result the known failure of an entry; code is why the entry
// is over, "" where it is not.
func withKnown(r checks.Result, code string) checks.Result {
	r.KnownFailure = ptr(issue)
	if code != "" {
		r.Mismatches = append([]expect.Mismatch{{Code: code, Severity: expect.Fail, Want: "a failure", Got: string(r.Finding)}}, r.Mismatches...)
	}
	return r
}

func named(name string, r checks.Result) checks.Result { r.Name = name; return r }

// knownRun is a run with known failures of every sort.
func knownRun() []checks.Result {
	return []checks.Result{
		named("as-known", withKnown(driftResult(), "")),
		named("refused-as-known", withKnown(respondeuResult(), "")),
		named("down-as-known", withKnown(indisponivelResult(), "")),
		named("too-old-though-known", withKnown(unmeasuredFor("x", checks.Indisponivel, 500, 1), "")),
		named("old-as-known", withKnown(unmeasuredFor("x", checks.Indisponivel, 500, 501), "")),
		named("works-again", withKnown(okResult("x", "sgs"), checks.KnownPasses)),
		named("over-and-broken", withKnown(driftResult(), checks.KnownExpired)),
		named("over-and-down", withKnown(indisponivelResult(), checks.KnownExpired)),
	}
}

func TestKnownFailuresDecide(t *testing.T) {
	const again, over = "a known failure that no longer fails: p", "a known failure that is past its date: p"
	results := knownRun()
	for i, c := range []struct {
		want    Disposition
		exit    int
		reasons string
	}{
		{Warn, 0, ""}, {Warn, 0, ""}, {Warn, 0, ""},
		{Fail, 5, "not measured for too long: p since 2026-11-09 00:00 UTC (20 d 20 h, 7 runs: 6 indisponivel, 1 ambiguo), max_unmeasured 1h"},
		{Warn, 0, ""},
		{Fail, 1, again}, {Fail, 1, "a contract is broken: 1 drift; " + over}, {Fail, 1, over},
	} {
		r := results[i]
		name := r.Name
		r.Name = "p"
		for _, profile := range []string{"local", "smoke", "contract", "recovery"} {
			doc := NewDocument(&checks.Report{Trace: "9Q77WKZW", StartedAt: startedAt, Results: []checks.Result{r}}, policyOf(profile), DecideOptions{Format: "pretty"})
			want := c.want
			if profile == "contract" && want == Warn && !r.Measured && r.Finding != checks.Respondeu {
				want = Skip // the cell does not fail: there is nothing to excuse
			}
			if got := doc.Decision.Dispositions[0]; got != want || doc.Run.ExitCode != c.exit {
				t.Errorf("%s under %s: %s, exit %d; want %s, exit %d", name, profile, got, doc.Run.ExitCode, want, c.exit)
			}
			var reasons []string
			for _, reason := range doc.Decision.Reasons {
				reasons = append(reasons, reason.Text.EN)
			}
			if got := strings.Join(reasons, "; "); profile == "local" && got != c.reasons {
				t.Errorf("%s: %q, want %q", name, got, c.reasons)
			}
			// The same from what was written, in both forms.
			for _, format := range []string{"json", "ndjson"} {
				f, _ := FormatNamed(format)
				read, err := Read(bytes.NewReader(render(t, f, doc, Options{})))
				if err != nil {
					t.Fatal(err)
				}
				if again := read.Rejudge(policyOf(profile), "pretty"); again.Run.ExitCode != c.exit || again.Decision.Dispositions[0] != want {
					t.Errorf("%s read from %s: %s, exit %d", name, format, again.Decision.Dispositions[0], again.Run.ExitCode)
				}
			}
		}
	}
}

// TestKnownFailuresInEveryFormat wants the issue in every format that tells of
// single results, and never a pass for what is known to fail.
func TestKnownFailuresInEveryFormat(t *testing.T) {
	for _, f := range Formats() {
		doc := NewDocument(&checks.Report{Trace: "9Q77WKZW", StartedAt: startedAt, Results: knownRun()}, policyOf("local"), DecideOptions{Format: f.Name})
		out := string(render(t, f, doc, Options{SummaryPath: ""}))
		golden(t, "known-"+f.Name+".txt", []byte(out))
		if plainOut := strings.NewReplacer("&#47;", "/", "&#58;", ":", "&#46;", ".", "&#45;", "-").Replace(out); !f.DataOnly && strings.Count(plainOut, issue) < 4 {
			t.Errorf("%s names the issue %d times", f.Name, strings.Count(plainOut, issue))
		}
		switch f.Name {
		case "junit", "gitlab":
			knownJUnit(t, f.Name, out)
		case "tap", "tap13":
			knownTAP(t, f.Name, out)
		case "ctrf":
			knownCTRF(t, out)
		}
	}
}

func knownJUnit(t *testing.T, format, out string) {
	t.Helper()
	var doc struct {
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Skipped *struct{} `xml:"skipped"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc.Cases) != 8 {
		t.Fatalf("%s: %d cases", format, len(doc.Cases))
	}
	for _, c := range doc.Cases {
		known, failed := strings.HasSuffix(c.Name, "as-known"), c.Failure != nil || c.Error != nil
		if known != (c.Skipped != nil) || known == failed {
			t.Errorf("%s: %s skipped %t, failed %t", format, c.Name, c.Skipped != nil, failed)
		}
	}
}

func knownTAP(t *testing.T, format, out string) {
	t.Helper()
	for _, line := range strings.Split(out, "\n") {
		_, known := strings.CutPrefix(line, "not ok ")
		switch {
		case strings.HasPrefix(line, "ok ") && !strings.Contains(line, " # SKIP indisponivel (known: "):
			t.Errorf("%s: a pass: %s", format, line)
		case known && strings.Contains(line, "as-known") != strings.Contains(line, " # TODO "):
			t.Errorf("%s: %s", format, line)
		}
	}
}

func knownCTRF(t *testing.T, out string) {
	t.Helper()
	var doc struct {
		Results struct {
			Tests []struct{ Name, Status string }
		}
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatal(err)
	}
	for _, c := range doc.Results.Tests {
		want := "failed"
		if strings.HasSuffix(c.Name, "as-known") {
			want = "other"
		}
		if strings.HasPrefix(c.Name, "down-") || strings.HasPrefix(c.Name, "old-") {
			want = "skipped" // not measured, as the cell says
		}
		if c.Status != want {
			t.Errorf("ctrf: %s is %s, want %s", c.Name, c.Status, want)
		}
	}
}
