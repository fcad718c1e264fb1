package report

import (
	"cmp"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// Version is the version of the report document and of its schema.
const Version = 1

// Document is one report: what every format writes. Its JSON has exactly these
// keys, always present.
type Document struct {
	Version int             `json:"version"`
	Run     Run             `json:"run"`
	Summary Summary         `json:"summary"`
	Results []checks.Result `json:"results"`

	// Decision and Policy are what the document was made with. They do not
	// travel: a document that was read is judged anew.
	Decision Decision `json:"-"`
	Policy   *Policy  `json:"-"`
}

// Run is the run as a whole.
type Run struct {
	Trace        string               `json:"trace"`
	StartedAt    time.Time            `json:"started_at"`
	DurationMS   int64                `json:"duration_ms"`
	Profile      string               `json:"profile"`
	PolicyFormat string               `json:"policy_format"`
	ExitCode     int                  `json:"exit_code"`
	Degraded     []checks.Degradation `json:"degraded"`
	Origins      []checks.OriginState `json:"origins"`
}

// NewDocument decides about a run and makes its document. The report's results
// are copied, not changed: each copy has its disposition under the format that
// owns the exit code.
func NewDocument(rep *checks.Report, pol *Policy, o DecideOptions) *Document {
	d := &Document{Version: Version, Policy: pol, Decision: Decide(rep, pol, o)}
	d.Summary = d.Decision.Summary
	d.Run = Run{
		Trace: rep.Trace, StartedAt: rep.StartedAt.UTC().Truncate(time.Millisecond), DurationMS: rep.Duration.Milliseconds(),
		Profile: pol.Profile.Name, PolicyFormat: o.Format, ExitCode: d.Decision.ExitCode,
		Degraded: filled(d.Decision.Degraded), Origins: filled(rep.Origins),
	}
	d.Results = make([]checks.Result, len(rep.Results))
	words := map[Disposition]*string{}
	for _, w := range Dispositions() {
		word := string(w)
		words[w] = &word
	}
	for i := range rep.Results {
		d.Results[i] = rep.Results[i]
		d.Results[i].Disposition = words[d.Decision.Dispositions[i]]
		normalize(&d.Results[i])
	}
	return d
}

// disposition is what a format does with a result: formats other than the one
// that owns the exit code have a row of their own.
func (d *Document) disposition(format string, r *checks.Result) Disposition {
	if d.Policy == nil {
		return Disposition(opt(r.Disposition))
	}
	return d.Policy.Disposition(format, r)
}

// Rejudge makes the document anew under another policy, from its results
// alone. What ended the run still counts: an interrupted run stays one.
func (d *Document) Rejudge(pol *Policy, format string) *Document {
	o := DecideOptions{Format: format}
	if d.Run.ExitCode > 128 {
		o.Signal = d.Run.ExitCode - 128
	}
	return NewDocument(&checks.Report{
		Trace: d.Run.Trace, StartedAt: d.Run.StartedAt, Duration: time.Duration(d.Run.DurationMS) * time.Millisecond,
		Origins: d.Run.Origins, Degraded: d.Run.Degraded, Results: d.Results,
		// Not every format's exit code tells of an interruption; the results do.
		Interrupted: slices.ContainsFunc(d.Results, func(r checks.Result) bool { return interrupted(&r) }),
	}, pol, o)
}

// interrupted reports whether a result is one that an interruption cut or kept
// from being asked.
func interrupted(r *checks.Result) bool {
	return r.Finding == checks.Alheio && opt(r.Detail) == checks.DetailInterrupted
}

// normalize keeps the promise of the JSON: lists are never null, times are
// UTC. Lists that are shared with the runner's result are replaced, not
// changed.
func normalize(r *checks.Result) {
	r.Tags, r.Notes, r.Mismatches = filled(r.Tags), filled(r.Notes), filled(r.Mismatches)
	for _, t := range []**time.Time{&r.RetrievedAt, &r.Since, &r.LastMeasuredAt, &r.UnmeasuredSince} {
		if *t != nil && (*t).Location() != time.UTC {
			utc := (*t).UTC()
			*t = &utc
		}
	}
	if r.Retrieval != nil && r.Retrieval.Anomalies == nil {
		filledCopy := *r.Retrieval
		filledCopy.Anomalies = []fetch.Kind{}
		r.Retrieval = &filledCopy
	}
	if r.Sentinel != nil && r.Sentinel.Trip.Attempts == nil {
		filledCopy := *r.Sentinel
		filledCopy.Trip.Attempts = []checks.Attempt{}
		r.Sentinel = &filledCopy
	}
	r.Trips = filled(r.Trips)
	for i := range r.Trips {
		if r.Trips[i].Attempts == nil {
			trips := append([]checks.Trip(nil), r.Trips...)
			for j := range trips {
				trips[j].Attempts = filled(trips[j].Attempts)
			}
			r.Trips = trips
			break
		}
	}
}

// filled gives an empty list for a nil one.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// failing reports whether a mismatch is one that breaks the contract.
func failing(m expect.Mismatch) bool { return cmp.Or(m.Severity, expect.Fail) == expect.Fail }
