package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
)

// writeMarkdown writes a page of its own: how much was measured, a table for
// each origin, and what is to be said about each result that is not plainly ok.
// Every text of an origin is inert: see markdown.
func writeMarkdown(w io.Writer, doc *Document, o Options) error {
	b := append(make([]byte, 0, flushAt+maxDiagnosis), summaryHead(doc, o.Lang)...)
	for _, note := range doc.Decision.Notes {
		b = append(b, markdown("⚠ "+note.In(o.Lang))+"\n\n"...)
	}
	var err error
	for _, group := range byOrigin(doc.Results) {
		b = append(b, "#### "+markdown(group.name)+"\n\n"+resultTable(o.Lang)...)
		for _, r := range group.results {
			b = appendMarkdownRow(b, doc, r, o)
			if b, err = flush(w, b, flushAt); err != nil {
				return err
			}
		}
		b = append(b, '\n')
		for _, r := range group.results {
			if r.Finding == checks.OK && len(r.Mismatches) == 0 {
				continue
			}
			b = appendMarkdownDetail(b, r, o)
			if b, err = flush(w, b, flushAt); err != nil {
				return err
			}
		}
	}
	_, err = flush(w, b, 0)
	return err
}

func resultTable(lang Lang) string {
	return Text{
		"| finding | | probe | attempts | anomalies | took | declared |\n|---|---|---|--:|--:|--:|---|\n",
		"| achado | | sonda | tentativas | anomalias | levou | declarada |\n|---|---|---|--:|--:|--:|---|\n",
	}.In(lang)
}

func appendMarkdownRow(b []byte, doc *Document, r *checks.Result, o Options) []byte {
	name := markdown(displayName(r))
	if r.Title != nil {
		name += " · " + markdown(Inert(*r.Title, 200))
	}
	attempts, anomalies := "", ""
	if r.Retrieval != nil {
		attempts, anomalies = strconv.Itoa(r.Retrieval.Attempts), strconv.Itoa(len(r.Retrieval.Anomalies))
	}
	return fmt.Appendf(b, "| %s %s | %s | %s | %s | %s | %s | %s |\n", symbols[r.Finding], r.Finding, doc.disposition("markdown", r),
		name, attempts, anomalies, millis(r.DurationMS), markdown(declaredAt(r, o.Dir)))
}

// appendMarkdownDetail says in a list what is known beside the row, the
// mismatches in a table.
func appendMarkdownDetail(b []byte, r *checks.Result, o Options) []byte {
	b = append(b, "**"+markdown(displayName(r))+"** · "+string(r.Finding)+"\n\n"...)
	item := func(label Text, text string) {
		if text != "" {
			b = append(b, "- "+label.In(o.Lang)+": "+text+"\n"...)
		}
	}
	if r.Motivo != nil {
		item(labelMotivo, markdown(Inert(*r.Motivo, 600)))
	}
	item(labelFacts, markdown(factsLine(r)))
	if r.Redirect != nil {
		item(labelMoved, markdownCode(Inert(r.Redirect.Location, 400)))
	}
	item(labelKnown, markdownCode(inertOpt(r.KnownFailure, 400)))
	item(labelWaited, markdown(triesLine(r, o.Lang)))
	item(labelNext, markdown(nextStep(r).In(o.Lang)))
	b = append(b, '\n')
	if len(r.Mismatches) == 0 {
		return b
	}
	b = append(b, Text{"| mismatch | severity | wanted | got |\n|---|---|---|---|\n", "| divergência | gravidade | esperado | veio |\n|---|---|---|---|\n"}.In(o.Lang)...)
	for i := range r.Mismatches {
		m := &r.Mismatches[i]
		b = fmt.Appendf(b, "| %s | %s | %s | %s |\n", markdownCode(mismatchHead(m)), markdown(string(m.Severity)),
			markdownCode(Inert(m.Want, 600)), markdownCode(Inert(m.Got, 600)))
	}
	return append(b, '\n')
}
