package history

import (
	"fmt"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

var start = time.Date(2026, 3, 1, 3, 0, 0, 0, time.UTC)

// result is a result as a run gives it, with its trip.
func result(name string, f checks.Finding) checks.Result {
	r := checks.Result{
		Name: name, Origin: "sgs", Trace: fmt.Sprintf("%08d", len(name)), Tags: []string{"daily"}, File: "fonteviva.yaml", Line: 24,
		Asked: true, Finding: f, Measured: f == checks.OK || f == checks.Drift, URL: "https://api.example.org/dados/serie/" + name,
		Mismatches: []expect.Mismatch{}, Retrieval: &fetch.Retrieval{Requests: 1, Attempts: 1, Anomalies: []fetch.Kind{}}, DurationMS: 42,
	}
	status, word := 200, "pass"
	if f == checks.Indisponivel {
		status = 504
		kind, verdict := fetch.HTTP5xx, string(f)
		r.Kind, r.Verdict = &kind, &verdict
	}
	r.Status, r.Disposition = &status, &word
	ms := int64(9)
	r.Trips = []checks.Trip{{Finding: f, Attempts: []checks.Attempt{{
		Requests: 1, Kind: r.Kind, Status: &status, DNSMS: &ms, ConnectMS: &ms, TLSMS: &ms, TTFBMS: &ms, BodyMS: &ms, TotalMS: 40, Bytes: 812,
	}}}}
	return r
}

// runOf is a run of n probes.
func runOf(at time.Time, n int, finding func(i int) checks.Finding) *Run {
	run := &Run{Trace: traceAt(at, 0), StartedAt: at, DurationMS: 812, Profile: "cron", PolicyFormat: "pretty"}
	for i := range n {
		run.Results = append(run.Results, result(fmt.Sprintf("probe-%05d", i), finding(i)))
		run.Results[i].Trace = traceAt(at, i+1)
	}
	return run
}

// traceAt is a trace code of its own for each time and number.
func traceAt(at time.Time, i int) string {
	bits := uint64(at.UnixMilli())*2654435761 + uint64(i)*40503
	var code [8]byte
	for j := range code {
		code[j] = crockford[bits>>(35-5*j)&31]
	}
	return string(code[:])
}

func allOK(int) checks.Finding { return checks.OK }

func BenchmarkSave1(b *testing.B)     { benchmarkSave(b, 1) }
func BenchmarkSave10000(b *testing.B) { benchmarkSave(b, 10_000) }

// benchmarkSave keeps runs as the program does: each opens the history and reads
// it first. What taking the log over costs is shared by all.
func benchmarkSave(b *testing.B, probes int) {
	dir := b.TempDir()
	i := 0
	for b.Loop() {
		b.StopTimer()
		run := runOf(start.Add(time.Duration(i)*time.Minute), probes, allOK)
		keys := make([]Probe, probes)
		for i := range run.Results {
			keys[i] = ProbeOf(&run.Results[i])
		}
		i++
		b.StartTimer()
		s, err := Open(dir, Options{Now: func() time.Time { return start.AddDate(0, 1, 0) }})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Before(b.Context(), NamedProject("p"), keys); err != nil {
			b.Fatal(err)
		}
		if err := s.Save(b.Context(), NamedProject("p"), run); err != nil {
			b.Fatal(err)
		}
		if err := s.Leave(); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkBefore10000(b *testing.B) {
	s, err := Open(b.TempDir(), Options{Now: func() time.Time { return start.AddDate(0, 1, 0) }})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	run := runOf(start, 10_000, allOK)
	if err := s.Save(b.Context(), NamedProject("p"), run); err != nil {
		b.Fatal(err)
	}
	var keys []Probe
	for i := range run.Results {
		keys = append(keys, Probe{Name: run.Results[i].Name})
	}
	for b.Loop() {
		s.cache = cached{} // as in a process that has just begun
		states, err := s.Before(b.Context(), NamedProject("p"), keys)
		if err != nil || states[len(keys)-1].Runs != 1 {
			b.Fatal(err)
		}
	}
}

// BenchmarkHistoryMillion asks for the history of a million stored results: a
// thousand probes that ran a thousand times, and ten that ran often.
func BenchmarkHistoryMillion(b *testing.B) {
	for _, shape := range []struct{ probes, runs int }{{1000, 1000}, {10, 100_000}, {10_000, 100}} {
		b.Run(fmt.Sprintf("%dx%d", shape.probes, shape.runs), func(b *testing.B) {
			now := start.Add(time.Duration(shape.runs) * time.Minute)
			s := filled(b, shape.probes, shape.runs, now)
			defer s.Close()
			for b.Loop() {
				strips, err := s.History(b.Context(), Query{Cells: 60})
				if err != nil || len(strips) != shape.probes || strips[0].Windows[len(spans)].Runs != shape.runs {
					b.Fatal(err, len(strips))
				}
			}
		})
	}
}

// filled is a store in which every probe ran once a minute. The rows are made
// as Save makes them, without the results, which no strip is read from.
func filled(b testing.TB, probes, runs int, now time.Time) *Store {
	b.Helper()
	s, err := Open(b.TempDir(), Options{Now: func() time.Time { return now }})
	if err != nil {
		b.Fatal(err)
	}
	db, err := s.database(b.Context(), true)
	if err != nil {
		b.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		b.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // after a commit it does nothing
	var up upserts
	if err := up.prepare(tx); err != nil {
		b.Fatal(err)
	}
	defer up.close()
	if _, err := tx.Exec("INSERT INTO projects (key, label) VALUES ('k', 'k')"); err != nil {
		b.Fatal(err)
	}
	for i := range probes {
		row := stored{}
		for n := range runs {
			at := start.Add(time.Duration(n) * time.Minute)
			f := checks.Findings()[(n/7+i)%6]
			c := Cell{At: at, Finding: f, Asked: true, Measured: f == checks.OK, Status: 200, LatencyMS: int64(20 + n%300)}
			row.state = row.state.Next(Observation{At: at, Finding: f, Measured: c.Measured}, now)
			row.cells = appendCell(row.cells, c)
			if len(row.cells) == stripCells*cellSize {
				if _, err := up.strip.Exec(i+1, newest(row.cells), row.cells); err != nil {
					b.Fatal(err)
				}
				row.cells = row.cells[:0]
			}
		}
		if _, err := up.insert.Exec(1, fmt.Sprintf("probe-%05d", i), "", millis(row.state.At), appendState(nil, row.state), row.cells); err != nil {
			b.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		b.Fatal(err)
	}
	return s
}
