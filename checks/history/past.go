package history

import (
	"strconv"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Limits are the ages that a probe declares; 0 is none.
type Limits struct {
	MaxUnmeasured time.Duration
	MaxEmpty      time.Duration
	// Overdue is the age limit that holds in this run where the probe declares
	// none: the profile's.
	Overdue time.Duration
	// Now is the present, at which the run has ended: a state that lies beyond it
	// is the work of a clock that ran ahead. The zero Time believes every state.
	Now time.Time
}

// CodeMaxEmpty is the code of the mismatch of an answer that has been empty for
// longer than the probe allows.
const CodeMaxEmpty = "max_empty"

// Remember fills in what the earlier runs of its probe make of a result of a
// run that began at a time: since when, how often, what changed. An answer that
// has been empty for longer than it may becomes drift here.
func Remember(r *checks.Result, at time.Time, before State, limits Limits) {
	o := Observe(r, at)
	if now := laterOf(o.At, limits.Now); !limits.Now.IsZero() && before.At.After(now) {
		before = before.rewind(o.At)
	}
	if o.Empty && limits.MaxEmpty > 0 && before.EmptyRuns > 0 && o.At.Sub(before.EmptySince) > limits.MaxEmpty {
		outlast(r, before, limits.MaxEmpty)
		o.Finding = r.Finding
	}
	next := before.Next(o, laterOf(o.At, before.At))
	past := &checks.Past{Unmeasured: next.Unmeasured, Runs: next.Runs, Flaky: next.Flaky()}
	if !o.Unjudged {
		// A run that a newer one has overtaken begins nothing.
		since := next.Since
		if next.Finding != o.Finding || since.After(o.At) {
			since, past.Runs = o.At, 1
		}
		r.Since = &since
	} else {
		past.Runs, past.Flaky = 0, false
	}
	r.LastMeasuredAt, r.UnmeasuredSince = some(next.LastMeasuredAt), some(next.UnmeasuredSince)
	if !next.UnmeasuredSince.IsZero() {
		past.UnmeasuredMS = max(0, o.At.Sub(next.UnmeasuredSince).Milliseconds())
	}
	if limits.MaxUnmeasured > 0 {
		ms := limits.MaxUnmeasured.Milliseconds()
		past.MaxUnmeasuredMS = &ms
	}
	if before.Contract != "" {
		contract := before.Contract // its address would keep the whole state
		past.Before = &contract
	}
	past.Change = changeOf(before, o, limits)
	if broken(o.Finding) {
		past.BrokenSince = some(earlier(next.ContractSince, o.At))
	}
	r.Past = past
}

// changeOf compares a run with what was known of the contract before.
func changeOf(before State, o Observation, limits Limits) *checks.Change {
	var c checks.Change
	switch {
	case broken(o.Finding) && broken(before.Contract):
		c = checks.StillBroken
	case broken(o.Finding) && before.Contract == checks.OK:
		c = checks.Broke
	case o.Finding == checks.OK && (broken(before.Contract) || overdue(before, o, limits)):
		c = checks.Recovered
	default:
		return nil
	}
	return &c
}

// overdue reports whether the newest run before was one too many without a
// measurement; one whose clock was ahead counts as of the present.
func overdue(before State, o Observation, limits Limits) bool {
	limit := limits.MaxUnmeasured
	if limit == 0 {
		limit = limits.Overdue
	}
	at := before.At
	if at.IsZero() {
		at = o.At
	}
	return limit > 0 && !before.UnmeasuredSince.IsZero() && at.Sub(before.UnmeasuredSince) > limit
}

// outlast makes drift of an answer that has been empty for too long. Each empty
// answer alone may be legitimate; that there is none other is not.
func outlast(r *checks.Result, before State, limit time.Duration) {
	r.Finding = checks.Drift
	r.Mismatches = append(append([]expect.Mismatch{}, r.Mismatches...), expect.Mismatch{
		Code: CodeMaxEmpty, Severity: expect.Fail,
		Want: "data at least once in " + source.FormatDuration(limit),
		Got:  "none since " + before.EmptySince.Format(time.RFC3339) + ", in " + strconv.Itoa(before.EmptyRuns+1) + " runs",
	})
}

func some(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}

func laterOf(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
