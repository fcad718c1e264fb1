package report

import (
	"fmt"
	"strconv"
	"strings"
)

// Threshold is the least that must have been measured: a number of probes, or
// a share of those selected.
type Threshold struct {
	N       int
	Percent bool
}

// ParseThreshold reads "41" or "80%".
func ParseThreshold(s string) (Threshold, error) {
	digits, percent := strings.CutSuffix(s, "%")
	n, err := strconv.Atoi(digits)
	if err != nil || n < 0 || digits[0] == '+' || (percent && n > 100) {
		return Threshold{}, fmt.Errorf("%s is neither a number of probes, such as 41, nor a share, such as 80%%", strconv.Quote(s))
	}
	return Threshold{N: n, Percent: percent}, nil
}

// String writes the threshold as ParseThreshold reads it.
func (t Threshold) String() string {
	if t.Percent {
		return strconv.Itoa(t.N) + "%"
	}
	return strconv.Itoa(t.N)
}

// Met reports whether enough of total was measured.
func (t Threshold) Met(measured, total int) bool {
	if t.Percent {
		return measured*100 >= t.N*total
	}
	return measured >= t.N
}
