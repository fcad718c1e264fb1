package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// Verb is what a server is asked to do.
type Verb string

// The verbs.
const (
	Initialize Verb = "initialize" // what the opening of the session said
	Ping       Verb = "ping"
	List       Verb = "list" // Name is tools, resources or prompts; all pages
	Call       Verb = "call" // Name is the tool
	Read       Verb = "read" // Name is the URI
	Prompt     Verb = "prompt"
	Surface    Verb = "surface" // the opening, and every list that it offers
)

// Op is one question.
type Op struct {
	Verb      Verb
	Name      string
	Arguments json.RawMessage // a JSON object; nil for none
	// Unknown tries the call once more with an argument that does not exist,
	// where the tool may be called again.
	Unknown bool
	// Idempotent says that the tool may be called again, whatever the server
	// says.
	Idempotent bool
}

// UnknownArgument is the name of the argument that does not exist.
const UnknownArgument = "fonteviva_unknown_argument"

// Ask is one question to one peer: the exchange of a trip.
type Ask struct {
	peer *Peer
	op   Op
	sent atomic.Bool // the call of a tool left
}

// Ask makes a question.
func (p *Peer) Ask(op Op) *Ask { return &Ask{peer: p, op: op} }

// Piped reports whether the server is a command.
func (a *Ask) Piped() bool { return a.peer.cfg.Piped() }

// CanRepeat reports whether the question may be asked again: a call of a tool
// only where it never left, or where the server lists the tool as read-only or
// idempotent.
func (a *Ask) CanRepeat() bool {
	return a.op.Verb != Call || a.op.Idempotent || !a.sent.Load() || a.peer.repeatable(a.op.Name)
}

// fate is what a question did to the session.
type fate int

const (
	sound fate = iota
	spoilt
	stale
)

// Do makes one attempt. A session that the server has forgotten is opened anew,
// and the question asked once more: it was refused unread.
func (a *Ask) Do(ctx context.Context, w *fetch.Wire) (fetch.Reply, error) {
	for renewed := false; ; renewed = true {
		s, reply, err := a.peer.take(ctx, w)
		if s == nil {
			return reply, err
		}
		if s.pipe != nil {
			s.pipe.onBytes(w.Heard)
		}
		r, f, err := a.on(ctx, w, s)
		switch f {
		case stale, spoilt:
			a.peer.drop(s)
		}
		noisy := s.pipe != nil && s.pipe.noisy()
		s.leave(a.peer)
		if f == stale && !renewed {
			continue
		}
		if noisy {
			r.Notes = append(r.Notes, fetch.NoteStdoutNotClean)
		}
		if renewed {
			r.Notes = append(r.Notes, fetch.NoteSessionRenewed)
		}
		return r, err
	}
}

// talk is one question on one session.
type talk struct {
	a    *Ask
	w    *fetch.Wire
	s    *session
	fate fate
}

func (a *Ask) on(ctx context.Context, w *fetch.Wire, s *session) (fetch.Reply, fate, error) {
	t := &talk{a: a, w: w, s: s}
	r, err := t.answer(ctx)
	if err != nil {
		t.fate = spoilt
	}
	return r, t.fate, err
}

func (t *talk) answer(ctx context.Context) (fetch.Reply, error) {
	switch op := &t.a.op; op.Verb {
	case Initialize:
		return fetch.Reply{Body: t.s.info, RPC: &fetch.RPC{Method: t.s.via, Result: t.s.info}}, nil
	case Ping:
		return t.plain(ctx, methodPing, func(ctx context.Context) error { return t.s.cs.Ping(ctx, nil) })
	case List:
		return t.list(ctx, op.Name)
	case Surface:
		return t.surface(ctx)
	case Read:
		return t.plain(ctx, methodRead, func(ctx context.Context) error {
			_, err := t.s.cs.ReadResource(ctx, &sdk.ReadResourceParams{URI: op.Name})
			return err
		})
	case Prompt:
		return t.prompt(ctx)
	default:
		return t.call(ctx)
	}
}

// errNoReply keeps the zero reply of a call from being an answer.
var errNoReply = errors.New("no reply and no failure")

// send makes one call of the SDK, and gives its reply; nil with the failure.
func (t *talk) send(ctx context.Context, method string, call func(context.Context) error) (*reply, fetch.Reply, error) {
	st := newStep(t.w)
	defer st.end()
	if t.s.pipe != nil {
		if err := t.w.Turn(); err != nil {
			return nil, fetch.Reply{}, err
		}
	}
	err := call(st.attach(ctx))
	st.mu.Lock()
	said, res, forgotten, broke := st.replies[method], st.res, st.stale, st.err != nil || st.spent
	st.mu.Unlock()
	if said != nil && said.err == nil {
		if !isResult(method, said.result) {
			return nil, fetch.Reply{
				Response: res, Body: said.result,
				Fault: fetch.Fault{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, Detail: fetch.NotRPC},
			}, nil
		}
		return said, fetch.Reply{Response: res, RPC: &fetch.RPC{Method: method, Result: said.result}}, nil
	}
	if err == nil {
		err = errNoReply
	}
	r, err := t.s.failure(ctx, st, method, err)
	switch {
	case forgotten:
		t.fate = stale
	case err != nil || broke || r.Fault.Kind == fetch.Network:
		t.fate = spoilt
	}
	return nil, r, err
}

// plain is a call whose result is the answer.
func (t *talk) plain(ctx context.Context, method string, call func(context.Context) error) (fetch.Reply, error) {
	said, r, err := t.send(ctx, method, call)
	if said == nil {
		return r, err
	}
	r.Body, r.RPC.Text = contentOf(method, said.result)
	return r, nil
}

func (t *talk) prompt(ctx context.Context) (fetch.Reply, error) {
	args := map[string]string{}
	var given map[string]any
	_ = json.Unmarshal(t.a.op.Arguments, &given)
	for name, v := range given {
		if s, ok := v.(string); ok {
			args[name] = s
		} else if raw, err := json.Marshal(v); err == nil {
			args[name] = string(raw)
		}
	}
	return t.plain(ctx, methodPrompt, func(ctx context.Context) error {
		_, err := t.s.cs.GetPrompt(ctx, &sdk.GetPromptParams{Name: t.a.op.Name, Arguments: args})
		return err
	})
}

// call lists the tools once, and calls one: whether a call may be repeated, and
// what it promises, stands in the list.
func (t *talk) call(ctx context.Context) (fetch.Reply, error) {
	op := &t.a.op
	if _, listed := t.a.peer.toolNamed(op.Name); !listed {
		if _, r, err := t.pages(ctx, "tools"); err != nil || t.fate != sound || r.Fault.Cause != "" {
			return r, err
		}
	}
	r, err := t.callWith(ctx, op.Arguments)
	if err != nil || r.RPC == nil || r.Fault != (fetch.Fault{}) {
		return r, err
	}
	listed, _ := t.a.peer.toolNamed(op.Name)
	r.RPC.Tool = listed.raw
	if op.Unknown && r.RPC.Refusal == "" && t.a.CanRepeat() {
		return t.unknown(ctx, r)
	}
	return r, nil
}

func (t *talk) callWith(ctx context.Context, args json.RawMessage) (fetch.Reply, error) {
	var sent any
	if args != nil {
		sent = args
	}
	t.a.sent.Store(true)
	said, r, err := t.send(ctx, methodCall, func(ctx context.Context) error {
		_, err := t.s.cs.CallTool(ctx, &sdk.CallToolParams{Name: t.a.op.Name, Arguments: sent})
		return err
	})
	if said == nil {
		return r, err
	}
	r.Body, r.RPC.Text = contentOf(methodCall, said.result)
	r.RPC.IsError, r.RPC.Refusal = refusalIn(said.result)
	return r, nil
}

// unknown calls again with an argument that does not exist. Only a refusal by
// the server itself tells anything.
func (t *talk) unknown(ctx context.Context, first fetch.Reply) (fetch.Reply, error) {
	args := map[string]json.RawMessage{}
	_ = json.Unmarshal(t.a.op.Arguments, &args)
	args[UnknownArgument] = json.RawMessage(`"x"`)
	raw, err := json.Marshal(args)
	if err != nil {
		return first, nil
	}
	r, err := t.callWith(ctx, raw)
	if err != nil || r.Fault != (fetch.Fault{}) || r.RPC == nil {
		return r, err
	}
	taken := r.RPC.Refusal == ""
	first.RPC.Unknown = &taken
	return first, nil
}
