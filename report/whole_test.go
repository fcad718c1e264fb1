package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
)

// TestNoGreenBesideAnExitCode holds that every format of tests says what fails
// a run where no result of it fails.
func TestNoGreenBesideAnExitCode(t *testing.T) {
	fine := checks.Result{Name: "fine", Origin: "o", Asked: true, Measured: true, Finding: checks.OK}
	down := checks.Result{Name: "down", Origin: "o", Asked: true, Finding: checks.Indisponivel}
	least, err := ParseThreshold("2")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		rep    checks.Report
		least  *Threshold
		signal int
		want   []string
	}{
		"incomplete":   {checks.Report{Results: []checks.Result{fine}, Degraded: []checks.Degradation{{Feature: FeatureReport, Count: 1}}}, nil, 0, []string{"incomplete"}},
		"min_measured": {checks.Report{Results: []checks.Result{fine, down}}, &least, 0, []string{"min_measured"}},
		"budget":       {checks.Report{Results: []checks.Result{fine}, BudgetEnded: true}, nil, 0, []string{"budget"}},
		"interrupted":  {checks.Report{Results: []checks.Result{fine}}, nil, 15, []string{"interrupted"}},
		"no probe":     {checks.Report{}, nil, 0, []string{"no_probe"}},
		"two":          {checks.Report{Results: []checks.Result{fine}, BudgetEnded: true}, &least, 0, []string{"budget", "min_measured"}},
		"all is well":  {checks.Report{Results: []checks.Result{fine, down}}, nil, 0, nil},
	} {
		for _, format := range []string{"junit", "gitlab", "ctrf", "tap", "tap14"} {
			t.Run(name+"/"+format, func(t *testing.T) {
				pol := policyOf("")
				pol.MinMeasured = c.least
				doc := NewDocument(&c.rep, pol, DecideOptions{Format: format, Signal: c.signal})
				f, err := FormatNamed(format)
				if err != nil {
					t.Fatal(err)
				}
				failed := failedIn(t, format, render(t, f, doc, Options{}))
				if format == "tap" || format == "tap14" {
					if (failed != nil) != (c.want != nil) {
						t.Errorf("bails out: %v", failed)
					}
					return
				}
				if got, want := strings.Join(failed, " "), strings.Join(c.want, " "); got != want {
					t.Errorf("failed: %q, want %q", got, want)
				}
			})
		}
	}
}

// failedIn lists what fails in a report, of the run as a whole by its kind.
func failedIn(t *testing.T, format string, data []byte) (failed []string) {
	t.Helper()
	switch format {
	case "tap", "tap14":
		if bytes.Contains(data, []byte("\nBail out! ")) {
			failed = append(failed, "bail out")
		}
	case "ctrf":
		var got struct {
			Results struct {
				Summary struct{ Tests, Passed, Failed, Skipped, Other int }
				Tests   []struct{ Name, Status, RawStatus string }
			}
		}
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		for _, c := range got.Results.Tests {
			if c.Status == "failed" {
				failed = append(failed, strings.TrimPrefix(c.RawStatus, "own."))
			}
		}
		if s := got.Results.Summary; s.Failed != len(failed) || s.Tests != len(got.Results.Tests) || s.Tests != s.Passed+s.Failed+s.Skipped+s.Other {
			t.Errorf("%+v", s)
		}
	default:
		got, cases := parseJUnit(t, data)
		errors := 0
		for _, s := range got.Suites {
			for _, c := range s.Cases {
				if c.Error != nil {
					errors++
					failed = append(failed, strings.TrimPrefix(c.Error.Type, "own."))
				}
			}
		}
		if format == "junit" && (got.Errors != errors || got.Tests != len(cases)) {
			t.Errorf("errors=%d tests=%d of %d and %d", got.Errors, got.Tests, errors, len(cases))
		}
	}
	return failed
}
