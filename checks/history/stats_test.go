package history

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// stripOf is the strip of runs that were some hours before now, one per letter
// and the newest last.
func stripOf(runs string, every time.Duration, now time.Time) Strip {
	p := &selected{}
	for i, c := range runs {
		f := words[c]
		cell := Cell{At: now.Add(-time.Duration(len(runs)-1-i) * every), Finding: f, Asked: c != '-', Unjudged: c == '-', Measured: f == checks.OK || f == checks.Drift}
		if cell.Measured {
			cell.LatencyMS = int64(10 * (i + 1))
		}
		if f == checks.Indisponivel {
			cell.Kind, cell.Status = fetch.HTTP5xx, 504
		}
		p.cells = appendCell(p.cells, cell)
	}
	return p.strip(100, now)
}

func TestWindows(t *testing.T) {
	s := stripOf("DoooiiRa-x", 3*24*time.Hour, start)
	for i, want := range []struct {
		runs, measured, unjudged int
		available, broken        float64 // -1: nothing to tell it by
		p50, p95                 int64
	}{
		{1, 0, 0, -1, -1, 0, 0},
		{3, 0, 1, 0, -1, 0, 0},
		{10, 4, 1, 5.0 / 8, 2.0 / 5, 20, 40},
		{10, 4, 1, 5.0 / 8, 2.0 / 5, 20, 40},
	} {
		w := s.Windows[i]
		if w.Runs != want.runs || w.Measured != want.measured || w.Unjudged != want.unjudged || w.P50 != want.p50 || w.P95 != want.p95 {
			t.Errorf("%s: %+v, want %+v", WindowNames()[i], w, want)
		}
		for _, r := range []struct {
			name string
			f    func() (float64, bool)
			want float64
		}{{"availability", w.Availability, want.available}, {"broken", w.Broken, want.broken}} {
			got, ok := r.f()
			if ok != (r.want >= 0) || ok && math.Abs(got-r.want) > 1e-9 {
				t.Errorf("%s: %s %v %v, want %v", WindowNames()[i], r.name, got, ok, r.want)
			}
		}
	}
}

// TestWhatWasNotAskedIsNoAnswer holds that a finding which came from elsewhere
// is in no rate; one that was judged on another probe's trip is.
func TestWhatWasNotAskedIsNoAnswer(t *testing.T) {
	for _, c := range []struct {
		finding  checks.Finding
		detail   string
		asked    bool
		unjudged bool
	}{
		{checks.Respondeu, checks.DetailDependency, false, true},
		{checks.Indisponivel, checks.DetailDependency, false, true},
		{checks.Alheio, checks.DetailDependency, false, true},
		{checks.Alheio, checks.DetailRunBudget, false, true},
		{checks.Alheio, checks.DetailInterrupted, false, true},
		{checks.Indisponivel, string(fetch.CircuitOpen), false, true},
		{checks.Indisponivel, string(fetch.CircuitOpen), true, false},
		{checks.Respondeu, checks.DetailSentinel, true, false},
		{checks.Indisponivel, string(fetch.TCPRefused), false, false},
		{checks.OK, "", false, false},
	} {
		r := checks.Result{Finding: c.finding, Asked: c.asked}
		if c.detail != "" {
			r.Detail = &c.detail
		}
		p := &selected{}
		p.cells = appendCell(nil, cellOf(&r, Observe(&r, start)))
		w := p.strip(1, start).Windows[0]
		_, rated := w.Availability()
		if got := w.Unjudged == 1; got != c.unjudged || w.Runs != 1 || rated == c.unjudged {
			t.Errorf("%+v: %+v, rated %v", c, w, rated)
		}
	}
}

func TestPercentile(t *testing.T) {
	hundred := make([]int64, 100)
	for i := range hundred {
		hundred[i] = int64(i + 1)
	}
	for _, c := range []struct {
		list []int64
		p    int
		want int64
	}{
		{[]int64{7}, 50, 7}, {[]int64{7}, 95, 7}, {[]int64{1, 2}, 50, 1}, {[]int64{1, 2, 3}, 50, 2}, {[]int64{1, 2, 3}, 95, 3},
		{hundred, 50, 50}, {hundred, 95, 95}, {hundred[:20], 95, 19},
	} {
		if got := percentile(c.list, c.p); got != c.want {
			t.Errorf("p%d of %d values: %d, want %d", c.p, len(c.list), got, c.want)
		}
	}
}

func TestStreak(t *testing.T) {
	night := 24 * time.Hour
	for _, c := range []struct {
		runs string
		want Streak
	}{
		{"oooiiiiii", Streak{checks.Indisponivel, fetch.HTTP5xx, 504, 6, start.Add(-5 * night), start}},
		{"ooiii-ii-", Streak{checks.Indisponivel, fetch.HTTP5xx, 504, 5, start.Add(-6 * night), start.Add(-night)}},
		{"iDo", Streak{checks.OK, "", 0, 1, start, start}},
		{"--", Streak{}},
	} {
		if got := stripOf(c.runs, night, start).Streak; got != c.want {
			t.Errorf("%s: %+v, want %+v", c.runs, got, c.want)
		}
	}
	// A status of another kind is another streak.
	p := &selected{}
	for i, status := range []int{503, 504, 504} {
		p.cells = appendCell(p.cells, Cell{At: start.Add(time.Duration(i) * night), Finding: checks.Indisponivel, Kind: fetch.HTTP5xx, Status: status})
	}
	if got := p.strip(1, start); got.Streak.Runs != 2 || len(got.Cells) != 1 {
		t.Errorf("%+v", got)
	}
}

func TestCellsAreInTheOrderOfTheirTimes(t *testing.T) {
	p := &selected{}
	for _, hour := range []int{3, 1, 2, 0} {
		p.cells = appendCell(p.cells, Cell{At: start.Add(time.Duration(hour) * time.Hour), Finding: checks.OK, Status: 200 + hour})
	}
	for i, c := range p.strip(10, start.Add(3*time.Hour)).Cells {
		if c.Status != 200+i {
			t.Errorf("cell %d is that of hour %d", i, c.Status-200)
		}
	}
}

func TestHistoryRefusesABadPattern(t *testing.T) {
	s := opened(t, t.TempDir(), Options{})
	if _, err := s.History(t.Context(), Query{Match: []string{"[a"}}); err == nil || !strings.Contains(err.Error(), "pattern") {
		t.Errorf("error %v", err)
	}
}
