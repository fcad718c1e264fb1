package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// The methods that are called.
const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	methodTools      = "tools/list"
	methodResources  = "resources/list"
	methodTemplates  = "resources/templates/list"
	methodPrompts    = "prompts/list"
	methodCall       = "tools/call"
	methodRead       = "resources/read"
	methodPrompt     = "prompts/get"
)

// conn sees every message before the SDK does.
type conn struct {
	sdk.Connection

	piped bool // what comes belongs to any of the calls

	mu       sync.Mutex
	waiting  map[jsonrpc.ID]*step
	answered map[jsonrpc.ID]bool
	asked    int // requests of the server that have no answer yet
}

// maxAsked is how many requests of the server are answered at a time. What more
// it asks is left out: one that takes no answers would fill our memory.
const maxAsked = 16

func newConn(inner sdk.Connection, piped bool) *conn {
	return &conn{Connection: inner, piped: piped, waiting: map[jsonrpc.ID]*step{}, answered: map[jsonrpc.ID]bool{}}
}

// Write notes which call waits for which reply.
func (c *conn) Write(ctx context.Context, m jsonrpc.Message) error {
	req, ok := m.(*jsonrpc.Request)
	switch {
	case !ok:
		defer func() {
			c.mu.Lock()
			defer c.mu.Unlock()
			c.asked--
		}()
		return c.Connection.Write(ctx, m)
	case !req.IsCall():
		return c.Connection.Write(ctx, m)
	}
	st := stepOf(ctx)
	if st == nil {
		return c.Connection.Write(ctx, m)
	}
	st.sent(req.ID, req.Method)
	c.mu.Lock()
	c.waiting[req.ID] = st
	c.mu.Unlock()
	err := c.Connection.Write(ctx, m)
	if err != nil {
		c.claim(req.ID)
	}
	return err
}

// claim gives the call that waits for a reply, and forgets it.
func (c *conn) claim(id jsonrpc.ID) *step {
	c.mu.Lock()
	defer c.mu.Unlock()
	st := c.waiting[id]
	if st != nil {
		c.answered[id] = true
	}
	delete(c.waiting, id)
	return st
}

// stray is a reply that nobody waits for. Over a pipe it may be the only one
// that will come; a second reply to the same call says nothing about others.
func (c *conn) stray(r *jsonrpc.Response) {
	if !c.piped {
		return
	}
	c.mu.Lock()
	again, waiting := c.answered[r.ID], slices.Collect(maps.Values(c.waiting))
	c.mu.Unlock()
	if again {
		return
	}
	d, is := errors.AsType[*damage](r.Error)
	text, _ := jsonrpc.EncodeMessage(r) // of what was decoded
	for _, st := range waiting {
		if is {
			st.damaged(nil, d)
		} else {
			st.wrong(nil, text, fetch.WrongReply)
		}
	}
}

// heeds reports a request of the server that is answered. We offer it nothing,
// so that it is told so, or that we are there; what it only tells changes
// nothing here.
func (c *conn) heeds(m jsonrpc.Message) bool {
	req, ok := m.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.asked >= maxAsked {
		return false
	}
	c.asked++
	return true
}

// Read keeps every reply as it came, and hands on what the SDK needs of it.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	var r *jsonrpc.Response
	var st *step
	for st == nil {
		m, err := c.Connection.Read(ctx)
		var ok bool
		if r, ok = m.(*jsonrpc.Response); err != nil || !ok {
			if err == nil && !c.heeds(m) {
				continue
			}
			return m, err
		}
		if st = c.claim(r.ID); st == nil {
			c.stray(r)
		}
	}
	r = st.entire(r)
	st.got(r)
	st.mu.Lock()
	method := st.calls[r.ID]
	st.mu.Unlock()
	if r.Error != nil {
		return r, nil
	}
	return &jsonrpc.Response{ID: r.ID, Result: forSDK(method, r.Result), Extra: r.Extra}, nil
}

// stubs stand for results that the SDK would decode, and refuse where a server
// is not exact: what they hold is judged from what came.
var stubs = map[string]json.RawMessage{
	methodPing:      json.RawMessage(`{}`),
	methodResources: json.RawMessage(`{"resources":[]}`),
	methodTemplates: json.RawMessage(`{"resourceTemplates":[]}`),
	methodPrompts:   json.RawMessage(`{"prompts":[]}`),
	methodCall:      json.RawMessage(`{"content":[]}`),
	methodRead:      json.RawMessage(`{"contents":[]}`),
	methodPrompt:    json.RawMessage(`{"messages":[]}`),
}

// forSDK is the result that the SDK gets. It needs the tools themselves, because
// from 2026-07-28 on their arguments may become headers, but must not keep them
// for later lists.
func forSDK(method string, result json.RawMessage) json.RawMessage {
	if stub, ok := stubs[method]; ok {
		return stub
	}
	if method != methodTools {
		return result
	}
	var list struct {
		Tools []json.RawMessage `json:"tools"`
	}
	if json.Unmarshal(result, &list) != nil {
		return json.RawMessage(`{"tools":[]}`)
	}
	sound := make([]json.RawMessage, 0, len(list.Tools))
	for _, raw := range list.Tools {
		if json.Unmarshal(raw, new(sdk.Tool)) == nil {
			sound = append(sound, raw)
		}
	}
	out, err := json.Marshal(map[string]any{"tools": sound})
	if err != nil {
		return json.RawMessage(`{"tools":[]}`)
	}
	return out
}
