package report

import (
	"io"
	"strconv"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// Numbers for Prometheus, in two dialects: OpenMetrics 1.0 for whoever scrapes
// it, and the text format 0.0.4 for the folder that node_exporter reads. Labels
// hold only what the declaration names, so that no origin can make a series.
// No sample has a timestamp: node_exporter refuses a whole file for one.

func writeOpenMetrics(w io.Writer, doc *Document, _ Options) error {
	return writeMetrics(w, doc, true)
}

func writeTextfile(w io.Writer, doc *Document, _ Options) error { return writeMetrics(w, doc, false) }

// family is one metric: its help is the same in every file, as several files of
// one folder become one exposition.
type family struct {
	name, unit, help string
	// of appends the samples of one result; nil for a metric of the run.
	of  func(m *metrics, r *checks.Result)
	run func(m *metrics)
}

// metrics appends samples of the family that is being written.
type metrics struct {
	w    io.Writer
	doc  *Document
	open bool // OpenMetrics
	b    []byte
	name string
}

var families = []family{
	{name: "fonteviva_probe_finding", help: "1 for what the probe found, 0 for each of the other findings.", of: func(m *metrics, r *checks.Result) {
		for _, f := range checks.Findings() {
			m.of(r, string(f), gauge(r.Finding == f))
		}
	}},
	{name: "fonteviva_probe_measured", help: "1 when the origin's answer could be judged, else 0.", of: func(m *metrics, r *checks.Result) {
		m.of(r, "", gauge(r.Measured))
	}},
	{name: "fonteviva_probe_last_measured_timestamp_seconds", unit: "seconds", help: "When the probe was last measured, as far as is known.", of: func(m *metrics, r *checks.Result) {
		if at := m.lastMeasured(r); at != nil {
			m.of(r, "", timestamp(*at))
		}
	}},
	{name: "fonteviva_probe_duration_seconds", unit: "seconds", help: "How long the probe took, waits included.", of: func(m *metrics, r *checks.Result) {
		m.of(r, "", seconds(r.DurationMS))
	}},
	{name: "fonteviva_probe_attempts", help: "Attempts of the probe in this run, 0 when the origin was not asked.", of: func(m *metrics, r *checks.Result) {
		n := 0
		if r.Retrieval != nil {
			n = r.Retrieval.Attempts
		}
		m.of(r, "", strconv.Itoa(n))
	}},
	{name: "fonteviva_probe_anomalies", help: "Failed attempts of the probe in this run, the overcome ones too.", of: func(m *metrics, r *checks.Result) {
		n := 0
		if r.Retrieval != nil {
			n = len(r.Retrieval.Anomalies)
		}
		m.of(r, "", strconv.Itoa(n))
	}},
	{name: "fonteviva_probe_known_failure", help: "1 when the probe's failure is known and fails nothing, else 0.", of: func(m *metrics, r *checks.Result) {
		m.of(r, "", gauge(excused(r)))
	}},
	{name: "fonteviva_last_run_timestamp_seconds", unit: "seconds", help: "When the run began.", run: func(m *metrics) {
		m.sample("", timestamp(m.doc.Run.StartedAt))
	}},
	{name: "fonteviva_last_run_duration_seconds", unit: "seconds", help: "How long the run took.", run: func(m *metrics) {
		m.sample("", seconds(m.doc.Run.DurationMS))
	}},
	{name: "fonteviva_last_run_probes", help: "Probes that were selected.", run: func(m *metrics) {
		m.sample("", strconv.Itoa(m.doc.Summary.Total))
	}},
	{name: "fonteviva_last_run_measured_probes", help: "Probes that were measured.", run: func(m *metrics) {
		m.sample("", strconv.Itoa(m.doc.Summary.Measured))
	}},
	{name: "fonteviva_last_run_degradations", help: "How often something could not be done.", run: func(m *metrics) {
		_, counts := m.degraded()
		sum := 0
		for _, n := range counts {
			sum += n
		}
		m.sample("", strconv.Itoa(sum))
	}},
	{name: "fonteviva_last_run_degraded", help: "How often a feature could not do its work.", run: func(m *metrics) {
		order, counts := m.degraded()
		for _, feature := range order {
			m.sample(`feature="`+feature+`"`, strconv.Itoa(counts[feature]))
		}
	}},
}

func writeMetrics(w io.Writer, doc *Document, open bool) error {
	m := &metrics{w: w, doc: doc, open: open, b: make([]byte, 0, flushAt+4<<10)}
	latest := latestOf(doc.Results)
	for _, f := range families {
		m.head(f)
		if f.run != nil {
			f.run(m)
			continue
		}
		for i := range doc.Results {
			if latest[seriesOf(&doc.Results[i])] != i {
				continue // a series may stand once only
			}
			f.of(m, &doc.Results[i])
			var err error
			if m.b, err = flush(w, m.b, flushAt); err != nil {
				return err
			}
		}
	}
	if open {
		m.b = append(m.b, "# EOF\n"...)
	}
	_, err := flush(w, m.b, 0)
	return err
}

// series is what names a result's samples.
type series struct{ origin, probe, vantage string }

func seriesOf(r *checks.Result) series {
	return series{label(r.Origin), label(r.Name), label(opt(r.Vantage))}
}

// latestOf gives the place of the last result of each series.
func latestOf(results []checks.Result) map[series]int {
	latest := make(map[series]int, len(results))
	for i := range results {
		latest[seriesOf(&results[i])] = i
	}
	return latest
}

func (m *metrics) head(f family) {
	m.name = f.name
	m.b = append(append(append(m.b, "# HELP "...), f.name...), ' ')
	m.b = append(append(m.b, f.help...), '\n')
	m.b = append(append(append(m.b, "# TYPE "...), f.name...), " gauge\n"...)
	if m.open && f.unit != "" {
		m.b = append(append(append(m.b, "# UNIT "...), f.name...), ' ')
		m.b = append(append(m.b, f.unit...), '\n')
	}
}

// of appends a sample of a result, with its finding where one is given.
func (m *metrics) of(r *checks.Result, finding, value string) {
	m.b = append(append(m.b, m.name...), `{origin="`...)
	m.b = append(append(m.b, label(r.Origin)...), `",probe="`...)
	m.b = append(append(m.b, label(r.Name)...), '"')
	if r.Vantage != nil && *r.Vantage != "" {
		m.b = append(append(append(m.b, `,vantage="`...), label(*r.Vantage)...), '"')
	}
	if finding != "" {
		m.b = append(append(append(m.b, `,finding="`...), finding...), '"')
	}
	m.b = append(append(append(m.b, "} "...), value...), '\n')
}

// sample appends a sample of the run; labels is what stands in the braces.
func (m *metrics) sample(labels, value string) {
	m.b = append(m.b, m.name...)
	if labels != "" {
		m.b = append(append(append(m.b, '{'), labels...), '}')
	}
	m.b = append(append(append(m.b, ' '), value...), '\n')
}

// degraded counts by feature, in the order of their first.
func (m *metrics) degraded() (order []string, counts map[string]int) {
	counts = map[string]int{}
	for _, d := range m.doc.Run.Degraded {
		feature := metricWord(d.Feature)
		if counts[feature] == 0 {
			order = append(order, feature)
		}
		counts[feature] += max(d.Count, 1)
	}
	return order, counts
}

// lastMeasured is when a result was last measured: by this run, or as the
// history knows.
func (m *metrics) lastMeasured(r *checks.Result) *time.Time {
	switch {
	case !r.Measured:
		return r.LastMeasuredAt
	case r.RetrievedAt != nil:
		return r.RetrievedAt
	}
	return &m.doc.Run.StartedAt
}

func gauge(is bool) string {
	if is {
		return "1"
	}
	return "0"
}

func seconds(ms int64) string { return strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64) }

func timestamp(t time.Time) string {
	return strconv.FormatFloat(float64(t.UnixMilli())/1000, 'f', -1, 64)
}
