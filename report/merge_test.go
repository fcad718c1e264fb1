package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

// runOf is a recorded run as it is read back: it began minutes after the others
// and has results of "name finding" or "name@vantage finding".
func runOf(t *testing.T, trace string, minutes int, results ...string) *Document {
	t.Helper()
	rep := &checks.Report{Trace: trace, StartedAt: startedAt.Add(time.Duration(minutes) * time.Minute), Duration: 30 * time.Second}
	for _, s := range results {
		name, finding, _ := strings.Cut(s, " ")
		name, vantage, has := strings.Cut(name, "@")
		r := okResult(name, "sgs")
		r.Finding, r.Measured = checks.Finding(finding), measured(checks.Finding(finding))
		r.Line = int(name[len(name)-1])
		if has {
			r.Vantage = &vantage
		}
		rep.Results = append(rep.Results, r)
	}
	return reread(t, NewDocument(rep, policyOf(""), DecideOptions{Format: "ndjson"}))
}

// reread writes a document and reads it.
func reread(t *testing.T, doc *Document) *Document {
	t.Helper()
	f, _ := FormatNamed("ndjson")
	back, err := Read(bytes.NewReader(render(t, f, doc, Options{})))
	if err != nil {
		t.Fatal(err)
	}
	return back
}

func merged(t *testing.T, docs ...*Document) (*checks.Report, []string) {
	t.Helper()
	rep, err := Merge(docs)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range rep.Results {
		name := r.Name
		if r.Vantage != nil {
			name += "@" + *r.Vantage
		}
		got = append(got, name+" "+string(r.Finding))
	}
	return rep, got
}

func TestMerge(t *testing.T) {
	cases := []struct {
		name string
		docs []*Document
		want []string
		exit int
	}{
		{"shards, in the declaration's order", []*Document{runOf(t, "A", 0, "p1 ok", "p3 ok"), runOf(t, "B", 0, "p2 ok", "p4 drift")}, []string{"p1 ok", "p2 ok", "p3 ok", "p4 drift"}, 1},
		{"the later run", []*Document{runOf(t, "A", 0, "p1 indisponivel"), runOf(t, "B", 1, "p1 ok")}, []string{"p1 ok"}, 0},
		{"the later run, named first", []*Document{runOf(t, "B", 1, "p1 ok"), runOf(t, "A", 0, "p1 indisponivel")}, []string{"p1 ok"}, 0},
		{"later and unmeasured is no pass", []*Document{runOf(t, "A", 0, "p1 ok"), runOf(t, "B", 1, "p1 indisponivel")}, []string{"p1 indisponivel"}, 0},
		{"an outage hides no drift", []*Document{runOf(t, "A", 0, "p1 drift"), runOf(t, "B", 1, "p1 indisponivel"), runOf(t, "C", 2, "p1 alheio")}, []string{"p1 drift"}, 1},
		{"nor a refusal", []*Document{runOf(t, "A", 0, "p1 respondeu"), runOf(t, "B", 1, "p1 ambiguo")}, []string{"p1 respondeu"}, 1},
		{"a measurement does", []*Document{runOf(t, "A", 0, "p1 drift"), runOf(t, "B", 1, "p1 indisponivel"), runOf(t, "C", 2, "p1 ok")}, []string{"p1 ok"}, 0},
		{"a drift that is refused", []*Document{runOf(t, "A", 0, "p1 drift"), runOf(t, "B", 1, "p1 respondeu")}, []string{"p1 respondeu"}, 1},
		{"vantages are apart", []*Document{runOf(t, "A", 0, "p1@a drift", "p1@b ok"), runOf(t, "B", 1, "p1@a ok")}, []string{"p1@a ok", "p1@b ok"}, 0},
	}
	for _, c := range cases {
		rep, got := merged(t, c.docs...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
		if d := Decide(rep, policyOf(""), DecideOptions{Format: "json"}); d.ExitCode != c.exit {
			t.Errorf("%s: exit %d, want %d", c.name, d.ExitCode, c.exit)
		}
		slices.Reverse(c.docs)
		_, turned := merged(t, c.docs...)
		if diff := cmp.Diff(c.want, turned); diff != "" {
			t.Errorf("%s, turned round: %s", c.name, diff)
		}
	}
}

func TestMergeOfTheRun(t *testing.T) {
	a, b := runOf(t, "AAAAAAAA", 0, "p1 ok"), runOf(t, "BBBBBBBB", 10, "p2 ok")
	a.Run.Degraded = []checks.Degradation{{Feature: "history", Reason: "locked", Count: 1}}
	b.Run.Degraded = []checks.Degradation{{Feature: "history", Reason: "locked", Count: 2}, {Feature: "output", Reason: "full", Count: 1}}
	a.Run.Origins = []checks.OriginState{{Name: "sgs", Breaker: ptr("open")}}
	b.Run.Origins = []checks.OriginState{{Name: "sgs", Breaker: ptr("closed")}, {Name: "ibge"}}
	rep, _ := merged(t, b, a, a)
	if diff := cmp.Diff([]checks.Degradation{{Feature: "history", Reason: "locked", Count: 3}, {Feature: "output", Reason: "full", Count: 1}}, rep.Degraded); diff != "" {
		t.Error(diff)
	}
	if len(rep.Origins) != 2 || *rep.Origins[0].Breaker != "closed" {
		t.Errorf("%+v", rep.Origins)
	}
	if !rep.StartedAt.Equal(a.Run.StartedAt) || rep.Duration != 10*time.Minute+30*time.Second {
		t.Errorf("from %v for %v", rep.StartedAt, rep.Duration)
	}
	again, _ := merged(t, a, b)
	if len(rep.Trace) != 8 || rep.Trace != again.Trace || rep.Trace == a.Run.Trace {
		t.Errorf("trace %s, then %s", rep.Trace, again.Trace)
	}
	if one, _ := merged(t, a); one.Trace != "AAAAAAAA" {
		t.Errorf("one run's trace is %s", one.Trace)
	}
	if _, err := Merge(nil); err == nil {
		t.Error("nothing was merged")
	}
}

// TestMergeKeepsWhatEndedARun holds that an interruption, a budget's end and a
// report that was cut still fail, unless a later run made up for them.
func TestMergeKeepsWhatEndedARun(t *testing.T) {
	stopped := func(detail string) *Document {
		rep := &checks.Report{Trace: "S", StartedAt: startedAt, Interrupted: detail == checks.DetailInterrupted, Results: []checks.Result{unaskedResult("late", checks.Alheio, detail)}}
		return reread(t, NewDocument(rep, policyOf(""), DecideOptions{Format: "json"}))
	}
	later := unaskedResult("late", checks.OK, "")
	later.Detail, later.Measured, later.Asked = nil, true, true
	made := reread(t, NewDocument(&checks.Report{Trace: "L", StartedAt: startedAt.Add(time.Hour), Results: []checks.Result{later}}, policyOf(""), DecideOptions{Format: "json"}))
	cut := runOf(t, "C", 0, "p1 ok")
	cut.Run.Degraded = []checks.Degradation{{Feature: FeatureReport, Reason: "cut", Count: 1}}
	for _, c := range []struct {
		name string
		docs []*Document
		want int
	}{
		{"interrupted", []*Document{stopped(checks.DetailInterrupted), runOf(t, "B", 1, "p1 ok")}, ExitInterrupt},
		{"interrupted, and run again", []*Document{stopped(checks.DetailInterrupted), made}, ExitOK},
		{"budget", []*Document{stopped(checks.DetailRunBudget), runOf(t, "B", 1, "p1 ok")}, ExitUnmeasured},
		{"budget, and run again", []*Document{stopped(checks.DetailRunBudget), made}, ExitOK},
		{"cut", []*Document{cut, made}, ExitUnmeasured},
	} {
		rep, _ := merged(t, c.docs...)
		if d := Decide(rep, policyOf(""), DecideOptions{Format: "json"}); d.ExitCode != c.want {
			t.Errorf("%s: exit %d, want %d", c.name, d.ExitCode, c.want)
		}
	}
}

func TestFormatsAreListed(t *testing.T) {
	for _, lang := range []Lang{EN, PT} {
		var b bytes.Buffer
		if err := RenderFormats(&b, Options{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		golden(t, "formats."+string(lang)+".txt", b.Bytes())
		fits(t, b.String())
	}
	data, err := MarshalFormats(EN)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "formats.json", append(data, '\n'))
}
