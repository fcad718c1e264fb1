package checks_test

import (
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fixtures"
)

// TestDemo holds what each probe of the demo shows, and that the demo shows
// every finding. A second run against the same origin shows the same.
func TestDemo(t *testing.T) {
	t.Parallel()
	o := start(t)
	d, err := checks.LoadBytes("demo.yaml", fixtures.DemoDeclaration, checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The demo's times are short. A busy machine must not be able to change what
	// is counted here, so only what waits for silence keeps them.
	for _, probe := range d.Probes {
		if probe.Name != "sem-resposta" {
			probe.Policy.Timeout, probe.Policy.Budget = 10*time.Second, 30*time.Second
		}
	}
	env := o.DemoEnv()
	p, err := checks.NewPlan(d, d.Probes, checks.Options{
		Parallel: 16, Env: func(name string) (string, bool) { v, ok := env[name]; return v, ok },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name    string
		finding checks.Finding
		trips   string
		flags   string
		codes   string
	}{
		{"selic-diaria", checks.OK, "ok:1", "", ""},
		{"ipca-mensal", checks.OK, "ok:1", "", "json.length"},
		{"ptax-do-dia", checks.OK, "ok:2", "", ""},
		{"votacoes", checks.OK, "drift:1 ok:1", "unstable", ""},
		{"estados", checks.Drift, "drift:1 drift:1", "", "json.type"},
		{"janela-longa", checks.Respondeu, "respondeu:1 respondeu:1", "", ""},
		{"tabela-sidra", checks.Respondeu, "respondeu:1 respondeu:1", "", ""},
		{"sidra-com-desafio", checks.Respondeu, "respondeu:1 respondeu:1", "", ""},
		{"senador-inexistente", checks.Respondeu, "respondeu:1 respondeu:1", "", ""},
		{"cambio", checks.Indisponivel, "indisponivel:2", "", ""},
		{"conexao-recusada", checks.Indisponivel, "indisponivel:2", "", ""},
		{"sem-resposta", checks.Indisponivel, "indisponivel:2", "", ""},
		{"certificado-vencido", checks.Indisponivel, "indisponivel:1", "", ""},
		{"serie-desconhecida", checks.Ambiguo, "ambiguo:2 ambiguo:2", "persistent", ""},
		{"registro-vazio", checks.Ambiguo, "ambiguo:2 ambiguo:2", "persistent", ""},
		{"arquivo-grande", checks.Alheio, "alheio:1", "", ""},
	}
	for run := range 2 {
		report := p.Run(t.Context())
		if len(report.Results) != len(want) {
			t.Fatalf("%d results, want %d", len(report.Results), len(want))
		}
		shown := map[checks.Finding]bool{}
		for i, w := range want {
			r := &report.Results[i]
			shown[r.Finding] = true
			if r.Name != w.name || r.Finding != w.finding || tripsOf(r) != w.trips || flagsOf(r) != w.flags || codesOf(r) != w.codes {
				t.Errorf("run %d: %s: %s, trips %q, %q, mismatches %q; want %+v", run+1, r.Name, r.Finding, tripsOf(r), flagsOf(r), codesOf(r), w)
			}
			sound(t, r)
		}
		for _, f := range checks.Findings() {
			if !shown[f] {
				t.Errorf("run %d: no probe is %s", run+1, f)
			}
		}
	}
}
