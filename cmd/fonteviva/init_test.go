package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/surface"
)

// TestADeclarationOfHostileTools is one that can be read, and in which nothing
// that the server has written is invisible or a reference.
func TestADeclarationOfHostileTools(t *testing.T) {
	reads := map[string]bool{"readOnlyHint": true}
	schema := func(name string) json.RawMessage {
		raw, _ := json.Marshal(map[string]any{"type": "object", "required": []string{name}, "properties": map[string]any{name: map[string]any{"type": "string", "default": "${env.HOME}"}}})
		return raw
	}
	d := &declarer{f: &mcpFlags{}, name: "evil"}
	for _, name := range []string{"${env.HOME}", "a\n- name: b", "\u202e\u200b\U000e0041", "*x", "\x1b[31m"} {
		d.tool(&surface.Tool{Name: name, Annotations: reads, Input: schema("a"), Output: json.RawMessage("null")})
		d.tool(&surface.Tool{Name: "t", Annotations: reads, Input: schema(name), Output: json.RawMessage("null")})
	}
	text := d.b.String()
	for _, r := range text {
		if r < ' ' && r != '\n' || r >= 0x7f {
			t.Errorf("%q stands in it:\n%s", r, text)
		}
	}
	if d.comments != 2 || d.probes != 8 {
		t.Errorf("%d comments, %d probes", d.comments, d.probes)
	}
	file := filepath.Join(t.TempDir(), "x.yaml")
	whole := "version: 1\norigins: {evil: {mcp: {command: [x]}}}\nprobes:\n" + text
	if err := os.WriteFile(file, []byte(whole), 0o600); err != nil {
		t.Fatal(err)
	}
	decl, err := checks.Load([]string{file}, checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range decl.Probes {
		names = append(names, p.MCP.Name)
	}
	if got := strings.Join(names, "|"); !strings.Contains(got, "a\n- name: b|") || !strings.Contains(got, "\u202e\u200b\U000e0041") || strings.Contains(got, "${") {
		t.Errorf("%q", got)
	}
}

// TestExampleArgumentsAreLiteral: an example that a server writes is sent back as
// it is, whatever it holds at whatever depth, and never with our environment in it.
func TestExampleArgumentsAreLiteral(t *testing.T) {
	t.Setenv("FONTEVIVA_TEST_TOKEN", "hunter2hunter2")
	called := make(chan json.RawMessage, 1)
	example := func(v any) *surface.Tool {
		raw, _ := json.Marshal(map[string]any{"type": "object", "required": []string{"a"}, "properties": map[string]any{"a": map[string]any{"default": v}}})
		return &surface.Tool{Name: "t", Annotations: map[string]bool{"readOnlyHint": true}, Input: raw, Output: json.RawMessage("null")}
	}
	const reference = "${env.FONTEVIVA_TEST_TOKEN}"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var m struct {
			ID     json.RawMessage
			Method string
			Params struct {
				Version   string `json:"protocolVersion"`
				Arguments json.RawMessage
			}
		}
		_ = json.NewDecoder(r.Body).Decode(&m)
		w.Header().Set("Content-Type", "application/json")
		switch m.Method {
		case "initialize":
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"protocolVersion":%q,"capabilities":{"tools":{}},"serverInfo":{"name":"x","version":"1"}}}`, m.ID, m.Params.Version)
		case "tools/call":
			called <- m.Params.Arguments
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"ok"}]}}`, m.ID)
		case "notifications/initialized":
			w.WriteHeader(http.StatusAccepted)
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	defer server.Close()
	for _, v := range []any{
		reference, "$" + reference, []any{reference}, map[string]any{"k": []any{map[string]any{"k": reference}}}, 1.5, true, nil, []any{}, "$5", json.Number("12345678901234567890"), json.Number("1.50"),
	} {
		d := &declarer{f: &mcpFlags{}, name: "evil"}
		d.tool(example(v))
		file := filepath.Join(t.TempDir(), "x.yaml")
		text := fmt.Appendf(nil, "version: 1\norigins: {evil: {mcp: {url: %q}}}\nprobes:\n%s", server.URL, d.b.String())
		if err := os.WriteFile(file, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if exit, out, said := typed("run", "-c", file, "--no-history", "--color", "never"); exit != 0 {
			t.Fatalf("exit code %d: %s%s\n%s", exit, out, said, d.b.String())
		}
		want, _ := json.Marshal(map[string]any{"a": v})
		if got := <-called; string(got) != string(want) {
			t.Errorf("%s was sent, want %s", got, want)
		}
	}
	for _, v := range []any{map[string]any{reference: 1}, []any{map[string]any{"k": map[string]any{reference: 1}}}} {
		d := &declarer{f: &mcpFlags{}, name: "evil"}
		if d.tool(example(v)); d.comments != 1 || d.probes != 0 {
			t.Errorf("%v: %d comments, %d probes; want one comment", v, d.comments, d.probes)
		}
	}
}
