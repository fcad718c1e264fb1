package report

import (
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
)

// TestTheFoldedLineNamesTheNeed holds that dependents are folded by the probe
// that they need, and that each fold says which one that is.
func TestTheFoldedLineNamesTheNeed(t *testing.T) {
	var results []checks.Result
	for _, c := range []struct{ name, need string }{{"a", "login"}, {"b", "login"}, {"c", "catalogue"}, {"d", "login"}} {
		r := unaskedResult(c.name, checks.Respondeu, checks.DetailDependency)
		r.Motivo = ptr("não foi perguntada: a sonda " + c.need + ", de que esta precisa, não foi medida")
		results = append(results, r)
	}
	pretty, _ := FormatNamed("pretty")
	doc := NewDocument(&checks.Report{Trace: "9Q77WKZW", StartedAt: startedAt, Results: results}, policyOf("local"), DecideOptions{Format: "pretty"})
	out := string(render(t, pretty, doc, Options{}))
	text := strings.Join(strings.Fields(out), " ")
	for _, want := range []string{
		"– 3 probes not asked (local): a probe that it needs has no value for it · respondeu [fail] motivo não foi perguntada: a sonda login, de que esta precisa, não foi medida a, b, d",
		"– 1 probe not asked (local): a probe that it needs has no value for it · respondeu [fail] motivo não foi perguntada: a sonda catalogue, de que esta precisa, não foi medida c",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s\nis not in\n%s", want, out)
		}
	}
}
