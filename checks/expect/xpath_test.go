package expect

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/source"
)

const atom = `<feed xmlns="urn:atom"><entry id="1"><data>2026-08-30</data><valor>5.0700</valor></entry><entry id="10"><data>2026-08-31</data><valor>x</valor></entry></feed>`

func TestXPath(t *testing.T) {
	in := func(assertions string) string {
		return "xpath: {namespaces: {a: urn:atom}, assertions: [" + assertions + "]}"
	}
	for _, tc := range []struct {
		yaml, body string
		want       []string
	}{
		{"xpath: [{path: //row, length: 2}, {path: count(//row), equals: 2}, {path: //row/@n, in: [1, 2], sorted: true, unique: true}]", `<t><row n="1"/><row n="2"/></t>`, nil},
		{"xpath: [{path: //row/@n, sorted: desc}]", `<t><row n="10"/><row n="9"/></t>`, nil},
		{"xpath: [{path: //row, length: {min: 3}}]", `<t><row n="1"/><row n="2"/></t>`, []string{"xpath.length at //row: want a length of at least 3, got 2 nodes"}},
		{"xpath: [{path: //row/@n, max: 1}]", `<t><row n="1"/><row n="2.50"/><row n="x"/></t>`,
			[]string{"xpath.max at /t/row[2]/@n: want at most 1, got 2.50", `xpath.max at /t/row[3]/@n: want at most 1, got (a string) "x"`}},
		{"xpath: [{path: //erro, exists: false}]", `<t><erro>Serie</erro></t>`, []string{`xpath.exists at /t/erro: want nothing, got "Serie"`}},
		{"xpath: [{path: 'count(//a) > 1', equals: true}]", `<t><a/></t>`, []string{"xpath.equals at count(//a) > 1: want true, got false"}},
		{"xpath: [{path: //x, equals: y, optional: true}, {path: //z, severity: warn}]", `<t/>`, []string{"warn xpath.exists at //z: want a node, got nothing: the path selects no node"}},
		{in("{path: //a:valor, type: number}"), atom, []string{`xpath.type at /feed/entry[2]/valor: want number, got (a string) "x"`}},
		{in("{path: '//a:entry[1]/a:valor', equals: 5.07}"), atom, nil},
		{in("{path: '//a:entry[1]/a:valor', equals: '5.07'}"), atom, []string{`xpath.equals at /feed/entry[1]/valor: want "5.07", got "5.0700"`}},
		{in("{path: //a:data, matches: '^2026-'}"), atom, nil},
		{"xpath: [{path: //entry}]", atom, []string{"xpath.exists at //entry: want a node, got nothing: the path selects no node; the document is of the namespace urn:atom"}},
		{"xpath: [{path: //a}]", "<html><p>", []string{"xpath at null: want one XML document, got the body is not xml: line 1: unexpected EOF"}},
		{"xpath: [{path: //a, severity: warn}]", "", []string{"warn xpath at null: want one XML document, got the body is not xml: line 1: it has no element, or an element has no end"}},
	} {
		spec := mustDecode(t, tc.yaml)
		if tc.want == nil {
			tc.want = []string{}
		}
		if !spec.NeedsXML() || spec.NeedsJSON() {
			t.Errorf("%s: %t %t", tc.yaml, spec.NeedsXML(), spec.NeedsJSON())
		}
		if diff := cmp.Diff(tc.want, judge(t, spec, &Observation{Body: []byte(tc.body)})); diff != "" {
			t.Errorf("%s on %s (-want +got)\n%s", tc.yaml, tc.body, diff)
		}
	}
}

func TestXPathProblems(t *testing.T) {
	hint := "XPath 1.0; prefixes are declared: xpath: {namespaces: {atom: http://…}, assertions: […]}"
	for _, tc := range []struct{ yaml, want string }{
		{"xpath: []", `1:8 the list of assertions is empty | such as - {path: "//entry", length: {min: 1}}`},
		{"xpath: //a", `1:8 expected a list, got "//a" | `},
		{"xpath: {namespaces: {a: urn:a}}", `1:8 xpath has no key "assertions" | add assertions: a list of paths and matchers`},
		{"xpath: {namespaces: {'a:b': urn:a}, assertions: [{path: //a}]}", `1:22 "a:b" cannot be a prefix | such as atom: http://www.w3.org/2005/Atom`},
		{"xpath: [{path: '//g:a'}]", `1:16 "//g:a" is not an XPath expression: prefix g not defined. | ` + hint},
		{"xpath: [{path: '//a b'}]", `1:16 "//a b" is not an XPath expression: (//a b) has an invalid token | ` + hint},
		{"xpath: [{equals: 1}]", `1:9 an xpath assertion has no key "path" | add path: an XPath 1.0 expression, such as //entry/@id`},
		{"xpath: [{path: //a, exists: false, equals: 1}]", "1:9 exists: false contradicts equals: what is not there has no value | remove one of them"},
	} {
		if diff := cmp.Diff([]string{tc.want}, problemsOf(t, tc.yaml, nil)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}

func TestDecodeCSV(t *testing.T) {
	for _, tc := range []struct {
		yaml string
		want CSVOptions
		said string
	}{
		{`{delimiter: ";", decimal: ",", header: false, encoding: latin1}`, CSVOptions{Delimiter: ';', Decimal: ',', NoHeader: true, Encoding: "latin1"}, ""},
		{`{delimiter: tab, header: [a, b]}`, CSVOptions{Delimiter: '\t', Names: []string{"a", "b"}}, ""},
		{`{delimiter: "\t"}`, CSVOptions{Delimiter: '\t'}, ""},
		{`{}`, CSVOptions{}, ""},
		{`{delimiter: ";;"}`, CSVOptions{}, `f.yaml:1:13 ";;" cannot stand between values`},
		{`{delimiter: '"'}`, CSVOptions{}, `f.yaml:1:13 "\"" cannot stand between values`},
		{`{decimal: ","}`, CSVOptions{Decimal: ','}, `f.yaml:1:1 a comma cannot stand both between values and in numbers`},
		{`{decimal: dot}`, CSVOptions{}, `f.yaml:1:11 expected one of ., ,, got "dot"`},
		{`{header: []}`, CSVOptions{}, `f.yaml:1:10 the list of names is empty`},
		{`{header: [a, b, a]}`, CSVOptions{Names: []string{"a", "b"}}, `f.yaml:1:17 two columns are called "a"`},
		{`{separator: ";"}`, CSVOptions{}, `f.yaml:1:2 unknown key "separator" in csv`},
	} {
		var c source.Collector
		n, ok := source.Parse("f.yaml", []byte(tc.yaml), &c)
		if !ok {
			t.Fatal(c.Err())
		}
		got := DecodeCSV(n)
		said := ""
		var problems source.Problems
		if errors.As(c.Err(), &problems) {
			said = problems[0].Pos.String() + " " + problems[0].Message
		}
		if diff := cmp.Diff(tc.want, got); diff != "" || said != tc.said {
			t.Errorf("%s: %q (-want +got)\n%s", tc.yaml, said, diff)
		}
	}
}

func TestTranscode(t *testing.T) {
	for _, tc := range []struct {
		as         Mode
		body, want string
		malformed  bool
	}{
		{AsCSV, "a,b\n1,2", `[{"a":"1","b":"2"}]`, false},
		{AsNDJSON, "{}\n{}", `[{},{}]`, false},
		{AsXML, "<a/>", "<a/>", false},
		{AsJSON, "[1]", "[1]", false},
		{AsText, "x", "x", false},
		{"", "x", "x", false},
		{AsCSV, "a,b\n1", "", true},
		{AsNDJSON, "x", "", true},
		{AsXML, "<a>", "", true},
	} {
		got, err := Transcode(tc.as, []byte(tc.body), CSVOptions{})
		var bad *bodies.Error
		if string(got) != tc.want || errors.As(err, &bad) != tc.malformed || (err != nil) != tc.malformed {
			t.Errorf("%s of %q: %q, %v", tc.as, tc.body, got, err)
		}
	}
}
