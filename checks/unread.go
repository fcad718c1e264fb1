package checks

import (
	"net/http"
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// ReadsNothing reports whether nothing of the answer is looked at but that it
// has a success status: then it passes whatever comes, be it an error page. A
// question to an MCP server always reads its reply.
func (p *Probe) ReadsNothing() bool {
	return p.MCP == nil && !p.JSON && (p.As == "" || p.As == expect.AsText) && p.Expect.ReadsNothing() &&
		len(p.Captures) == 0 && p.EmptyWhen == nil && p.Next == nil && !p.Origin.judgesSuccess()
}

// judgesSuccess reports whether a rule under answers: can turn an answer with a
// success status into something else.
func (o *Origin) judgesSuccess() bool {
	return slices.ContainsFunc(o.Answers, func(r fetch.Rule) bool {
		return r.Means != fetch.MeansOK && (r.Status == nil || r.Status(http.StatusOK))
	})
}
