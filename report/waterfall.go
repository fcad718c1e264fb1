package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// Waterfall draws the trips of results on one time axis each: attempts, the
// waits before them, and the phases of each attempt.
func Waterfall(w io.Writer, results []*checks.Result, o Options) error {
	p := newPrinter(w, o)
	for i, r := range results {
		if i > 0 {
			p.line(0, nil, "")
		}
		(&waterfall{p: p, o: o, r: r}).draw()
	}
	return p.flush()
}

// waterfall is one result being drawn.
type waterfall struct {
	p     *printer
	o     Options
	r     *checks.Result
	span  int64 // milliseconds from the first attempt's start, or the wait before it, to the end
	width int   // columns of the axis
}

// Marks of the axis, in the order of the legend.
const (
	markWait    = '·'
	markDNS     = 'd'
	markConnect = 'c'
	markTLS     = 't'
	markTTFB    = '░'
	markBody    = '█'
	markNothing = '∙' // an attempt too short to have a column of its own
)

var marks = map[string]rune{"wait": markWait, "dns": markDNS, "connect": markConnect, "tls": markTLS, "ttfb": markTTFB, "body": markBody}

// waterfallLabel is the columns of an attempt's label; the duration behind its
// row takes waterfallTail.
const (
	waterfallLabel = 28
	waterfallTail  = 11
)

func (f *waterfall) draw() {
	r := f.r
	head := fmt.Sprintf("%s  %s · %s · %s", Inert(r.Trace, 20), Inert(r.Name, 100), Inert(string(r.Finding), 20), millis(r.DurationMS))
	f.p.line(0, f.p.bold, head)
	f.p.line(2, f.p.dim, Inert(r.URL, 300))
	if len(r.Trips) == 0 {
		f.p.line(2, nil, Text{"nothing was asked for this result", "nada foi perguntado para este resultado"}.In(f.o.Lang))
		return
	}
	if r.SharedWith != nil {
		f.p.line(2, f.p.dim, textf("the trips of %s, shared", "as viagens de %s, compartilhadas", Inert(*r.SharedWith, 100)).In(f.o.Lang))
	}
	f.measure()
	for i := range r.Trips {
		f.trip(i, &r.Trips[i])
	}
	f.axis()
}

// measure finds the length of the axis.
func (f *waterfall) measure() {
	f.span = axisOf(f.r)
	f.width = max(f.p.width-6-waterfallLabel-waterfallTail, 16)
}

func (f *waterfall) trip(i int, t *checks.Trip) {
	label := textf("trip %d: %s", "viagem %d: %s", i+1, Inert(string(t.Finding), 20)).In(f.o.Lang)
	if t.Stopped != nil {
		label += " (" + Inert(*t.Stopped, 30) + ")"
	}
	f.p.line(2, f.p.style(string(t.Finding)), label)
	for j := range t.Attempts {
		f.row(j+1, &t.Attempts[j], waitBefore(t, j))
	}
}

// row draws one attempt: the wait before it and its phases, at their place on
// the axis.
func (f *waterfall) row(n int, a *checks.Attempt, wait int64) {
	cells := []rune(strings.Repeat(" ", f.width))
	for _, part := range spansOf(a, wait) {
		f.fill(cells, part.from, part.to, marks[part.phase])
	}
	if column := f.column(a.StartMS); cells[column] == ' ' || cells[column] == markWait {
		cells[column] = markNothing
	}
	label := fmt.Sprintf("#%d %s", n, outcomeOf(a))
	f.p.line(4, nil, pad(head(label, waterfallLabel-1), waterfallLabel)+strings.TrimRight(string(cells), " ")+" "+millis(a.TotalMS))
}

// fill marks the columns from one instant up to another.
func (f *waterfall) fill(cells []rune, from, to int64, mark rune) {
	first, last := f.column(from), f.column(to)
	for i := first; i < last; i++ {
		cells[i] = mark
	}
}

// column is the place of an instant on the axis.
func (f *waterfall) column(ms int64) int {
	return int(min(max(ms, 0)*int64(f.width)/f.span, int64(f.width-1)))
}

func outcomeOf(a *checks.Attempt) string {
	parts := []string{"ok"}
	if a.Kind != nil {
		parts[0] = Inert(string(*a.Kind), 20)
	}
	if a.Status != nil {
		parts = append(parts, strconv.Itoa(*a.Status))
	}
	if a.Detail != nil {
		parts = append(parts, Inert(*a.Detail, 30))
	}
	if a.Requests > 1 {
		parts = append(parts, "×"+strconv.Itoa(a.Requests))
	}
	return strings.Join(parts, " ")
}

// axis closes the drawing with its ends and the legend.
func (f *waterfall) axis() {
	end := millis(f.span)
	gap := max(f.width-len("0 ms")-columns(end), 1)
	f.p.line(4, f.p.dim, strings.Repeat(" ", waterfallLabel)+"0 ms"+strings.Repeat(" ", gap)+end)
	f.p.line(4, f.p.dim, Text{
		"· wait   d dns   c connect   t tls   ░ to the first byte   █ body",
		"· espera   d dns   c conexão   t tls   ░ até o primeiro byte   █ corpo",
	}.In(f.o.Lang))
}

// TraceResults picks what a trace code names: one result, or all of a run. An
// empty code picks what is not plainly ok, or everything when all is.
func TraceResults(doc *Document, code string) ([]*checks.Result, error) {
	code = traceCode(code)
	var picked []*checks.Result
	for i := range doc.Results {
		r := &doc.Results[i]
		notable := r.Finding != checks.OK || r.Unstable || len(r.Mismatches) > 0
		if code == traceCode(doc.Run.Trace) || code == traceCode(r.Trace) || code == "" && notable {
			picked = append(picked, r)
		}
	}
	if code == "" && len(picked) == 0 {
		for i := range doc.Results {
			picked = append(picked, &doc.Results[i])
		}
	}
	if len(picked) == 0 && code != "" {
		var known []string
		for i := range doc.Results[:min(len(doc.Results), 5)] {
			known = append(known, doc.Results[i].Trace+" ("+doc.Results[i].Name+")")
		}
		return nil, fmt.Errorf("no result has the trace code %s; the report has %s", code, strings.Join(slices.Concat([]string{doc.Run.Trace + " (the run)"}, known), ", "))
	}
	return picked, nil
}

// traceCode reads a code as people type it: any case, and the letters that
// Crockford's base 32 leaves out for the digits that they look like.
func traceCode(s string) string {
	return strings.NewReplacer("I", "1", "L", "1", "O", "0", "-", "").Replace(strings.ToUpper(strings.TrimSpace(s)))
}
