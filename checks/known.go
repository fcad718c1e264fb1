package checks

import (
	"net/url"
	"path"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

// KnownFailure is a failure that is known and may stay until a day: it is
// reported and fails nothing. One that is over, or that no longer fails, does.
type KnownFailure struct {
	Probe   string // a name, or a pattern as in a selection
	Finding Finding
	Until   time.Time // the first moment at which it is over, UTC
	Issue   string    // an address; "" where Reason says it
	Reason  string
	// MaxUnmeasured is the age limit of what it names while it holds; 0 leaves the
	// probe's, or the profile's: a failure that is known excuses no age.
	MaxUnmeasured time.Duration
	Pos           source.Position

	probeAt, findingAt source.Node // while it is read
	hasUntil           bool
}

// The codes of the mismatch by which a known failure makes its result fail.
const (
	KnownPasses  = "known_failure.passes"  // it no longer fails
	KnownExpired = "known_failure.expired" // its date is over
)

// KnownFailureOver tells whether a result fails because its known failure is
// over, and why: KnownPasses, KnownExpired or "".
func KnownFailureOver(r *Result) string {
	for i := range r.Mismatches {
		if code := r.Mismatches[i].Code; code == KnownPasses || code == KnownExpired {
			return code
		}
	}
	return ""
}

// Label is what a report calls it by.
func (k *KnownFailure) Label() string {
	if k.Issue != "" {
		return k.Issue
	}
	return k.Reason
}

func (k *KnownFailure) names(probe string) bool {
	ok, _ := path.Match(k.Probe, probe)
	return ok || k.Probe == probe
}

// noMute is the hint for a word that other tools have.
const noMute = "there is no mute; a failure that is known goes into known_failures:, with a date at which it ends"

var knownKeys = source.NewObject("a known failure",
	source.Field[KnownFailure]{Name: "probe", Form: source.SomeText, Doc: "the name of a probe, or a pattern", Required: true, Decode: func(k *KnownFailure, n source.Node) {
		k.probeAt = n
		v, ok := n.NonEmpty()
		source.Optional(&k.Probe, v, ok && hasNoRef(n))
	}},
	source.Field[KnownFailure]{Name: "finding", Form: source.OneOf("drift", "respondeu", "indisponivel", "ambiguo", "alheio"), Doc: "what it finds: drift, or a verdict", Required: true, Decode: func(k *KnownFailure, n source.Node) {
		k.findingAt = n
		v, ok := n.Enum(string(Drift), string(Respondeu), string(Indisponivel), string(Ambiguo), string(Alheio))
		source.Optional(&k.Finding, Finding(v), ok)
	}},
	source.Field[KnownFailure]{Name: "until", Form: source.Matching(`^\d{4}-\d\d-\d\d$`), Doc: "its last day, such as 2026-12-31", Required: true, Decode: decodeUntil},
	source.Field[KnownFailure]{Name: "issue", Form: source.Matching(`^[Hh][Tt][Tt][Pp][Ss]?://[^/]`), Doc: "where it is followed, an address", Decode: decodeIssue},
	source.Field[KnownFailure]{Name: "reason", Form: source.SomeText, Doc: "why it is known", Decode: func(k *KnownFailure, n source.Node) {
		v, ok := n.NonEmpty()
		source.Optional(&k.Reason, v, ok && hasNoRef(n))
	}},
	source.Field[KnownFailure]{Name: "max_unmeasured", Form: source.TimeFrom(time.Second), Doc: "longest time that it may go unmeasured while this failure is known, in place of the probe's or the profile's age limit, which holds where this is silent", Decode: func(k *KnownFailure, n source.Node) {
		decodeDuration(&k.MaxUnmeasured, n, time.Second)
	}},
)

func decodeUntil(k *KnownFailure, n source.Node) {
	s, ok := n.String()
	if !ok {
		return
	}
	day, err := time.Parse(time.DateOnly, s)
	if err != nil {
		n.Problem("a day, such as 2026-12-31; the failure is known until its end (UTC)", "%s is not a day", quoted(s))
		return
	}
	k.Until, k.hasUntil = day.AddDate(0, 0, 1), true
}

func decodeIssue(k *KnownFailure, n source.Node) {
	s, ok := n.NonEmpty()
	if !ok || !hasNoRef(n) {
		return
	}
	if u, err := url.Parse(s); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		n.Problem("such as https://github.com/owner/repo/issues/1; what is no address goes into reason:", "%s is not the address of an issue", quoted(s))
		return
	}
	k.Issue = s
}

// knownFailures decodes every file's known_failures: list, once the probes are
// known.
func (l *loader) knownFailures() {
	for _, f := range l.files {
		if f.known.IsZero() {
			continue
		}
		items, _ := f.known.Items()
		for _, item := range items {
			k := KnownFailure{Pos: item.Pos()}
			if knownKeys.Decode(item, &k) {
				l.knownFailure(item, k)
			}
		}
	}
}

// knownFailure keeps a decoded entry that can apply.
func (l *loader) knownFailure(n source.Node, k KnownFailure) {
	if k.Issue == "" && k.Reason == "" && k.hasUntil && k.Probe != "" && k.Finding != "" {
		n.Problem("add issue: with an address, or reason:", "nothing says why this failure is known")
		return
	}
	if k.Probe == "" || k.Finding == "" || !k.hasUntil || l.broken {
		return
	}
	if k.Finding == Drift && k.MaxUnmeasured > 0 {
		k.findingAt.Problem("max_unmeasured goes with respondeu, indisponivel, ambiguo or alheio", "what drifted was measured: it has no age limit")
		return
	}
	if _, err := path.Match(k.Probe, ""); err != nil {
		k.probeAt.Problem("a pattern has * ? and [a-z]", "%s is not a pattern", quoted(k.Probe))
		return
	}
	if !slices.ContainsFunc(l.d.Probes, func(p *Probe) bool { return k.names(p.Name) }) {
		k.probeAt.Problem((&selection{d: l.d}).nearest(k.Probe), "no probe is named %s", quoted(k.Probe))
		return
	}
	if i := slices.IndexFunc(l.d.KnownFailures, func(o KnownFailure) bool { return o.Probe == k.Probe && o.Finding == k.Finding }); i >= 0 {
		k.probeAt.Problem("the first one is at "+l.d.KnownFailures[i].Pos.String(), "this known failure is declared twice")
		return
	}
	k.probeAt, k.findingAt = source.Node{}, source.Node{}
	l.d.KnownFailures = append(l.d.KnownFailures, k)
}

// Overdue lists the known failures whose day is over at a moment.
func (d *Declaration) Overdue(at time.Time) []KnownFailure {
	var over []KnownFailure
	for _, k := range d.KnownFailures {
		if !at.Before(k.Until) {
			over = append(over, k)
		}
	}
	return over
}

// applyKnown marks the results of a run whose failure is known at its start,
// and those whose known failure is over.
func (d *Declaration) applyKnown(report *Report) {
	for i := range d.KnownFailures {
		d.KnownFailures[i].apply(d, report)
	}
}

func (k *KnownFailure) apply(d *Declaration, report *Report) {
	var named []*Result
	failing, passing := false, true
	for i := range report.Results {
		r := &report.Results[i]
		if !k.names(r.Name) {
			continue
		}
		named = append(named, r)
		failing = failing || r.Finding == k.Finding
		passing = passing && r.Finding == OK
	}
	expired := !report.StartedAt.Before(k.Until)
	for _, r := range named {
		if r.KnownFailure != nil {
			continue // an entry before this one fits it
		}
		switch {
		case expired && (r.Finding == k.Finding || !failing):
			k.over(r, KnownExpired, "a failure that is known until "+k.Until.AddDate(0, 0, -1).Format(time.DateOnly))
			if !failing {
				return // one result says it
			}
		case r.Finding == k.Finding:
			r.KnownFailure = some(k.Label())
		case passing && !expired && k.all(d, report):
			k.over(r, KnownPasses, string(k.Finding)+", as a known failure")
		}
	}
}

// ApplyPast judges anew, once the history of a run is known, what is a known
// failure: an answer that was empty for too long has become drift by then. The
// results get the age limits of the known failures that hold for them.
func (d *Declaration) ApplyPast(report *Report) {
	if len(d.KnownFailures) == 0 {
		return
	}
	for i := range report.Results {
		r := &report.Results[i]
		if KnownFailureOver(r) != "" {
			r.Mismatches = slices.DeleteFunc(slices.Clone(r.Mismatches), func(m expect.Mismatch) bool { return m.Code == KnownPasses || m.Code == KnownExpired })
		}
		r.KnownFailure = nil
	}
	d.applyKnown(report)
	for i := range report.Results {
		r := &report.Results[i]
		if r.KnownFailure == nil || r.Past == nil || KnownFailureOver(r) != "" {
			continue
		}
		fits := func(k KnownFailure) bool {
			return k.Finding == r.Finding && k.names(r.Name) && report.StartedAt.Before(k.Until)
		}
		if at := slices.IndexFunc(d.KnownFailures, fits); at >= 0 && d.KnownFailures[at].MaxUnmeasured > 0 {
			r.Past.MaxUnmeasuredMS = some(d.KnownFailures[at].MaxUnmeasured.Milliseconds())
		}
	}
}

// over makes a result fail by its known failure.
func (k *KnownFailure) over(r *Result, code, want string) {
	r.KnownFailure = some(k.Label())
	got := string(r.Finding)
	if code == KnownExpired {
		got += " after that day"
	}
	got += "; remove or renew the entry at " + k.Pos.String()
	// In front: it is what the result fails for.
	r.Mismatches = append([]expect.Mismatch{{Code: code, Severity: expect.Fail, Want: want, Got: got}}, r.Mismatches...)
}

// all reports whether the run asked every probe that the entry names: of a part
// of them nothing follows for a pattern.
func (k *KnownFailure) all(d *Declaration, report *Report) bool {
	ran := map[string]bool{}
	for i := range report.Results {
		ran[report.Results[i].Name] = true
	}
	return !slices.ContainsFunc(d.Probes, func(p *Probe) bool { return k.names(p.Name) && !ran[p.Name] })
}
