package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// command reads a workflow command as the runner does.
func command(t *testing.T, line string) (level string, properties map[string]string, data string) {
	t.Helper()
	head, data, ok := strings.Cut(strings.TrimPrefix(line, "::"), "::")
	if !ok {
		t.Fatalf("no command: %s", line)
	}
	level, list, _ := strings.Cut(head, " ")
	properties = map[string]string{}
	for _, p := range strings.Split(list, ",") {
		k, v, _ := strings.Cut(p, "=")
		for _, e := range [][2]string{{"%0D", "\r"}, {"%0A", "\n"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}} {
			v = strings.ReplaceAll(v, e[0], e[1])
		}
		properties[k] = v
	}
	for _, e := range [][2]string{{"%0D", "\r"}, {"%0A", "\n"}, {"%25", "%"}} {
		data = strings.ReplaceAll(data, e[0], e[1])
	}
	return level, properties, data
}

func commands(out []byte) []string {
	var list []string
	for _, line := range strings.Split(string(out), "\n") {
		if strings.HasPrefix(line, "::") {
			list = append(list, line)
		}
	}
	return list
}

func TestGitHubAnnotationsRoundTrip(t *testing.T) {
	r := driftResult()
	r.File, r.Line = "/srv/repo/probes/a,b:c%.yaml", 12
	doc := NewDocument(&checks.Report{Results: []checks.Result{r}}, policyOf(""), DecideOptions{Format: "github"})
	f, _ := FormatNamed("github")
	list := commands(render(t, f, doc, Options{Dir: "/srv/repo"}))
	if len(list) != 1 {
		t.Fatalf("%d commands: %q", len(list), list)
	}
	level, p, data := command(t, list[0])
	if level != "error" || p["file"] != "probes/a,b:c%.yaml" || p["line"] != "12" || p["endLine"] != "12" || p["title"] != "sgs/ipca-mensal" {
		t.Errorf("%s %q", level, p)
	}
	if want := headline(&doc.Results[0], EN) + "\n" + nextStep(&r).EN; data != want {
		t.Errorf("%q, want %q", data, want)
	}
}

func TestGitHubWorstNineAndMore(t *testing.T) {
	var rep checks.Report
	for i := range 8 {
		r := indisponivelResult()
		r.Name = fmt.Sprintf("down-%d", i)
		rep.Results = append(rep.Results, r, okResult(fmt.Sprintf("ok-%d", i), "sgs"))
	}
	for i := range 5 {
		r := driftResult()
		r.Name = fmt.Sprintf("drift-%d", i)
		rep.Results = append(rep.Results, r)
	}
	f, _ := FormatNamed("github")
	list := commands(render(t, f, NewDocument(&rep, policyOf(""), DecideOptions{Format: "github"}), Options{}))
	if len(list) != 10 {
		t.Fatalf("%d annotations", len(list))
	}
	for i, line := range list[:5] {
		if _, p, _ := command(t, line); p["title"] != fmt.Sprintf("sgs/drift-%d", i) {
			t.Errorf("place %d: %s", i, p["title"])
		}
	}
	if level, _, data := command(t, list[9]); level != "warning" || data != "and 4 more" {
		t.Errorf("the last is %s %q", level, data)
	}
}

func TestGitHubSummary(t *testing.T) {
	path := filepath.Join(t.TempDir(), "summary.md")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f, _ := FormatNamed("github")
	for _, lang := range []Lang{EN, PT} {
		doc := recordedDocument("github")
		if lost := WriteAll(doc, f, io.Discard, []Output{{Format: f, Path: os.DevNull}}, Options{SummaryPath: path, Lang: lang}); len(lost) > 0 {
			t.Errorf("%+v", lost)
		}
		golden(t, "github-summary."+string(lang)+".md", []byte(stepSummary(doc, Options{Lang: lang}, summaryBudget)))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(data, []byte("before\n### fonteviva")) || bytes.Count(data, []byte("### fonteviva")) != 2 {
		t.Error("the summary was not appended")
	}
	inertBytes(t, data)
	for _, line := range strings.Split(string(data), "\n") {
		if strings.HasPrefix(line, "|") && strings.Count(line, "|") != 5 {
			t.Errorf("a table's row has %d bars: %s", strings.Count(line, "|"), line)
		}
	}
	for _, live := range []string{"<script", "@org", "#1 ", "](javascript", "`", "</details", "<!-- [["} {
		if strings.Contains(string(data), live) {
			t.Errorf("%s stands live in the summary", live)
		}
	}
}

// TestGitHubSummaryLost: a summary that cannot be written takes neither the log
// nor the annotations with it.
func TestGitHubSummaryLost(t *testing.T) {
	f, _ := FormatNamed("github")
	doc, dir := recordedDocument("github"), t.TempDir()
	var out bytes.Buffer
	file := filepath.Join(dir, "log")
	lost := WriteAll(doc, f, &out, []Output{{Format: f, Path: file}}, Options{SummaryPath: dir})
	if len(lost) != 1 || !strings.HasPrefix(lost[0].Reason, "github summary to "+dir+": ") {
		t.Errorf("%+v", lost)
	}
	if !strings.Contains(out.String(), "::error ") || !strings.Contains(out.String(), "⚠ output unavailable (github summary") {
		t.Errorf("stdout has %q", out.String())
	}
	if data, err := os.ReadFile(file); err != nil || !bytes.Contains(data, []byte("::error ")) {
		t.Errorf("the further report has %q: %v", data, err)
	}
}

func TestGitHubSummaryBudget(t *testing.T) {
	doc := NewDocument(many(9000), policyOf(""), DecideOptions{Format: "github"})
	for _, budget := range []int64{summaryBudget, 5000, 200, 100, 60, 10, 0, -5} {
		s := stepSummary(doc, Options{}, budget)
		if int64(len(s)) > max(budget, 0) {
			t.Errorf("%d bytes of %d", len(s), budget)
		}
		if budget >= 100 && !strings.HasSuffix(s, "The rest was cut: the step's summary is full.\n") {
			t.Errorf("budget %d: the cut is not told: …%q", budget, s[max(0, len(s)-80):])
		}
	}
	path := filepath.Join(t.TempDir(), "full.md")
	if err := os.WriteFile(path, make([]byte, summaryBudget-100), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := appendSummaryFile(path, doc, Options{}); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Stat(path); info.Size() > summaryBudget || info.Size() == summaryBudget-100 {
		t.Errorf("%d bytes", info.Size())
	}
}

func TestProbesBehindABreakerAreOneAnnotation(t *testing.T) {
	rep := &checks.Report{StartedAt: startedAt}
	for i := range 20 {
		r := unaskedResult(fmt.Sprint("p", i), checks.Indisponivel, string(fetch.CircuitOpen))
		r.Origin = []string{"a", "b"}[i%2]
		rep.Results = append(rep.Results, r)
	}
	doc := NewDocument(rep, policyOf("smoke"), DecideOptions{Format: "github"})
	var got []string
	for _, a := range annotations(doc, Options{}) {
		if a.file != "" {
			t.Errorf("%s has an annotation of its own", a.title)
		}
		got = append(got, a.level+" "+a.title+" "+a.text)
	}
	const why = ": 10 probes not asked: the source failed too often, its breaker is open"
	if len(got) != 3 || got[1] != "warning fonteviva a"+why || got[2] != "warning fonteviva b"+why {
		t.Errorf("%q", got)
	}
}

// A job may run in a folder of the repository, and annotations and links know a
// file by its path in the repository.
func TestPlacesAreThoseOfTheRepository(t *testing.T) {
	for _, tt := range []struct{ file, dir, root, want string }{
		{"fonteviva.yaml", "/srv/repo/api", "/srv/repo", "api/fonteviva.yaml"},
		{"../probes/a.yaml", "/srv/repo/api", "/srv/repo", "probes/a.yaml"},
		{"/srv/repo/probes/a.yaml", "/srv/repo/api", "/srv/repo", "probes/a.yaml"},
		{"fonteviva.yaml", "/srv/repo", "/srv/repo", "fonteviva.yaml"},
		{"fonteviva.yaml", "/srv/repo/api", "", "fonteviva.yaml"},
		{"fonteviva.yaml", "/srv/other", "/srv/repo", "fonteviva.yaml"},
		{"fonteviva.yaml", "", "/srv/repo", "fonteviva.yaml"},
	} {
		r := driftResult()
		r.File, r.Line = tt.file, 12
		doc := NewDocument(&checks.Report{Results: []checks.Result{r}}, policyOf(""), DecideOptions{Format: "github"})
		o := Options{Dir: tt.dir, Root: tt.root}
		github, _ := FormatNamed("github")
		if _, p, _ := command(t, commands(render(t, github, doc, o))[0]); p["file"] != tt.want {
			t.Errorf("%+v: github has %s", tt, p["file"])
		}
		gitlab, _ := FormatNamed("gitlab")
		if got := string(render(t, gitlab, doc, o)); !strings.Contains(got, ` file="`+tt.want+`"`) {
			t.Errorf("%+v: gitlab has %s", tt, got)
		}
	}
}
