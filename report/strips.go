package report

import (
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/fetch"
)

// maxStrip is how many runs a strip shows at most.
const maxStrip = 120

// StripCells is how many runs a strip has room for.
func StripCells(o Options) int {
	if o.Width <= 0 {
		o.Width = 80
	}
	return min(max(o.Width-2, 10), maxStrip)
}

// stripLetters stand for the findings; small ones for what breaks nothing.
var stripLetters = map[checks.Finding]string{
	checks.OK: "o", checks.Drift: "D", checks.Respondeu: "R", checks.Indisponivel: "i", checks.Ambiguo: "a", checks.Alheio: "x",
}

// cellLetter is a run's letter; what was kept from being asked has none.
func cellLetter(c *history.Cell) string {
	if l, ok := stripLetters[c.Finding]; ok && !c.Unjudged {
		return l
	}
	return "-"
}

// History writes a strip for each probe, with what it says now and its figures.
func History(w io.Writer, strips []history.Strip, now time.Time, o Options) error {
	v := stripView{p: newPrinter(w, o), o: o, now: now}
	if len(strips) == 0 {
		v.p.line(0, nil, Text{"no run is kept for this yet; fonteviva run keeps each", "ainda não há execução guardada para isto; fonteviva run guarda cada uma"}.In(o.Lang))
		return v.p.flush()
	}
	project := ""
	for i := range strips {
		s := &strips[i]
		if i > 0 {
			v.p.blank()
		}
		if s.Project.Key != project && severalProjects(strips) {
			project = s.Project.Key
			v.p.line(0, v.p.dim, textf("project %s", "projeto %s", Inert(s.Project.Label, 300)).In(o.Lang))
		}
		v.strip(s)
	}
	v.p.blank()
	v.p.line(0, v.p.dim, legend(o.Lang))
	return v.p.flush()
}

func severalProjects(strips []history.Strip) bool {
	return strips[0].Project.Key != strips[len(strips)-1].Project.Key
}

func legend(lang Lang) string {
	var parts []string
	for _, f := range checks.Findings() {
		parts = append(parts, stripLetters[f]+" "+string(f))
	}
	return strings.Join(append(parts, Text{"- not asked", "- não perguntada"}.In(lang)), "  ")
}

type stripView struct {
	p   *printer
	o   Options
	now time.Time
}

func (v *stripView) strip(s *history.Strip) {
	name := Inert(s.Probe.Name, 0)
	if s.Probe.Vantage != "" {
		name += " @" + Inert(s.Probe.Vantage, 100)
	}
	v.p.line(0, v.p.bold, name)
	v.cells(s.Cells)
	v.p.line(2, v.p.style(string(s.Streak.Finding)), v.present(s))
	v.p.line(2, nil, v.measured(s))
	v.figures(s)
}

// cells draws the strip; runs with the same finding are coloured together.
func (v *stripView) cells(cells []history.Cell) {
	cells = cells[max(0, len(cells)-StripCells(v.o)):]
	v.p.b = append(v.p.b, "  "...)
	for i := 0; i < len(cells); {
		j, letters := i, ""
		for ; j < len(cells) && cellLetter(&cells[j]) == cellLetter(&cells[i]); j++ {
			letters += cellLetter(&cells[j])
		}
		style := v.p.style(string(cells[i].Finding))
		if cells[i].Unjudged {
			style = v.p.dim
		}
		v.p.b = append(v.p.b, style.Sprint(letters)...)
		i = j
	}
	v.p.blank()
}

// present says the streak that the newest run ends: "504 in 6 runs in a row
// since …".
func (v *stripView) present(s *history.Strip) string {
	k := &s.Streak
	if k.Runs == 0 {
		return Text{"never asked", "nunca perguntada"}.In(v.o.Lang)
	}
	what := []string{string(k.Finding)}
	if k.Kind != "" && k.Kind != fetch.HTTP5xx && k.Kind != fetch.HTTP4xx {
		what = append(what, string(k.Kind))
	}
	if k.Status != 0 && k.Finding != checks.OK {
		what = append(what, strconv.Itoa(k.Status))
	}
	line := strings.Join(what, " ")
	if k.Runs > 1 {
		line += textf(" in %d runs in a row", " em %d execuções seguidas", k.Runs).In(v.o.Lang)
	}
	line += textf(", since %[1]s (%[2]s)", ", desde %[1]s (%[2]s)", onMinute(k.Since), lasting(v.since(k.Since))).In(v.o.Lang)
	if s.State.Flaky() {
		line += Text{"; flaky: its findings alternate", "; intermitente: os achados se alternam"}.In(v.o.Lang)
	}
	return line
}

func (v *stripView) since(t time.Time) int64 { return max(0, v.now.Sub(t).Milliseconds()) }

// measured says when it was last measured, and since when it is not.
func (v *stripView) measured(s *history.Strip) string {
	line := Text{"never measured", "nunca medida"}.In(v.o.Lang)
	if t := s.State.LastMeasuredAt; !t.IsZero() {
		line = textf("last measured %[1]s (%[2]s ago)", "última medição %[1]s (há %[2]s)", onMinute(t), lasting(v.since(t))).In(v.o.Lang)
	}
	if t := s.State.UnmeasuredSince; !t.IsZero() {
		n := s.State.Unmeasured.Runs
		line += textf("; not measured since %[1]s, %[2]d %[3]s", "; sem medição desde %[1]s, %[2]d %[4]s", onMinute(t), n,
			plural(n, "run", "runs"), plural(n, "execução", "execuções")).In(v.o.Lang)
	}
	return line
}

// figures writes a row for each window that says more than the one before.
func (v *stripView) figures(s *history.Strip) {
	head := Text{"      runs measured  available  broken       p50       p95", "      exec  medidas disponível quebrada      p50       p95"}
	v.row(v.p.dim.Sprint(head.In(v.o.Lang)))
	names := history.WindowNames()
	for i := range s.Windows {
		w := &s.Windows[i]
		if w.Runs == 0 || i > 0 && *w == s.Windows[i-1] {
			continue
		}
		row := pad(names[i], 4) + left(strconv.Itoa(w.Runs), 6) + left(strconv.Itoa(w.Measured), 9) + left(percent(w.Availability()), 11) + left(percent(w.Broken()), 8)
		if w.Latencies > 0 {
			row += left(millis(w.P50), 10) + left(millis(w.P95), 10)
		}
		v.row(row)
	}
}

// row writes a line of the table, which no width breaks: it has no other text
// than ours.
func (v *stripView) row(s string) {
	v.p.b = append(append(append(v.p.b, "  "...), s...), '\n')
}

// left fills a text with spaces on its left up to a width.
func left(s string, width int) string { return strings.Repeat(" ", max(0, width-columns(s))) + s }

// percent writes a share; "–" where there is nothing to take it of. Only what
// is all is written as 100.0%, and only what is nothing as 0.0%.
func percent(share float64, ok bool) string {
	if !ok {
		return "–"
	}
	tenths := int(share*1000 + 0.5)
	switch {
	case tenths == 1000 && share < 1:
		tenths = 999
	case tenths == 0 && share > 0:
		tenths = 1
	}
	return strconv.Itoa(tenths/10) + "." + strconv.Itoa(tenths%10) + "%"
}
