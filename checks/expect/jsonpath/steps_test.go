package jsonpath

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSteps(t *testing.T) {
	for text, want := range map[string][]Step{
		"$":                   {},
		"$.a":                 {{Names: []string{"a"}}},
		"$['a','b c']":        {{Names: []string{"a", "b c"}}},
		"$[0]":                {{Elements: true}},
		"$[-1].x":             {{Elements: true}, {Names: []string{"x"}}},
		"$[1:3][*]":           {{Elements: true}, {Any: true}},
		"$.*":                 {{Any: true}},
		"$['a',0]":            {{Names: []string{"a"}, Elements: true}},
		"$[*].valor['a\\nb']": {{Any: true}, {Names: []string{"valor"}}, {Names: []string{"a\nb"}}},
	} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		got, ok := p.Steps()
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %t %s", text, ok, diff)
		}
	}
	for _, text := range []string{"$..a", "$[?@.a]", "$[*]..[0]"} {
		p, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if _, ok := p.Steps(); ok {
			t.Errorf("%s: only a document can answer it", text)
		}
	}
}

func TestMember(t *testing.T) {
	for name, want := range map[string]string{
		"valor": ".valor", "a b": "['a b']", "": "['']", "é": "['é']", "1": "['1']", "it's": `['it\'s']`, "\x1b": `['\u001b']`,
	} {
		if got := Member(name); got != want {
			t.Errorf("%q: %s, want %s", name, got, want)
		}
	}
}
