package checks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// pretence is the error of a success whose body is no answer, where only the
// contract could tell: what reads JSON is refused an error page by its syntax,
// but text, CSV and XML may be anything. Where the contract does not hold of
// such a body it was not measured; where it holds, the body was what is wanted.
// It is nil for everything else. What a rule of the origin says is ok is an
// answer, whatever it looks like.
func pretence(p *Probe, l *leg) error {
	a := l.answer
	if a.Status/100 != 2 || a.Rule != nil || p.MCP != nil || l.empty || l.joined != nil || !slices.ContainsFunc(l.mismatches, aboutAnswer) || slices.ContainsFunc(l.mismatches, breaksApart) {
		return nil
	}
	looks := fetch.StandIn(a)
	empty := looks == fetch.LooksEmpty && p.Request.Method != http.MethodHead && slices.ContainsFunc(l.mismatches, aboutText)
	if !refusals[looks] && !empty {
		return nil
	}
	trip := a.Trip // others may have the same one, and another opinion
	trip.Attempts = slices.Clone(trip.Attempts)
	if n := len(trip.Attempts); n > 0 {
		trip.Attempts[n-1].Kind = fetch.MalformedBody
	}
	return &fetch.Error{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, LooksLike: looks, Status: a.Status, Header: a.Header, Body: a.Body,
		Offset: -1, URL: a.URL, FinalURL: a.FinalURL, Mirror: a.Mirror, Trip: trip}
}

// apart are the codes of what holds or not whatever came with it.
var apart = []string{"max_duration", "redirect.moved", "tls"}

// aboutAnswer reports whether what does not hold was read in the answer. That
// it only warns says nothing for the body.
func aboutAnswer(m expect.Mismatch) bool {
	return !slices.Contains(apart, m.Code) && !strings.HasPrefix(m.Code, "tls.")
}

// breaksApart reports whether a mismatch breaks the contract whatever was
// answered.
func breaksApart(m expect.Mismatch) bool { return fails(m) && !aboutAnswer(m) }

// aboutText reports whether what does not hold was wanted of the text.
func aboutText(m expect.Mismatch) bool { return strings.HasPrefix(m.Code, "body.") }
