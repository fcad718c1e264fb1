package report

// wholeGroup is the suite of what fails a run and no result tells. A reader of
// results sees no green where the exit code is another.
const wholeGroup = "fonteviva"

// wholeReasons lists what fails the run and no result tells.
func wholeReasons(doc *Document) (list []Reason) {
	for _, r := range doc.Decision.Reasons {
		if r.Whole != "" {
			list = append(list, r)
		}
	}
	return list
}

// wholeName is a reason's name among the results; no probe can have it.
func wholeName(r *Reason) string { return "run: " + r.Whole }

// wholeType is a reason's type: none is a thing of an origin or of a contract.
func wholeType(r *Reason) string { return "own." + r.Whole }

// wholeText says a reason as a result's headline does.
func wholeText(r *Reason, lang Lang) string { return Inert(r.Text.In(lang), 400) }
