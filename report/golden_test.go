package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares with a file under testdata/golden, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (make it with -update)", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; look at it with -update and git diff. Got:\n%s", path, got)
	}
}

func render(t *testing.T, f Format, doc *Document, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b, doc, o); err != nil {
		t.Fatalf("%s: %v", f.Name, err)
	}
	return b.Bytes()
}

// inertBytes fails where a byte of the output could act on a terminal or a
// CI log.
func inertBytes(t *testing.T, out []byte) {
	t.Helper()
	for i, r := range string(out) {
		if r != '\n' && acts(r) {
			t.Errorf("raw %U at byte %d", r, i)
			return
		}
	}
	if !bytes.Equal(bytes.ToValidUTF8(out, nil), out) {
		t.Error("the output is not UTF-8")
	}
	if at := regexp.MustCompile(`##[A-Za-z]*\[`).Find(out); at != nil {
		t.Errorf("%s stands whole", at)
	}
}

func TestEveryFormatGolden(t *testing.T) {
	for _, f := range Formats() {
		for _, lang := range []Lang{EN, PT} {
			t.Run(f.Name+"/"+string(lang), func(t *testing.T) {
				out := render(t, f, recordedDocument(f.Name), Options{Lang: lang})
				golden(t, f.Name+"."+string(lang)+".txt", out)
				inertBytes(t, out)
				commandLines(t, f.Name, out)
			})
		}
	}
}

// commandLines fails on lines that a CI would take for a command; only the
// github format writes any, and only annotations.
func commandLines(t *testing.T, format string, out []byte) {
	t.Helper()
	for _, line := range strings.Split(string(out), "\n") {
		line = strings.TrimLeft(line, " \t")
		if !strings.HasPrefix(line, "::") {
			continue
		}
		ours := strings.HasPrefix(line, "::error file=") || strings.HasPrefix(line, "::warning file=") ||
			strings.HasPrefix(line, "::notice file=") || strings.Contains(line, "title=fonteviva::")
		if format != "github" || !ours {
			t.Errorf("a line acts as a command: %s", line)
		}
	}
}

func TestPrettyVariants(t *testing.T) {
	pretty, _ := FormatNamed("pretty")
	cron := NewDocument(remembered(recorded()), policyOf("cron"), DecideOptions{Format: "pretty"})
	healthy := &checks.Report{Trace: "T", StartedAt: startedAt, Results: []checks.Result{okResult("a", "sgs")}}
	down := &checks.Report{Trace: "T", StartedAt: startedAt, Results: []checks.Result{indisponivelResult(), sharedResult()}}
	long := many(1200)
	for i := range 400 {
		late := unaskedResult(long.Results[i].Name, checks.Alheio, checks.DetailRunBudget)
		late.Origin = long.Results[i].Origin
		long.Results[i] = late
	}
	for i := range long.Results[400:] {
		r := okResult(long.Results[400+i].Name, "origin-00")
		if i < 2 {
			r = flakyResult()
		}
		long.Results[400+i] = r
		long.Results[400+i].Origin = "origin-00"
	}
	stopped := &checks.Report{Trace: "T", StartedAt: startedAt, Interrupted: true, Results: []checks.Result{
		okResult("a", "sgs"), unaskedResult("b", checks.Alheio, checks.DetailInterrupted), unaskedResult("c", checks.Alheio, string(fetch.Cancelled)),
		unaskedResult("shares-b", checks.Alheio, checks.DetailInterrupted),
	}}
	stopped.Results[3].SharedWith = ptr("b")
	cases := []struct {
		name string
		doc  *Document
		o    Options
	}{
		{"verbose", recordedDocument("pretty"), Options{Verbose: true, Width: 120}},
		{"colour", recordedDocument("pretty"), Options{Color: true}},
		{"narrow", recordedDocument("pretty"), Options{Width: 40}},
		{"cron", cron, Options{}},
		{"cron-healthy", NewDocument(healthy, policyOf("cron"), DecideOptions{Format: "pretty"}), Options{}},
		{"cron-forgotten", NewDocument(recorded(), policyOf("cron"), DecideOptions{Format: "pretty"}), Options{}},
		{"cron-changes", NewDocument(pastRun(), policyOf("cron"), DecideOptions{Format: "pretty"}), Options{}},
		{"past", NewDocument(pastRun(), policyOf(""), DecideOptions{Format: "pretty"}), Options{}},
		{"past-pt", NewDocument(pastRun(), policyOf(""), DecideOptions{Format: "pretty"}), Options{Lang: PT}},
		{"all-down", NewDocument(remembered(down), policyOf("cron"), DecideOptions{Format: "pretty"}), Options{}},
		{"empty", NewDocument(&checks.Report{Trace: "T", StartedAt: startedAt}, policyOf(""), DecideOptions{Format: "pretty"}), Options{}},
		{"interrupted", NewDocument(stopped, policyOf(""), DecideOptions{Format: "pretty", Signal: 2}), Options{}},
		{"long", NewDocument(long, policyOf("smoke"), DecideOptions{Format: "pretty"}), Options{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out := render(t, pretty, c.doc, c.o)
			golden(t, "pretty-"+c.name+".txt", out)
			if !c.o.Color {
				inertBytes(t, out)
			}
			width := c.o.Width
			if width == 0 {
				width = 80
			}
			for _, line := range strings.Split(string(out), "\n") {
				if strings.HasPrefix(strings.TrimSpace(line), "https://api.example/") {
					continue // an address is never cut
				}
				if !c.o.Color && columns(line) > width+1 { // one more where a line is guarded
					t.Errorf("%d columns: %s", columns(line), line)
				}
			}
		})
	}
	if out := render(t, pretty, cases[4].doc, Options{}); len(out) != 0 {
		t.Errorf("cron says something about a healthy run: %s", out)
	}
}

func TestPolicyGolden(t *testing.T) {
	p, err := ResolvePolicy(PolicyRequest{Profile: "smoke", On: []string{"ambiguo=fail", "junit:drift=warn"}, MinMeasured: "80%"})
	if err != nil {
		t.Fatal(err)
	}
	for _, lang := range []Lang{EN, PT} {
		var b bytes.Buffer
		if err := RenderPolicy(&b, p, Options{Lang: lang}); err != nil {
			t.Fatal(err)
		}
		golden(t, "policy."+string(lang)+".txt", b.Bytes())
		fits(t, b.String())
	}
}

// fits holds a text to a terminal's 80 columns.
func fits(t *testing.T, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if line = strings.TrimSuffix(line, "\n"); columns(line) > 80 || strings.HasSuffix(line, " ") {
			t.Errorf("%d columns: %q", columns(line), line)
		}
	}
}

// TestTheCommandIsOneLine holds what is for pasting together on any terminal.
func TestTheCommandIsOneLine(t *testing.T) {
	r := indisponivelResult()
	command := "curl -sS -o /dev/null --max-time 30 -H 'User-Agent: my-app/1.0 (+https://example.org/contact)' 'https://api.example/down?of=one&and=more'"
	r.Reproduce = &command
	doc := NewDocument(&checks.Report{Trace: "T", StartedAt: startedAt, Results: []checks.Result{r}}, policyOf(""), DecideOptions{Format: "pretty"})
	pretty, _ := FormatNamed("pretty")
	if out := string(render(t, pretty, doc, Options{Verbose: true, Width: 40})); !strings.Contains(out, "reproduce   "+command+"\n") {
		t.Errorf("%s", out)
	}
}
