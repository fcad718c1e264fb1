package report

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

// age is what an age limit makes of a result.
type age int

const (
	ageFine    age = iota
	ageOver        // not measured for longer than its limit
	ageUnknown     // not measured, and nothing tells for how long, which the profile does not let pass
)

// ageLimit is how long a result may go unmeasured: its probe's own limit, else
// the profile's; 0 for as long as it likes.
func (p *Policy) ageLimit(r *checks.Result) time.Duration {
	if r.Past != nil && r.Past.MaxUnmeasuredMS != nil {
		return time.Duration(*r.Past.MaxUnmeasuredMS) * time.Millisecond
	}
	return p.Profile.MaxUnmeasured
}

// age judges how long a result was not measured. That its failure is known is no
// excuse: an age limit is there to end just such a silence, unless the entry has
// another one.
func (p *Policy) age(r *checks.Result) age {
	switch {
	case r.Measured:
		return ageFine
	case r.Past == nil:
		if p.Profile.AgeUnknownFails && !stoppedElsewhere(r) {
			return ageUnknown
		}
		return ageFine
	}
	if limit := p.ageLimit(r); limit > 0 && time.Duration(r.Past.UnmeasuredMS)*time.Millisecond > limit {
		return ageOver
	}
	return ageFine
}

// namedAges is how many results a reason names one by one.
const namedAges = 3

// ages turns the results that were not measured for too long into a reason of
// their own, and says once what could not be judged.
func (d *Decision) ages(rep *checks.Report, pol *Policy, o DecideOptions) {
	if dataOnly(o.Format) {
		return
	}
	var over, unknown []*checks.Result
	silent := 0
	for i := range rep.Results {
		r := &rep.Results[i]
		switch pol.age(r) {
		case ageOver:
			over = append(over, r)
		case ageUnknown:
			unknown = append(unknown, r)
		default:
			if !r.Measured && r.Past == nil {
				silent++
			}
		}
	}
	if len(over) > 0 {
		d.Reasons = append(d.Reasons, Reason{Code: ExitUnmeasured, Text: overText(over, pol)})
	}
	if n := len(unknown); n > 0 {
		d.add(ExitUnmeasured, "not measured, and without a history nobody knows for how long: %[2]s", "sem medição, e sem histórico ninguém sabe há quanto tempo: %[2]s", n, resultNames(unknown))
	}
	known := slices.ContainsFunc(d.Degraded, func(g checks.Degradation) bool { return g.Feature == featureAge })
	if (o.AgeLimits || pol.Profile.MaxUnmeasured > 0) && silent > 0 && !known {
		d.Degraded = checks.Degrade(d.Degraded, checks.Degradation{Feature: featureAge, Count: silent, Reason: "age limits need a history, and none was read"})
	}
}

// overText says of each result since when, in how many runs and with which
// findings it was not measured.
func overText(over []*checks.Result, pol *Policy) Text {
	t := Text{"not measured for too long: ", "sem medição há tempo demais: "}
	for i, r := range over[:min(len(over), namedAges)] {
		if i > 0 {
			t.EN, t.PT = t.EN+"; ", t.PT+"; "
		}
		t.EN += displayName(r) + " " + unmeasuredText(r, pol).EN
		t.PT += displayName(r) + " " + unmeasuredText(r, pol).PT
	}
	if n := len(over) - namedAges; n > 0 {
		more := textf("; and %d more", "; e mais %d", n)
		t.EN, t.PT = t.EN+more.EN, t.PT+more.PT
	}
	return t
}

// unmeasuredText says since when, how often and with which findings a result
// was not measured, and its limit where it has one.
func unmeasuredText(r *checks.Result, pol *Policy) Text {
	u := &r.Past.Unmeasured
	var by []string
	for _, f := range []struct {
		n    int
		name checks.Finding
	}{{u.Indisponivel, checks.Indisponivel}, {u.Ambiguo, checks.Ambiguo}, {u.Respondeu, checks.Respondeu}, {u.Alheio, checks.Alheio}} {
		if f.n > 0 {
			by = append(by, strconv.Itoa(f.n)+" "+string(f.name))
		}
	}
	since := ""
	if r.UnmeasuredSince != nil {
		since = onMinute(*r.UnmeasuredSince)
	}
	t := textf("since %[1]s (%[2]s, %[3]d %[4]s: %[6]s)", "desde %[1]s (%[2]s, %[3]d %[5]s: %[6]s)", since,
		lasting(r.Past.UnmeasuredMS), u.Runs, plural(u.Runs, "run", "runs"), plural(u.Runs, "execução", "execuções"), strings.Join(by, ", "))
	if pol != nil && pol.ageLimit(r) > 0 {
		limit := ", max_unmeasured " + source.FormatDuration(pol.ageLimit(r))
		t.EN, t.PT = t.EN+limit, t.PT+limit
	}
	return t
}

// resultNames names some results, and says how many there are beside them.
func resultNames(list []*checks.Result) string {
	var names []string
	for _, r := range list[:min(len(list), namedAges)] {
		names = append(names, displayName(r))
	}
	if n := len(list) - len(names); n > 0 {
		names = append(names, "+"+strconv.Itoa(n))
	}
	return strings.Join(names, ", ")
}

// onMinute writes a time for a person, to the minute.
func onMinute(t time.Time) string { return t.UTC().Format("2006-01-02 15:04") + " UTC" }

// lasting writes how long something has lasted, in its two largest units; a
// second one of nothing is left out.
func lasting(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	switch {
	case d >= 24*time.Hour:
		return twoUnits(int64(d/(24*time.Hour)), "d", int64(d%(24*time.Hour)/time.Hour), "h")
	case d >= time.Hour:
		return twoUnits(int64(d/time.Hour), "h", int64(d%time.Hour/time.Minute), "min")
	}
	return millis(ms)
}
