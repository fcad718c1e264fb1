package main

import (
	"encoding/json"
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
