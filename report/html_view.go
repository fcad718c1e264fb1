package report

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/fonteviva/fonteviva/checks"
)

// What the page's template is filled with. Texts are inert before they get
// here; the template escapes them.
type (
	htmlHead struct {
		Lang            Lang
		Title, Trace    string
		Coverage, Exit  string
		Failed          bool
		AllDown         string
		Notes           []string
		Counts          []htmlCount
		WorstTitle      string
		Worst           []htmlLink
		More            string
		Started, Legend string
		Phases          []htmlPhase
	}
	htmlCount struct {
		Finding, Symbol string
		N               int
	}
	htmlLink  struct{ ID, Finding, Symbol, Name, Text string }
	htmlPhase struct{ Class, Name string }

	htmlResult struct {
		ID, Finding, Symbol, Name, Title, Disposition, Tries, Took string
		Open                                                       bool
		Detail                                                     *htmlDetail
	}
	htmlDetail struct {
		Fields     []htmlField
		Want, Got  string
		Mismatches []htmlMismatch
		Trips      []htmlTrip
		End        string
	}
	htmlField    struct{ Label, Text, Class string }
	htmlMismatch struct{ Head, Severity, Want, Got string }
	htmlTrip     struct {
		Text     string
		Attempts []htmlAttempt
	}
	htmlAttempt struct {
		Label, Took string
		Bars        []htmlBar
	}
	htmlBar struct {
		Class, Title string
		Style        template.CSS // numbers of our own
	}
)

// phaseNames are the parts of an attempt in the order of the legend.
var phaseNames = []struct {
	class string
	text  Text
}{
	{"wait", Text{"wait", "espera"}}, {"dns", Text{"dns", "dns"}}, {"connect", Text{"connect", "conexão"}}, {"tls", Text{"tls", "tls"}},
	{"ttfb", Text{"to the first byte", "até o primeiro byte"}}, {"body", Text{"body", "corpo"}},
}

func (h *htmlWriter) head() htmlHead {
	doc, lang := h.doc, h.o.Lang
	v := htmlHead{
		Lang: lang, Trace: Inert(doc.Run.Trace, 40), Coverage: coverageLine(doc, lang), Exit: exitLine(doc, lang), Failed: doc.Run.ExitCode != ExitOK,
		Title:   textf("fonteviva: measured %d of %d", "fonteviva: medidas %d de %d", doc.Summary.Measured, doc.Summary.Total).In(lang),
		Started: moment(doc.Run.StartedAt), WorstTitle: Text{"Look at these first", "Olhe estes primeiro"}.In(lang),
	}
	if lang == "" {
		v.Lang = EN
	}
	if doc.Decision.AllDown {
		v.AllDown = allDownLine(&doc.Summary, lang)
	}
	for i := range doc.Run.Degraded {
		v.Notes = append(v.Notes, DegradedLine(&doc.Run.Degraded[i], lang))
	}
	for _, note := range doc.Decision.Notes {
		v.Notes = append(v.Notes, "⚠ "+note.In(lang))
	}
	s := &doc.Summary
	for i, n := range [6]int{s.OK, s.Drift, s.Respondeu, s.Indisponivel, s.Ambiguo, s.Alheio} {
		f := checks.Findings()[i]
		v.Counts = append(v.Counts, htmlCount{string(f), symbols[f], n})
	}
	for _, p := range phaseNames {
		v.Phases = append(v.Phases, htmlPhase{p.class, p.text.In(lang)})
	}
	h.worst(&v)
	return v
}

// worst names the results to look at first, each with a link to its row.
func (h *htmlWriter) worst(v *htmlHead) {
	list := slices.DeleteFunc(worstFirst(h.doc, "html"), stoppedElsewhere)
	for i, r := range list {
		if i == htmlWorst {
			v.More = textf("and %d more", "e mais %d", len(list)-i).In(h.o.Lang)
			break
		}
		v.Worst = append(v.Worst, htmlLink{h.id(r), string(r.Finding), symbols[r.Finding], displayName(r), shorten(headline(r, h.o.Lang), 160)})
	}
}

func (h *htmlWriter) id(r *checks.Result) string { return "r" + strconv.Itoa(h.ids[r]) }

func (h *htmlWriter) heading(g originGroup) string { return heading(h.doc, g.name, h.o.Lang) }

func (h *htmlWriter) row(r *checks.Result) htmlResult {
	d := h.doc.disposition("html", r)
	v := htmlResult{
		ID: h.id(r), Finding: string(r.Finding), Symbol: symbols[r.Finding], Name: displayName(r), Took: millis(r.DurationMS), Open: d == Fail,
	}
	if r.Title != nil {
		v.Title = Inert(*r.Title, 120)
	}
	if d != Pass {
		v.Disposition = string(d)
	}
	if r.Retrieval != nil && r.Retrieval.Attempts > 1 {
		v.Tries = textf("%d attempts", "%d tentativas", r.Retrieval.Attempts).In(h.o.Lang)
	}
	return v
}

func (h *htmlWriter) detail(r *checks.Result) *htmlDetail {
	lang := h.o.Lang
	d := &htmlDetail{Want: Text{"wanted", "esperado"}.In(lang), Got: Text{"got", "veio"}.In(lang)}
	field := func(label Text, text, class string) {
		if text != "" {
			d.Fields = append(d.Fields, htmlField{label.In(lang), text, class})
		}
	}
	field(labelMotivo, inertOpt(r.Motivo, 600), "")
	field(labelFacts, factsLine(r), "code")
	if r.Unstable {
		field(Text{"note", "nota"}, unstableNote.In(lang), "")
	}
	if r.Persistent {
		field(Text{"note", "nota"}, persistNote.In(lang), "")
	}
	field(labelShared, inertOpt(r.SharedWith, 100), "")
	field(labelRule, inertOpt(r.Rule, 400), "code")
	field(labelMirror, inertOpt(r.Mirror, 400), "code")
	field(labelKnown, inertOpt(r.KnownFailure, 400), "")
	if r.Redirect != nil {
		field(labelMoved, Inert(r.Redirect.Location, 400), "code")
	}
	field(labelWaited, triesLine(r, lang), "")
	for _, at := range []struct {
		label Text
		time  *time.Time
	}{
		{Text{"since", "desde"}, r.Since}, {Text{"last measured", "última medição"}, r.LastMeasuredAt}, {Text{"not measured since", "sem medição desde"}, r.UnmeasuredSince},
	} {
		if at.time != nil {
			field(at.label, moment(*at.time), "")
		}
	}
	if r.Sentinel != nil {
		field(Text{"sentinel", "sentinela"}, Inert(string(r.Sentinel.Finding), 20), "")
	}
	if r.Finding != checks.OK {
		field(labelNext, nextStep(r).In(lang), "next")
		field(labelRepeat, inertOpt(r.Reproduce, 1000), "code")
	}
	field(labelAt, declaredAt(r, h.o.Dir), "code")
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		d.Mismatches = append(d.Mismatches, htmlMismatch{mismatchHead(m), Inert(string(m.Severity), 20), Inert(m.Want, 600), Inert(m.Got, 600)})
	}
	h.waterfall(d, r)
	return d
}

func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

func inertOpt(s *string, limit int) string { return Inert(opt(s), limit) }

// waterfall lays every attempt of a result on one time axis.
func (h *htmlWriter) waterfall(d *htmlDetail, r *checks.Result) {
	axis := axisOf(r)
	d.End = millis(axis)
	for i := range r.Trips {
		t := &r.Trips[i]
		trip := htmlTrip{Text: textf("trip %d: %s", "viagem %d: %s", i+1, Inert(string(t.Finding), 20)).In(h.o.Lang)}
		if stop := stopText(t, h.o.Lang); stop != "" {
			trip.Text += " · " + stop
		}
		for k := range t.Attempts {
			a := &t.Attempts[k]
			trip.Attempts = append(trip.Attempts, htmlAttempt{
				Label: fmt.Sprintf("#%d %s", k+1, outcomeOf(a)), Took: millis(a.TotalMS), Bars: h.bars(a, waitBefore(t, k), axis),
			})
		}
		d.Trips = append(d.Trips, trip)
	}
}

func (h *htmlWriter) bars(a *checks.Attempt, wait, axis int64) []htmlBar {
	spans := spansOf(a, wait)
	if len(spans) == 0 || spans[len(spans)-1].phase == "wait" {
		spans = append(spans, span{"ttfb", a.StartMS, a.StartMS}) // too short to be measured, and seen all the same
	}
	bars := make([]htmlBar, len(spans))
	for i, s := range spans {
		name := s.phase
		for _, p := range phaseNames {
			if p.class == s.phase {
				name = p.text.In(h.o.Lang)
			}
		}
		left, width := float64(s.from)*100/float64(axis), float64(s.to-s.from)*100/float64(axis)
		left = min(max(left, 0), 100)
		style := "left:" + strconv.FormatFloat(left, 'f', 2, 64) + "%;width:" + strconv.FormatFloat(min(max(width, 0), 100-left), 'f', 2, 64) + "%"
		bars[i] = htmlBar{s.phase, name + " " + millis(s.to-s.from), template.CSS(style)}
	}
	return bars
}

type htmlFoot struct{ Cut, Made string }

func (h *htmlWriter) foot() htmlFoot {
	v := htmlFoot{Made: "fonteviva · " + Inert(h.doc.Run.Trace, 40)}
	if h.cut > 0 {
		v.Cut = textf("the page is full: the details of %[1]d %[2]s were left out; the json report has them",
			"a página está cheia: os detalhes de %[1]d %[3]s ficaram de fora; o relatório json os tem", h.cut,
			plural(h.cut, "result", "results"), plural(h.cut, "resultado", "resultados")).In(h.o.Lang)
	}
	return v
}
