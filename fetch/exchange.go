package fetch

import (
	"context"
	"net/http"
)

// Exchange is an attempt that speaks a protocol of its own above HTTP, or over
// a pipe. It takes the place of the one HTTP request of an attempt; everything
// around it (budget, rate limit, breaker, retries, rules, collector) stays.
type Exchange interface {
	// Do makes one attempt. It sends over w, and heeds ctx, whose cause says
	// which clock ended it. What came is in the reply, which may be there
	// beside an error: an error is a connection that broke, named by its type,
	// and a Fault in the reply is what the exchange itself names.
	Do(ctx context.Context, w *Wire) (Reply, error)
	// CanRepeat reports whether what was sent so far may be sent again.
	CanRepeat() bool
	// Piped reports that nothing goes over HTTP: the request's URL is then a
	// name for people.
	Piped() bool
}

// Reply is what an exchange was told.
type Reply struct {
	// Response is the HTTP answer that decided, its body read or closed; nil
	// over a pipe, and where none came.
	Response *http.Response
	Body     []byte // what is judged; of a failure, the evidence
	RPC      *RPC   // nil when no JSON-RPC message decided
	Notes    []Note
	Fault    Fault // Kind or Cause are set where the exchange names the failure
	Err      error // beside Fault: the underlying error
}

// RPC is what a JSON-RPC reply said.
type RPC struct {
	Method  string // that was called
	Code    *int64 // of a JSON-RPC error; nil for a result
	IsError bool   // an MCP tool says that it failed
	Result  []byte // the result, as it came; a list's pages joined; nil for an error
	Text    string // an MCP result's text contents, joined by newlines
	Tool    []byte // the called tool as the server lists it; nil where that was not asked for
	// Unknown is whether an argument that does not exist was taken; nil where
	// that was not tried.
	Unknown *bool
	// Endless is set where the pages of a list lead back to one that was seen.
	Endless bool
	// Refusal names a reply that refuses: RPCError, ToolError, InputRequired or
	// ProtocolVersion. It is respondeu unless a rule says otherwise.
	Refusal Detail
}

// The notes of exchanges.
const (
	NoteSessionRenewed Note = "session_renewed"  // the origin had forgotten the session: a new one was opened, and the call sent once more
	NoteStdoutNotClean Note = "stdout_not_clean" // a command wrote lines to its stdout that are no messages
)

// BuiltinRule is what the names of built-in rules begin with; those of declared
// ones begin with origins.
const BuiltinRule = "mcp."

// rule is the built-in rule that a refusing reply falls under, where no rule of
// the origin says otherwise.
func (r *RPC) rule() *Rule {
	again := false
	return &Rule{Name: BuiltinRule + string(r.Refusal), Means: MeansRespondeu, Retry: &again}
}

// exchange makes the attempt of a request that has an Exchange.
func (t *trip) exchange(caller context.Context, w *walk, s *slot, rec *Attempt) (*Answer, *Error) {
	x := newWire(t, w, s, rec)
	defer w.fuse.put()
	reply, err := t.req.Exchange.Do(w.fuse.ctx, x)
	x.end()
	if reply.Response != nil {
		w.res, rec.Status = reply.Response, reply.Response.StatusCode
	}
	switch {
	case err != nil:
		return nil, t.told(t.broken(caller, w.fuse.ctx, w, err), &reply)
	case reply.Fault != Fault{}:
		e := t.failure(w)
		e.Err = reply.Err
		e.fault(reply.Fault)
		return nil, t.told(e, &reply)
	case w.res != nil:
		if e := t.named(w); e != nil {
			e.Err = reply.Err
			return nil, t.told(e, &reply)
		}
	}
	return t.answered(w, &reply), nil
}

// told adds the evidence of a reply to a failure.
func (t *trip) told(e *Error, r *Reply) *Error {
	e.RPC = r.RPC
	if len(r.Body) > 0 {
		t.evidence(e, r.Body)
	}
	return e
}

func (t *trip) answered(w *walk, r *Reply) *Answer {
	a := &Answer{
		URL: t.req.URL, FinalURL: t.finalURL(w), Withheld: w.withheld,
		Body: r.Body, RPC: r.RPC, Notes: r.Notes,
	}
	a.RetrievedAt, a.TLS = t.retrieved(w)
	if w.res != nil {
		a.Status, a.Header = w.res.StatusCode, w.res.Header
	}
	return a
}

// judgeExchange is judge for an exchange: rules may ask about the JSON-RPC
// reply too, and what refuses is a refusal where they say nothing.
func (t *trip) judgeExchange(w *walk, a *Answer, e *Error) (*Answer, *Error) {
	seen := Seen{Path: t.url.Path}
	switch {
	case a != nil:
		seen.Body, seen.RPC = a.Body, a.RPC
	case w.denied || e.Kind == Aborted || e.Kind == Timeout || e.Kind == Network:
		return a, e
	default:
		seen.Body, seen.RPC = e.Body, e.RPC
	}
	if w.res != nil {
		seen.Status, seen.Header = w.res.StatusCode, w.res.Header
	}
	if a != nil && t.req.ExpectRPC != nil && t.req.ExpectRPC(a.RPC) {
		return t.shaped(w, a)
	}
	r := FirstMatch(t.c.cfg.Rules, seen)
	if r == nil && a != nil && a.RPC != nil && a.RPC.Refusal != "" {
		r = a.RPC.rule()
	}
	switch {
	case r == nil && a != nil:
		return t.shaped(w, a)
	case r == nil:
		return nil, e
	case r.Means.IsAnswer():
		if a == nil {
			a = t.answered(w, &Reply{Body: seen.Body, RPC: seen.RPC})
		}
		a.Rule = r
		return a, nil
	}
	return nil, t.ruledReply(w, a, e, r)
}

// shaped is an answer, unless the request reads JSON and the reply holds none:
// that is a text in the place of the data, and says nothing about their form.
func (t *trip) shaped(w *walk, a *Answer) (*Answer, *Error) {
	e := t.misshapen(w, a.Body, nil)
	if e == nil {
		return a, nil
	}
	e.RPC = a.RPC
	return nil, e
}

// ruledReply is ruledFailure for an exchange.
func (t *trip) ruledReply(w *walk, a *Answer, e *Error, r *Rule) *Error {
	if e == nil {
		e = t.failure(w)
		e.RPC = a.RPC
		e.Body = a.Body
	}
	e.Rule = r
	if w.res != nil && w.res.StatusCode/100 != 2 {
		return e
	}
	f := Fault{Outcome: OutcomeSuccess, Detail: e.Detail}
	if r.Means == MeansIndisponivel || r.Means == MeansAmbiguo {
		f.Kind = MalformedBody
	}
	if e.RPC != nil && f.Detail == "" {
		f.Detail = e.RPC.Refusal
	}
	e.fault(f)
	return e
}
