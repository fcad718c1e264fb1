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
// such a body it was not measured, nor where nothing of it holds because there
// seem to be no data, as in a line of CSV that is a guard's; where it holds, the
// body was what is wanted. It is nil for everything else. What a rule of the
// origin says is ok is an answer, whatever it looks like.
func pretence(p *Probe, l *leg) error {
	a := l.answer
	if a.Rule != nil || p.MCP != nil || l.joined != nil || !l.empty && !slices.ContainsFunc(l.mismatches, aboutAnswer) || slices.ContainsFunc(l.mismatches, breaksApart) {
		return nil
	}
	if a.Status/100 != 2 {
		return unlike(p, a)
	}
	looks := fetch.StandIn(a)
	empty := looks == fetch.LooksEmpty && p.Request.Method != http.MethodHead && slices.ContainsFunc(l.mismatches, aboutText)
	if !refusals[looks] && !empty {
		return nil
	}
	return rejected(a, fetch.MalformedBody, fetch.OutcomeSuccess, looks)
}

// unlike is the error of an expected status that is no success, and whose body
// is not even of the kind that the contract reads: another has answered than
// who was expected to, such as a gateway with its own page, and the status says
// what it always says.
func unlike(p *Probe, a *fetch.Answer) error {
	if p.Request.Method == http.MethodHead || readable(p, a.Body) {
		return nil
	}
	kind, outcome := fetch.ClassifyStatus(a.Status, a.Header)
	return rejected(a, kind, outcome, fetch.LooksLikeOf(a.Status, a.Header, a.FinalURL, a.Body))
}

// readable reports whether a body is what the probe's as: says. Any is text.
func readable(p *Probe, body []byte) bool {
	if read := inspect(p); read != nil {
		return read(body) == nil
	}
	return !p.JSON || fetch.ValidJSON(body)
}

// rejected makes the failure of an answer that was none.
func rejected(a *fetch.Answer, kind fetch.Kind, outcome fetch.Outcome, looks fetch.LooksLike) *fetch.Error {
	trip := a.Trip // others may have the same one, and another opinion
	trip.Attempts = slices.Clone(trip.Attempts)
	if n := len(trip.Attempts); n > 0 {
		trip.Attempts[n-1].Kind = kind
	}
	return &fetch.Error{Kind: kind, Outcome: outcome, LooksLike: looks, Status: a.Status, Header: a.Header, Body: a.Body,
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
