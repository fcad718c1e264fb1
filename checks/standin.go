package checks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// standIn is the error of an answer that broke the contract because something
// else came in its place: nothing, an error page, a challenge or a login. The
// fetcher rejects those where it knows what the body has to be; to text it is
// the contract that tells them apart, and a page that keeps it is an answer. A
// rule of the origin, and the answer of a server that is spoken to in MCP, have
// said what they mean.
func standIn(l *leg, method string, mismatches []expect.Mismatch) error {
	a := l.answer
	if a.Rule != nil || a.RPC != nil || l.joined != nil || a.Status/100 != 2 || method == http.MethodHead ||
		!slices.ContainsFunc(mismatches, fails) || slices.ContainsFunc(mismatches, besideAnswer) {
		return nil
	}
	looks := fetch.StandIn(a)
	if looks == "" {
		return nil
	}
	return &fetch.Error{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, LooksLike: looks, Status: a.Status, Header: a.Header, Body: a.Body,
		Offset: -1, URL: a.URL, FinalURL: a.FinalURL, Withheld: a.Withheld, Mirror: a.Mirror, Trip: a.Trip}
}

// besideAnswer reports whether a mismatch breaks the contract whatever was
// answered: it is about the connection or the clock.
func besideAnswer(m expect.Mismatch) bool {
	return fails(m) && (m.Code == "max_duration" || m.Code == "tls" || strings.HasPrefix(m.Code, "tls."))
}
