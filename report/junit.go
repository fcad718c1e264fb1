package report

import (
	"fmt"
	"io"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
)

// The bounds of a JUnit file: readers refuse huge texts and too many elements.
const (
	junitMaxText  = maxDiagnosis // bytes of one element
	junitMaxFlaky = 64           // overcome attempts told one by one in a case
)

// writeJUnit writes what all known readers of JUnit XML accept: only
// attributes that the strictest schema has, a suite per origin, times with
// three decimals, every message repeated in its text. A result that was not
// measured is skipped, or an error where the policy fails it; never a pass.
func writeJUnit(w io.Writer, doc *Document, o Options) error {
	j := &junit{doc: doc, o: o, b: make([]byte, 0, flushAt+junitMaxText)}
	groups := byOrigin(doc.Results)
	var all junitCounts
	counts := make([]junitCounts, len(groups))
	for i, g := range groups {
		for _, r := range g.results {
			counts[i].add(doc.disposition("junit", r), r)
		}
		all.tests += counts[i].tests
		all.failures += counts[i].failures
		all.errors += counts[i].errors
	}
	whole := wholeReasons(doc)
	all.tests, all.errors = all.tests+len(whole), all.errors+len(whole)
	j.b = append(j.b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<testsuites"...)
	j.attr("name", "fonteviva")
	j.seconds("time", doc.Run.DurationMS)
	j.number("tests", all.tests)
	j.number("failures", all.failures)
	j.number("errors", all.errors)
	j.b = append(j.b, ">\n"...)
	for i, g := range groups {
		if err := j.suite(w, g, counts[i]); err != nil {
			return err
		}
	}
	j.whole(whole)
	j.b = append(j.b, "</testsuites>\n"...)
	_, err := flush(w, j.b, 0)
	return err
}

// junitCounts are the sums of a suite.
type junitCounts struct {
	tests, failures, errors, skipped int
	ms                               int64
}

func (c *junitCounts) add(d Disposition, r *checks.Result) {
	c.tests++
	c.ms += r.DurationMS
	switch junitOutcome(d, r) {
	case "failure":
		c.failures++
	case "error":
		c.errors++
	case "skipped":
		c.skipped++
	}
}

// junitOutcome is the element that a result becomes, "" for a pass. What was
// not measured has no way to pass.
func junitOutcome(d Disposition, r *checks.Result) string {
	switch {
	case d == Fail && (r.Finding == checks.Drift || r.Finding == checks.Respondeu || r.Finding == checks.OK):
		return "failure"
	case d == Fail:
		return "error"
	case d == Skip || !r.Measured || excused(r):
		return "skipped"
	}
	return ""
}

type junit struct {
	doc *Document
	o   Options
	b   []byte
}

func (j *junit) attr(name, value string) {
	j.b = append(append(append(j.b, ' '), name...), '=', '"')
	j.b = append(appendXML(j.b, breakAttachment(value), true), '"')
}

func (j *junit) number(name string, n int) {
	j.b = append(append(append(j.b, ' '), name...), '=', '"')
	j.b = append(strconv.AppendInt(j.b, int64(n), 10), '"')
}

func (j *junit) seconds(name string, ms int64) {
	j.b = append(append(append(j.b, ' '), name...), '=', '"')
	j.b = strconv.AppendInt(j.b, ms/1000, 10)
	j.b = append(j.b, '.', byte('0'+ms%1000/100), byte('0'+ms%100/10), byte('0'+ms%10), '"')
}

// whole writes a suite of what fails the run and no result tells.
func (j *junit) whole(reasons []Reason) {
	if len(reasons) == 0 {
		return
	}
	j.open(wholeGroup, junitCounts{tests: len(reasons), errors: len(reasons)})
	for i := range reasons {
		text := wholeText(&reasons[i], j.o.Lang)
		j.b = append(j.b, "  <testcase"...)
		j.attr("classname", wholeGroup)
		j.attr("name", wholeName(&reasons[i]))
		j.seconds("time", 0)
		j.b = append(j.b, ">\n   <error"...)
		j.attr("message", text)
		j.attr("type", wholeType(&reasons[i]))
		j.b = append(j.b, '>')
		j.text(text)
		j.b = append(j.b, "</error>\n  </testcase>\n"...)
	}
	j.b = append(j.b, " </testsuite>\n"...)
}

// open begins a suite.
func (j *junit) open(name string, c junitCounts) {
	j.b = append(j.b, " <testsuite"...)
	j.attr("name", Inert(name, 0))
	j.number("tests", c.tests)
	j.number("failures", c.failures)
	j.number("errors", c.errors)
	j.number("skipped", c.skipped)
	j.seconds("time", c.ms)
	j.attr("timestamp", j.doc.Run.StartedAt.UTC().Format("2006-01-02T15:04:05"))
	j.b = append(j.b, ">\n"...)
}

func (j *junit) suite(w io.Writer, g originGroup, c junitCounts) error {
	j.open(g.name, c)
	j.b = append(j.b, "  <properties>\n"...)
	s := &j.doc.Summary
	for _, p := range [][2]string{
		{"fonteviva.trace", j.doc.Run.Trace}, {"fonteviva.profile", j.doc.Run.Profile},
		{"fonteviva.coverage", fmt.Sprintf("measured %d of %d", s.Measured, s.Total)},
	} {
		j.b = append(j.b, "   <property"...)
		j.attr("name", p[0])
		j.attr("value", Inert(p[1], 0))
		j.b = append(j.b, "/>\n"...)
	}
	j.b = append(j.b, "  </properties>\n"...)
	for _, r := range g.results {
		j.testcase(r)
		var err error
		if j.b, err = flush(w, j.b, flushAt); err != nil {
			return err
		}
	}
	j.b = append(j.b, " </testsuite>\n"...)
	return nil
}

func (j *junit) testcase(r *checks.Result) {
	j.b = append(j.b, "  <testcase"...)
	j.attr("classname", Inert(r.Origin, 0))
	j.attr("name", displayName(r))
	j.seconds("time", r.DurationMS)
	outcome := junitOutcome(j.doc.disposition("junit", r), r)
	if outcome == "" && plain(r) {
		j.b = append(j.b, "/>\n"...)
		return
	}
	j.b = append(j.b, ">\n"...)
	switch outcome {
	case "failure", "error":
		j.failure(outcome, r)
	case "skipped":
		j.b = append(j.b, "   <skipped"...)
		j.attr("message", headline(r, j.o.Lang))
		j.b = append(j.b, "/>\n"...)
		j.element("system-out", detailText(r, j.o))
	default:
		j.flaky(r)
		// Every attempt is told, the one that passed too.
		j.element("system-out", detailText(r, j.o))
	}
	j.b = append(j.b, "  </testcase>\n"...)
}

func (j *junit) failure(element string, r *checks.Result) {
	j.b = append(append(j.b, "   <"...), element...)
	message := headline(r, j.o.Lang)
	j.attr("message", message)
	j.attr("type", junitType(r))
	j.b = append(j.b, '>')
	j.text(message + "\n" + detailText(r, j.o))
	j.b = append(append(append(j.b, "</"...), element...), ">\n"...)
}

// junitType names what failed: the contract, the origin or our own side.
func junitType(r *checks.Result) string {
	fact := string(r.Finding)
	if r.Kind != nil {
		fact = Inert(string(*r.Kind), 40)
	}
	switch r.Finding {
	case checks.Indisponivel, checks.Ambiguo:
		return "origin." + fact
	case checks.Alheio:
		return "own." + fact
	}
	return "contract." + string(r.Finding)
}

// flaky tells the attempts and trips that a pass overcame.
func (j *junit) flaky(r *checks.Result) {
	told := 0
	for i := range r.Trips {
		for k := range r.Trips[i].Attempts {
			a := &r.Trips[i].Attempts[k]
			if a.Kind == nil {
				continue
			}
			if told++; told > junitMaxFlaky {
				continue // the text that follows has them all
			}
			j.flakyFailure(Inert(string(*a.Kind), 40), attemptLine(k+1, a, j.o.Lang))
		}
	}
	if told == 0 && r.Unstable {
		j.flakyFailure("unstable", unstableNote.In(j.o.Lang))
	}
}

func (j *junit) flakyFailure(kind, text string) {
	j.b = append(j.b, "   <flakyFailure"...)
	j.attr("message", shorten(text, 300))
	j.attr("type", "overcome."+kind)
	j.b = append(j.b, "><stackTrace>"...)
	j.text(text)
	j.b = append(j.b, "</stackTrace></flakyFailure>\n"...)
}

func (j *junit) element(name, text string) {
	j.b = append(append(append(j.b, "   <"...), name...), '>')
	j.text(text)
	j.b = append(append(append(j.b, "</"...), name...), ">\n"...)
}

func (j *junit) text(s string) {
	j.b = appendXML(j.b, breakAttachment(shorten(s, junitMaxText)), false)
}
