package history

import (
	"bytes"
	"slices"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// spans are the windows of a strip beside "all".
var spans = [3]time.Duration{24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour}

// WindowNames name the windows of a strip, in order.
func WindowNames() []string { return []string{"24h", "7d", "30d", "all"} }

// Window is the figures of a probe over a span of time. Runs that found nothing
// out about it (Unjudged) are counted and are in no rate.
type Window struct {
	Runs     int
	Measured int
	Unjudged int
	By       [6]int // by finding, in the order of checks.Findings
	// P50 and P95 are percentiles (nearest rank) of the latency of measured
	// runs in milliseconds; Latencies is of how many.
	P50, P95  int64
	Latencies int
}

func (w *Window) by(f checks.Finding) int {
	return w.By[max(0, slices.Index(findings, f))]
}

// Availability is the share of runs in which the source answered in a way that
// means something (ok, drift, respondeu), among all but alheio, which is our
// own side. False where there is no such run.
func (w *Window) Availability() (share float64, ok bool) {
	answered := w.by(checks.OK) + w.by(checks.Drift) + w.by(checks.Respondeu)
	return ratio(answered, answered+w.by(checks.Indisponivel)+w.by(checks.Ambiguo))
}

// Broken is the share of runs with a broken contract (drift, respondeu) among
// those that say whether it is. False where there is no such run.
func (w *Window) Broken() (share float64, ok bool) {
	bad := w.by(checks.Drift) + w.by(checks.Respondeu)
	return ratio(bad, bad+w.by(checks.OK))
}

func ratio(n, of int) (float64, bool) {
	if of == 0 {
		return 0, false
	}
	return float64(n) / float64(of), true
}

// Streak is runs in a row that say the same: finding, kind and status.
type Streak struct {
	Finding checks.Finding
	Kind    fetch.Kind // "" for none
	Status  int        // 0 for none
	Runs    int
	Since   time.Time // the first of them
	Until   time.Time // the last of them
}

// strip works out the figures of the gathered cells.
func (p *selected) strip(cells int, now time.Time) Strip {
	settleCells(p.cells, now.UnixMilli())
	sortCells(p.cells)
	s := p.Strip
	if s.State.At.After(now) {
		s.State = s.State.rewind(now)
	}
	s.Windows = windows(p.cells, now.UnixMilli())
	s.Streak = streak(p.cells)
	n := len(p.cells) / cellSize
	for i := max(0, n-cells); i < n; i++ {
		s.Cells = append(s.Cells, readCell(p.cells[i*cellSize:]))
	}
	return s
}

// settleCells gives stored cells of a time to come the time of the run that was
// kept before them, the first ones that of the run behind them: a clock that ran
// ahead must not make the newest run of an old one.
func settleCells(b []byte, now int64) {
	last := now
	for i := 0; i < len(b); i += cellSize {
		if at := cellAt(b[i:]); at <= now {
			last = at
			break
		}
	}
	for i := 0; i < len(b); i += cellSize {
		if at := cellAt(b[i:]); at <= now {
			last = at
			continue
		}
		setCellAt(b[i:], last)
	}
}

// sortCells puts stored cells into the order of their times, which nearly
// always is theirs already. A cell begins with its time, the high byte first.
func sortCells(b []byte) {
	n := len(b) / cellSize
	sorted := true
	for i := 1; i < n && sorted; i++ {
		sorted = cellAt(b[(i-1)*cellSize:]) <= cellAt(b[i*cellSize:])
	}
	if sorted {
		return
	}
	cells := make([][cellSize]byte, n)
	for i := range cells {
		copy(cells[i][:], b[i*cellSize:])
	}
	slices.SortStableFunc(cells, func(x, y [cellSize]byte) int { return bytes.Compare(x[:6], y[:6]) })
	for i := range cells {
		copy(b[i*cellSize:], cells[i][:])
	}
}

// windows counts sorted cells in one pass from the newest to the oldest: each
// window holds the next smaller one.
func windows(cells []byte, now int64) (out [len(spans) + 1]Window) {
	var w Window
	var latencies []int64
	at := 0 // the window that is being filled
	for i := len(cells) - cellSize; i >= 0; i -= cellSize {
		for at < len(spans) && now-cellAt(cells[i:]) > spans[at].Milliseconds() {
			out[at] = w.close(latencies)
			at++
		}
		c := readCell(cells[i:])
		w.Runs++
		if c.Unjudged {
			w.Unjudged++
			continue
		}
		w.By[max(0, slices.Index(findings, c.Finding))]++
		if c.Measured {
			w.Measured++
		}
		if c.Measured && c.Asked {
			latencies = append(latencies, c.LatencyMS)
		}
	}
	for ; at < len(out); at++ {
		out[at] = w.close(latencies)
	}
	return out
}

// close gives the window as it stands, with its percentiles.
func (w Window) close(latencies []int64) Window {
	if w.Latencies = len(latencies); w.Latencies > 0 {
		sorted := slices.Clone(latencies)
		slices.Sort(sorted)
		w.P50, w.P95 = percentile(sorted, 50), percentile(sorted, 95)
	}
	return w
}

// percentile is the nearest rank of a sorted list that is not empty.
func percentile(sorted []int64, p int) int64 { return sorted[(len(sorted)*p+99)/100-1] }

// streak is the end of sorted cells; runs that found nothing out neither
// belong to it nor end it.
func streak(cells []byte) Streak {
	var s Streak
	for i := len(cells) - cellSize; i >= 0; i -= cellSize {
		c := readCell(cells[i:])
		switch {
		case c.Unjudged:
			continue
		case s.Runs == 0:
			s = Streak{Finding: c.Finding, Kind: c.Kind, Status: c.Status, Until: c.At}
		case c.Finding != s.Finding || c.Kind != s.Kind || c.Status != s.Status:
			return s
		}
		s.Runs++
		s.Since = c.At
	}
	return s
}
