package jsonpath

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestSyntaxErrors(t *testing.T) {
	const segmentHint = "a segment is .name, ['name'], [0], [*], [1:3], [?filter] or ..name"
	for path, want := range map[string]string{
		"":                                      "expected $ at character 1 | a path starts with $, such as $[0].data",
		"a.b":                                   "expected $ at character 1 | a path starts with $, such as $[0].data",
		"$ ":                                    "unexpected ' ' at character 2 | " + segmentHint,
		"$x":                                    "unexpected 'x' at character 2 | " + segmentHint,
		"$.é.":                                  "the path ends too early at character 5 | after a dot comes a name or *; other names are written ['like this']",
		"$.1":                                   "unexpected '1' at character 3 | after a dot comes a name or *; other names are written ['like this']",
		"$[a]":                                  "unexpected 'a' at character 3 | a selector is 'name', 0, *, 1:3 or ?filter; names in brackets are quoted",
		"$[0 1]":                                "unexpected '1' at character 5 | after a selector comes , or ]",
		"$[01]":                                 "01 is not an index at character 3 | write 0, 10 or -1",
		"$[-0]":                                 "-0 is not an index at character 3 | write 0, 10 or -1",
		"$[-]":                                  "- is not an index at character 3 | write 0, 10 or -1",
		"$[1:9007199254740992]":                 "index 9007199254740992 is too large at character 5 | an index is at most 9007199254740991",
		"$['a]":                                 "the quoted text does not end at character 3 | close the quote",
		"$['\\x']":                              `unknown escape at character 4 | escapes are \b \f \n \r \t \\ \/ \uXXXX and the quote itself`,
		"$['\\\"']":                             `unknown escape at character 4 | escapes are \b \f \n \r \t \\ \/ \uXXXX and the quote itself`,
		"$['\\u12']":                            `\u needs four hexadecimal digits at character 4 | escapes are \b \f \n \r \t \\ \/ \uXXXX and the quote itself`,
		"$['\\ud83d']":                          `half of a surrogate pair at character 4 | a character beyond U+FFFF is a pair, such as \ud83d\ude00`,
		"$['\n']":                               `a control character in a quoted text at character 4 | write it as \n, \t or \u00XX`,
		"$[?@.a=1]":                             "unexpected '=' at character 7 | after a selector comes , or ]",
		"$[?@.a==x]":                            `"x" is not a value at character 9 | quote it if text is meant; functions are count, length, match, search, value`,
		"$[?@.a==]":                             "unexpected ']' at character 9 | here stands @, $, a number, a quoted text, true, false, null or a function",
		"$[?@.a==1.]":                           `"1." is not a number at character 9 | numbers are written as in JSON`,
		"$[?@.*==1]":                            "the path can select several nodes at character 4 | only names and indexes may stand in it; value(…) and count(…) take the others",
		"$[?1]":                                 "a value stands alone in a filter at character 4 | compare it with something",
		"$[?(@.a]":                              "unexpected ']' at character 8 | close the parenthesis",
		"$[?!@.a==1]":                           "! stands before a comparison at character 4 | put the comparison in parentheses: !(a == b)",
		"$[?length(@)]":                         "length() gives a value, not true or false at character 4 | compare it: length(…) > 0",
		"$[?size(@)>1]":                         `unknown function "size" at character 4 | functions are count, length, match, search, value`,
		"$[?length(@,@)>1]":                     "length() takes 1 argument(s), not 2 at character 4 | ",
		"$[?count(1)>1]":                        "the argument must be a path at character 10 | such as count(@.items[*])",
		"$[?match(@,'(')]":                      "not a regular expression: error parsing regexp: missing closing ): `(` at character 4 | the syntax is RE2: no look-around, no back-references",
		"$[?match(@,'a')==true]":                "match() is true or false, and has no value to compare at character 4 | use it alone, or with ! before it",
		"$[?" + strings.Repeat("(", 70) + "@.a": "filters are nested deeper than 64 levels at character 68 | ",
		"$\xff":                                 "the path is not UTF-8 at character 1 | save the file as UTF-8",
	} {
		_, err := Parse(path)
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if got := bad.Error() + " | " + bad.Hint; got != want {
			t.Errorf("%q:\n got %s\nwant %s", path, got, want)
		}
	}
}

func TestPathFacts(t *testing.T) {
	for path, want := range map[string][2]bool{ // singular, streams
		"$": {true, true}, "$.a[0]['b'][-1]": {true, true}, "$[0,1]": {false, true}, "$[*].a": {false, true}, "$[1:2]": {false, true},
		"$..a": {false, false}, "$[?@]": {false, false}, "$.a[0][?@.b]": {false, false},
	} {
		p := mustParse(t, path)
		if p.Singular() != want[0] || p.Streams() != want[1] || p.String() != path {
			t.Errorf("%s: %v %v", p, p.Singular(), p.Streams())
		}
	}
}

func TestLocationForms(t *testing.T) {
	const doc = `{"a":[{"b c":{"":{"x9_":{"9":{"é":{"\u0000\n'\\":1}}}}}}]}`
	want := []string{"$.a[0]['b c'][''].x9_['9']['é']['\\u0000\\n\\'\\\\']", "$['a'][0]['b c']['']['x9_']['9']['é']['\\u0000\\n\\'\\\\']", "$.a[0]['b c'][''].x9_['9']['é']['\\u0000\\n\\'\\\\'][3]"}
	var got []string
	err := NewDocument([]byte(doc)).Select(context.Background(), mustParse(t, "$.*[0].*.*.*.*.*.*"), func(_ Value, at *Location) bool {
		got = []string{at.String(), at.Normalized(), at.Element(3)}
		return true
	})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := Parse(want[1]); err != nil {
		t.Errorf("the normalized path is no path: %v", err)
	}
}

// Objects of many members find their shadowed names in another way.
func TestManyMembers(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"k7":"first"`)
	for i := range 40 {
		fmt.Fprintf(&b, `,"k%d":%d`, i, i)
	}
	b.WriteString(`,"\u006b3":"last"}`)
	for _, run := range []engine{streamEngine, indexEngine} {
		nodes, places := selected(t, run, []byte(b.String()), mustParse(t, "$.*"))
		if len(nodes) != 40 || nodes[39] != "last" || places[39] != "$['k3']" || nodes[0] != json.Number("0") {
			t.Errorf("%d nodes: %v", len(nodes), nodes)
		}
	}
	if v := (Value{[]byte(b.String())}); v.Len() != 40 || v.Kind() != Object || string(v.Raw()) != b.String() {
		t.Errorf("%d members", v.Len())
	}
}

func TestEqual(t *testing.T) {
	for _, tc := range []struct {
		json string
		want any
		is   bool
	}{
		{"1.0", json.Number("1"), true}, {"1", "1", false}, {`"1"`, json.Number("1"), false}, {`"\u0061"`, "a", true}, {`"\ud800"`, "\uFFFD", true}, {`"ab"`, "a", false},
		{"null", nil, true}, {"null", false, false}, {"true", true, true}, {"false", true, false}, {"[]", map[string]any{}, false}, {"{}", []any{}, false}, {"[]", nil, false},
		{"[1,[2]]", []any{json.Number("1.0"), []any{json.Number("2")}}, true}, {"[1]", []any{"1"}, false}, {"[1]", []any{}, false}, {"[[]]", []any{map[string]any{}}, false},
		{`{"a":1,"a":2}`, map[string]any{"a": json.Number("2")}, true}, {`{"a":1}`, map[string]any{"b": json.Number("1")}, false}, {`{"a":1}`, map[string]any{}, false},
		{`[{"a":null}]`, []any{map[string]any{"a": nil}}, true}, {`[{"a":{}}]`, []any{map[string]any{"a": []any{}}}, false},
	} {
		if got := (Value{[]byte(tc.json)}).Equal(tc.want); got != tc.is {
			t.Errorf("%s and %#v: %v", tc.json, tc.want, got)
		}
	}
}
