package report

import (
	"github.com/fonteviva/fonteviva/checks"
)

// excused reports whether a result's failure is known, so that it warns where
// its finding would fail. Its age limit is another matter. A result that is ok
// has no failure, and one whose known failure is over has no excuse.
func excused(r *checks.Result) bool {
	return r.KnownFailure != nil && r.Finding != checks.OK && checks.KnownFailureOver(r) == ""
}

// known turns known failures that are over into reasons of their own.
func (d *Decision) known(rep *checks.Report, o DecideOptions) {
	if dataOnly(o.Format) {
		return
	}
	over := map[string][]*checks.Result{}
	for i := range rep.Results {
		if code := checks.KnownFailureOver(&rep.Results[i]); code != "" {
			over[code] = append(over[code], &rep.Results[i])
		}
	}
	if list := over[checks.KnownPasses]; len(list) > 0 {
		d.add(ExitContract, "a known failure that no longer fails: %s", "uma falha conhecida que não falha mais: %s", resultNames(list))
	}
	if list := over[checks.KnownExpired]; len(list) > 0 {
		d.add(ExitContract, "a known failure that is past its date: %s", "uma falha conhecida que passou da data: %s", resultNames(list))
	}
}

// knownStep is what to do about a result whose failure is, or was, known.
func knownStep(r *checks.Result) (Text, bool) {
	switch {
	case checks.KnownFailureOver(r) == checks.KnownPasses:
		return Text{"it works again: remove its entry from known_failures", "voltou a funcionar: tire a entrada dela de known_failures"}, true
	case checks.KnownFailureOver(r) != "":
		return Text{"fix it, or give its entry in known_failures a new date", "corrija, ou dê nova data à entrada dela em known_failures"}, true
	case excused(r) && !r.Measured:
		return Text{"nothing new: it is followed where known_failures says; its age limit (max_unmeasured) holds all the same",
			"nada de novo: é acompanhada onde known_failures diz; o limite de idade (max_unmeasured) vale mesmo assim"}, true
	case excused(r):
		return Text{"nothing new: it is followed where known_failures says", "nada de novo: é acompanhada onde known_failures diz"}, true
	}
	return Text{}, false
}
