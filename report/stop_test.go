package report

import (
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

func TestStopText(t *testing.T) {
	retries, year, short := string(fetch.StopRetries), fetch.MaxRetryAfter.Milliseconds(), int64(2000)
	for want, trip := range map[string]checks.Trip{
		"no retries allowed": {Stopped: &retries, Attempts: make([]checks.Attempt, 1)},
		"all retries used":   {Stopped: &retries, Attempts: make([]checks.Attempt, 3)},
		"the next wait, of a year or more, does not fit the budget": {UnfitMS: &year},
		"the next wait of 2.0 s does not fit the budget":            {UnfitMS: &short},
	} {
		if got := stopText(&trip, EN); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
