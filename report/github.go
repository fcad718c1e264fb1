package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

// githubShown is how many annotations are written one by one: a step has ten,
// and the last says how many more there are.
const githubShown = 9

// writeGitHub writes the run as plain text, then the worst results as
// annotations at their place in the declaration.
func writeGitHub(w io.Writer, doc *Document, o Options) error {
	plain := o
	plain.Color = false
	if err := writePretty(w, doc, plain); err != nil {
		return err
	}
	var b []byte
	for _, a := range annotations(doc, o) {
		b = a.append(b)
	}
	_, err := flush(w, b, 0)
	return err
}

// annotation is one workflow command.
type annotation struct {
	level string // error, warning, notice
	file  string // "" for the run as a whole
	line  int
	title string
	text  string
}

func (a *annotation) append(b []byte) []byte {
	b = append(append(b, "::"...), a.level...)
	b = append(b, ' ')
	if a.file != "" {
		b = append(append(b, "file="...), commandProperty.Replace(a.file)...)
		b = append(strconv.AppendInt(append(b, ",line="...), int64(a.line), 10), ",endLine="...)
		b = append(strconv.AppendInt(b, int64(a.line), 10), ',')
	}
	b = append(append(b, "title="...), commandProperty.Replace(a.title)...)
	b = append(append(b, "::"...), commandData.Replace(a.text)...)
	return append(b, '\n')
}

// annotations lists the worst results first, and what else there is in one.
func annotations(doc *Document, o Options) []annotation {
	var list []annotation
	if doc.Decision.AllDown {
		list = append(list, annotation{level: "warning", title: "fonteviva", text: allDownLine(&doc.Summary, o.Lang)})
	}
	list = append(list, leftAlone(doc, o)...)
	worst := slices.DeleteFunc(worstFirst(doc, "github"), behindBreaker)
	rest := 0
	for _, r := range worst {
		if len(list) >= githubShown {
			rest++
			continue
		}
		list = append(list, annotation{
			level: githubLevel(doc.disposition("github", r)), file: Inert(inRepository(r.File, o), 400), line: r.Line,
			title: Inert(r.Origin, 100) + "/" + displayName(r), text: shorten(headline(r, o.Lang), 1000) + "\n" + nextStep(r).In(o.Lang),
		})
	}
	if rest > 0 {
		level := githubLevel(doc.disposition("github", worst[len(worst)-rest]))
		list = append(list, annotation{level: level, title: "fonteviva", text: textf("and %d more", "e mais %d", rest).In(o.Lang)})
	}
	return list
}

// behindBreaker reports whether a probe was not asked because its origin's
// breaker was open.
func behindBreaker(r *checks.Result) bool {
	return notAsked(r) && opt(r.Detail) == string(fetch.CircuitOpen)
}

// leftAlone is one annotation for each origin whose breaker kept probes from
// being asked, with their number.
func leftAlone(doc *Document, o Options) []annotation {
	var list []annotation
	for _, g := range byOrigin(doc.Results) {
		n, level := 0, Skip
		for _, r := range g.results {
			if behindBreaker(r) {
				n, level = n+1, doc.disposition("github", r)
			}
		}
		if n > 0 && len(list) < githubShown {
			why := whyUnasked(string(fetch.CircuitOpen))
			list = append(list, annotation{level: githubLevel(level), title: "fonteviva", text: Inert(g.name, 100) + ": " + textf("%[1]d %[2]s not asked: %[4]s", "%[1]d %[3]s: %[5]s",
				n, plural(n, "probe", "probes"), plural(n, "sonda não perguntada", "sondas não perguntadas"), why.EN, why.PT).In(o.Lang)})
		}
	}
	return list
}

func githubLevel(d Disposition) string {
	switch d {
	case Fail:
		return "error"
	case Warn:
		return "warning"
	}
	return "notice"
}

// worstFirst lists what did not pass: by disposition, then in the order of
// exit codes, then of the declaration.
func worstFirst(doc *Document, format string) []*checks.Result {
	type ranked struct {
		r    *checks.Result
		rank int
	}
	var list []ranked
	order := []checks.Finding{checks.Drift, checks.Respondeu, checks.Alheio, checks.Ambiguo, checks.Indisponivel, checks.OK}
	severity := []Disposition{Fail, Warn, Skip}
	for i := range doc.Results {
		r := &doc.Results[i]
		d := doc.disposition(format, r)
		if d == Pass {
			continue
		}
		list = append(list, ranked{r, slices.Index(severity, d)*len(order) + slices.Index(order, r.Finding)})
	}
	slices.SortStableFunc(list, func(a, b ranked) int { return a.rank - b.rank })
	out := make([]*checks.Result, len(list))
	for i := range list {
		out[i] = list[i].r
	}
	return out
}

// summaryTable is the header of the summary's table of results.
func summaryTable(lang Lang) string {
	return Text{"| finding | probe | what | declared |\n|---|---|---|---|\n", "| achado | sonda | o quê | declarada |\n|---|---|---|---|\n"}.In(lang)
}

// summaryHead is the summary's beginning: coverage, exit code and what could
// not be done.
func summaryHead(doc *Document, lang Lang) string {
	head := fmt.Sprintf("### fonteviva\n\n%s\n\n%s\n\n", markdown(coverageLine(doc, lang)), markdown(exitLine(doc, lang)))
	if doc.Decision.AllDown {
		head += "**" + markdown(allDownLine(&doc.Summary, lang)) + "**\n\n"
	}
	for i := range doc.Run.Degraded {
		head += markdown(DegradedLine(&doc.Run.Degraded[i], lang)) + "\n\n"
	}
	return head
}

func summaryRow(doc *Document, r *checks.Result, o Options) string {
	return fmt.Sprintf("| %s %s | %s | %s | %s |\n", symbols[r.Finding], string(r.Finding),
		markdown(r.Origin)+" / "+markdown(displayName(r)), markdownCode(headline(r, o.Lang)), markdown(declaredAt(r, o.Dir)))
}
