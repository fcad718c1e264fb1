package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

// gitlabCase is a case as GitLab keeps it.
type gitlabCase struct{ key, status, output, file, attachment string }

// gitlabRead reads a report as GitLab does: failure before error before skipped
// before success; a text where there is one, else nothing of the message; the
// first of two with one name; an attachment where a text of a failure names
// one; nothing at all beyond the bounds.
func gitlabRead(t *testing.T, data []byte) []gitlabCase {
	t.Helper()
	if len(data) > 30_000_000 {
		t.Fatalf("%d bytes: refused", len(data))
	}
	if n := xmlObjects(t, data); n > 250_000 {
		t.Fatalf("%d objects: refused", n)
	}
	var got xmlSuites
	if err := xml.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	var out []gitlabCase
	seen := map[string]bool{}
	for _, s := range got.Suites {
		for _, c := range s.Cases {
			g := gitlabCase{key: s.Name + "/" + c.Classname + "/" + c.Name, status: "success", file: c.File}
			for _, e := range []struct {
				status string
				text   *xmlText
			}{{"skipped", c.Skipped}, {"error", c.Error}, {"failed", c.Failure}} {
				if e.text != nil {
					g.status, g.output = e.status, e.text.Text
				}
			}
			_, rest, found := strings.Cut(c.Out+g.output, "[[ATTACHMENT|")
			if found {
				g.attachment, _, _ = strings.Cut(rest, "]]")
			}
			if !seen[g.key] {
				seen[g.key] = true
				out = append(out, g)
			}
		}
	}
	return out
}

// xmlObjects counts elements, attributes and texts.
func xmlObjects(t *testing.T, data []byte) int {
	t.Helper()
	n := 0
	for dec := xml.NewDecoder(bytes.NewReader(data)); ; {
		token, err := dec.Token()
		switch e := token.(type) {
		case xml.StartElement:
			n += 1 + len(e.Attr)
		case xml.CharData:
			if len(bytes.TrimSpace(e)) > 0 {
				n++
			}
		}
		if errors.Is(err, io.EOF) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func gitlabDocument(t *testing.T, rep *checks.Report, profile string) []byte {
	t.Helper()
	f, _ := FormatNamed("gitlab")
	return render(t, f, NewDocument(rep, policyOf(profile), DecideOptions{Format: "gitlab"}), Options{})
}

func TestGitLabReading(t *testing.T) {
	want := map[string]string{
		"sgs/sgs/selic-diaria": "success", "sgs/sgs/warned": "success", "sgs/sgs/flaky": "success", "sgs/sgs/ipca-mensal": "failed",
		"ibge/ibge/renamed": "failed", "ibge/ibge/moved": "failed", "ibge/ibge/down": "skipped", "ibge/ibge/down-too": "skipped", "ibge/ibge/odd": "skipped",
		"local/local/broken @proxy": "error", "local/local/late-1": "skipped", "local/local/late-2": "skipped", "local/local/needs-drift": "skipped",
		"local/local/behind-breaker": "skipped",
	}
	const budget = "fonteviva/fonteviva/run: budget"
	for _, profile := range []string{"local", "smoke", "contract", "cron"} {
		got := map[string]string{}
		for _, c := range gitlabRead(t, gitlabDocument(t, remembered(recorded()), profile)) {
			got[c.key] = c.status
			if c.key == budget {
				continue
			}
			if c.attachment != "" {
				t.Errorf("%s attaches %s", c.key, c.attachment)
			}
			if c.status != "success" && (c.output == "" || !strings.Contains(c.output, "\ndeclared: ")) {
				t.Errorf("%s says %q", c.key, c.output)
			}
			if c.file == "" {
				t.Errorf("%s has no file", c.key)
			}
		}
		want := maps.Clone(want)
		if profile != "smoke" { // where the budget's end only warns
			want[budget] = "error"
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", profile, diff)
		}
	}
}

// TestJUnitAsGitLabReadsIt holds that the plain junit format means the same
// there: the states, no attachment, no case lost.
func TestJUnitAsGitLabReadsIt(t *testing.T) {
	f, _ := FormatNamed("junit")
	states := map[string]string{}
	for _, c := range gitlabRead(t, gitlabDocument(t, recorded(), "local")) {
		states[c.key] = c.status
	}
	for _, c := range gitlabRead(t, render(t, f, recordedDocument("junit"), Options{})) {
		if c.status != states[c.key] || c.attachment != "" {
			t.Errorf("%s is %s, attachment %q, want %s", c.key, c.status, c.attachment, states[c.key])
		}
		delete(states, c.key)
	}
	if len(states) > 0 {
		t.Errorf("lost: %v", states)
	}
}

func TestGitLabKeepsEveryCase(t *testing.T) {
	rep := okReport()
	rep.Results = append(rep.Results, driftResult(), driftResult())
	if got := gitlabRead(t, gitlabDocument(t, rep, "")); len(got) != 3 || got[2].key != "sgs/sgs/ipca-mensal (2)" {
		t.Errorf("%+v", got)
	}
	large := many(40_000)
	long := strings.Repeat("é<", 2000)
	for i := range large.Results {
		if large.Results[i].Finding == checks.Drift {
			large.Results[i].Mismatches = []expect.Mismatch{{Code: "json.equals", Severity: expect.Fail, Want: long, Got: long}}
		}
	}
	if got := gitlabRead(t, gitlabDocument(t, large, "")); len(got) != 40_000 {
		t.Errorf("%d cases", len(got))
	}
}

const gitlabScript = `require "active_support"
require "active_support/core_ext/hash"
ActiveSupport::XmlMini.backend = "Nokogiri"
root = Hash.from_xml(File.read(ARGV[0]))
[root["testsuites"]["testsuite"]].flatten.each do |suite|
  [suite["testcase"]].flatten.each do |c|
    status = %w[failure error skipped].find { |k| c.key?(k) }
    puts "#{suite["name"]} #{c["name"]} #{status || "success"} #{status ? c[status].class : "-"} #{c[status].to_s.lines.first.to_s[0, 12].strip if status}"
  end
end`

// TestGitLabByItsXMLReader reads the file with the library that GitLab uses.
func TestGitLabByItsXMLReader(t *testing.T) {
	ruby := reader(t, "/usr/bin/ruby", "ruby") // Debian's own, which has Debian's packages
	if exec.Command(ruby, "-e", `require "active_support"; require "nokogiri"`).Run() != nil {
		missing(t, "activesupport or nokogiri", "Debian: ruby-activesupport ruby-nokogiri")
	}
	path := written(t, "gitlab", recordedDocument("gitlab"), Options{}, "run.xml")
	out, err := exec.Command(ruby, "-e", gitlabScript, path).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if lines := strings.Split(strings.TrimSpace(string(out)), "\n"); len(lines) != 15 {
		t.Errorf("%d cases:\n%s", len(lines), out)
	}
	for _, want := range []string{"sgs selic-diaria success -", "sgs ipca-mensal failure String drift: json.", "ibge down skipped String indisponive", "fonteviva run: budget error", "local broken @proxy error String alheio: o no"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("%q is not in\n%s", want, out)
		}
	}
}
