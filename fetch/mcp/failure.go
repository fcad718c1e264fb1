package mcp

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

// notStarted is a command that cannot run.
func notStarted(err error) fetch.Reply {
	f := fetch.ClassifyError(err, fetch.PhaseStart)
	if f.Cause == "" {
		f = fetch.Fault{Cause: fetch.CauseCommand, Detail: fetch.CommandFailed}
	}
	f.Kind, f.Outcome = fetch.Aborted, fetch.OutcomeFatal
	return fetch.Reply{Fault: f, Err: err}
}

// failure says what a call that gave no reply came to. A connection that broke
// is an error, everything else stands in the reply.
func (s *session) failure(ctx context.Context, st *step, method string, err error) (fetch.Reply, error) {
	st.mu.Lock()
	defer st.mu.Unlock()
	if method == methodInitialize {
		if r, failed := s.undiscovered(st); failed {
			return r, nil
		}
	}
	r := fetch.Reply{Response: st.res, Body: st.body}
	if said := st.replies[method]; said != nil && (!said.opens() || !s.brokeLater(ctx, st)) {
		return rejected(r, method, said), nil
	}
	switch {
	case st.fault != fetch.Fault{}:
		r.Fault, r.Err = st.fault, st.err
	case st.refused:
		r.RPC = errorIn(method, st.body)
	case ctx.Err() != nil:
		if s.pipe != nil {
			r.Body = s.pipe.proc.stderr.bytes()
		}
		return r, context.Cause(ctx)
	case st.err != nil:
		return r, st.err
	case s.pipe != nil:
		r.Fault, r.Body, r.Err = s.pipe.fault(method == methodInitialize)
	case st.silent:
		r.Fault = fetch.Fault{Kind: fetch.Network, Outcome: fetch.OutcomeRetryable, Detail: fetch.NoReply}
	default:
		r.Fault = fetch.Fault{Kind: fetch.Network, Outcome: fetch.OutcomeRetryable, Detail: fetch.ConnectionClosed}
		r.Err = err
	}
	return r, nil
}

// opens reports the reply of an opening that names a version we know.
func (r *reply) opens() bool {
	return r.err == nil && slices.Contains(Versions(), versionIn(r.result))
}

func versionIn(result json.RawMessage) string {
	var info struct {
		Version string `json:"protocolVersion"`
	}
	_ = json.Unmarshal(result, &info)
	return info.Version
}

// brokeLater reports that something went wrong behind the reply to the opening:
// the session is open only once the server was told that it is.
func (s *session) brokeLater(ctx context.Context, st *step) bool {
	return st.refused || st.err != nil || st.fault != fetch.Fault{} || ctx.Err() != nil || s.pipe != nil && s.pipe.over()
}

// rejected is a reply that the SDK does not take: an error, or an opening whose
// version is not known.
func rejected(r fetch.Reply, method string, said *reply) fetch.Reply {
	r.RPC = &fetch.RPC{Method: method, Result: said.result}
	if said.err != nil {
		return erred(r, said.err)
	}
	r.Body = said.result
	if versionIn(said.result) != "" && !said.opens() {
		r.RPC.Refusal = fetch.ProtocolVersion
		return r
	}
	r.Fault = fetch.Fault{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, Detail: fetch.NotRPC}
	return r
}

// erred is a JSON-RPC error: its object is what can be judged.
func erred(r fetch.Reply, e *jsonrpc.Error) fetch.Reply {
	code := e.Code
	r.RPC.Code, r.RPC.Refusal = &code, fetch.RPCError
	if body, err := json.Marshal(e); err == nil {
		r.Body = body
	}
	return r
}

// errorIn finds the JSON-RPC error in the body of a refusing status. Its id is
// often null there, which is no reply to anything.
func errorIn(method string, body []byte) *fetch.RPC {
	var m struct {
		Version string `json:"jsonrpc"`
		Error   *struct {
			Code *int64 `json:"code"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &m) != nil || m.Version != "2.0" || m.Error == nil || m.Error.Code == nil {
		return nil
	}
	return &fetch.RPC{Method: method, Code: m.Error.Code, Refusal: fetch.RPCError}
}
