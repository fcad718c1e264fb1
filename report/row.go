package report

import "github.com/fonteviva/fonteviva/checks"

// Row is one line of the policy table: what a format does with each finding,
// in the order of checks.Findings.
type Row [6]Disposition

// The default rows. A format names one of them, or has one of its own.
var (
	// reading is for formats that a person or a program reads as a whole.
	reading = Row{Pass, Fail, Fail, Warn, Warn, Fail}
	// skipping is for formats of test runners: what was not measured is skipped.
	skipping = Row{Pass, Fail, Fail, Skip, Skip, Fail}
	// monitoring is for plugins of a monitoring system, which tell apart what
	// is broken (fail), worth a look (warn) and not known (skip).
	monitoring = Row{Pass, Fail, Fail, Skip, Warn, Skip}
	// counting is for formats that only carry numbers: their reader decides.
	counting = Row{Pass, Warn, Warn, Warn, Warn, Warn}
)

// findingIndex is a finding's place in a Row.
func findingIndex(f checks.Finding) int {
	switch f {
	case checks.OK:
		return 0
	case checks.Drift:
		return 1
	case checks.Respondeu:
		return 2
	case checks.Indisponivel:
		return 3
	case checks.Ambiguo:
		return 4
	}
	return 5
}
