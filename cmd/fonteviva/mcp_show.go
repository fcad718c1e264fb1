package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/report"
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
	c.lines(a.RPC.Text)
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
	c.lines("  " + string(text))
}

// lines shows a text of a server line by line, none of them a command of a CI
// log's. Secrets are hidden in the whole of it: one can have line breaks.
func (c *mcpClient) lines(text string) {
	for line := range strings.SplitSeq(c.hide.String(text), "\n") {
		fmt.Fprintln(c.app.out, report.GuardLine(report.Inert(line, 0)))
	}
}
