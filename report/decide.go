package report

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// DecideOptions is what a decision needs to know beside the results.
type DecideOptions struct {
	// Format is the one that owns the exit code: the first named.
	Format string
	// Signal is the number of the signal that ended the run: 2 is exit 130,
	// 15 is exit 143; 0 for none.
	Signal int
	// AgeLimits says that a selected probe declares max_unmeasured.
	AgeLimits bool
}

// Decision is what a run leads to.
type Decision struct {
	ExitCode     int
	Reasons      []Reason      // what failed, the deciding one first; empty with exit 0
	Notes        []Text        // what is said but fails nothing, such as a budget's end under smoke
	Dispositions []Disposition // one per result
	Summary      Summary
	Degraded     []checks.Degradation // the run's, and those of the decision itself
	// AllDown is true when there were results and not one was measured.
	AllDown bool
}

// Reason is one thing that failed, and the exit code it asks for.
type Reason struct {
	Code int
	Text Text
	// Whole names a reason that no result of the run tells, such as
	// "min_measured": formats that list results say it in one of its own. "" for
	// what results tell.
	Whole string
}

// Summary counts the results. Every result counts once in Total and once under
// its finding.
type Summary struct {
	Total        int `json:"total"`
	Asked        int `json:"asked"`
	Measured     int `json:"measured"`
	OK           int `json:"ok"`
	Drift        int `json:"drift"`
	Indisponivel int `json:"indisponivel"`
	Respondeu    int `json:"respondeu"`
	Ambiguo      int `json:"ambiguo"`
	Alheio       int `json:"alheio"`
}

// FeatureReport names the degradation of a report that was cut before its end.
// A report that carries it is never a pass.
const FeatureReport = "report"

// featureAge names the degradation of age limits that nothing can judge.
const featureAge = "max_unmeasured"

// Decide applies the policy to a run. It is a pure function.
func Decide(rep *checks.Report, pol *Policy, o DecideOptions) Decision {
	d := Decision{
		Dispositions: make([]Disposition, len(rep.Results)),
		Summary:      Summarize(rep.Results),
		Degraded:     slices.Clone(rep.Degraded),
	}
	failed := map[checks.Finding]int{}
	cut := 0
	for i := range rep.Results {
		r := &rep.Results[i]
		d.Dispositions[i] = pol.Disposition(o.Format, r)
		if d.Dispositions[i] == Fail && (pol.age(r) == ageFine && checks.KnownFailureOver(r) == "" || pol.Cell(o.Format, r.Finding).Disposition == Fail && !stoppedElsewhere(r)) {
			failed[r.Finding]++
		}
		if r.Finding == checks.Alheio && r.Detail != nil && *r.Detail == checks.DetailRunBudget {
			cut++
		}
	}
	d.AllDown = d.Summary.Total > 0 && d.Summary.Measured == 0
	d.signal(rep, o)
	d.findings(failed)
	d.known(rep, o)
	d.enough(rep, pol, cut)
	d.ages(rep, pol, o)
	slices.SortStableFunc(d.Reasons, func(a, b Reason) int { return cmp.Compare(exitRank(a.Code), exitRank(b.Code)) })
	d.ExitCode = d.exitCode(o.Format)
	return d
}

// exitCode is what a run leaves with under the format that owns it: the
// strongest of its reasons, or a code of the format's own making.
func (d *Decision) exitCode(format string) int {
	if f, err := FormatNamed(format); err == nil && f.Exit != nil {
		return f.Exit(d)
	}
	codes := make([]int, len(d.Reasons))
	for i := range d.Reasons {
		codes[i] = d.Reasons[i].Code
	}
	return Worst(codes...)
}

func (d *Decision) add(code int, en, pt string, args ...any) {
	d.Reasons = append(d.Reasons, Reason{Code: code, Text: textf(en, pt, args...)})
}

// addWhole adds a reason that no result tells.
func (d *Decision) addWhole(whole string, code int, en, pt string, args ...any) {
	d.Reasons = append(d.Reasons, Reason{Code: code, Text: textf(en, pt, args...), Whole: whole})
}

func (d *Decision) signal(rep *checks.Report, o DecideOptions) {
	switch {
	case o.Signal != 0:
		d.addWhole("interrupted", 128+o.Signal, "interrupted by a signal", "interrompido por um sinal")
	case rep.Interrupted:
		d.addWhole("interrupted", ExitInterrupt, "interrupted", "interrompido")
	}
}

// findings turns the failed results into reasons. An ok that a policy fails is
// a broken contract as far as the exit code goes.
func (d *Decision) findings(failed map[checks.Finding]int) {
	var broken []string
	for _, f := range []checks.Finding{checks.Drift, checks.Respondeu} {
		if n := failed[f]; n > 0 {
			broken = append(broken, strconv.Itoa(n)+" "+string(f))
		}
	}
	if len(broken) > 0 {
		d.add(ExitContract, "a contract is broken: %s", "um contrato quebrou: %s", strings.Join(broken, ", "))
	}
	if n := failed[checks.OK]; n > 0 {
		d.add(ExitContract, "the policy fails ok: %d", "a política reprova ok: %d", n)
	}
	if n := failed[checks.Alheio]; n > 0 {
		d.add(ExitOwn, "our own side failed: %d alheio", "o nosso lado falhou: %d alheio", n)
	}
	if n := failed[checks.Ambiguo]; n > 0 {
		d.add(ExitAmbiguous, "it could not be told: %d ambiguo", "não deu para saber: %d ambiguo", n)
	}
	if n := failed[checks.Indisponivel]; n > 0 {
		d.add(ExitTemporary, "the source is down: %d indisponivel", "a fonte está fora: %d indisponivel", n)
	}
}

// enough judges whether enough was measured. cut counts the results that the
// run's budget took, asked or not: they say nothing themselves, so that the
// budget's end has to.
func (d *Decision) enough(rep *checks.Report, pol *Policy, cut int) {
	s := d.Summary
	if s.Total == 0 {
		d.addWhole("no_probe", ExitUnmeasured, "no probe was selected", "nenhuma sonda foi selecionada")
	}
	if rep.BudgetEnded || cut > 0 {
		ended := textf("the run's budget ended: %d not measured for it", "o orçamento da execução acabou: %d sem medição por isso", cut)
		if pol.Profile.BudgetEndWarns {
			d.Notes = append(d.Notes, ended)
		} else {
			d.Reasons = append(d.Reasons, Reason{Code: ExitUnmeasured, Text: ended, Whole: "budget"})
		}
	}
	if t := pol.MinMeasured; t != nil && !t.Met(s.Measured, s.Total) {
		d.addWhole("min_measured", ExitUnmeasured, "measured %d of %d, at least %s was asked for", "medidas %d de %d, o mínimo pedido era %s", s.Measured, s.Total, t)
	}
	if slices.ContainsFunc(rep.Degraded, func(g checks.Degradation) bool { return g.Feature == FeatureReport }) {
		d.addWhole("incomplete", ExitUnmeasured, "the report is incomplete", "o relatório está incompleto")
	}
}

// Summarize counts results.
func Summarize(results []checks.Result) Summary {
	s := Summary{Total: len(results)}
	by := [6]*int{&s.OK, &s.Drift, &s.Respondeu, &s.Indisponivel, &s.Ambiguo, &s.Alheio}
	for i := range results {
		r := &results[i]
		if r.Asked {
			s.Asked++
		}
		if r.Measured {
			s.Measured++
		}
		*by[findingIndex(r.Finding)]++
	}
	return s
}
