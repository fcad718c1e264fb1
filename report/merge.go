package report

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// Merge joins the reports of several runs or shards into one, which Rejudge or
// NewDocument then decides about.
//
// A result is known by its origin, name and vantage, so that every vantage
// keeps its own. Of several runs of one probe the later run's result counts,
// with one exception: a broken contract (drift, respondeu) is never replaced by
// a result that says nothing about it, because the source was down, or could
// not be told, or was not asked. It stays until a run measures the probe or is
// refused again.
//
// The order is that of the declaration: files in the order of their first
// result, the results of each by their line; what is on one line stays in the
// order of the arguments. The run began with the first and ended with the last
// of them; what could not be done in any of them is said once, with the sum.
func Merge(docs []*Document) (*checks.Report, error) {
	if len(docs) == 0 {
		return nil, errors.New("there is no report to merge")
	}
	byAge := slices.Clone(docs)
	slices.SortStableFunc(byAge, func(a, b *Document) int { return a.Run.StartedAt.Compare(b.Run.StartedAt) })
	m := &merger{at: map[resultKey]int{}}
	// Places are those of the arguments, what stands there is the later run's.
	for _, d := range docs {
		for i := range d.Results {
			m.place(&d.Results[i])
		}
	}
	for i, d := range byAge {
		for k := range d.Results {
			m.result(&d.Results[k])
		}
		// A report that is given twice could not do what it could not do once.
		if i == 0 || d.Run.Trace != byAge[i-1].Run.Trace || !d.Run.StartedAt.Equal(byAge[i-1].Run.StartedAt) {
			m.run(&d.Run)
		}
	}
	m.rep.Trace = mergedTrace(docs)
	m.rep.StartedAt, m.rep.Duration = between(docs)
	m.sort()
	m.rep.Interrupted = slices.ContainsFunc(m.rep.Results, func(r checks.Result) bool { return interrupted(&r) })
	return &m.rep, nil
}

// resultKey is what makes two results the same probe's.
type resultKey struct{ origin, name, vantage string }

func keyOf(r *checks.Result) resultKey { return resultKey{r.Origin, r.Name, opt(r.Vantage)} }

type merger struct {
	rep checks.Report
	at  map[resultKey]int
	set []bool // whether a place has its result
}

func (m *merger) place(r *checks.Result) {
	if _, known := m.at[keyOf(r)]; !known {
		m.at[keyOf(r)] = len(m.rep.Results)
		m.rep.Results = append(m.rep.Results, *r)
		m.set = append(m.set, false)
	}
}

// result puts a result in its place. Runs come the oldest first.
func (m *merger) result(r *checks.Result) {
	i := m.at[keyOf(r)]
	if m.set[i] && broken(m.rep.Results[i].Finding) && !r.Measured && r.Finding != checks.Respondeu {
		return
	}
	m.rep.Results[i], m.set[i] = *r, true
}

// broken reports whether a finding says that the contract does not hold.
func broken(f checks.Finding) bool { return f == checks.Drift || f == checks.Respondeu }

// run adds what a run says about itself.
func (m *merger) run(run *Run) {
	for _, d := range run.Degraded {
		m.rep.Degraded = checks.Degrade(m.rep.Degraded, d)
	}
	for _, o := range run.Origins {
		if i := slices.IndexFunc(m.rep.Origins, func(g checks.OriginState) bool { return g.Name == o.Name }); i >= 0 {
			m.rep.Origins[i] = o
		} else {
			m.rep.Origins = append(m.rep.Origins, o)
		}
	}
}

func (m *merger) sort() {
	files := map[string]int{}
	for i := range m.rep.Results {
		if file := m.rep.Results[i].File; files[file] == 0 {
			files[file] = len(files) + 1
		}
	}
	slices.SortStableFunc(m.rep.Results, func(a, b checks.Result) int {
		return cmp.Or(cmp.Compare(files[a.File], files[b.File]), cmp.Compare(a.Line, b.Line))
	})
}

// mergedTrace is the only run's code, or one that the runs' codes determine.
func mergedTrace(docs []*Document) string {
	var codes []string
	for _, d := range docs {
		codes = append(codes, d.Run.Trace)
	}
	slices.Sort(codes)
	if codes = slices.Compact(codes); len(codes) == 1 {
		return codes[0]
	}
	sum := sha256.Sum256([]byte(strings.Join(codes, " ")))
	code := make([]byte, 8)
	for i := range code {
		code[i] = crockford[sum[i]&31]
	}
	return string(code)
}

// crockford is the base 32 alphabet of trace codes, without I, L, O and U.
const crockford = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// between is when the first run began, and how long it took to the end of the
// last.
func between(docs []*Document) (time.Time, time.Duration) {
	start, end := docs[0].Run.StartedAt, time.Time{}
	for _, d := range docs {
		if d.Run.StartedAt.Before(start) {
			start = d.Run.StartedAt
		}
		if e := d.Run.StartedAt.Add(time.Duration(d.Run.DurationMS) * time.Millisecond); e.After(end) {
			end = e
		}
	}
	return start, end.Sub(start)
}
