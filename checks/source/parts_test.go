package source

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.yaml.in/yaml/v3"
)

// sameTree compares what a declaration is read from: everything but comments.
var sameTree = cmp.Options{
	cmpopts.IgnoreFields(yaml.Node{}, "HeadComment", "LineComment", "FootComment"),
	cmpopts.EquateEmpty(),
}

// checkParts compares a document in parts with the whole, and reports whether
// it was parsed in parts.
func checkParts(t *testing.T, text string, size int) bool {
	t.Helper()
	parts := parseInParts([]byte(text), size)
	if parts == nil {
		return false
	}
	dec := yaml.NewDecoder(strings.NewReader(text))
	var whole, second yaml.Node
	if err := dec.Decode(&whole); err != nil {
		t.Fatalf("in parts it is valid, as a whole it is not: %v\n%s", err, text)
	}
	if err := dec.Decode(&second); err == nil {
		t.Fatalf("in parts it is one document, as a whole it is several\n%s", text)
	}
	if diff := cmp.Diff(whole.Content[0], parts, sameTree); diff != "" {
		t.Fatalf("the trees differ (-whole +parts)\n%s\n%s", diff, text)
	}
	return true
}

func TestPartsMakeTheSameTree(t *testing.T) {
	entries := strings.Repeat("  - name: a # a comment\n    get: \"/x?y=1&z=*\"\n    expect: {json: [{path: '$[*]', type: string}]}\n\n", 20)
	flush := strings.Repeat("- a: |\n    text\n      - more\n\n  b: >-\n   folded\n   text\n# a comment\n- plain\n  words - and more\n", 20)
	cases := []struct {
		name, text string
		parts      bool
	}{
		{"the list is last", "version: 1\nprobes:\n" + entries, true},
		{"no end of line at the end", "version: 1\nprobes:\n" + strings.TrimRight(entries, "\n"), true},
		{"keys follow it", "version: 1\nprobes: # all\n\n  # the first\n" + entries + "origins:\n  o: {url: x}\ntags:\n- a\n", true},
		{"it has no indentation", "version: 1\nprobes:\n" + flush + "origins:\n  o: 1\n", true},
		{"the longest of two lists", "one:\n  - a\n  - b\ntwo:\n" + entries + "three:\n  - c\n", true},
		{"a marker in front", "---\nversion: 1\nprobes:\n" + entries, true},
		{"an anchor and its alias in one entry", "probes:\n" + strings.Repeat("  - {a: &x [1, 2], b: *x}\n", 40), true},
		{"an anchor in front of the list", "base: &x {a: 1}\nprobes:\n" + strings.Repeat("  - {<<: *x, b: 2}\n", 40), false},
		{"an anchor in another part", "probes:\n  - &x {a: 1}\n" + strings.Repeat("  - {<<: *x, b: 2}\n", 40), false},
		{"an anchor in front of the list and its alias behind it", "base: &x 1\nprobes:\n  - &x 2\n" + entries + "last: *x\n", false},
		{"an anchor and its alias behind the list", "probes:\n" + entries + "base: &x 1\nlast: *x\n", true},
		{"brackets around the document", "{\nversion: 1,\nprobes:\n" + entries + ", last: 1}\n", false},
		{"an entry inside double quotes", "probes:\n" + entries + "  - a: \"text\n" + strings.Repeat("  - b: c\n", 100) + "  - d\"\n" + entries, false},
		{"a short list inside quotes", "probes:\n" + entries + "other: 'text\nlist:\n  - b: c\n'\n" + entries, false},
		{"the list itself inside quotes", "version: \"1\nprobes:\n" + strings.Repeat("- a\n", 100) + "end: 2\"\n", false},
		{"entries inside brackets", "probes:\n" + entries + "  - [a,\n  - b]\n" + entries, false},
		{"a second document", "probes:\n" + entries + "---\nprobes:\n" + entries, false},
		{"a document's end inside", "probes:\n" + entries + "...\n" + entries, false},
		{"a directive", "%YAML 1.1\n---\nprobes:\n" + entries, false},
		{"other ends of lines", "probes:\n" + strings.ReplaceAll(entries, "\n", "\r\n"), false},
		{"a tab", "probes:\n" + entries + "  -\tname: a\n" + entries, false},
		{"an entry with less indentation", "probes:\n" + entries + " - name: a\n" + entries, false},
		{"a value on the key's line", "probes: [a, b]\n" + entries, false},
		{"a short list", "probes:\n  - name: a\n", false},
		{"a mapping", "probes:\n" + strings.Repeat("  a: b\n", 100), false},
		{"nothing", "", false},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := checkParts(t, c.text, 256); got != c.parts {
				t.Errorf("in parts: %t, want %t", got, c.parts)
			}
		})
	}
}

func FuzzParts(f *testing.F) {
	for _, s := range []string{
		"version: 1\nprobes:\n  - name: a\n    get: /x\n  - name: b\n  - {c: d}\norigins:\n  o: {}\n",
		"probes:\n- |\n  text\n- 'a\n  b'\n- >\n  x\n\n  - y\nz: 1\n",
		"a: \"x\nprobes:\n- b\n- c\n- d\"\n", "probes:\n  - [a,\n  - b]\n  - c\n", "probes:\n  - &x a\n  - *x\n  - *x\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) < 4<<10 {
			checkParts(t, text, 4)
		}
	})
}

// What is said about a long declaration does not depend on how it was parsed.
// A panic beside the caller would end the program, whatever the caller catches.
func TestAPanicInAPartIsNoTree(t *testing.T) {
	beyond := list{key: 1, line: 2, start: 8, end: 100, cuts: []cut{{50, 3}}}
	if root := beyond.parse([]byte("probes:\n")); root != nil {
		t.Errorf("parsed %v beyond the end of the text", root)
	}
}

func TestPartsKeepPlaces(t *testing.T) {
	var b bytes.Buffer
	fmt.Fprintln(&b, "version: 1\nprobes:")
	for i := range 3000 {
		fmt.Fprintf(&b, "  - name: probe-%d\n    get: /probe/%d\n    get: /again\n", i, i)
	}
	fmt.Fprintln(&b, "origins: {a: 1, a: 2}")
	if b.Len() < 2*partSize {
		t.Fatalf("%d bytes are not parsed in parts", b.Len())
	}
	var c Collector
	if _, ok := Parse("long.yaml", b.Bytes(), &c); ok {
		t.Fatal("duplicate keys are no problem")
	}
	ps := c.problems
	if want := "long.yaml:5:5"; ps[0].Pos.String() != want || ps[0].Excerpt != "    get: /again" {
		t.Errorf("the first problem is at %s (%q), want %s", ps[0].Pos, ps[0].Excerpt, want)
	}
	if want := "long.yaml:302:5"; ps[99].Pos.String() != want {
		t.Errorf("problem 100 is at %s, want %s", ps[99].Pos, want)
	}
}
