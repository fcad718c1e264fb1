package checks

import (
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect"
)

// rescrub hides in finished results what was learnt after they were made: an
// origin can have shown a secret before the capture that names it.
func (p *Plan) rescrub(results []Result) {
	if !slices.ContainsFunc(p.probes, func(pl *planned) bool {
		return slices.ContainsFunc(pl.probe.Captures, func(c *expect.Capture) bool { return c.Secret })
	}) {
		return
	}
	for i := range results {
		scrub(&results[i], p.redactor.String)
	}
}

// scrub hides secrets in every text of a result that is not a word of the
// declaration's or our own vocabulary. Most of them were hidden where they were
// made, before they were cut short; what is added later is hidden here.
func scrub(res *Result, hide func(string) string) {
	res.URL = hide(res.URL)
	for _, p := range []**string{&res.Title, &res.FinalURL, &res.Mirror, &res.Rule, &res.Motivo, &res.Detail} {
		if *p != nil {
			hidden := hide(**p)
			*p = &hidden
		}
	}
	if res.Redirect != nil {
		res.Redirect = &Redirect{Location: hide(res.Redirect.Location), CrossHost: res.Redirect.CrossHost}
	}
	res.Mismatches = slices.Clone(res.Mismatches)
	for i := range res.Mismatches {
		m := &res.Mismatches[i]
		m.Want, m.Got = hide(m.Want), hide(m.Got)
		if m.Path != nil {
			path := hide(*m.Path)
			m.Path = &path
		}
	}
}
