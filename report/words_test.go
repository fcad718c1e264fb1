package report

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/fetch"
)

// TestExplainKnowsEveryWordOfTheCode looks through the source of what makes a
// result: each word that it can carry is explained in the right sense, and
// nothing is explained that no result carries.
func TestExplainKnowsEveryWordOfTheCode(t *testing.T) {
	files := parsed(t, "../fetch", "../checks", "../checks/expect", "../checks/history")
	explained := map[string][]string{} // words by the start of their group
	for _, topic := range Topics() {
		group, _, _ := strings.Cut(topic.Group.EN, ":")
		explained[group] = append(explained[group], topic.Word)
	}
	for _, c := range []struct {
		group, typ, prefix string // constants of a type, or of a prefix
		more               []string
	}{
		{group: "kind", typ: "Kind"},
		{group: "cause", typ: "Cause"},
		{group: "detail", typ: "Detail", prefix: "Detail"},
		{group: "looks_like", typ: "LooksLike"},
		{group: "note", typ: "Note"},
		{group: "outcome", typ: "Outcome"},
		{group: "stopped", typ: "Stop"},
		{group: "wait_reason", typ: "WaitReason"},
		{group: "change", typ: "Change", more: []string{"flaky"}},
	} {
		want := append(constants(files, c.typ, c.prefix), c.more...)
		if len(want) < 3 && c.group != "note" {
			t.Errorf("only %q were found of %s", want, c.group)
		}
		sortedEqual(t, c.group, want, explained[c.group])
	}
	for _, m := range fetch.MeansList() {
		if _, err := Explain(string(m), EN); err != nil {
			t.Error(err)
		}
	}
	codes := mismatchCodes(files)
	for _, code := range codes {
		if text, err := Explain(code, EN); err != nil || !strings.Contains(text, groupCode.EN) {
			t.Errorf("mismatch %s: %q %v", code, text, err)
		}
	}
	for _, family := range explained["mismatch"] {
		if !slices.ContainsFunc(codes, func(code string) bool { return code == family || strings.HasPrefix(code, family+".") }) {
			t.Errorf("no mismatch is of %s", family)
		}
	}
}

func sortedEqual(t *testing.T, what string, want, got []string) {
	t.Helper()
	slices.Sort(want)
	slices.Sort(got)
	if diff := cmp.Diff(slices.Compact(want), slices.Compact(got)); diff != "" {
		t.Errorf("%s (-in the code +explained)\n%s", what, diff)
	}
}

// parsed are the files of packages, tests left out.
func parsed(t *testing.T, folders ...string) (files []*ast.File) {
	t.Helper()
	for _, folder := range folders {
		paths, err := filepath.Glob(folder + "/*.go")
		if err != nil || len(paths) == 0 {
			t.Fatal(folder, err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
	}
	return files
}

// constants are the texts of constants of a type, and of those without one
// whose names have a prefix.
func constants(files []*ast.File, typ, prefix string) (words []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != len(spec.Names) {
				return true
			}
			for i, name := range spec.Names {
				of, typed := spec.Type.(*ast.Ident)
				if typed && of.Name == typ || spec.Type == nil && prefix != "" && strings.HasPrefix(name.Name, prefix) {
					words = append(words, literal(spec.Values[i])...)
				}
			}
			return true
		})
	}
	return words
}

// mismatchCodes are the codes that mismatches are made with, as far as they
// stand in the code: "text." of "text." + key.
func mismatchCodes(files []*ast.File) (codes []string) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CompositeLit:
				keys := map[string]ast.Expr{}
				for _, element := range n.Elts {
					if kv, ok := element.(*ast.KeyValueExpr); ok {
						if key, ok := kv.Key.(*ast.Ident); ok {
							keys[key.Name] = kv.Value
						}
					}
				}
				for _, key := range []string{"section", "Code", "code"} { // a code goes on from its section
					if value := keys[key]; value != nil {
						codes = append(codes, literal(value)...)
						break
					}
				}
			case *ast.CallExpr:
				if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "broke" {
					codes = append(codes, literal(n.Args[0])...)
				}
			}
			return true
		})
	}
	return append(append(codes, constants(files, "", "Known")...), constants(files, "", "Code")...)
}

// literal is the text that an expression is, or begins with.
func literal(e ast.Expr) []string {
	if sum, ok := e.(*ast.BinaryExpr); ok {
		e = sum.X
	}
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		return nil
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		return nil
	}
	return []string{text}
}
