package report

import (
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// Profile is an occasion: what it changes in the policy, and what it says
// about the run itself. A zero field says nothing.
type Profile struct {
	Name    string
	For     Text
	Extends string
	// On is for every format, Formats for one; Formats is the stronger.
	On      map[checks.Finding]Disposition
	Formats map[string]map[checks.Finding]Disposition

	Budget      time.Duration // of the whole run
	MinMeasured *Threshold
	Wait        time.Duration // repeat for as long until the source delivers
	// MaxUnmeasured is the age limit where a probe has none.
	MaxUnmeasured time.Duration
	// AgeUnknownFails makes what was not measured fail (exit 5) where no history
	// tells for how long.
	AgeUnknownFails bool
	// BudgetEndWarns makes the run's budget ending with probes unasked a
	// warning instead of exit 5.
	BudgetEndWarns bool
	// Quiet makes pretty say failures, degradations and that nothing was
	// measured, else nothing.
	Quiet bool
}

// DefaultProfile is used where none is named.
const DefaultProfile = "local"

func unmeasuredAre(d Disposition) map[checks.Finding]Disposition {
	return map[checks.Finding]Disposition{checks.Indisponivel: d, checks.Ambiguo: d}
}

// Profiles lists the built-in profiles.
func Profiles() []Profile {
	return []Profile{
		{Name: DefaultProfile, For: Text{"a developer, one check", "quem desenvolve, uma verificação"}},
		{
			Name: "smoke", For: Text{"post-deploy in CI", "pós-deploy na CI"},
			On: unmeasuredAre(Warn), Budget: 2 * time.Minute, BudgetEndWarns: true,
		},
		{Name: "contract", For: Text{"contract tests in CI", "testes de contrato na CI"}, On: unmeasuredAre(Skip)},
		{
			Name: "cron", For: Text{"scheduled probes", "sondas agendadas"},
			On: unmeasuredAre(Skip), MaxUnmeasured: 72 * time.Hour, AgeUnknownFails: true, Quiet: true,
		},
		{Name: "recovery", For: Text{"is it back?", "já voltou?"}, On: unmeasuredAre(Fail)},
	}
}

// over lays p over its parent: what p says wins, the rest is inherited.
func (p Profile) over(parent Profile) Profile {
	out := parent
	out.Name, out.Extends, out.For = p.Name, p.Extends, p.For
	out.On = mergeCells(parent.On, p.On)
	out.Formats = make(map[string]map[checks.Finding]Disposition, len(parent.Formats)+len(p.Formats))
	for name, cells := range parent.Formats {
		// What the child says of every format replaces the parent's word on one.
		kept := mergeCells(cells, nil)
		for f := range p.On {
			delete(kept, f)
		}
		out.Formats[name] = kept
	}
	for name, cells := range p.Formats {
		out.Formats[name] = mergeCells(out.Formats[name], cells)
	}
	if p.Budget != 0 {
		out.Budget = p.Budget
	}
	if p.MinMeasured != nil {
		out.MinMeasured = p.MinMeasured
	}
	if p.Wait != 0 {
		out.Wait = p.Wait
	}
	if p.MaxUnmeasured != 0 {
		out.MaxUnmeasured = p.MaxUnmeasured
	}
	return out
}

func mergeCells(under, over map[checks.Finding]Disposition) map[checks.Finding]Disposition {
	out := make(map[checks.Finding]Disposition, len(under)+len(over))
	for f, d := range under {
		out[f] = d
	}
	for f, d := range over {
		out[f] = d
	}
	return out
}
