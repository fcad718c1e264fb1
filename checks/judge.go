package checks

import (
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

// ruling is what a probe's trips say together.
type ruling struct {
	finding    Finding
	detail     string // unconfirmed, single_trip, sentinel or ""
	persistent bool   // every one of several trips was malformed
	unstable   bool   // the trips disagree
	// again, when positive or immediate, asks for another trip after a wait.
	again bool
	wait  time.Duration
	// evidence is the index of the trip whose mismatches the result shows.
	evidence int
}

// broken reports whether a trip's finding says that the contract is broken.
func broken(f Finding) bool { return f == Drift || f == Respondeu }

// judge rules over the findings of the trips made so far, oldest first; nothing
// is believed on one trip. repeat is false for a request that may not be sent
// twice, cut is true when the run ended and no further trip can be made.
//
// A later trip decides. What broke is confirmed by as many broken trips in a
// row as confirm.Trips says; what is ambiguous is repeated until
// ambiguous.Trips; what broke and could then not be measured stays unconfirmed.
func judge(trips []Finding, repeat bool, ambiguous, confirm Retrip, cut bool) ruling {
	n := len(trips)
	last := trips[n-1]
	r := ruling{finding: last, evidence: n - 1, unstable: slices.ContainsFunc(trips, func(f Finding) bool { return f != last })}
	more := repeat && !cut && n < ambiguous.Trips+confirm.Trips
	firstBroken := slices.IndexFunc(trips, broken)
	switch {
	case last == OK:
		return r
	case broken(last):
		if run := tail(trips, broken); run >= confirm.Trips {
			return r
		}
		return r.orAgain(more, confirm.Wait, n, "", repeat)
	case firstBroken >= 0:
		r.evidence = firstBroken
		return r.orAgain(more && n < confirm.Trips, confirm.Wait, n, DetailUnconfirmed, repeat)
	case last == Ambiguo:
		all := tail(trips, func(f Finding) bool { return f == Ambiguo })
		r.persistent = all == n && n > 1
		return r.orAgain(more && all < ambiguous.Trips, ambiguous.Wait, n, "", repeat)
	case last == Alheio && n > 1:
		// The run cut the repetition: what was seen before stands.
		r.finding, r.evidence = trips[n-2], n-2
	}
	return r
}

// orAgain asks for another trip where one may be made, else settles what the
// trips so far amount to.
func (r ruling) orAgain(more bool, wait time.Duration, n int, detail string, repeat bool) ruling {
	if more {
		r.again, r.wait = true, wait
		return r
	}
	r.detail = detail
	switch {
	case !repeat && n == 1:
		r.detail = DetailSingleTrip
	case detail == DetailUnconfirmed, broken(r.finding):
		r.finding, r.detail = Ambiguo, DetailUnconfirmed
	}
	return r
}

// needsSentinel reports whether the trips leave open what only the origin's
// known-good request can tell: every one was malformed, and no other follows.
func (r ruling) needsSentinel() bool { return r.persistent && !r.again && r.finding == Ambiguo }

// weigh settles a persistent ambiguo by what the origin's sentinel said. An
// origin whose known-good request fails as well is down. One that is healthy
// and gives the same wrong body each time means it: it refuses where the body
// says so, else its format has changed. What remains is still ambiguo.
func (r ruling) weigh(sentinel Finding, same bool, looks fetch.LooksLike) ruling {
	switch {
	case !r.needsSentinel():
	case sentinel == Indisponivel || sentinel == Ambiguo:
		r.finding, r.detail = Indisponivel, DetailSentinel
	case sentinel != OK || !same:
	case refusals[looks]:
		r.finding, r.detail = Respondeu, DetailSentinel
	default:
		r.finding, r.detail = Drift, DetailSentinel
	}
	return r
}

// refusals are what a body looks like that says no in its own way.
var refusals = map[fetch.LooksLike]bool{
	fetch.LooksHTMLErrorPage: true, fetch.LooksWAFChallenge: true, fetch.LooksLoginPage: true, fetch.LooksXMLFault: true,
}

// tail counts how many of the last findings satisfy is.
func tail(trips []Finding, is func(Finding) bool) int {
	n := 0
	for i := len(trips) - 1; i >= 0 && is(trips[i]); i-- {
		n++
	}
	return n
}
