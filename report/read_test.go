package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadBackIsByteEqual(t *testing.T) {
	for _, name := range []string{"json", "ndjson"} {
		f, _ := FormatNamed(name)
		first := render(t, f, recordedDocument(name), Options{})
		doc, err := Read(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		again := render(t, f, doc.Rejudge(policyOf(""), name), Options{})
		if !bytes.Equal(first, again) {
			t.Errorf("%s: %s", name, cmp.Diff(string(first), string(again)))
		}
	}
}

func TestReadBackRendersTheSameEverywhere(t *testing.T) {
	for _, via := range []string{"json", "ndjson"} {
		through, _ := FormatNamed(via)
		doc, err := Read(bytes.NewReader(render(t, through, recordedDocument(via), Options{})))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range Formats() {
			want := render(t, f, recordedDocument(f.Name), Options{})
			got := render(t, f, doc.Rejudge(policyOf(""), f.Name), Options{})
			// What is no UTF-8 became U+FFFD on the way, byte by byte, as every
			// format shows it.
			if !bytes.Equal(want, got) {
				t.Errorf("%s through %s: %s", f.Name, via, cmp.Diff(string(want), string(got)))
			}
		}
	}
}

func TestReadKeepsWhatEndedTheRun(t *testing.T) {
	rep := recorded()
	f, _ := FormatNamed("json")
	doc := NewDocument(rep, policyOf(""), DecideOptions{Format: "json", Signal: 15})
	back, err := Read(bytes.NewReader(render(t, f, doc, Options{})))
	if err != nil {
		t.Fatal(err)
	}
	if again := back.Rejudge(policyOf("contract"), "junit"); again.Run.ExitCode != 143 || again.Run.Profile != "contract" {
		t.Errorf("%+v", again.Run)
	}
}

func TestReadIncomplete(t *testing.T) {
	f, _ := FormatNamed("ndjson")
	rep := recorded()
	rep.Results, rep.BudgetEnded = rep.Results[:3], false
	whole := render(t, f, NewDocument(rep, policyOf(""), DecideOptions{Format: "ndjson"}), Options{})
	lines := bytes.SplitAfter(whole, []byte("\n"))
	cuts := map[string]struct {
		data    []byte
		results int
	}{
		"no summary":        {bytes.Join(lines[:4], nil), 3},
		"in the summary":    {append(bytes.Join(lines[:4], nil), lines[4][:20]...), 3},
		"in a result":       {append(bytes.Join(lines[:3], nil), lines[3][:100]...), 2},
		"after the run":     {lines[0], 0},
		"without a newline": {bytes.TrimRight(bytes.Join(lines[:4], nil), "\n"), 3},
	}
	for name, c := range cuts {
		doc, err := Read(bytes.NewReader(c.data))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		again := doc.Rejudge(policyOf(""), "pretty")
		if len(again.Results) != c.results || again.Run.ExitCode != ExitUnmeasured {
			t.Errorf("%s: %d results, exit %d", name, len(again.Results), again.Run.ExitCode)
		}
		// It stays incomplete however often it is passed on.
		jsonFormat, _ := FormatNamed("json")
		back, err := Read(bytes.NewReader(render(t, jsonFormat, again, Options{})))
		if err != nil {
			t.Fatal(err)
		}
		if third := back.Rejudge(policyOf(""), "pretty"); third.Run.ExitCode != ExitUnmeasured {
			t.Errorf("%s, passed on: exit %d", name, third.Run.ExitCode)
		}
	}
	if doc, err := Read(bytes.NewReader(whole)); err != nil || doc.Rejudge(policyOf(""), "pretty").Run.ExitCode != 0 {
		t.Errorf("the whole one: %v", err)
	}
}

func TestReadRefuses(t *testing.T) {
	f, _ := FormatNamed("json")
	nd, _ := FormatNamed("ndjson")
	whole := string(render(t, f, recordedDocument("json"), Options{}))
	lines := string(render(t, nd, recordedDocument("ndjson"), Options{}))
	cases := []struct{ name, data, want string }{
		{"empty", " \n", "empty"},
		{"no JSON", "hello", "line 1"},
		{"a list", "[]", "line 1"},
		{"cut JSON", whole[:len(whole)/2], "too early"},
		{"a result that is not JSON", strings.Replace(whole, `"name":"warned"`, `"name" "warned"`, 1), "line 6"},
		{"a word for a number", strings.Replace(whole, `"line":40`, `"line":"40"`, 1), "line "},
		{"an unknown key", strings.Replace(whole, `"line":40`, `"lime":40`, 1), "lime"},
		{"another version", strings.Replace(whole, `"version":1`, `"version":2`, 1), "version 2"},
		{"an unknown finding", strings.Replace(whole, `"finding":"drift","disposition"`, `"finding":"fine","disposition"`, 1), "fine"},
		{"unmeasured ok", strings.Replace(whole, `"measured":true,"finding":"ok"`, `"measured":false,"finding":"ok"`, 1), "finding ok with measured: false"},
		{"a dropped result", strings.Replace(whole, `"total":14`, `"total":15`, 1), "summary"},
		{"two reports", whole + whole, "follows"},
		{"no results", `{"version":1,"run":{},"summary":{}}`, "no results"},
		{"lines: broken in the middle", strings.Replace(lines, `"name":"warned"`, `"name" "warned"`, 1), "line 3"},
		{"lines: unknown type", `{"type":"run","version":1}` + "\n" + `{"type":"banana"}` + "\n", `line 2 of the report: unknown type "banana"`},
		{"lines: no run", `{"type":"summary"}` + "\n", "run line"},
		{"lines: after the summary", lines + `{"type":"result"}`, "follows the summary"},
		{"lines: two runs", `{"type":"run","version":1}` + "\n" + `{"type":"run","version":1}` + "\n", "line 2"},
		{"lines: another version", `{"type":"run","version":9}` + "\n", "version 9"},
	}
	for _, c := range cases {
		_, err := Read(strings.NewReader(c.data))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := read(strings.NewReader(whole), 1000); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Errorf("too large: %v", err)
	}
}
