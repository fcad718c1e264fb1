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

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

func TestExplainKnowsEveryWord(t *testing.T) {
	var words []string
	words = append(words, names(checks.Findings())...)
	words = append(words, names(fetch.Kinds())...)
	words = append(words, names(Dispositions())...)
	words = append(words, "unstable", "persistent", "flaky", "absent")
	for _, code := range []int{ExitOK, ExitContract, ExitUsage, ExitOwn, ExitAmbiguous, ExitUnmeasured, ExitOutput, ExitTemporary, ExitInterrupt, ExitTerminate} {
		words = append(words, strconv.Itoa(code), "exit "+strconv.Itoa(code))
	}
	for _, w := range words {
		for _, lang := range []Lang{EN, PT} {
			text, err := Explain(w, lang)
			if err != nil || !strings.HasPrefix(text, strings.TrimPrefix(w, "exit ")+" (") {
				t.Errorf("%s: %q, %v", w, text, err)
			}
		}
	}
}

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
			case *ast.KeyValueExpr:
				if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Code" || key.Name == "code") {
					codes = append(codes, literal(n.Value)...)
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

func TestTopicsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics() {
		if key := topic.Group.EN + " " + topic.Word; seen[key] {
			t.Errorf("%s stands twice", key)
		} else {
			seen[key] = true
		}
		for _, text := range []Text{topic.Group, topic.Means, topic.Do} {
			if text.EN == "" || text.PT == "" || text.EN == text.PT {
				t.Errorf("%s: %+v", topic.Word, text)
			}
		}
	}
}

func TestExplainSuggests(t *testing.T) {
	for word, want := range map[string]string{"indisponível": "indisponivel", "timout": "timeout", "exit 751": "75", "jsn.matches": "json"} {
		if _, err := Explain(word, EN); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
		}
	}
	if _, err := Explain("zzzzzzzzzzzzzzzz", EN); err == nil || !strings.HasSuffix(err.Error(), "fonteviva explain, without a word, lists what is known") {
		t.Error(err)
	}
}

func TestExplainListsItsWords(t *testing.T) {
	for _, lang := range []Lang{EN, PT} {
		list := strings.Fields(ExplainWords(lang))
		for _, word := range TopicWords() {
			if !slices.Contains(list, word) {
				t.Errorf("%s is not listed", word)
			}
		}
		if n := strings.Count(ExplainWords(lang), groupLooks.In(lang)+"\n"); n != 1 {
			t.Errorf("a group is there %d times", n)
		}
	}
}

func TestEveryVerdictHasANextStep(t *testing.T) {
	for i := range advices {
		if a := &advices[i]; a.text.EN == "" || a.text.PT == "" || a.text.EN == a.text.PT {
			t.Errorf("row %d: %+v", i, a.text)
		}
	}
	for _, f := range checks.Findings() {
		r := checks.Result{Finding: f}
		if text := nextStep(&r); strings.HasPrefix(text.EN, "see ") {
			t.Errorf("%s has no advice", f)
		}
		for _, k := range fetch.Kinds() {
			r.Kind = ptr(k)
			if text := nextStep(&r); f != checks.OK && f != checks.Drift && strings.HasPrefix(text.EN, "see ") {
				t.Errorf("%s, %s has no advice", f, k)
			}
		}
	}
}

func TestNextStepPicksTheFinestRow(t *testing.T) {
	nx := failed("p", "o", checks.Indisponivel, fetch.Network, fetch.OutcomeFatal)
	nx.Detail = ptr(string(fetch.DNSNXDomain))
	waf := failed("p", "o", checks.Respondeu, fetch.HTTP4xx, fetch.OutcomeBlocked)
	waf.LooksLike = ptr(fetch.LooksWAFChallenge)
	drift := driftResult()
	drift.Detail = ptr(checks.DetailSingleTrip)
	for want, r := range map[string]checks.Result{"the name does not exist": nx, "a firewall asks": waf, "the request may not be repeated": drift, "the source changed": driftResult()} {
		if text := nextStep(&r).EN; !strings.HasPrefix(text, want) {
			t.Errorf("%q, want %q", text, want)
		}
	}
}

// TestNextStepFollowsARule holds that advice goes by what a rule made of an
// answer, and not by what the answer would have been without it.
func TestNextStepFollowsARule(t *testing.T) {
	for _, c := range []struct {
		finding checks.Finding
		kind    fetch.Kind
		status  int
		detail  string
		want    string
	}{
		{checks.Respondeu, fetch.HTTP5xx, 500, "", "a rule under answers: says that the source refuses"},
		{checks.Indisponivel, "", 200, "", "a rule under answers: says that this answer is an outage"},
		{checks.Indisponivel, fetch.NotFound, 404, "", "a rule under answers: says that this answer is an outage"},
		{checks.Indisponivel, fetch.HTTP4xx, 200, string(fetch.ToolError), "a rule under answers: says that this answer is an outage"},
		{checks.Ambiguo, fetch.HTTP4xx, 400, "", "a rule under answers: says that this answer tells nothing"},
		{checks.Alheio, fetch.HTTP4xx, 403, "", "a rule under answers: says that this answer is of our own side"},
		{checks.Drift, fetch.HTTP4xx, 400, "", "the source changed"},
		{checks.Indisponivel, fetch.HTTP5xx, 500, checks.DetailUnconfirmed, "the first answer broke the contract"},
	} {
		r := failed("p", "o", c.finding, c.kind, fetch.OutcomeFatal)
		r.Status, r.Rule, r.Detail = ptr(c.status), ptr("origins.o.answers[0]"), nil
		if c.detail != "" {
			r.Detail = ptr(c.detail)
		}
		if c.kind == "" {
			r.Kind = nil
		}
		if text := nextStep(&r).EN; !strings.HasPrefix(text, c.want) {
			t.Errorf("%s of a rule on %d %s: %q, want %q", c.finding, c.status, c.kind, text, c.want)
		}
		r.Rule = nil
		if text := nextStep(&r).EN; strings.HasPrefix(text, "a rule") {
			t.Errorf("%s without a rule: %q", c.finding, text)
		}
	}
}

func TestParseLang(t *testing.T) {
	for _, s := range []string{"en", "pt-BR"} {
		if l, err := ParseLang(s); err != nil || string(l) != s {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := ParseLang("pt"); err == nil || !strings.Contains(err.Error(), "pt-BR") {
		t.Error(err)
	}
}

// TestNextStepNamesTheCommand holds that what breaks nothing but a recorded
// shape or surface is answered with the command that records it, and that a
// name which is none reaches no command line.
func TestNextStepNamesTheCommand(t *testing.T) {
	fail := func(code string) expect.Mismatch { return expect.Mismatch{Code: code, Severity: expect.Fail} }
	warn := func(code string) expect.Mismatch { return expect.Mismatch{Code: code, Severity: expect.Warn} }
	const command = "fonteviva accept selic-diaria"
	for _, c := range []struct {
		name, detail string
		mismatches   []expect.Mismatch
		want, not    string
	}{
		{"selic-diaria", "", []expect.Mismatch{fail("shape.format"), fail("shape.key_gone"), fail("shape")}, command, ""},
		{"selic-diaria", "", []expect.Mismatch{fail("surface.tool_gone")}, command, ""},
		{"selic-diaria", "", []expect.Mismatch{warn("json.type"), fail("shape.type"), warn("redirect.moved")}, command, ""},
		{"selic-diaria", checks.DetailSingleTrip, []expect.Mismatch{fail("shape.type")}, command, ""},
		{"selic-diaria", checks.DetailSingleTrip, []expect.Mismatch{fail("json.type")}, "rests on one answer", "accept"},
		{"selic-diaria", "", []expect.Mismatch{fail("shape.type"), fail("json.type")}, "the source changed", "accept"},
		{"selic-diaria", "", []expect.Mismatch{fail("shapely.x")}, "the source changed", "accept"},
		{"selic-diaria", "", []expect.Mismatch{warn("shape.new_key")}, "the source changed", "accept"},
		{"selic-diaria", "", nil, "the source changed", "accept"},
		{"x; rm -rf $HOME", "", []expect.Mismatch{fail("shape.type")}, "fonteviva accept NAME", "rm"},
		{"--yes", "", []expect.Mismatch{fail("shape.type")}, "fonteviva accept NAME", "--yes"},
		{"p", "", []expect.Mismatch{fail("fresh")}, "under fresh:", ""},
		{"p", "", []expect.Mismatch{fail("tls.expires_after")}, "tls:", ""},
		{"p", "", []expect.Mismatch{warn("empty"), fail("max_empty")}, "there is no data", ""},
		{"p", "", []expect.Mismatch{fail("max_duration")}, "slower", ""},
		{"p", "", []expect.Mismatch{fail("capture")}, "capture:", ""},
		{"p", "", []expect.Mismatch{fail("fresh"), fail("capture")}, "the source changed", ""},
	} {
		r := checks.Result{Name: c.name, Finding: checks.Drift, Measured: true, Mismatches: c.mismatches}
		if c.detail != "" {
			r.Detail = &c.detail
		}
		text := nextStep(&r)
		if !strings.Contains(text.EN, c.want) || c.not != "" && strings.Contains(text.EN, c.not) {
			t.Errorf("%s %+v: %q, want %q, not %q", c.name, c.mismatches, text.EN, c.want, c.not)
		}
		if strings.Contains(text.EN+text.PT, "{") || strings.Contains(text.EN, command) != strings.Contains(text.PT, command) {
			t.Errorf("%s %+v: %+v", c.name, c.mismatches, text)
		}
	}
}
