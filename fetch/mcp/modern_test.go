package mcp

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// modern is the SDK's own server without sessions, which speaks 2026-07-28, and
// the headers that came to it.
func modern(t *testing.T) (url string, came func() []http.Header) {
	t.Helper()
	server := sdk.NewServer(&sdk.Implementation{Name: "modern", Version: "1"}, nil)
	type in struct {
		Text string `json:"text"`
	}
	sdk.AddTool(server, &sdk.Tool{Name: "echo", Annotations: &sdk.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, _ *sdk.CallToolRequest, i in) (*sdk.CallToolResult, any, error) {
			return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "modern " + i.Text}}}, nil, nil
		})
	handler := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return server }, &sdk.StreamableHTTPOptions{Stateless: true})
	var mu sync.Mutex
	var seen []http.Header
	ts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.Header.Clone())
		mu.Unlock()
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(ts.Close)
	return ts.URL, func() []http.Header { mu.Lock(); defer mu.Unlock(); return seen }
}

func TestAServerWithoutSessions(t *testing.T) {
	url, came := modern(t)
	w := newWorld(t, "ok", func(_ *fetch.Config, c *Config) { c.URL = url })
	for range 2 {
		a, e := w.ask(echo("x"))
		if e != nil || a.RPC.Text != "modern x" {
			t.Fatalf("got %v", e)
		}
	}
	if a, e := w.ask(Op{Verb: Initialize}); e != nil || !strings.Contains(string(a.Body), "2026-07-28") {
		t.Errorf("what it says of itself: %v", e)
	}
	for range 2 { // no list is served from a cache of the SDK
		before := len(came())
		if _, e := w.ask(Op{Verb: List, Name: "tools"}); e != nil || len(came()) != before+1 {
			t.Errorf("a list: %v, %d requests", e, len(came())-before)
		}
	}
	w.peer.Close(context.Background())
	last := came()[len(came())-1]
	if last.Get("Mcp-Method") != "tools/list" || last.Get(headerVersion) != "2026-07-28" || last.Get(headerSession) != "" {
		t.Errorf("the last request: %v", last)
	}
	for _, h := range came() {
		if h.Get("Mcp-Method") == "tools/call" && h.Get("Mcp-Name") != "echo" {
			t.Errorf("a call without its name: %v", h)
		}
	}
}

func TestAModernServerHeldToAnOldVersion(t *testing.T) {
	url, _ := modern(t)
	w := newWorld(t, "ok", func(_ *fetch.Config, c *Config) { c.URL, c.Protocol = url, "2025-06-18" })
	a, e := w.ask(Op{Verb: Initialize})
	if e != nil || !strings.Contains(string(a.Body), "2025-06-18") {
		t.Errorf("got %v", e)
	}
}

func TestOneSessionForAll(t *testing.T) {
	w := newWorld(t, "ok", func(c *fetch.Config, _ *Config) { c.Policy.MaxInFlight = 8 })
	var all sync.WaitGroup
	for range 24 {
		all.Go(func() {
			_, err := w.client.Do(context.Background(), &fetch.Request{URL: w.peer.cfg.URL, Exchange: w.peer.Ask(echo("x"))})
			var e *fetch.Error
			if errors.As(err, &e) {
				t.Error(e)
			}
		})
	}
	all.Wait()
	if n := count(w.origin.Seen("ok"), "initialize"); n != 1 {
		t.Errorf("%d sessions", n)
	}
}
