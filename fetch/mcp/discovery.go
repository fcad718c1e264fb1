package mcp

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"github.com/fonteviva/fonteviva/fetch"
)

// discovery is what server/discover came to, where it gave no reply. The SDK
// then tries initialize, which a server that no longer has it refuses: that says
// nothing of a server whose server/discover merely failed.
type discovery struct {
	res   *http.Response
	body  []byte
	err   error
	fault fetch.Fault
}

// failed reports that nothing can be told from it of what the server knows.
func (d *discovery) failed() bool {
	return d.err != nil || d.fault != fetch.Fault{} ||
		d.res != nil && (d.res.StatusCode/100 == 5 || d.res.StatusCode == http.StatusTooManyRequests)
}

// reply is the failure as that of the attempt.
func (d *discovery) reply() fetch.Reply {
	r := fetch.Reply{Response: d.res, Body: d.body, Fault: d.fault, Err: d.err}
	switch {
	case d.fault != fetch.Fault{} || d.err == nil:
	case errors.Is(d.err, context.DeadlineExceeded), errors.Is(d.err, context.Canceled): // by our patience: the attempt went on
		r.Fault = unheard
	case d.res != nil:
		r.Fault = fetch.ClassifyError(d.err, fetch.PhaseBody)
	default:
		r.Fault = fetch.ClassifyError(d.err, fetch.PhaseWait)
	}
	return r
}

// unheard is a server/discover that was not answered in time.
var unheard = fetch.Fault{Kind: fetch.Timeout, Outcome: fetch.OutcomeRetryable, Detail: fetch.HeaderTimeout}

// The codes by which a server that has no initialize refuses it: the method, its
// headers, its version. Over HTTP any refusal may be that.
var noInitialize = []int64{methodNotFound, -32020, -32022}

// undiscovered gives the failure of server/discover, where initialize was
// refused only because the server does not have it.
func (s *session) undiscovered(st *step) (fetch.Reply, bool) {
	said := st.replies[methodInitialize]
	if s.pipe != nil {
		refused := said != nil && said.err != nil && slices.Contains(noInitialize, said.err.Code)
		return fetch.Reply{Fault: unheard}, refused && s.pipe.impatient()
	}
	refused := said != nil && said.err != nil
	if st.refused && st.res != nil {
		switch st.res.StatusCode {
		case http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed:
			refused = true
		}
	}
	return st.discovered.reply(), refused && st.discovered.failed()
}
