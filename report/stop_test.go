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

// TestTriesOfOneAttempt holds that one attempt says why it stayed alone where
// the method forbade another, and nothing else.
func TestTriesOfOneAttempt(t *testing.T) {
	for reason, want := range map[fetch.Stop]string{
		fetch.StopMethod: "not asked again, as it may change something there (idempotent: true allows it)", fetch.StopNotRetryable: "", fetch.StopRetries: "",
	} {
		r := failed("p", "o", checks.Indisponivel, fetch.HTTP5xx, fetch.OutcomeRetryable)
		r.Trips[0].Stopped = ptr(string(reason))
		if got := triesLine(&r, EN); got != want {
			t.Errorf("%s: %q, want %q", reason, got, want)
		}
	}
}
