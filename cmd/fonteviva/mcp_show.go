package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/fetch"
)

// notes says what was set right in passing.
func (c *mcpClient) notes(a *fetch.Answer) {
	said := map[fetch.Note]string{
		fetch.NoteSessionRenewed: "the server had forgotten the session: a new one was opened, and the call sent once more",
		fetch.NoteStdoutNotClean: "the command writes lines to its stdout that are no messages; they were skipped",
	}
	for _, n := range a.Notes {
		if text := said[n]; text != "" {
			fmt.Fprintf(c.app.out, "⚠ %s\n", text)
		}
	}
}

// answer shows the text, the structured content and the provenance block.
func (c *mcpClient) answer(a *fetch.Answer) {
	for line := range strings.SplitSeq(a.RPC.Text, "\n") {
		fmt.Fprintln(c.app.out, c.inert(line))
	}
	var result struct {
		Content map[string]json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(a.RPC.Result, &result) != nil || result.Content == nil {
		return
	}
	block := result.Content["provenance"]
	delete(result.Content, "provenance")
	c.value("structuredContent", result.Content)
	if block != nil {
		c.value("provenance", block)
	}
}

// value shows a JSON value under its name.
func (c *mcpClient) value(name string, v any) {
	text, err := json.MarshalIndent(v, "  ", "  ")
	if err != nil {
		return
	}
	fmt.Fprintf(c.app.out, "%s\n", name)
	for line := range strings.SplitSeq("  "+string(text), "\n") {
		fmt.Fprintln(c.app.out, c.inert(line))
	}
}
