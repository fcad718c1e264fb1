package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

func seeds(f *testing.F) {
	for _, s := range []string{"", "plain", hostile, "##[", "##vso[", "::error::", "\xf0\x9f", "]]>", "\u2028", strings.Repeat("#", 70), "a\x00b"} {
		f.Add(s)
	}
}

func FuzzInert(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		out := Inert(s, 100)
		for _, r := range out {
			if acts(r) {
				t.Fatalf("%q became %q", s, out)
			}
		}
		if !utf8.ValidString(out) || regexp.MustCompile(`##[A-Za-z]*\[`).MatchString(out) {
			t.Fatalf("%q became %q", s, out)
		}
		if len(out) > 100*10+40 {
			t.Fatalf("%d bytes", len(out))
		}
		if again := Inert(out, 1<<20); again != out {
			t.Fatalf("not stable: %q, then %q", out, again)
		}
	})
}

func FuzzJSONString(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		out := appendString(nil, s)
		var got string
		if err := json.Unmarshal(out, &got); err != nil || got != string([]rune(s)) {
			t.Fatalf("%q: %s, read as %q, %v", s, out, got, err)
		}
		for _, r := range string(out) {
			if acts(r) {
				t.Fatalf("%q: %U raw", s, r)
			}
		}
	})
}

func FuzzXML(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		doc := append(appendXML([]byte(`<a b="`), s, true), `">`...)
		doc = append(appendXML(doc, s, false), "</a>"...)
		var got struct {
			B string `xml:"b,attr"`
			T string `xml:",chardata"`
		}
		if err := xml.Unmarshal(doc, &got); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		if got.B != got.T || utf8.RuneCountInString(got.B) != utf8.RuneCountInString(s) {
			t.Fatalf("%q became %q and %q", s, got.B, got.T)
		}
	})
}

func FuzzMarkdown(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		out := strings.ReplaceAll(markdown(s), "<!-- -->", "")
		if strings.ContainsAny(out, "|`<>[]()*_@\\\n\r!~:\"'$=+") {
			t.Fatalf("%q became %q", s, out)
		}
	})
}

func FuzzFormats(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, s string) {
		r := driftResult()
		r.Title, r.Motivo = &s, &s
		r.Mismatches = []expect.Mismatch{{Code: s, Path: &s, Severity: expect.Fail, Want: s, Got: s}}
		r.Redirect = &checks.Redirect{Location: s}
		down := indisponivelResult()
		down.Detail, down.Rule, down.URL, down.Name = &s, &s, s, "down "+s
		rep := &checks.Report{StartedAt: startedAt, Results: []checks.Result{r, down}, Degraded: []checks.Degradation{{Feature: "x", Reason: s, Count: 1}}}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := format.Write(&b, NewDocument(rep, policyOf(""), DecideOptions{Format: format.Name}), Options{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			inertBytes(t, b.Bytes())
			commandLines(t, format.Name, b.Bytes())
			shape(t, format.Name, b.Bytes())
		}
	})
}

// shape fails where a text of an origin has become a part of the format.
func shape(t *testing.T, format string, out []byte) {
	t.Helper()
	switch format {
	case "junit", "gitlab":
		if _, cases := parseJUnit(t, out); len(cases) != 2 {
			t.Fatalf("%d cases in %s", len(cases), out)
		}
	case "ctrf", "json":
		if !json.Valid(out) {
			t.Fatalf("no JSON: %s", out)
		}
	case "tap", "tap14":
		for line := range strings.Lines(string(out)) {
			if !tapLine.MatchString(line) {
				t.Fatalf("a line of its own: %q", line)
			}
		}
		if n := bytes.Count(out, []byte("\nnot ok ")) + bytes.Count(out, []byte("\nok ")); n != 2 {
			t.Fatalf("%d points in %s", n, out)
		}
	case "openmetrics", "textfile":
		for line := range strings.Lines(string(out)) {
			if !metricLine.MatchString(line) {
				t.Fatalf("a line of its own: %q", line)
			}
		}
	case "nagios":
		if len(out) > nagiosMax || bytes.Count(out, []byte("|")) != 1 {
			t.Fatalf("%d bytes, %s", len(out), out)
		}
	}
}

var (
	tapLine    = regexp.MustCompile(`^(TAP version 1[34]|1\.\.2|(not )?ok [12] - [^\n]*[^{\n]|  ---|  \.\.\.|  [a-z_]+:( "[^\n]*"| \d+)?|    (file|line|\d+): ("[^\n]*"|\d+)|# [^\n]*)\n$`)
	metricLine = regexp.MustCompile(`^(# (HELP|TYPE|UNIT) [^\n]*|# EOF|[a-z_]+(\{([a-z]+="([^"\\\n]|\\[\\n"])*",?)+\})? [0-9.]+)\n$`)
)

func FuzzRead(f *testing.F) {
	seeds(f)
	for _, name := range []string{"json", "ndjson"} {
		format, _ := FormatNamed(name)
		var b bytes.Buffer
		if err := format.Write(&b, NewDocument(okReport(), policyOf(""), DecideOptions{Format: name}), Options{}); err != nil {
			f.Fatal(err)
		}
		f.Add(b.String())
		f.Add(b.String()[:b.Len()-40])
	}
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := Read(strings.NewReader(s))
		if err != nil {
			return
		}
		for _, format := range Formats() {
			again := doc.Rejudge(policyOf(""), format.Name)
			if again.Run.ExitCode == 0 && again.Summary.Total == 0 {
				t.Fatal("nothing passed")
			}
			if err := format.Write(io.Discard, again, Options{}); err != nil {
				t.Fatal(err)
			}
		}
	})
}
