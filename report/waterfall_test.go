package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

func drawn(t *testing.T, o Options, results ...*checks.Result) string {
	t.Helper()
	var b bytes.Buffer
	if err := Waterfall(&b, results, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestWaterfallGolden(t *testing.T) {
	doc := recordedDocument("json")
	all, err := TraceResults(doc, doc.Run.Trace)
	if err != nil || len(all) != len(doc.Results) {
		t.Fatalf("%d results, %v", len(all), err)
	}
	for _, lang := range []Lang{EN, PT} {
		out := drawn(t, Options{Lang: lang}, all...)
		golden(t, "waterfall."+string(lang)+".txt", []byte(out))
		inertBytes(t, []byte(out))
		for _, line := range strings.Split(out, "\n") {
			if columns(line) > 80 {
				t.Errorf("%d columns: %s", columns(line), line)
			}
		}
	}
}

func TestWaterfallPutsPhasesInTheirPlace(t *testing.T) {
	ms := func(n int64) *int64 { return &n }
	kind := fetch.HTTP5xx
	r := &checks.Result{Trace: "ABCD1234", Name: "a", Finding: checks.OK, DurationMS: 3500, Trips: []checks.Trip{
		{Finding: checks.Indisponivel, Attempts: []checks.Attempt{{StartMS: 0, Kind: &kind, TTFBMS: ms(1000), BodyMS: ms(0), TotalMS: 1000}}},
		{Finding: checks.OK, WaitMS: 1000, Attempts: []checks.Attempt{{StartMS: 2000, DNSMS: ms(500), TTFBMS: ms(1000), BodyMS: ms(500), TotalMS: 1500}}},
	}}
	// Ten columns a second on an axis of 35: 45 columns stand beside it.
	out := drawn(t, Options{Width: 80}, r)
	rows := []string{
		strings.Repeat("░", 10) + " 1.0 s",
		strings.Repeat(" ", 10) + strings.Repeat("·", 10) + "ddddd" + strings.Repeat("░", 5) + strings.Repeat("█", 4) + " 1.5 s",
	}
	for _, row := range rows {
		if !strings.Contains(out, row) {
			t.Errorf("no row %q in\n%s", row, out)
		}
	}
}

func TestTraceResults(t *testing.T) {
	doc := &Document{Run: Run{Trace: "RUN00001"}, Results: []checks.Result{
		{Trace: "AAAA0001", Name: "fine", Finding: checks.OK},
		{Trace: "BBBB0001", Name: "down", Finding: checks.Indisponivel},
		{Trace: "CCCC0001", Name: "late", Finding: checks.OK, Unstable: true},
	}}
	for code, want := range map[string]string{
		"": "down late", "RUN00001": "fine down late", "aaaa0001": "fine", "BBBBOOOI": "down", "bbbb-000l": "down",
	} {
		picked, err := TraceResults(doc, code)
		var names []string
		for _, r := range picked {
			names = append(names, r.Name)
		}
		if got := strings.Join(names, " "); got != want || err != nil {
			t.Errorf("%q: %q (%v), want %q", code, got, err, want)
		}
	}
	if _, err := TraceResults(doc, "ZZZZ9999"); err == nil || !strings.Contains(err.Error(), "AAAA0001 (fine)") {
		t.Errorf("an unknown code: %v", err)
	}
	doc.Results = doc.Results[:1]
	if picked, err := TraceResults(doc, ""); len(picked) != 1 || err != nil {
		t.Errorf("all ok: %d results, %v", len(picked), err)
	}
}
