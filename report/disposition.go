package report

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Disposition is what one reader does with a finding.
type Disposition string

// The dispositions.
const (
	Pass Disposition = "pass"
	Warn Disposition = "warn"
	Skip Disposition = "skip"
	Fail Disposition = "fail"
)

// Dispositions lists the dispositions, the mildest first.
func Dispositions() []Disposition { return []Disposition{Pass, Warn, Skip, Fail} }

// errUnmeasuredPass is the one cell that no override may make.
var errUnmeasuredPass = errors.New("nothing unmeasured may look like a pass")

const hintUnmeasuredPass = "use warn or skip"

// measured reports whether a finding is a measurement; the others are the four
// verdicts.
func measured(f checks.Finding) bool { return f == checks.OK || f == checks.Drift }

func parseFinding(s string) (checks.Finding, error) {
	words := names(checks.Findings())
	for _, f := range checks.Findings() {
		if string(f) == s {
			return f, nil
		}
	}
	return "", fmt.Errorf("unknown finding %s: %s", strconv.Quote(s), source.DidYouMean(s, words))
}

func parseDisposition(s string) (Disposition, error) {
	for _, d := range Dispositions() {
		if string(d) == s {
			return d, nil
		}
	}
	return "", fmt.Errorf("unknown disposition %s: %s", strconv.Quote(s), source.DidYouMean(s, names(Dispositions())))
}

// names turns a list of words into plain strings.
func names[T ~string](words []T) []string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return out
}
