package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/fetch"
)

// historyJSON is the JSON of the history: keys always present, times UTC.
type historyJSON struct {
	Version int         `json:"version"`
	At      time.Time   `json:"at"`
	Probes  []stripJSON `json:"probes"`
}

type stripJSON struct {
	Project         string                `json:"project"`
	Name            string                `json:"name"`
	Vantage         *string               `json:"vantage"`
	Finding         *checks.Finding       `json:"finding"`
	Since           *time.Time            `json:"since"`
	LastMeasuredAt  *time.Time            `json:"last_measured_at"`
	UnmeasuredSince *time.Time            `json:"unmeasured_since"`
	Unmeasured      checks.Unmeasured     `json:"unmeasured"`
	Flaky           bool                  `json:"flaky"`
	Streak          streakJSON            `json:"streak"`
	Windows         map[string]windowJSON `json:"windows"`
	Cells           []cellJSON            `json:"cells"`
}

type streakJSON struct {
	Finding *checks.Finding `json:"finding"`
	Kind    *fetch.Kind     `json:"kind"`
	Status  *int            `json:"status"`
	Runs    int             `json:"runs"`
	Since   *time.Time      `json:"since"`
}

type cellJSON struct {
	At        time.Time      `json:"at"` // the run's start
	Finding   checks.Finding `json:"finding"`
	Asked     bool           `json:"asked"`
	Measured  bool           `json:"measured"`
	Unstable  bool           `json:"unstable"`
	Kind      *fetch.Kind    `json:"kind"`
	Status    *int           `json:"status"`
	LatencyMS *int64         `json:"latency_ms"`
}

type windowJSON struct {
	Runs         int      `json:"runs"`
	Measured     int      `json:"measured"`
	Unjudged     int      `json:"unjudged"`
	OK           int      `json:"ok"`
	Drift        int      `json:"drift"`
	Respondeu    int      `json:"respondeu"`
	Indisponivel int      `json:"indisponivel"`
	Ambiguo      int      `json:"ambiguo"`
	Alheio       int      `json:"alheio"`
	Availability *float64 `json:"availability"`
	BrokenRate   *float64 `json:"broken_rate"`
	P50MS        *int64   `json:"p50_ms"`
	P95MS        *int64   `json:"p95_ms"`
}

// HistoryJSON writes the same as History as one JSON document.
func HistoryJSON(w io.Writer, strips []history.Strip, now time.Time) error {
	doc := historyJSON{Version: Version, At: now.UTC().Truncate(time.Millisecond), Probes: make([]stripJSON, len(strips))}
	for i := range strips {
		doc.Probes[i] = stripDocument(&strips[i])
	}
	data, err := json.MarshalIndent(doc, "", "  ")
	if err != nil {
		return err
	}
	_, err = w.Write(append(inertJSON(data), '\n'))
	return err
}

func stripDocument(s *history.Strip) stripJSON {
	out := stripJSON{
		Project: s.Project.Label, Name: s.Probe.Name, Vantage: unless(s.Probe.Vantage), Finding: unless(s.State.Finding), Since: unless(s.State.Since),
		LastMeasuredAt: unless(s.State.LastMeasuredAt), UnmeasuredSince: unless(s.State.UnmeasuredSince), Unmeasured: s.State.Unmeasured,
		Flaky: s.State.Flaky(), Windows: make(map[string]windowJSON, len(s.Windows)), Cells: make([]cellJSON, len(s.Cells)),
		Streak: streakJSON{Finding: unless(s.Streak.Finding), Kind: unless(s.Streak.Kind), Status: unless(s.Streak.Status), Runs: s.Streak.Runs, Since: unless(s.Streak.Since)},
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		out.Cells[i] = cellJSON{c.At, c.Finding, c.Asked, c.Measured, c.Unstable, unless(c.Kind), unless(c.Status), nil}
		if c.Asked {
			out.Cells[i].LatencyMS = &c.LatencyMS
		}
	}
	for i, name := range history.WindowNames() {
		out.Windows[name] = windowDocument(&s.Windows[i])
	}
	return out
}

func windowDocument(w *history.Window) windowJSON {
	out := windowJSON{
		Runs: w.Runs, Measured: w.Measured, Unjudged: w.Unjudged,
		OK: w.By[0], Drift: w.By[1], Respondeu: w.By[2], Indisponivel: w.By[3], Ambiguo: w.By[4], Alheio: w.By[5],
	}
	if share, ok := w.Availability(); ok {
		out.Availability = &share
	}
	if share, ok := w.Broken(); ok {
		out.BrokenRate = &share
	}
	if w.Latencies > 0 {
		out.P50MS, out.P95MS = &w.P50, &w.P95
	}
	return out
}

// unless is nil for a zero value, else a pointer to it.
func unless[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}
