package report

import (
	"bytes"
	"encoding/json"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

func reference(t *testing.T, v any) []byte {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSpace(b.Bytes())
}

func compact(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, data); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	return b.Bytes()
}

// plainReport has every shape of a result and no character that the two
// encoders escape differently.
func plainReport() *checks.Report {
	rep := many(40)
	for i := range rep.Results {
		r := &rep.Results[i]
		r.Motivo = ptr(`a "fonte" \ mudou: 日本語 🎉`)
		r.Redirect = &checks.Redirect{Location: "https://x.example/ção", CrossHost: i%2 == 0}
		if i%3 == 0 {
			r.Title, r.Vantage, r.Tags, r.RetrievedAt = ptr("title"), ptr("v"), nil, ptr(startedAt.In(time.FixedZone("", -3*3600)))
		}
		if i%4 == 0 {
			r.Past = &checks.Past{
				Before: ptr(checks.OK), Change: ptr(checks.Broke), BrokenSince: ptr(startedAt), Runs: i, Flaky: i%8 == 0, UnmeasuredMS: int64(i),
				Unmeasured: checks.Unmeasured{Runs: 10, Respondeu: 1, Indisponivel: 2, Ambiguo: 3, Alheio: 4}, MaxUnmeasuredMS: ptr(int64(60000)),
			}
		}
		if i%5 == 0 {
			r.Sentinel = &checks.SentinelTrip{Finding: checks.Indisponivel, Trip: checks.Trip{Finding: checks.Indisponivel}}
			if len(r.Trips) > 0 {
				r.Sentinel.Trip = r.Trips[0]
			}
		}
		for j := range r.Mismatches {
			r.Mismatches[j].Got, r.Mismatches[j].Path = "got [1]", ptr("$['data'][0]")
		}
		for j := range r.Trips {
			for k := range r.Trips[j].Attempts {
				r.Trips[j].Attempts[k].Detail = nil
			}
		}
	}
	rep.Origins, rep.Degraded = recorded().Origins, recorded().Degraded[:1]
	return rep
}

func TestJSONIsWhatEncodingJSONMakes(t *testing.T) {
	doc := NewDocument(plainReport(), policyOf("smoke"), DecideOptions{Format: "json"})
	f, _ := FormatNamed("json")
	got := compact(t, render(t, f, doc, Options{}))
	if want := reference(t, doc); !bytes.Equal(got, want) {
		t.Error(cmp.Diff(string(want), string(got)))
	}
}

func TestJSONKeepsHostileText(t *testing.T) {
	doc := recordedDocument("json")
	f, _ := FormatNamed("json")
	var ours, theirs Document
	if err := json.Unmarshal(render(t, f, doc, Options{}), &ours); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(reference(t, doc), &theirs); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(theirs, ours); diff != "" {
		t.Error(diff)
	}
}

func TestNDJSONLinesAreWhatEncodingJSONMakes(t *testing.T) {
	doc := NewDocument(plainReport(), policyOf("smoke"), DecideOptions{Format: "ndjson"})
	f, _ := FormatNamed("ndjson")
	lines := bytes.Split(bytes.TrimSpace(render(t, f, doc, Options{})), []byte("\n"))
	if len(lines) != len(doc.Results)+2 {
		t.Fatalf("%d lines for %d results", len(lines), len(doc.Results))
	}
	for i, r := range doc.Results {
		if want := reference(t, resultLine{"result", r}); !bytes.Equal(lines[i+1], want) {
			t.Fatal(cmp.Diff(string(want), string(lines[i+1])))
		}
	}
	run := doc.Run
	want := reference(t, summaryLine{"summary", doc.Summary, run.ExitCode, run.DurationMS, run.Degraded, run.Origins})
	if got := lines[len(lines)-1]; !bytes.Equal(got, want) {
		t.Error(cmp.Diff(string(want), string(got)))
	}
}

func TestDocumentLeavesTheRunnersResults(t *testing.T) {
	rep := recorded()
	NewDocument(rep, policyOf(""), DecideOptions{Format: "json"})
	if rep.Results[0].Disposition != nil || rep.Results[4].Retrieval.Anomalies != nil || rep.Results[1].Tags == nil {
		t.Error("the runner's results were changed")
	}
}

// BenchmarkWrite10k is the cost of the two reports that a large run writes.
func BenchmarkWrite10k(b *testing.B) {
	rep := many(10_000)
	jsonFormat, _ := FormatNamed("json")
	junitFormat, _ := FormatNamed("junit")
	pol := policyOf("")
	b.ReportAllocs()
	for b.Loop() {
		doc := NewDocument(rep, pol, DecideOptions{Format: "json"})
		for _, f := range []Format{jsonFormat, junitFormat} {
			if err := f.Write(io.Discard, doc, Options{}); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func BenchmarkFormats10k(b *testing.B) {
	doc := NewDocument(many(10_000), policyOf(""), DecideOptions{Format: "json"})
	for _, f := range Formats() {
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if err := f.Write(io.Discard, doc, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestEveryFormatIsLinear holds that ten times the results cost about ten times
// the memory, in every format: nothing is gathered that is not written.
func TestEveryFormatIsLinear(t *testing.T) {
	small := NewDocument(many(1000), policyOf(""), DecideOptions{Format: "json"})
	large := NewDocument(many(10_000), policyOf(""), DecideOptions{Format: "json"})
	for _, f := range Formats() {
		few, much := allocated(t, f, small), allocated(t, f, large)
		if much > 12*few+1<<20 {
			t.Errorf("%s: %d KiB for 1 000 results, %d KiB for 10 000", f.Name, few>>10, much>>10)
		}
	}
}

// allocated is how many bytes one writing allocates.
func allocated(t *testing.T, f Format, doc *Document) uint64 {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := f.Write(io.Discard, doc, Options{}); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
