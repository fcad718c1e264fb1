package expect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDuplicateKeys(t *testing.T) {
	again := func(paths ...string) []string {
		var list []string
		for _, p := range paths {
			list = append(list, "json.duplicate_key at "+p+": want every key once in its object, got the key again in the same object")
		}
		return list
	}
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf(`"k%d":%d`, i, i))
	}
	for _, tc := range []struct {
		body string
		want []string
	}{
		{`{"a":1,"b":{"a":2},"c":[{"a":1},{"a":1}]}`, nil},
		{`{"a":"a","b":"a"}`, nil},
		{`["a","a",{"a":["a","a"]}]`, nil},
		{`{"a":1,"a":1}`, again("$.a")},
		{`{"a":1,"a":2,"a":3}`, again("$.a", "$.a")},
		{`[{"x":{"a":1, "b":[], "a":2}},{"a":1},{"b":1,"b":2}]`, again("$[0].x.a", "$[2].b")},
		{`{"x":1,"\u0078":2}`, again("$.x")},
		{`{"\u00e9":1,"\u00E9":2}`, again("$['é']")},
		{`{"\u00e9":1,"é":2}`, again("$['é']")},
		{`{"a":{"b":{"c":1,"c":2}},"a":{"b":1}}`, again("$.a", "$.a.b.c")},
		{`{` + strings.Join(many, ",") + `}`, nil},
		{`{` + strings.Join(many, ",") + `,"k7":0}`, again("$.k7")},
		{`"a"`, nil},
		{`{}`, nil},
	} {
		if tc.want == nil {
			tc.want = []string{}
		}
		for _, yaml := range []string{"json: [{path: $}]", "json: [{path: '$..z', optional: true}]"} { // without an index, and with one
			if diff := cmp.Diff(tc.want, judge(t, mustDecode(t, yaml), &Observation{Body: []byte(tc.body), JSON: true})); diff != "" {
				t.Errorf("%s on %s (-want +got)\n%s", yaml, tc.body, diff)
			}
		}
	}
	if got := judge(t, mustDecode(t, "body: {contains: a}"), &Observation{Body: []byte(`{"a":1,"a":2}`), JSON: true}); len(got) != 0 {
		t.Errorf("a probe that reads no JSON says %v", got)
	}
}

func TestDuplicateColumnsAreDuplicateKeys(t *testing.T) {
	body, err := Transcode(AsCSV, []byte("a,b,a\n1,2,3\n"), CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got := judge(t, mustDecode(t, "json: [{path: '$[0].b', equals: '2'}]"), &Observation{Body: body, JSON: true})
	if len(got) != 1 || !strings.HasPrefix(got[0], "json.duplicate_key at $[0].a:") {
		t.Error(got)
	}
}

func TestEmptyWhen(t *testing.T) {
	for _, tc := range []struct{ yaml, body, want string }{
		// C1: a Saturday.
		{"{path: $.value}", `{"@odata.context":"x","value":[]}`, "$.value is empty"},
		{"{path: '$.value[*]'}", `{"value":[]}`, "$.value[*] selects nothing"},
		{"{path: $.value}", `{"value":[{"a":1}]}`, ""},
		// C2: a lone header row.
		{"{rows: 1}", `[{"NC":"Nível"}]`, "$ has 1 row at most"},
		{"{rows: 1}", `[]`, "$ has 1 row at most"},
		{"{rows: 1}", `[{"NC":"Nível"},{"NC":"1"}]`, ""},
		{"{path: $.d, rows: 1}", `{"d":[1]}`, "$.d has 1 row at most"},
		{"{rows: 0}", `[1]`, ""},
		// C3: a label without values.
		{"{path: $.value}", `{"value":{},"label":{"a":1}}`, "$.value is empty"},
		// C8: a date without a figure.
		{"{path: '$[*].valor'}", `[{"data":"01/02/2026","valor":""},{"valor":null}]`, "$[*].valor is empty"},
		{"{path: '$[*].valor'}", `[{"valor":""},{"valor":"1"}]`, ""},
		{"{path: $.x}", `{"x":0}`, ""},
		{"{path: $.x}", `{"x":false}`, ""},
		// What the path goes through is missing, or is something else.
		{"{path: '$.value[*]'}", `{"error":"x"}`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `{"values":[]}`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `{"value":"none"}`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `{"value":0}`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `[1]`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `"x"`, "lost $.value[*]"},
		{"{path: '$.value[*]'}", `{"value":null}`, "$.value[*] selects nothing"},
		{"{path: '$.value[*]'}", `{"value":{}}`, "$.value[*] selects nothing"},
		{"{path: '$.value[*]'}", `[]`, "$.value[*] selects nothing"},
		{"{path: '$.a.b'}", `{"a":{}}`, "$.a.b selects nothing"},
		{"{path: '$.a.b'}", `{"a":{"c":1}}`, "$.a.b selects nothing"},
		{"{path: '$.a.b'}", `{"a":[1]}`, "lost $.a.b"},
		{"{path: '$.a.b'}", `{"c":1}`, "lost $.a.b"},
		{"{path: '$.a.b.c'}", `{"a":{"x":1}}`, "lost $.a.b.c"},
		{"{path: $.d, rows: 1}", `{"e":1}`, "$.d selects nothing"},
		{"{path: $.d.e, rows: 1}", `{"f":1}`, "lost $.d.e"},
		{"{path: '$.g[*].rows[*]'}", `{"g":[{"rows":[]},{"rows":[]}]}`, "$.g[*].rows[*] selects nothing"},
		{"{path: '$.g[*].rows[*]'}", `{"g":[{"rows":[]},{"lines":[]}]}`, "lost $.g[*].rows[*]"},
		{"{path: '$.g[*].rows[*]'}", `{"g":[{"rows":[""]},{"lines":[]}]}`, "lost $.g[*].rows[*]"},
		{"{path: '$.g[*].rows[*]'}", `{"g":[]}`, "$.g[*].rows[*] selects nothing"},
		{"{path: '$[1].x'}", `[{"x":1}]`, "$[1].x selects nothing"},
		{"{path: '$[1:].x'}", `[{"x":1}]`, "$[1:].x selects nothing"},
		{"{path: '$[1].x'}", `{"x":1}`, "lost $[1].x"},
		{"{path: '$.r[?@.on].x'}", `{"r":[{"on2":1}]}`, "$.r[?@.on].x selects nothing"},
		{"{path: '$.r[?@.on].x'}", `{"s":[{"on":1}]}`, "lost $.r[?@.on].x"},
		{"{path: '$..x'}", `{"s":[{"on":1}]}`, "$..x selects nothing"},
		{"{path: '$..x'}", `7`, "lost $..x"},
		{"{path: '$..x[*]'}", `{"s":[{"on":1}]}`, "lost $..x[*]"},
		{"{path: '$..x[*]'}", `{"s":[{"x":[]}]}`, "$..x[*] selects nothing"},
		{"[{path: '$.a[*]'}, {path: '$.b[*]'}]", `{"b":[1]}`, ""},
		{"[{path: '$.a[*]'}, {path: '$.b[*]'}]", `{"c":[1]}`, "lost $.a[*]"},
		{"[{path: '$.a[*]'}, {rows: 1}]", `{"c":[1]}`, ""},
		{"[{path: $.x}, {rows: 0}]", `[]`, "$.x selects nothing"},
		{"[{path: '$[0].x'}, {rows: 1}]", `[{"x":1}]`, "$ has 1 row at most"},
	} {
		n, c := parseNode(t, tc.yaml)
		e := DecodeEmptyWhen(n)
		if c.Err() != nil {
			t.Fatal(c.Err())
		}
		got, err := e.Of(context.Background(), &Observation{Body: []byte(tc.body), JSON: true})
		how := got.How
		if got.Lost != nil {
			how = "lost " + *got.Lost.Path
		}
		if how != tc.want || err != nil {
			t.Errorf("%s of %s: %q, %v", tc.yaml, tc.body, how, err)
		}
	}
	var none EmptyWhen
	if got, _ := none.Of(context.Background(), &Observation{Body: []byte("[]"), JSON: true}); got != (Emptiness{}) {
		t.Error("what is not declared holds")
	}
	n, _ := parseNode(t, "{rows: 0}")
	if got, _ := DecodeEmptyWhen(n).Of(context.Background(), &Observation{}); got != (Emptiness{}) {
		t.Error("a body that is no JSON is empty")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	n, _ = parseNode(t, "{path: '$..x'}")
	if _, err := DecodeEmptyWhen(n).Of(ctx, &Observation{Body: []byte("[" + strings.Repeat("[],", 50_000) + "0]"), JSON: true}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestEmptyWhenProblems(t *testing.T) {
	for _, tc := range []struct{ yaml, want string }{
		{"{}", "f.yaml:1:1: empty_when says nothing"},
		{"{rows: -1}", `f.yaml:1:8: expected a whole number from 0 to 2147483647, got "-1"`},
		{"{path: x}", `f.yaml:1:8: "x" is not a JSON path: expected $ at character 1`},
		{"$.x", `f.yaml:1:1: expected a mapping (key: value), got "$.x"`},
	} {
		n, c := parseNode(t, tc.yaml)
		DecodeEmptyWhen(n)
		if err := c.Err(); err == nil || !strings.HasPrefix(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.yaml, err)
		}
	}
}
