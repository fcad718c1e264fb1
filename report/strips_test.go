package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
)

// keptStrips are strips of a store with a run a night of two projects' probes.
func keptStrips(t *testing.T, o Options) []history.Strip {
	t.Helper()
	s, err := history.Open(t.TempDir(), history.Options{Now: func() time.Time { return startedAt }, ReadTimeout: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close() //nolint:errcheck // the strips are read
	findings := map[rune]checks.Finding{'o': checks.OK, 'D': checks.Drift, 'R': checks.Respondeu, 'i': checks.Indisponivel, 'a': checks.Ambiguo, 'x': checks.Alheio}
	for _, p := range []struct{ project, name, vantage, runs string }{
		{"one", "down", "", "ooooooooooooooooooooiiiiii"}, {"one", "gone", "", "oooooooooooooooooooooooRRR"}, {"one", "odd", "proxy", "ooaoxoaoDD"},
		{"two " + hostile, "never", "", "iii"}, {"two " + hostile, "steady", "", strings.Repeat("o", 100)},
	} {
		for i, c := range p.runs {
			at := startedAt.Add(time.Duration(i+1-len(p.runs)) * 24 * time.Hour)
			r := okResult(p.name, "sgs")
			switch f := findings[c]; f {
			case checks.Indisponivel:
				r = failed(p.name, "sgs", f, "http_5xx", "retryable")
				r.Status = ptr(504)
			case checks.Respondeu:
				r = failed(p.name, "sgs", f, "not_found", "client_error")
				r.Status = ptr(404)
			default:
				r.Finding, r.Measured = f, measured(f)
			}
			if p.vantage != "" {
				r.Vantage = ptr(p.vantage)
			}
			r.Trips[0].Attempts[0].TotalMS = int64(40 + i)
			if err := s.Save(t.Context(), history.NamedProject(p.project), &history.Run{Trace: "9Q77WKZW", StartedAt: at, Results: []checks.Result{r}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	strips, err := s.History(t.Context(), history.Query{Cells: StripCells(o)})
	if err != nil {
		t.Fatal(err)
	}
	return strips
}

func TestHistoryGoldens(t *testing.T) {
	for _, c := range []struct {
		name string
		o    Options
	}{{"history", Options{}}, {"history-pt", Options{Lang: PT}}, {"history-colour", Options{Color: true, Width: 40}}} {
		t.Run(c.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := History(&b, keptStrips(t, c.o), startedAt, c.o); err != nil {
				t.Fatal(err)
			}
			golden(t, c.name+".txt", b.Bytes())
		})
	}
	var b bytes.Buffer
	if err := HistoryJSON(&b, keptStrips(t, Options{Width: 20}), startedAt); err != nil {
		t.Fatal(err)
	}
	golden(t, "history.json", b.Bytes())
	var doc map[string]any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil || len(doc["probes"].([]any)) != 5 {
		t.Errorf("%v", err)
	}
}

func TestHistoryOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := History(&b, nil, startedAt, Options{}); err != nil || b.String() != "no run is kept for this yet; fonteviva run keeps each\n" {
		t.Errorf("%q, %v", b.String(), err)
	}
	b.Reset()
	if err := HistoryJSON(&b, nil, startedAt); err != nil || !strings.Contains(b.String(), `"probes": []`) {
		t.Errorf("%q, %v", b.String(), err)
	}
}

func TestPercentNeverRoundsToAllOrNothing(t *testing.T) {
	for _, c := range []struct {
		share float64
		want  string
	}{{0, "0.0%"}, {1, "100.0%"}, {0.99999, "99.9%"}, {0.00001, "0.1%"}, {0.5, "50.0%"}, {0.3333, "33.3%"}} {
		if got := percent(c.share, true); got != c.want {
			t.Errorf("%v: %s, want %s", c.share, got, c.want)
		}
	}
	if got := percent(0, false); got != "–" {
		t.Errorf("nothing to tell it by: %s", got)
	}
}
