package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// maxPages bounds the walk of one list.
const maxPages = 500

// lists are the lists of a server: their method, the key of their elements and
// how a page is asked for.
var lists = map[string]struct {
	method string
	key    string
	page   func(ctx context.Context, cs *sdk.ClientSession, cursor string) error
}{
	"tools": {methodTools, "tools", func(ctx context.Context, cs *sdk.ClientSession, cursor string) error {
		_, err := cs.ListTools(ctx, &sdk.ListToolsParams{Cursor: cursor})
		return err
	}},
	"resources": {methodResources, "resources", func(ctx context.Context, cs *sdk.ClientSession, cursor string) error {
		_, err := cs.ListResources(ctx, &sdk.ListResourcesParams{Cursor: cursor})
		return err
	}},
	"resource_templates": {methodTemplates, "resourceTemplates", func(ctx context.Context, cs *sdk.ClientSession, cursor string) error {
		_, err := cs.ListResourceTemplates(ctx, &sdk.ListResourceTemplatesParams{Cursor: cursor})
		return err
	}},
	"prompts": {methodPrompts, "prompts", func(ctx context.Context, cs *sdk.ClientSession, cursor string) error {
		_, err := cs.ListPrompts(ctx, &sdk.ListPromptsParams{Cursor: cursor})
		return err
	}},
}

// list walks every page of a list. Its answer is one object with one array.
func (t *talk) list(ctx context.Context, name string) (fetch.Reply, error) {
	items, r, err := t.pages(ctx, name)
	if items == nil {
		return r, err
	}
	r.Body = join(map[string][]json.RawMessage{lists[name].key: items})
	r.RPC.Result = r.Body
	return r, nil
}

// pages gives every element of a list; nil with the failure. A list that broke
// off is no list: what is missing in it says nothing about the server.
func (t *talk) pages(ctx context.Context, name string) ([]json.RawMessage, fetch.Reply, error) {
	kind := lists[name]
	items, seen, cursor := []json.RawMessage{}, []string{""}, ""
	var size int64
	for {
		said, r, err := t.send(ctx, kind.method, func(ctx context.Context) error { return kind.page(ctx, t.s.cs, cursor) })
		if said == nil {
			return nil, incomplete(r, len(seen) > 1), err
		}
		page, next, ok := pageOf(said.result, kind.key)
		if !ok {
			r.Body = said.result
			r.Fault = fetch.Fault{Kind: fetch.MalformedBody, Outcome: fetch.OutcomeSuccess, Detail: fetch.NotRPC}
			return nil, incomplete(r, len(seen) > 1), nil
		}
		items = append(items, page...)
		if size += int64(len(said.result)); size > t.w.MaxBody() {
			r.Fault = fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxBody}
			return nil, r, nil
		}
		if next != nil && slices.Contains(seen, *next) {
			r.RPC.Endless = true
			next = nil
		}
		if next == nil {
			if name == "tools" {
				t.a.peer.remember(items)
			}
			return items, r, nil
		}
		if cursor = *next; len(seen) == maxPages {
			return nil, incomplete(r, true), nil
		}
		seen = append(seen, cursor)
	}
}

// pageOf reads the elements of a page and its cursor; a missing cursor, which
// is nil, is the end.
func pageOf(result json.RawMessage, key string) (items []json.RawMessage, next *string, ok bool) {
	var page map[string]json.RawMessage
	if json.Unmarshal(result, &page) != nil || page[key] == nil || json.Unmarshal(page[key], &items) != nil || items == nil {
		return nil, nil, false
	}
	if cursor := page["nextCursor"]; cursor != nil && !bytes.Equal(cursor, []byte("null")) {
		if json.Unmarshal(cursor, &next) != nil {
			return nil, nil, false
		}
	}
	return items, next, true
}

// incomplete is the failure of a later page: whatever the server says there, it
// was in the middle of a list that it had begun to give.
func incomplete(r fetch.Reply, later bool) fetch.Reply {
	if later && r.Fault.Kind != fetch.Network && r.Fault.Cause == "" {
		r.Fault = fetch.Fault{Kind: fetch.Network, Outcome: fetch.OutcomeRetryable, Detail: fetch.IncompleteList}
	}
	return r
}

// join makes one object, with its keys in order.
func join(parts map[string][]json.RawMessage) []byte {
	out, err := json.Marshal(parts)
	if err != nil { // the parts were decoded from JSON
		return []byte("{}")
	}
	return out
}

// surface is what the server says of itself and every list that it offers, as
// one object: server, tools, resources, resourceTemplates, prompts.
func (t *talk) surface(ctx context.Context) (fetch.Reply, error) {
	whole := map[string]json.RawMessage{"server": t.s.info}
	var caps struct {
		Capabilities map[string]json.RawMessage `json:"capabilities"`
	}
	_ = json.Unmarshal(t.s.info, &caps)
	last := fetch.Reply{RPC: &fetch.RPC{Method: t.s.via}}
	endless := false
	for _, name := range []string{"tools", "resources", "resource_templates", "prompts"} {
		owner := name
		if name == "resource_templates" {
			owner = "resources"
		}
		if caps.Capabilities[owner] == nil {
			continue
		}
		items, r, err := t.pages(ctx, name)
		if items == nil {
			if name == "resource_templates" && err == nil && r.RPC != nil && r.RPC.Code != nil && *r.RPC.Code == methodNotFound {
				continue // it has resources, and no templates
			}
			return incomplete(r, r.RPC != nil && r.RPC.Code != nil), err
		}
		raw, err := json.Marshal(items)
		if err != nil {
			return r, err
		}
		whole[lists[name].key] = raw
		endless = endless || r.RPC.Endless
		last = r
	}
	body, err := json.Marshal(whole)
	if err != nil {
		return last, err
	}
	last.Body = body
	last.RPC = &fetch.RPC{Method: last.RPC.Method, Result: body, Endless: endless}
	return last, nil
}

const methodNotFound = -32601
