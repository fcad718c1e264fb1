package checks

import (
	"context"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

// given is what a finished probe has for those that need it.
type given struct {
	result *Result
	values map[string]string // by capture; nil where none could be made
}

// give keeps what a finished probe has for others. Values come of a measured
// answer only, of the trip that decided.
func (r *runner) give(g *journey, result *Result) {
	gift := given{result: result}
	if result.Finding == OK {
		gift.values = g.trips[g.ruling.evidence].captured
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gifts[g.planned] = gift
}

// meet completes the request with what other probes have captured. Where one of
// them has no value to give, or one that may not go there or has no place there,
// it says so, and nothing is to be asked.
func (r *runner) meet(g *journey) bool {
	pl := g.planned
	if len(pl.needs) == 0 {
		return true
	}
	g.values = map[source.Ref]string{}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, need := range pl.needs {
		gift := r.gifts[need]
		if gift.values == nil {
			g.unmet = &gift
			return false
		}
		for _, ref := range pl.refs {
			if ref.Scope == need.probe.Name {
				g.values[ref] = gift.values[ref.Name]
			}
		}
	}
	if g.barred = r.plan.stray(pl, g.values); g.barred != "" {
		g.detail = DetailBoundSecret
		return false
	}
	x := expander{env: r.plan.opt.Env, captured: func(ref source.Ref) (string, bool) { v, ok := g.values[ref]; return v, ok }}
	if g.barred = x.unfit(pl); g.barred != "" {
		g.detail = DetailUnfitCapture
		return false
	}
	if pl.probe.MCP != nil {
		g.request = x.ask(pl.probe, pl.peer)
	} else {
		g.request = x.request(pl.probe)
	}
	return true
}

// needed is what predicates see of other probes' captures: each under its
// probe's name and, where no other has the same, under its own.
func (g *journey) needed() map[string]any {
	if len(g.values) == 0 {
		return nil
	}
	all, count := map[string]any{}, map[string]int{}
	for ref, v := range g.values {
		if count[ref.Name]++; count[ref.Name] == 1 {
			all[ref.Name] = v
		}
	}
	for name, n := range count {
		if n > 1 {
			delete(all, name)
		}
	}
	for ref, v := range g.values {
		if of, is := all[ref.Scope].(map[string]any); is {
			of[ref.Name] = v
		} else {
			all[ref.Scope] = map[string]any{ref.Name: v}
		}
	}
	return all
}

// dependent is the result of a probe that was not asked because a probe that it
// needs has no value for it. It counts for nothing by itself: what could not be
// measured is inherited, and what is broken there fails there. Nor was it asked
// where it would take a secret elsewhere, or a value has no place in its
// request: that is its own.
func (r *runner) dependent(g *journey) *Result {
	res := r.blank(g.planned)
	res.Detail = some(DetailDependency)
	if g.barred != "" {
		res.Finding, res.Verdict, res.Detail = Alheio, some(string(Alheio)), some(g.detail)
		res.Motivo = some("não foi perguntada: " + g.barred)
		res.Reproduce = some(r.plan.reproduce(g, &res))
		scrub(&res, r.plan.redactor.String)
		return &res
	}
	need := g.unmet.result
	why := "não foi perguntada: a sonda " + need.Name + ", de que esta precisa, "
	switch need.Finding {
	case OK:
		res.Finding = Alheio
		why += "não tem valor para dar"
	case Drift:
		res.Finding = Alheio
		why += "está com o contrato quebrado"
	default:
		res.Finding = need.Finding
		why += "não foi medida"
		if need.Motivo != nil && deref(need.Detail, "") != DetailDependency {
			why += ": " + *need.Motivo
		}
	}
	res.Verdict, res.Motivo = some(string(res.Finding)), some(why)
	res.Reproduce = some(r.plan.reproduce(g, &res))
	return &res
}

// capture takes the values that a probe gives to others out of its answer, and
// has the secret ones hidden before anything is said about the answer.
func (r *runner) capture(ctx context.Context, p *Probe, o *expect.Observation) (map[string]string, []expect.Mismatch, error) {
	if len(p.Captures) == 0 {
		return nil, nil, nil
	}
	values := make(map[string]string, len(p.Captures))
	var broken []expect.Mismatch
	for _, c := range p.Captures {
		v, m, err := c.Take(ctx, o)
		if err != nil {
			return nil, nil, err
		}
		if m == nil && c.Secret {
			m = r.hide(p, c, v)
		}
		if m != nil {
			broken = append(broken, *m)
			continue
		}
		values[c.Name] = v
	}
	return values, broken, nil
}

// hide has a captured secret redacted from now on; one that cannot be hidden is
// not passed on.
func (r *runner) hide(p *Probe, c *expect.Capture, v string) *expect.Mismatch {
	if m := c.Unfit(v); m != nil {
		return m
	}
	r.plan.redactor.Learn(p.Name+"."+c.Name, v)
	return nil
}

// shellName is the variable that stands for a captured value in a command.
func shellName(r source.Ref) string {
	return "CAPTURED_" + notInNames().ReplaceAllString(r.Scope+"_"+r.Name, "_")
}

var notInNames = source.Pattern(`[^A-Za-z0-9_]`)

// capturesOf lists the references to captures in a request.
func capturesOf(r *Request) (refs []source.Ref) {
	texts := []source.Text{r.Path, r.Text}
	for _, list := range [][]Param{r.Query, r.Form} {
		for _, p := range list {
			texts = append(texts, p.Value)
		}
	}
	for _, h := range r.Headers {
		texts = append(texts, h.Value)
	}
	for _, t := range texts {
		for _, ref := range t.Refs() {
			if !isEnv(ref) {
				refs = append(refs, ref)
			}
		}
	}
	return refs
}

// WithNeeds adds to a selection the probes whose captures it needs, in the
// order of the declaration. A selection that needs no other is given back as it
// is.
func (d *Declaration) WithNeeds(probes []*Probe) []*Probe {
	chosen := make(map[*Probe]bool, len(probes))
	for _, p := range probes {
		chosen[p] = true
	}
	var add func(p *Probe)
	add = func(p *Probe) {
		for _, need := range p.Needs {
			if !chosen[need] {
				chosen[need] = true
				add(need)
			}
		}
	}
	for _, p := range probes {
		add(p)
	}
	if len(chosen) == len(probes) {
		return probes
	}
	var all []*Probe
	for _, p := range d.Probes {
		if chosen[p] {
			all = append(all, p)
		}
	}
	return all
}

// shown is a piece of an origin's text for a mismatch: masked, then cut.
func (r *runner) shown(s string) string {
	const most = 200
	s = strings.ToValidUTF8(r.plan.redactor.String(s), "\uFFFD")
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return s
}
