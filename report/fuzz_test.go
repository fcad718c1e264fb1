package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
)

func seeds(f *testing.F) {
	for _, s := range []string{"", "plain", hostile, "##[", "::error::", "\xf0\x9f", "]]>", "\u2028", strings.Repeat("#", 70), "a\x00b"} {
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
		if !utf8.ValidString(out) || strings.Contains(out, "##[") {
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
		down.Detail, down.Rule, down.URL = &s, &s, s
		rep := &checks.Report{Results: []checks.Result{r, down}, Degraded: []checks.Degradation{{Feature: "x", Reason: s, Count: 1}}}
		for _, format := range Formats() {
			var b bytes.Buffer
			if err := format.Write(&b, NewDocument(rep, policyOf(""), DecideOptions{Format: format.Name}), Options{Verbose: true}); err != nil {
				t.Fatal(err)
			}
			inertBytes(t, b.Bytes())
			commandLines(t, format.Name, b.Bytes())
			if format.Name == "junit" {
				parseJUnit(t, b.Bytes())
			}
		}
	})
}

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
