package source

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// values answers ${each} and ${each.NAME} from a mapping.
func values(n Node) func(Ref, Node) (Node, bool) {
	return func(r Ref, at Node) (Node, bool) {
		if r.Scope != Each && r.Name != Each {
			return Node{}, false
		}
		v := n.Member(r.Name)
		if v.IsZero() {
			at.Problem("", "there is no %s", r)
		}
		return v, true
	}
}

func TestSubstitution(t *testing.T) {
	n := parse(t, `
values: {each: 11, name: "São Paulo", yes: true}
use: &use
  get: /x/${each}?c=${each.name}&n=${each}
  whole: ${each}
  flag: ${each.yes}
  quoted: "${each.name}"
  mixed: a ${each} b ${env.HOME} $${each} c
  list: [x, "${each}", {deep: "-${each}"}]
  request: {path: "/${each.name}"}
  untouched: {a: 1}
again: *use
`)
	s := &Substitution{Value: values(n.Member("values")), Escape: map[string]func(string, string) string{
		"get":          func(before, v string) string { return url.QueryEscape(v) },
		"request.path": func(before, v string) string { return "<" + before + "|" + v + ">" },
	}}
	want := map[string]any{
		"get": "/x/11?c=S%C3%A3o+Paulo&n=11", "whole": "11!int", "flag": "true!bool", "quoted": "São Paulo!str",
		"mixed": "a 11 b ${env.HOME} $${each} c", "list": "-11", "path": "/</|São Paulo>",
	}
	for _, key := range []string{"use", "again"} {
		got := s.Apply(n.Member(key))
		text := func(keys ...string) string {
			at := got
			for _, k := range keys {
				at = at.Member(k)
			}
			v, _ := at.String()
			return v
		}
		list, _ := got.Member("list").Items()
		deep, _ := list[2].Member("deep").String()
		typed := func(k string) string { return text(k) + strings.TrimPrefix(got.Member(k).target().Tag, "!") }
		have := map[string]any{
			"get": text("get"), "whole": typed("whole"), "flag": typed("flag"), "quoted": typed("quoted"),
			"mixed": text("mixed"), "list": deep, "path": text("request", "path"),
		}
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("%s (-want +got)\n%s", key, diff)
		}
		if at := got.Member("whole").Pos(); at.Line != 5 || at.Col != 10 {
			t.Errorf("the value lost the place where it is used: %s", at)
		}
		if got.Member("untouched") != n.Member("use").Member("untouched") {
			t.Error("what holds no reference was copied")
		}
	}
}

func TestSubstitutionOfLiterals(t *testing.T) {
	n := parse(t, `{a: "$${x} ${each}", b: "$${y}", c: "${a b} $${x}"}`)
	s := &Substitution{Literals: true, Value: func(Ref, Node) (Node, bool) { return Node{}, true }}
	got := s.Apply(n)
	for key, want := range map[string]string{"a": "${x} ${each}", "b": "${y}", "c": "${a b} $${x}"} {
		if v, _ := got.Member(key).String(); v != want {
			t.Errorf("%s: %q, want %q", key, v, want)
		}
	}
}

// A bomb of aliases is not copied.
func TestSubstitutionIsBounded(t *testing.T) {
	var c Collector
	n, ok := Parse("f.yaml", []byte(strings.Replace(bomb(6), "[x, x", "['${each}', x", 1)), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	s := &Substitution{Value: func(Ref, Node) (Node, bool) { return Node{}, true }}
	for range 5 {
		s.Apply(n)
	}
	if list := problems(t, c.Err()); len(list) != 1 || !strings.Contains(list[0], "references are put into more than 1048576 values") {
		t.Errorf("%v", list)
	}
}
