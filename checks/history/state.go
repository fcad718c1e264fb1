package history

import (
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// State is what the history knows of a probe: streaks that the newest run ends.
// The zero value is a probe that was never run. Times are the starts of runs,
// in UTC and whole milliseconds; a zero time says that it does not apply.
type State struct {
	At time.Time // the newest run

	Finding checks.Finding // of the newest run that the probe was judged in
	Since   time.Time      // when Finding began
	Runs    int            // runs in a row with Finding

	LastMeasuredAt time.Time
	// UnmeasuredSince is the first unmeasured run since the last measurement.
	UnmeasuredSince time.Time
	Unmeasured      checks.Unmeasured

	// Contract is the latest finding that says whether the contract holds: ok,
	// drift or respondeu; "" while there is none. ContractSince is when that
	// answer began: drift and respondeu are both "no".
	Contract      checks.Finding
	ContractSince time.Time

	// EmptySince is the first of the measured runs in a row whose answer was
	// absent or empty; runs without a measurement neither end nor lengthen it.
	EmptySince time.Time
	EmptyRuns  int

	// Recent has a letter for each of the newest runs, the newest last.
	Recent string
}

// Observation is one result as far as a state is concerned.
type Observation struct {
	At       time.Time // the run's start
	Finding  checks.Finding
	Measured bool
	// Unjudged says that nothing was found out about the probe: it was not
	// asked because something else ended (the run's budget, a signal, a need).
	// It counts as a run without a measurement and ends no streak of findings.
	Unjudged bool
	Empty    bool // the answer was absent or empty
}

// CodeEmpty is the code of the mismatch of an absent or empty answer.
const CodeEmpty = "empty"

// Observe gives the observation of a result of a run that began at a time.
func Observe(r *checks.Result, at time.Time) Observation {
	return Observation{
		At: at.UTC().Truncate(time.Millisecond), Finding: r.Finding, Measured: r.Measured,
		Unjudged: unjudged(r), Empty: r.Measured && isEmpty(r),
	}
}

// unjudged reports whether something else kept a probe from being asked, or
// cut it before anything was found out.
func unjudged(r *checks.Result) bool {
	if r.Finding != checks.Alheio || r.Detail == nil {
		return false
	}
	switch *r.Detail {
	case checks.DetailRunBudget:
		return true
	case checks.DetailInterrupted, string(fetch.Cancelled), checks.DetailDependency:
		return !r.Asked
	}
	return false
}

// isEmpty reports whether a measured answer was absent or empty: a rule of its
// origin said so, or the expectations did.
func isEmpty(r *checks.Result) bool {
	return r.Detail != nil && *r.Detail == checks.DetailEmpty ||
		slices.ContainsFunc(r.Mismatches, func(m expect.Mismatch) bool { return m.Code == CodeEmpty })
}

// recentRuns is how many runs a state remembers one by one, and flakyChanges
// how often the finding has to change among them to be called alternating: one
// outage is two changes.
const (
	recentRuns   = 10
	flakyChanges = 3
)

// Next is the state after another run; now is the present. Runs overlap, so
// that one which began earlier may come later: it then ends no streak of the
// newer one, but is counted. A state that lies in the future is the work of a
// clock that ran ahead, and anything is newer than that.
func (s State) Next(o Observation, now time.Time) State {
	if s.At.After(now) {
		s = s.rewind(now)
	}
	if o.At.Before(s.At) {
		return s.late(o)
	}
	s.At = o.At
	s.measure(o)
	if o.Unjudged {
		return s
	}
	s.Recent = tail(s.Recent+letter(o.Finding), recentRuns)
	if s.Finding != o.Finding || s.Runs == 0 {
		s.Finding, s.Since, s.Runs = o.Finding, o.At, 0
	}
	s.Runs++
	if decisive(o.Finding) {
		if s.Contract == "" || broken(s.Contract) != broken(o.Finding) {
			s.ContractSince = o.At
		}
		s.Contract = o.Finding
	}
	return s
}

// measure counts a run as measured or not.
func (s *State) measure(o Observation) {
	if !o.Measured {
		if s.UnmeasuredSince.IsZero() {
			s.UnmeasuredSince = o.At
		}
		count(&s.Unmeasured, o.Finding)
		return
	}
	s.LastMeasuredAt = o.At
	s.UnmeasuredSince, s.Unmeasured = time.Time{}, checks.Unmeasured{}
	if !o.Empty {
		s.EmptySince, s.EmptyRuns = time.Time{}, 0
		return
	}
	if s.EmptyRuns == 0 {
		s.EmptySince = o.At
	}
	s.EmptyRuns++
}

// count counts one more run without a measurement.
func count(u *checks.Unmeasured, f checks.Finding) {
	u.Runs++
	switch f {
	case checks.Respondeu:
		u.Respondeu++
	case checks.Indisponivel:
		u.Indisponivel++
	case checks.Ambiguo:
		u.Ambiguo++
	default:
		u.Alheio++
	}
}

// late takes in a run that began before the newest known one.
func (s State) late(o Observation) State {
	switch {
	case o.Measured && o.At.After(s.LastMeasuredAt):
		s.LastMeasuredAt = o.At
		if !s.UnmeasuredSince.IsZero() && s.UnmeasuredSince.Before(o.At) {
			// Of the unmeasured runs only the newest is known to be later.
			s.UnmeasuredSince, s.Unmeasured = s.At, checks.Unmeasured{}
			count(&s.Unmeasured, s.Finding)
		}
	case !o.Measured && !s.UnmeasuredSince.IsZero() && o.At.After(s.LastMeasuredAt):
		s.UnmeasuredSince = earlier(s.UnmeasuredSince, o.At)
		count(&s.Unmeasured, o.Finding)
	}
	return s
}

// rewind takes every time that lies in the future back to the present.
func (s State) rewind(now time.Time) State {
	now = now.UTC().Truncate(time.Millisecond)
	for _, t := range []*time.Time{&s.At, &s.Since, &s.LastMeasuredAt, &s.UnmeasuredSince, &s.ContractSince, &s.EmptySince} {
		if !t.IsZero() {
			*t = earlier(*t, now)
		}
	}
	// The next run is to be newer whatever its clock says.
	s.At = time.Time{}
	return s
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// lasts reports whether something has begun that an age limit counts, or that is
// broken until a run says otherwise.
func (s State) lasts() bool {
	return !s.UnmeasuredSince.IsZero() || s.EmptyRuns > 0 || broken(s.Contract)
}

// Flaky reports whether the findings of the newest runs alternate.
func (s State) Flaky() bool { return s.changes() >= flakyChanges }

// changes counts how often the finding changed among the newest runs.
func (s State) changes() int {
	n := 0
	for i := 1; i < len(s.Recent); i++ {
		if s.Recent[i] != s.Recent[i-1] {
			n++
		}
	}
	return n
}

// broken reports whether a finding says that the contract is broken.
func broken(f checks.Finding) bool { return f == checks.Drift || f == checks.Respondeu }

// decisive reports whether a finding says anything about the contract.
func decisive(f checks.Finding) bool { return f == checks.OK || broken(f) }

// The letters of the findings in a strip: small ones for what breaks nothing.
var letters = map[checks.Finding]string{
	checks.OK: "o", checks.Drift: "D", checks.Respondeu: "R", checks.Indisponivel: "i", checks.Ambiguo: "a", checks.Alheio: "x",
}

func letter(f checks.Finding) string {
	if l, ok := letters[f]; ok {
		return l
	}
	return letters[checks.Alheio]
}

func tail(s string, n int) string { return s[max(0, len(s)-n):] }
