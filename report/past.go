package report

import (
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// changeTexts are the words for what changed.
var changeTexts = map[checks.Change]Text{
	checks.Broke:       {"broke", "quebrou"},
	checks.StillBroken: {"still broken", "segue quebrada"},
	checks.Recovered:   {"recovered", "voltou"},
}

// change is the word for what changed with a result, "" for nothing.
func change(r *checks.Result, lang Lang) string {
	if r.Past == nil || r.Past.Change == nil {
		return ""
	}
	return changeTexts[*r.Past.Change].In(lang)
}

// news reports whether a result is something that a quiet profile says although
// it does not fail.
func news(r *checks.Result) bool {
	return r.Past != nil && r.Past.Change != nil && *r.Past.Change != checks.StillBroken
}

// pastLine says in a line what earlier runs make of a result; "" where they
// have nothing to add.
func pastLine(r *checks.Result, pol *Policy, lang Lang) string {
	p := r.Past
	if p == nil {
		return ""
	}
	var parts []string
	switch {
	case p.BrokenSince != nil && p.Change != nil && *p.Change == checks.StillBroken:
		parts = append(parts, textf("broken since %s", "quebrada desde %s", onMinute(*p.BrokenSince)).In(lang))
	case p.Change != nil && p.Before != nil:
		parts = append(parts, textf("it was %s before", "antes era %s", Inert(string(*p.Before), 20)).In(lang))
	}
	if p.Runs > 1 && r.Finding != checks.OK {
		parts = append(parts, textf("%[1]s in %[2]d runs in a row", "%[1]s em %[2]d execuções seguidas", string(r.Finding), p.Runs).In(lang))
	}
	if !r.Measured && r.Finding != checks.Respondeu && p.Unmeasured.Runs > 1 {
		parts = append(parts, textf("not measured ", "sem medição ").In(lang)+unmeasuredText(r, pol).In(lang))
	}
	if p.Flaky {
		parts = append(parts, Text{"flaky: its findings alternate", "intermitente: os achados se alternam"}.In(lang))
	}
	return strings.Join(parts, "; ")
}
