package expect

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/source"
)

// decode reads an expect: mapping and gives its problems too.
func decode(t testing.TB, yaml string) (*Spec, error) {
	t.Helper()
	var c source.Collector
	n, ok := source.Parse("f.yaml", []byte(yaml), &c)
	if !ok {
		t.Fatalf("%s: %v", yaml, c.Err())
	}
	s := Decode(n, nil)
	return s, c.Err()
}

func mustDecode(t testing.TB, yaml string) *Spec {
	t.Helper()
	s, err := decode(t, yaml)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judge evaluates and writes each mismatch on one line.
func judge(t testing.TB, s *Spec, o *Observation) []string {
	t.Helper()
	list, err := s.Evaluate(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	lines := []string{}
	for _, m := range list {
		path := "null"
		if m.Path != nil {
			path = *m.Path
		}
		line := fmt.Sprintf("%s at %s: want %s, got %s", m.Code, path, m.Want, m.Got)
		if m.Severity == Warn {
			line = "warn " + line
		}
		lines = append(lines, line)
	}
	return lines
}

type matcherCase struct {
	assertion string   // in a flow mapping
	body      string   // JSON
	want      []string // mismatches
}

func runMatcherCases(t *testing.T, cases []matcherCase) {
	t.Helper()
	for _, tc := range cases {
		s := mustDecode(t, "json: ["+tc.assertion+"]")
		if tc.want == nil {
			tc.want = []string{}
		}
		if diff := cmp.Diff(tc.want, judge(t, s, &Observation{Body: []byte(tc.body), JSON: true})); diff != "" {
			t.Errorf("%s on %s (-want +got)\n%s", tc.assertion, tc.body, diff)
		}
	}
}

func TestValueMatchers(t *testing.T) {
	runMatcherCases(t, []matcherCase{
		{`{path: $, equals: 5.0773}`, `5.07730`, nil},
		{`{path: $, equals: 653247040368672768}`, `653247040368672768`, nil},
		{`{path: $, equals: 653247040368672768}`, `653247040368672769`,
			[]string{"json.equals at $: want 653247040368672768, got 653247040368672769"}},
		{`{path: $, equals: 1e1000000000}`, `10e999999999`, nil},
		{`{path: $.a, equals: "5.0773"}`, `{"a":"5.07730"}`, []string{`json.equals at $.a: want "5.0773", got "5.07730"`}},
		{`{path: $.a, equals: 5.0773}`, `{"a":"5.0773"}`,
			[]string{`json.equals at $.a: want 5.0773, got (a string) "5.0773"; quote the wanted value to compare text`}},
		{`{path: $.a, equals: "1"}`, `{"a":1}`,
			[]string{`json.equals at $.a: want "1", got 1 (a number); remove the quotes of the wanted value to compare numbers`}},
		{`{path: $.a, equals: ok}`, `{"a":7}`, []string{`json.equals at $.a: want "ok", got 7`}},
		{`{path: $.a, equals: 7}`, `{"a":"n/a"}`, []string{`json.equals at $.a: want 7, got "n/a"`}},
		{`{path: $.a, in: ["a", "b"]}`, `{"a":7}`, []string{`json.in at $.a: want one of ["a","b"], got 7`}},
		{`{path: $.a, equals: null}`, `{"a":null}`, nil},
		{`{path: $.a, equals: null}`, `{"a":false}`, []string{"json.equals at $.a: want null, got false"}},
		{`{path: $.a, equals: true}`, `{"a":true}`, nil},
		{`{path: $.a, equals: 2026-01-02}`, `{"a":"2026-01-02"}`, nil},
		{`{path: $.a, equals: {b: [1, {c: x}], d: 2}}`, `{"a":{"d":2.0,"b":[1.0,{"c":"x"}]}}`, nil},
		{`{path: $.a, equals: {b: 1}}`, `{"a":{"b":1,"c":2}}`, []string{`json.equals at $.a: want {"b":1}, got {"b":1,"c":2}`}},
		{`{path: $.a, equals: [1, 2]}`, `{"a":[ 2 , 1 ]}`, []string{`json.equals at $.a: want [1,2], got [2,1]`}},
		{`{path: "$[*].a", equals: x}`, `[{"a":"x"},{"a":"y"},{"b":1},{"a":"z"}]`,
			[]string{`json.equals at $[1].a: want "x", got "y"`, `json.equals at $[3].a: want "x", got "z"`}},
		{`{path: $.x, equals: 1}`, `{}`, []string{"json.equals at $.x: want 1, got nothing: the path selects no node"}},
		{`{path: $.x, equals: 1, optional: true}`, `{}`, nil},
		{`{path: $.x, equals: 1, optional: true}`, `{"x":2}`, []string{"json.equals at $.x: want 1, got 2"}},
		{`{path: $.x, equals: 1, severity: warn}`, `{"x":2}`, []string{"warn json.equals at $.x: want 1, got 2"}},
		{`{path: $.x, equals: 1, severity: warn}`, `{}`, []string{"warn json.equals at $.x: want 1, got nothing: the path selects no node"}},

		{`{path: $.a, not_equals: 1}`, `{"a":"1"}`, nil},
		{`{path: $.a, not_equals: 1}`, `{"a":1.0}`, []string{"json.not_equals at $.a: want anything but 1, got 1.0"}},
		{`{path: $.a, not_equals: 1}`, `{}`, []string{"json.not_equals at $.a: want anything but 1, got nothing: the path selects no node"}},

		{`{path: $.a, in: [a, b, 3]}`, `{"a":3.0}`, nil},
		{`{path: $.a, in: [a, b]}`, `{"a":"c"}`, []string{`json.in at $.a: want one of ["a","b"], got "c"`}},
		{`{path: $.a, in: [1, 2]}`, `{"a":"1"}`,
			[]string{`json.in at $.a: want one of [1,2], got (a string) "1"; quote the wanted value to compare text`}},

		{`{path: $.a, type: string}`, `{"a":""}`, nil},
		{`{path: $.a, type: number}`, `{"a":"1"}`, []string{`json.type at $.a: want number, got (a string) "1"`}},
		{`{path: $.a, type: integer}`, `{"a":1.0}`, nil},
		{`{path: $.a, type: integer}`, `{"a":1e400}`, nil},
		{`{path: $.a, type: integer}`, `{"a":1.5}`, []string{"json.type at $.a: want integer, got 1.5 (a number)"}},
		{`{path: $.a, type: [string, null]}`, `{"a":null}`, nil},
		{`{path: $.a, type: [string, "null"]}`, `{"a":[ ]}`, []string{"json.type at $.a: want string or null, got (an array) []"}},
		{`{path: $.a, type: boolean}`, `{"a":{"b": 1}}`, []string{`json.type at $.a: want boolean, got (an object) {"b":1}`}},
		{`{path: $.a, type: object}`, `{"a":true}`, []string{"json.type at $.a: want object, got true (a boolean)"}},

		{`{path: $.a, min: 0, max: 10}`, `{"a":10.000}`, nil},
		{`{path: $.a, min: 0, max: 10}`, `{"a":-0.0001}`, []string{"json.min at $.a: want at least 0, got -0.0001"}},
		{`{path: $.a, max: 9007199254740992}`, `{"a":9007199254740993}`, []string{"json.max at $.a: want at most 9007199254740992, got 9007199254740993"}},
		{`{path: $.a, min: 0}`, `{"a":"5"}`, []string{`json.min at $.a: want at least 0, got (a string) "5"`}},
		{`{path: $.a, min: 0}`, `{"a":null}`, []string{`json.min at $.a: want at least 0, got null`}},
		{`{path: "$..a", max: 1}`, `{"a":1,"b":[{"a":2}]}`, []string{"json.max at $.b[0].a: want at most 1, got 2"}},
	})
}

func TestTextMatchers(t *testing.T) {
	runMatcherCases(t, []matcherCase{
		{`{path: "$[*].d", matches: '^\d{2}/\d{2}/\d{4}$'}`, `[{"d":"01/02/2026"},{"d":"01\/02\/2026"}]`, nil},
		{`{path: "$[*].d", matches: '^\d{2}/\d{2}/\d{4}$'}`, `[{"d":"2026-02-01"}]`, []string{`json.matches at $[0].d: want ^\d{2}/\d{2}/\d{4}$, got "2026-02-01"`}},
		{`{path: $, matches: "1"}`, `1`, []string{`json.matches at $: want 1, got 1 (a number)`}},
		{`{path: $.a, starts_with: Ação}`, `{"a":"A\u00e7\u00e3o!"}`, nil},
		{`{path: $.a, starts_with: x}`, `{"a":"ax"}`, []string{`json.starts_with at $.a: want a string that begins "x", got "ax"`}},
		{`{path: $.a, contains: ç}`, `{"a":"A\u00e7\u00e3o"}`, nil},
		{`{path: $.a, contains: z}`, `{"a":"abc"}`, []string{`json.contains at $.a: want a string or an array with "z" in it, got "abc"`}},
		{`{path: $.a, contains: 1}`, `{"a":[3,1.0]}`, nil},
		{`{path: $.a, contains: 1}`, `{"a":["1"]}`, []string{`json.contains at $.a: want a string or an array with 1 in it, got ["1"]`}},
		{`{path: $.a, contains: 1}`, `{"a":"1"}`,
			[]string{`json.contains at $.a: want a string or an array with 1 in it, got (a string) "1"; quote the wanted part to look for text`}},
		{`{path: $.a, contains: a}`, `{"a":{"a":1}}`, []string{`json.contains at $.a: want a string or an array with "a" in it, got (an object) {"a":1}`}},
	})
}

func TestExists(t *testing.T) {
	runMatcherCases(t, []matcherCase{
		{`{path: $.a}`, `{"a":null}`, nil},
		{`{path: $.a}`, `{}`, []string{"json.exists at $.a: want a node, got nothing: the path selects no node"}},
		{`{path: $.a, exists: true}`, `{"b":1}`, []string{"json.exists at $.a: want a node, got nothing: the path selects no node"}},
		{`{path: $.a, exists: true, equals: 1}`, `{"b":1}`, []string{"json.exists at $.a: want a node, got nothing: the path selects no node"}},
		{`{path: $.a, exists: false}`, `{"b":1}`, nil},
		{`{path: $.a, exists: false}`, `{"a":1}`, []string{"json.exists at $.a: want nothing, got 1"}},
		{`{path: "$[?@.erro]", exists: false}`, `[{"erro":{"x":1}},{},{"erro":2}]`,
			[]string{`json.exists at $[0]: want nothing, got {"erro":{"x":1}}`, `json.exists at $[2]: want nothing, got {"erro":2}`}},
		{`{path: "$['a b']['é'][0]", exists: false}`, `{"a b":{"é":[7]}}`, []string{"json.exists at $['a b']['é'][0]: want nothing, got 7"}},
	})
}

func TestListMatchers(t *testing.T) {
	runMatcherCases(t, []matcherCase{
		{`{path: $, length: {min: 1, max: 20}}`, `[1]`, nil},
		{`{path: $, length: {min: 1, max: 20}}`, `[]`, []string{"json.length at $: want a length of 1 to 20, got 0 elements"}},
		{`{path: $, length: 2}`, `{"a":1,"b":2,"a":3}`, []string{"json.duplicate_key at $.a: want every key once in its object, got the key again in the same object"}},
		{`{path: $, length: 2}`, `"Açã"`, []string{`json.length at $: want a length of 2, got 3 characters: "Açã"`}},
		{`{path: $, length: {max: 2}}`, `5`, []string{`json.length at $: want a length of at most 2, got 5 (a number)`}},
		{`{path: "$[*]", length: 2}`, `["a","b"]`, nil},
		{`{path: "$[*]", length: {min: 3}}`, `["aaa","bbb"]`, []string{"json.length at $[*]: want a length of at least 3, got 2 nodes"}},
		{`{path: "$[*]", length: {max: 3}}`, `[]`, []string{"json.length at $[*]: want a length of at most 3, got nothing: the path selects no node"}},
		{`{path: "$[*]", length: {min: 0, max: 3}}`, `[]`, nil},
		{`{path: "$[?@.erro]", length: 0}`, `[{}]`, nil},
		{`{path: "$[?@.erro]", length: {max: 0}}`, `[{"erro":1}]`, []string{"json.length at $[?@.erro]: want a length of at most 0, got 1 node"}},
		{`{path: "$[*]", length: 0, type: string}`, `[]`, []string{"json.type at $[*]: want string, got nothing: the path selects no node"}},
		{`{path: $.x, length: 0}`, `{}`, []string{"json.length at $.x: want a length of 0, got nothing: the path selects no node"}},

		{`{path: "$[*].id", unique: true}`, `[{"id":1},{"id":"1"},{"id":2}]`, nil},
		{`{path: "$[*].id", unique: true}`, `[{"id":1},{"id":2},{"id":1.0}]`, []string{"json.unique at $[2].id: want every value once, got 1.0 again; it is at position 0 already"}},
		{`{path: $, unique: true}`, `[{"a":1,"b":[2]},{"b":[2.0],"a":1}]`,
			[]string{`json.unique at $[1]: want every value once, got {"b":[2.0],"a":1} again; it is at position 0 already`}},
		{`{path: $, unique: true}`, `[null,"null",[],{},"",["a","b"],["a,b"],true,"a"]`, nil},
		{`{path: $.l, unique: true}`, `{"l":"aa"}`, []string{`json.unique at $.l: want every value once, got (a string) "aa"`}},
		{`{path: "$[*]", unique: true}`, `[]`, []string{`json.unique at $[*]: want every value once, got nothing: the path selects no node`}},
		{`{path: $, unique: true}`, `[]`, nil},

		{`{path: "$[*]", sorted: true}`, `[1,2.0,2,1e1]`, nil},
		{`{path: "$[*]", sorted: asc}`, `["a","b","é","Z"]`, []string{`json.sorted at $[3]: want ascending order, got "Z" after "é"`}},
		{`{path: $, sorted: desc}`, `[3,1,2]`, []string{"json.sorted at $[2]: want descending order, got 2 after 1"}},
		{`{path: $, sorted: true}`, `[1,"2",null,3]`, []string{`json.sorted at $[1]: want ascending order, got (a string) "2" after 1 (a number)`,
			"json.sorted at $[2]: want ascending order, got null, which has no order"}},
		{`{path: $.a, sorted: true}`, `{"a":{"b":1}}`, []string{`json.sorted at $.a: want ascending order, got (an object) {"b":1}`}},

		{`{path: "$[*].uf", contains_all: [SP, RJ]}`, `[{"uf":"RJ"},{"uf":"MG"},{"uf":"SP"}]`, nil},
		{`{path: "$[*].uf", contains_all: [SP, RJ]}`, `[{"uf":"RJ"}]`, []string{`json.contains_all at $[*].uf: want all of ["SP","RJ"], got no ["SP"]`}},
		{`{path: $, contains_all: [1, {a: 2}]}`, `[{"a":2.0},1]`, nil},
		{`{path: $, contains_all: [ab, bc]}`, `"abc"`, nil},
		{`{path: $, contains_all: [ab, x]}`, `"abc"`, []string{`json.contains_all at $: want all of ["ab","x"], got no ["x"]`}},
		{`{path: $, contains_all: [1]}`, `{"a":1}`, []string{`json.contains_all at $: want all of [1], got (an object) {"a":1}`}},
	})
}

func TestSeveralMatchersApply(t *testing.T) {
	runMatcherCases(t, []matcherCase{
		{`{path: "$[*]", type: string, min: 1, length: 3, unique: true}`, `["a",1]`, []string{
			`json.type at $[1]: want string, got 1 (a number)`,
			`json.min at $[0]: want at least 1, got (a string) "a"`,
			`json.length at $[*]: want a length of 3, got 2 nodes`,
		}},
		{`{path: $.a}, {path: $.b, equals: 1}, {path: $.c}`, `{"b":2}`, []string{
			"json.exists at $.a: want a node, got nothing: the path selects no node",
			"json.equals at $.b: want 1, got 2",
			"json.exists at $.c: want a node, got nothing: the path selects no node",
		}},
	})
}

func TestMismatchesAreBounded(t *testing.T) {
	body := "[" + strings.Repeat(`"`+strings.Repeat("é", 1000)+`",`, 499) + `"x"]`
	s := mustDecode(t, `json: [{path: "$[*]", equals: x}]`)
	list, err := s.Evaluate(context.Background(), &Observation{Body: []byte(body), JSON: true})
	if err != nil || len(list) != 11 {
		t.Fatalf("%d mismatches, %v", len(list), err)
	}
	if want := `"` + strings.Repeat("é", 198) + "…"; list[0].Got != want {
		t.Errorf("got %q", list[0].Got)
	}
	if last := list[10]; last.Got != "and 489 more" || *last.Path != "$[*]" || last.Code != "json.equals" {
		t.Errorf("last: %+v", last)
	}
}

func TestShorten(t *testing.T) {
	for in, want := range map[string]string{
		"":                        "",
		"a\xffb":                  "a\uFFFDb",
		strings.Repeat("é", 200):  strings.Repeat("é", 200),
		strings.Repeat("é", 201):  strings.Repeat("é", 199) + "…",
		strings.Repeat("a", 200):  strings.Repeat("a", 200),
		strings.Repeat("a", 201):  strings.Repeat("a", 199) + "…",
		strings.Repeat("😀", 5000): strings.Repeat("😀", 199) + "…",
	} {
		if got := shorten(in); got != want {
			t.Errorf("shorten(%q) = %q", in, got)
		}
	}
}
