package report

import (
	"io"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// foldOver is how many plainly ok probes of an origin are listed one by one.
const foldOver = 50

// writePretty writes the run for a person: grouped by origin in the
// declaration's order, what failed in full, what is ok in a line.
func writePretty(w io.Writer, doc *Document, o Options) error {
	p := newPrinter(w, o)
	quiet := doc.Policy != nil && doc.Policy.Profile.Quiet
	view := prettyView{p: p, doc: doc, o: o, quiet: quiet}
	for _, group := range byOrigin(doc.Results) {
		view.origin(group)
	}
	view.unasked()
	view.footer()
	return p.flush()
}

// originGroup is the results of one origin, in their order.
type originGroup struct {
	name    string
	results []*checks.Result
}

// byOrigin groups results by origin, the origins in the order of their first
// result.
func byOrigin(results []checks.Result) []originGroup {
	var groups []originGroup
	at := map[string]int{}
	for i := range results {
		r := &results[i]
		n, ok := at[r.Origin]
		if !ok {
			n = len(groups)
			at[r.Origin] = n
			groups = append(groups, originGroup{name: r.Origin})
		}
		groups[n].results = append(groups[n].results, r)
	}
	return groups
}

type prettyView struct {
	p     *printer
	doc   *Document
	o     Options
	quiet bool
	// said counts what was written before the footer.
	said int
}

func (v *prettyView) disposition(r *checks.Result) Disposition {
	return v.doc.disposition("pretty", r)
}

// notAsked reports whether a result belongs to the folded lines: nothing was
// asked, and no other probe's trip judged it.
func notAsked(r *checks.Result) bool {
	return !r.Asked && !r.Measured && (r.SharedWith == nil || stoppedElsewhere(r))
}

// plain reports whether a result is ok without anything to say.
func plain(r *checks.Result) bool {
	return r.Finding == checks.OK && !news(r) && (r.Past == nil || !r.Past.Flaky) && len(r.Mismatches) == 0 && !r.Unstable && (r.Retrieval == nil || len(r.Retrieval.Anomalies) == 0)
}

func (v *prettyView) origin(g originGroup) {
	ok := 0
	var shown []*checks.Result
	for _, r := range g.results {
		switch {
		case notAsked(r):
		case v.quiet && v.disposition(r) != Fail && !news(r):
		default:
			shown = append(shown, r)
			if plain(r) {
				ok++
			}
		}
	}
	if len(shown) == 0 {
		return
	}
	v.heading(g.name)
	fold := ok > foldOver && !v.o.Verbose
	for _, r := range shown {
		if !fold || !plain(r) {
			v.result(r)
		}
	}
	if fold {
		v.p.line(2, v.p.style(string(checks.OK)), "… "+grouped(ok)+" ok")
	}
	v.p.blank()
}

func (v *prettyView) heading(name string) {
	v.said++
	v.p.line(0, v.p.bold, heading(v.doc, name, v.o.Lang))
}

// heading names an origin, and its breaker where that is not closed.
func heading(doc *Document, name string, lang Lang) string {
	title := Inert(name, 0)
	for _, s := range doc.Run.Origins {
		if s.Name == name && s.Breaker != nil && *s.Breaker != "closed" {
			title += textf("  (breaker %[1]s)", "  (disjuntor: %[1]s)", Inert(*s.Breaker, 40)).In(lang)
		}
	}
	return title
}

// unaskedKey is a reason for not asking; one line says how many it stopped.
type unaskedKey struct {
	finding, detail, origin, disposition string
	motivo                               string // of a dependent: it names the need
}

// unasked writes one line for each reason, with the count and, when they are
// few or everything was asked for, the names.
func (v *prettyView) unasked() {
	var order []unaskedKey
	byKey := map[unaskedKey][]string{}
	for i := range v.doc.Results {
		r := &v.doc.Results[i]
		if !notAsked(r) || v.quiet && v.disposition(r) != Fail {
			continue
		}
		key := unaskedKey{finding: string(r.Finding), detail: opt(r.Detail), disposition: string(v.disposition(r))}
		if key.detail == string(fetch.Cancelled) {
			key.detail = checks.DetailInterrupted // it was cut in our own queue
		}
		if key.detail != checks.DetailRunBudget && key.detail != checks.DetailInterrupted {
			key.origin = r.Origin
		}
		if key.detail == detailDependency {
			key.motivo = opt(r.Motivo)
		}
		if byKey[key] == nil {
			order = append(order, key)
		}
		byKey[key] = append(byKey[key], displayName(r))
	}
	for _, key := range order {
		v.said++
		v.unaskedLine(key, byKey[key])
	}
	if len(order) > 0 {
		v.p.blank()
	}
}

func (v *prettyView) unaskedLine(key unaskedKey, names []string) {
	n := len(names)
	var b strings.Builder
	b.WriteString("– " + textf("%[1]s %[2]s not asked", "%[1]s %[3]s", grouped(n), plural(n, "probe", "probes"),
		plural(n, "sonda não perguntada", "sondas não perguntadas")).In(v.o.Lang))
	if key.origin != "" {
		b.WriteString(" (" + Inert(key.origin, 0) + ")")
	}
	b.WriteString(": " + whyUnasked(key.detail).In(v.o.Lang) + " · " + key.finding + " [" + key.disposition + "]")
	v.p.line(0, v.p.style(key.finding), b.String())
	if key.motivo != "" {
		v.field(labelMotivo, Inert(key.motivo, 600))
	}
	if n <= 3 || v.o.Verbose {
		v.p.line(2, nil, strings.Join(names, ", "))
	}
}

// whyUnasked says why a probe was not asked.
func whyUnasked(detail string) Text {
	switch detail {
	case checks.DetailRunBudget:
		return Text{"the run's budget ended", "o orçamento da execução acabou"}
	case checks.DetailInterrupted:
		return Text{"the run was interrupted", "a execução foi interrompida"}
	case detailDependency:
		return Text{"a probe that it needs has no value for it", "uma sonda de que depende não tem valor para ela"}
	case string(fetch.CircuitOpen):
		return Text{"the source failed too often, its breaker is open", "a fonte falhou demais, o disjuntor está aberto"}
	case string(fetch.NoRecording):
		return Text{"there is no recording of it (fonteviva record)", "não há gravação (fonteviva record)"}
	case "":
		return Text{"our own side failed", "o nosso lado falhou"}
	}
	return Text{Inert(detail, 80), Inert(detail, 80)}
}

// displayName is a probe's name, with its vantage where it has one.
func displayName(r *checks.Result) string {
	if r.Vantage != nil {
		return Inert(r.Name, 0) + " @" + Inert(*r.Vantage, 100)
	}
	return Inert(r.Name, 0)
}
