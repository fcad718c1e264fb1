package checks

import (
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// Finding is what a probe's result is: ok or drift (both measured), or one of
// the four verdicts.
type Finding string

// The findings. The last four are the verdicts of package verdict.
const (
	OK           Finding = "ok"
	Drift        Finding = "drift"
	Respondeu    Finding = "respondeu"
	Indisponivel Finding = "indisponivel"
	Ambiguo      Finding = "ambiguo"
	Alheio       Finding = "alheio"
)

// Findings lists the findings in the order of the policy table.
func Findings() []Finding {
	return []Finding{OK, Drift, Respondeu, Indisponivel, Ambiguo, Alheio}
}

// Details that the runner itself gives, beside those of package fetch.
const (
	DetailUnconfirmed  = "unconfirmed" // a first trip broke, the second could not be measured
	DetailSingleTrip   = "single_trip" // a request that may not be repeated
	DetailRunBudget    = "run_budget"  // the run's budget ended
	DetailInterrupted  = "interrupted" // a signal came, or the caller cancelled
	DetailPanic        = "panic"
	DetailDependency   = "dependency"    // a probe that it needs has no value for it
	DetailBoundSecret  = "bound_secret"  // a capture would take a secret where it may not go
	DetailUnfitCapture = "unfit_capture" // a capture has no place in the request
	DetailEmpty        = "empty"         // there is legitimately no data, in a probe that bounds how long
	DetailSentinel     = "sentinel"      // the origin's known-good request decided
)

// Result is what one probe (and vantage) yielded. Every key is always present
// in JSON; what does not apply is null. Durations are milliseconds, times UTC.
type Result struct {
	Name    string   `json:"name"`
	Title   *string  `json:"title"`
	Origin  string   `json:"origin"`
	Vantage *string  `json:"vantage"`
	Trace   string   `json:"trace"`
	Tags    []string `json:"tags"`
	File    string   `json:"file"`
	Line    int      `json:"line"`

	Asked    bool    `json:"asked"`
	Measured bool    `json:"measured"`
	Finding  Finding `json:"finding"`
	// Disposition is what the policy of the run's first format does with the
	// finding. Package report fills it; it is null until then.
	Disposition *string `json:"disposition"`
	Persistent  bool    `json:"persistent"`
	Unstable    bool    `json:"unstable"`

	Verdict   *string          `json:"verdict"`
	Kind      *fetch.Kind      `json:"kind"`
	Cause     *fetch.Cause     `json:"cause"`
	Detail    *string          `json:"detail"`
	Outcome   *fetch.Outcome   `json:"outcome"`
	LooksLike *fetch.LooksLike `json:"looks_like"`
	Status    *int             `json:"status"`
	Transport bool             `json:"transport"`
	URL       string           `json:"url"`
	FinalURL  *string          `json:"final_url"`
	Redirect  *Redirect        `json:"redirect"`
	Mirror    *string          `json:"mirror"`
	Rule      *string          `json:"rule"`

	Motivo     *string           `json:"motivo"`
	Notes      []string          `json:"notes"` // what was set right in passing, such as "bom_stripped"
	Mismatches []expect.Mismatch `json:"mismatches"`

	Retrieval       *fetch.Retrieval `json:"retrieval"`
	RetrievedAt     *time.Time       `json:"retrieved_at"`
	ServedFromCache bool             `json:"served_from_cache"`
	SharedWith      *string          `json:"shared_with"`

	Since           *time.Time `json:"since"`
	LastMeasuredAt  *time.Time `json:"last_measured_at"`
	UnmeasuredSince *time.Time `json:"unmeasured_since"`
	KnownFailure    *string    `json:"known_failure"`
	// Past is what earlier runs make of this one; null where no history was
	// read.
	Past *Past `json:"past"`

	DurationMS int64 `json:"duration_ms"`
	// Reproduce is a command for a POSIX shell that asks the same again with
	// curl; null for what is ok. Values of the environment stand in it as
	// "$NAME".
	Reproduce *string `json:"reproduce"`
	Trips     []Trip  `json:"trips"`
	// Sentinel is what the origin's known-good request said, where this result
	// was judged by it; null elsewhere.
	Sentinel *SentinelTrip `json:"sentinel"`
}

// SentinelTrip is the one trip that a run makes for an origin's sentinel.
// Results of the same origin show the same one; its attempts' start_ms count
// from its own begin, and it is in no probe's retrieval.
type SentinelTrip struct {
	Finding Finding `json:"finding"`
	Trip    Trip    `json:"trip"`
}

// Redirect is where an answer pointed that was not followed.
type Redirect struct {
	Location  string `json:"location"`
	CrossHost bool   `json:"cross_host"`
}

// Trip is one journey of a result. Finding, Verdict and the like of the result
// come from the latest; earlier ones stay as evidence.
type Trip struct {
	WaitMS   int64     `json:"wait_ms"`   // waited before the trip (a re-trip's pause)
	QueuedMS int64     `json:"queued_ms"` // in our own queue, charged to nobody
	Finding  Finding   `json:"finding"`   // what this trip alone said
	Stopped  *string   `json:"stopped"`   // why a failed trip made no further attempt
	UnfitMS  *int64    `json:"unfit_ms"`  // the wait that did not fit the budget
	Attempts []Attempt `json:"attempts"`
}

// Attempt is one try. Phases that did not happen are null.
type Attempt struct {
	StartMS    int64       `json:"start_ms"` // since the probe's first trip began
	WaitMS     int64       `json:"wait_ms"`
	WaitReason *string     `json:"wait_reason"`
	Requests   int         `json:"requests"`
	Kind       *fetch.Kind `json:"kind"`
	Detail     *string     `json:"detail"`
	Status     *int        `json:"status"`
	DNSMS      *int64      `json:"dns_ms"`
	ConnectMS  *int64      `json:"connect_ms"`
	TLSMS      *int64      `json:"tls_ms"`
	TTFBMS     *int64      `json:"ttfb_ms"`
	BodyMS     *int64      `json:"body_ms"`
	TotalMS    int64       `json:"total_ms"`
	Bytes      int64       `json:"bytes"`
}

// Report is one finished run: what ran, and one result per selected probe in
// the declaration's order.
type Report struct {
	Trace     string
	StartedAt time.Time
	Duration  time.Duration
	Origins   []OriginState
	Degraded  []Degradation
	Results   []Result
	// BudgetEnded is true when the run's budget ended with probes unasked.
	BudgetEnded bool
	// Interrupted is true when the caller's context ended the run.
	Interrupted bool
}

// Degrade notes that a feature that was asked for could not be had. The same
// reason is kept once, with its count.
func (r *Report) Degrade(feature, reason string) {
	r.Degraded = Degrade(r.Degraded, Degradation{Feature: feature, Reason: reason, Count: 1})
}

// Degrade adds a degradation to a list, which every output then says: a line
// for a person, a member of JSON, a gauge. The same reason is kept once, with
// its count.
func Degrade(list []Degradation, d Degradation) []Degradation {
	for i := range list {
		if list[i].Feature == d.Feature && list[i].Reason == d.Reason {
			list[i].Count += d.Count
			return list
		}
	}
	return append(list, d)
}

// OriginState is what a run knows of an origin at its end.
type OriginState struct {
	Name    string  `json:"name"`
	Breaker *string `json:"breaker"` // closed, open or half-open; null where there is none
}

// Degradation is something that could not be done, said once with its count.
type Degradation struct {
	Feature string `json:"feature"`
	Reason  string `json:"reason"`
	Count   int    `json:"count"`
}
