package report

import (
	"io"
	"strconv"

	"github.com/fonteviva/fonteviva/checks"
)

// The bounds of GitLab's reader. Beyond either of them it drops the whole
// report, so a large run says less about each result, never less results.
const (
	gitlabMaxBytes   = 28 << 20 // of 30 MB
	gitlabMaxObjects = 240_000  // of 250 000 elements, attributes and texts
	gitlabMinText    = 200      // bytes that stay of a text however large the run is
)

// The objects of a case in GitLab's count, at most: an element, its attributes
// and its text are one each.
const (
	gitlabBare  = 3 // testcase, classname, name
	gitlabTimed = 2 // time, file
	gitlabTold  = 3 // failure, type, text
)

// writeGitLab writes the JUnit that GitLab reads. It takes the text of a
// failure, an error or a skip and drops the message, so that the text says all;
// what a pass holds is not shown, so that it holds nothing. A case is known by
// its suite, class and name, and of two that are the same the first wins: the
// second gets a number.
func writeGitLab(w io.Writer, doc *Document, o Options) error {
	g := &gitlab{junit: junit{doc: doc, o: o, b: make([]byte, 0, flushAt+maxDiagnosis)}}
	g.measure()
	g.b = append(g.b, `<?xml version="1.0" encoding="UTF-8"?>`+"\n<testsuites>\n"...)
	for _, group := range byOrigin(doc.Results) {
		g.b = append(g.b, " <testsuite"...)
		g.attr("name", Inert(group.name, 0))
		g.b = append(g.b, ">\n"...)
		seen := map[string]int{}
		for _, r := range group.results {
			name := displayName(r)
			if seen[name]++; seen[name] > 1 {
				name += " (" + strconv.Itoa(seen[name]) + ")"
			}
			g.testcase(name, r)
			var err error
			if g.b, err = flush(w, g.b, flushAt); err != nil {
				return err
			}
		}
		g.b = append(g.b, " </testsuite>\n"...)
	}
	g.whole()
	_, err := flush(w, append(g.b, "</testsuites>\n"...), 0)
	return err
}

// whole writes a suite of what fails the run and no result tells.
func (g *gitlab) whole() {
	reasons := wholeReasons(g.doc)
	if len(reasons) == 0 {
		return
	}
	g.b = append(g.b, " <testsuite"...)
	g.attr("name", wholeGroup)
	g.b = append(g.b, ">\n"...)
	for i := range reasons {
		g.b = append(g.b, "  <testcase"...)
		g.attr("classname", wholeGroup)
		g.attr("name", wholeName(&reasons[i]))
		g.b = append(g.b, "><error"...)
		g.attr("type", wholeType(&reasons[i]))
		g.b = append(g.b, '>')
		g.b = appendXML(g.b, wholeText(&reasons[i], g.o.Lang), false)
		g.b = append(g.b, "</error></testcase>\n"...)
	}
	g.b = append(g.b, " </testsuite>\n"...)
}

type gitlab struct {
	junit
	text  int  // bytes that one result may say
	plain bool // cases have no attribute that can be left out
}

// measure spreads the bounds over the results.
func (g *gitlab) measure() {
	cases, told := len(g.doc.Results), 0
	for i := range g.doc.Results {
		if g.outcome(&g.doc.Results[i]) != "" {
			told++
		}
	}
	g.plain = cases*(gitlabBare+gitlabTimed)+told*gitlabTold > gitlabMaxObjects
	const frame = 400 // bytes of a case beside its text, and what escaping may add to a short one
	left := gitlabMaxBytes - cases*frame
	// A character can become six bytes.
	g.text = min(maxDiagnosis, max(gitlabMinText, left/max(told, 1)/6))
}

func (g *gitlab) outcome(r *checks.Result) string {
	return junitOutcome(g.doc.disposition("gitlab", r), r)
}

func (g *gitlab) testcase(name string, r *checks.Result) {
	g.b = append(g.b, "  <testcase"...)
	g.attr("classname", Inert(r.Origin, 0))
	g.attr("name", name)
	if !g.plain {
		g.seconds("time", r.DurationMS)
		g.attr("file", Inert(inRepository(r.File, g.o), 400))
	}
	outcome := g.outcome(r)
	if outcome == "" {
		g.b = append(g.b, "/>\n"...)
		return
	}
	g.b = append(append(g.b, "><"...), outcome...)
	if outcome != "skipped" && !g.plain {
		g.attr("type", junitType(r))
	}
	g.b = append(g.b, '>')
	g.b = appendXML(g.b, breakAttachment(shorten(headline(r, g.o.Lang)+"\n"+detailText(r, g.o), g.text)), false)
	g.b = append(append(append(g.b, "</"...), outcome...), "></testcase>\n"...)
}
