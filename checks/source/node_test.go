package source

import (
	"encoding/json"
	"regexp"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestPairsMerge(t *testing.T) {
	n := parse(t, `
base: &base {a: 1, b: 2}
other: &other {b: 3, c: 4}
one: {b: own, <<: *base}
list: {<<: [*base, *other], d: own}
deep: &deep {<<: *base, e: 5}
twice: {<<: *deep}
quoted: {"<<": text}
`)
	pairs, ok := n.Pairs()
	if !ok {
		t.Fatal("no mapping")
	}
	want := map[string]string{
		"one": "b=own a=1 ", "list": "d=own a=1 b=2 c=4 ", "deep": "e=5 a=1 b=2 ", "twice": "e=5 a=1 b=2 ", "quoted": "<<=text ",
	}
	for _, p := range pairs[2:] {
		inner, _ := p.Value.Pairs()
		got := ""
		for _, q := range inner {
			v, _ := q.Value.String()
			got += q.Key + "=" + v + " "
		}
		if got != want[p.Key] {
			t.Errorf("%s: %s, want %s", p.Key, got, want[p.Key])
		}
	}
}

func TestMergeProblems(t *testing.T) {
	var c Collector
	n, ok := Parse("f.yaml", []byte("a: {<<: text}\nb: {<<: [1]}\n"), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := n.Pairs()
	for _, p := range pairs {
		p.Value.Pairs()
	}
	want := []string{`f.yaml:1:9: expected a mapping (key: value), got "text" | `, `f.yaml:2:10: expected a mapping (key: value), got "1" | `}
	if diff := cmp.Diff(want, problems(t, c.Err())); diff != "" {
		t.Error(diff)
	}
}

// reader reads a node in one way; ok is what the reader says.
type reader func(n Node) (any, bool)

func readers() map[string]reader {
	wrap := func(v any, ok bool) (any, bool) { return v, ok }
	return map[string]reader{
		"String":   func(n Node) (any, bool) { v, ok := n.String(); return wrap(v, ok) },
		"NonEmpty": func(n Node) (any, bool) { v, ok := n.NonEmpty(); return wrap(v, ok) },
		"Strings":  func(n Node) (any, bool) { v, ok := n.Strings(); return wrap(v, ok) },
		"Bool":     func(n Node) (any, bool) { v, ok := n.Bool(); return wrap(v, ok) },
		"Int":      func(n Node) (any, bool) { v, ok := n.Int(0, 100); return wrap(v, ok) },
		"Duration": func(n Node) (any, bool) { v, ok := n.Duration(time.Millisecond); return wrap(v, ok) },
		"Size":     func(n Node) (any, bool) { v, ok := n.Size(); return wrap(v, ok) },
		"Enum":     func(n Node) (any, bool) { v, ok := n.Enum("none", "same-host", "follow"); return wrap(v, ok) },
		"Value":    func(n Node) (any, bool) { return n.Value() },
	}
}

func TestReaders(t *testing.T) {
	for _, tc := range []struct {
		reader, yaml string
		want         any
		problem      string // message and hint
	}{
		{"String", "012", "012", ""},
		{"String", "true", "true", ""},
		{"String", "2026-01-02", "2026-01-02", ""},
		{"String", "''", "", ""},
		{"String", "~", "", "expected text, got nothing | "},
		{"String", "[a]", "", "expected text, got a list | "},
		{"String", "{a: 1}", "", "expected text, got a mapping | "},
		{"NonEmpty", "' '", "", "expected text, got an empty one | "},
		{"Strings", "a", []string{"a"}, ""},
		{"Strings", "[a, 1]", []string{"a", "1"}, ""},
		{"Strings", "[a, [b]]", []string{"a", ""}, "expected text, got a list | "},
		{"Bool", "True", true, ""},
		{"Bool", "false", false, ""},
		{"Bool", "'true'", false, `expected true or false, got "true" | `},
		{"Bool", "yes", false, `expected true or false, got "yes" | `},
		{"Int", "0", 0, ""},
		{"Int", "100", 100, ""},
		{"Int", "101", 0, "expected a whole number from 0 to 100, got 101 | "},
		{"Int", "99999999999999999999999", 0, "expected a whole number from 0 to 100, got 99999999999999999999999 | "},
		{"Int", "012", 0, `expected a whole number from 0 to 100, got "012" | `},
		{"Int", "0x10", 0, `expected a whole number from 0 to 100, got "0x10" | `},
		{"Int", "1.0", 0, `expected a whole number from 0 to 100, got "1.0" | `},
		{"Int", "-1", 0, `expected a whole number from 0 to 100, got "-1" | `},
		{"Int", "", 0, "expected a whole number from 0 to 100, got nothing | "},
		{"Duration", "1d12h", 36 * time.Hour, ""},
		{"Duration", "0", time.Duration(0), "expected a duration of at least 1ms, got 0 | "},
		{"Duration", "10", time.Duration(0), `"10" is not a duration: a number and a unit of ns, us, ms, s, m, h, d, w, such as 1.5s or 1d12h | `},
		{"Size", "32MiB", int64(32 << 20), ""},
		{"Size", "0", int64(0), "expected a size of at least 1 byte, got 0 | "},
		{"Size", "3 XB", int64(0), `"3 XB" is not a size: unit XB is not one of B, kB, MB, GB, KiB, MiB, GiB | `},
		{"Enum", "follow", "follow", ""},
		{"Enum", "folow", "", `expected one of none, same-host, follow, got "folow" | did you mean "follow"?`},
		{"Value", "{a: [1, 1.50, -0, 1e400, true, ~, text, '1', 2026-01-02, 653247040368672768]}", map[string]any{"a": []any{
			json.Number("1"), json.Number("1.50"), json.Number("-0"), json.Number("1e400"), true, nil, "text", "1", "2026-01-02", json.Number("653247040368672768")}}, ""},
		{"Value", "!!str 1", "1", ""},
		{"Value", "[]", []any{}, ""},
		{"Value", "0x1F", nil, "0x1F is not a number that JSON can hold | quote it if text is meant"},
		{"Value", ".nan", nil, ".nan is not a number that JSON can hold | quote it if text is meant"},
	} {
		var c Collector
		n, ok := Parse("f.yaml", []byte("k: "+tc.yaml), &c)
		if !ok {
			t.Fatalf("%s: %v", tc.yaml, c.Err())
		}
		pairs, _ := n.Pairs()
		got, fine := readers()[tc.reader](pairs[0].Value)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s of %s (-want +got)\n%s", tc.reader, tc.yaml, diff)
		}
		problem := ""
		if list := problems(t, c.Err()); len(list) > 0 {
			problem = regexp.MustCompile(`^f\.yaml:1:\d+: `).ReplaceAllString(list[0], "")
		}
		if problem != tc.problem || fine != (tc.problem == "") {
			t.Errorf("%s of %s: ok %v, %q, want %q", tc.reader, tc.yaml, fine, problem, tc.problem)
		}
	}
}

// What Value reads survives JSON unchanged.
func TestValueRoundTrip(t *testing.T) {
	const text = `{"a":[1.50,1e1000000000,653247040368672768,null,true,"x\u0000ç😀"],"b":{"":{}}}`
	n := parse(t, text)
	v, ok := n.Value()
	if !ok {
		t.Fatal("not read")
	}
	got, err := json.Marshal(v)
	if err != nil || string(got) != text {
		t.Errorf("%s, %v", got, err)
	}
}

// A Value through aliases in aliases is as deep as it is written out.
func TestValueDepthThroughAliases(t *testing.T) {
	yaml := "- &a00 [x]\n"
	for i := 1; i < 100; i++ {
		yaml += "- &a" + itoa(i) + " [*a" + itoa(i-1) + "]\n"
	}
	var c Collector
	n, ok := Parse("f.yaml", []byte(yaml), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	if _, ok := n.Value(); ok || c.Len() == 0 {
		t.Error("a hundred levels were read")
	}
}

func itoa(i int) string { return string(rune('0'+i/10)) + string(rune('0'+i%10)) }

type thing struct{ name, size string }

var thingTable = NewObject("a thing",
	Field[thing]{Name: "name", Doc: "what it is called", Required: true, Decode: func(t *thing, n Node) { t.name, _ = n.String() }},
	Field[thing]{Name: "size", Doc: "how large", Decode: func(t *thing, n Node) { t.size, _ = n.String() }},
	Field[thing]{Name: "shape", Doc: "how it looks"},
	Field[thing]{Name: "owner", Elsewhere: "owner: belongs to the shop"},
)

func TestObject(t *testing.T) {
	for _, tc := range []struct {
		yaml string
		want thing
		bad  []string
	}{
		{"{name: a, size: b}", thing{"a", "b"}, []string{}},
		{"{Size: b, name: a, colour: red}", thing{name: "a"}, []string{
			`f.yaml:1:2: unknown key "Size" in a thing | did you mean "size"?`, `f.yaml:1:20: unknown key "colour" in a thing | known here: name, size`}},
		{"{shape: x, owner: y, name: a}", thing{name: "a"}, []string{
			`f.yaml:1:2: key "shape" is not built yet in this version | remove it, or use a version of fonteviva that knows it`,
			`f.yaml:1:12: key "owner" does not belong in a thing | owner: belongs to the shop`}},
		{"{size: b}", thing{size: "b"}, []string{`f.yaml:1:1: a thing has no key "name" | add name: what it is called`}},
		{"[name]", thing{}, []string{"f.yaml:1:1: expected a mapping (key: value), got a list | "}},
	} {
		var c Collector
		n, ok := Parse("f.yaml", []byte(tc.yaml), &c)
		if !ok {
			t.Fatal(c.Err())
		}
		var got thing
		if decoded := thingTable.Decode(n, &got); decoded != n.IsMapping() || got != tc.want {
			t.Errorf("%s: %v %+v", tc.yaml, decoded, got)
		}
		if diff := cmp.Diff(tc.bad, problems(t, c.Err())); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
	if fields := thingTable.Fields(); len(fields) != 4 || fields[1].Name != "size" {
		t.Errorf("fields: %d", len(fields))
	}
}

func TestSecretlyShowsNoLine(t *testing.T) {
	var c Collector
	n, ok := Parse("f.yaml", []byte("token: [abc]\n"), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := n.Pairs()
	pairs[0].Value.Secretly().Bool()
	if got, want := c.Err().Error(), "f.yaml:1:8: expected true or false, got a list"; got != want {
		t.Errorf("got %q", got)
	}
}
