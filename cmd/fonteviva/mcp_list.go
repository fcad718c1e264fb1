package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/checks/surface"
	"github.com/fonteviva/fonteviva/fetch/mcp"
	"github.com/fonteviva/fonteviva/report"
)

// list shows what a server offers.
func (c *mcpClient) list() int {
	a, err := c.ask(mcp.Op{Verb: mcp.Surface})
	if err != nil {
		return c.failed(err, "")
	}
	s, err := surface.Read(a.Body)
	if err != nil {
		fmt.Fprintf(c.app.out, "ambiguo  %s\n", c.inert(err.Error()))
		return report.ExitAmbiguous
	}
	fmt.Fprintln(c.app.out, report.GuardLine(fmt.Sprintf("%s %s, protocol %s", c.inert(s.Server.Name), c.inert(s.Server.Version), c.inert(s.Server.Protocol))))
	c.timing(&a.Trip)
	c.notes(a)
	if a.RPC.Endless {
		fmt.Fprintln(c.app.out, "⚠ the pages of a list lead back to one that was seen")
	}
	c.heading("tools", len(s.Tools))
	for _, t := range s.Tools {
		marks := hints(t.Annotations)
		if string(t.Output) != "null" {
			marks = append(marks, "output schema")
		}
		c.entry(t.Name+"("+strings.Join(signature(t.Input), ", ")+")", firstLine(t.Title, t.Description), marks)
	}
	c.heading("resources", len(s.Resources)+len(s.Templates))
	for _, r := range slices.Concat(s.Resources, s.Templates) {
		c.entry(r.URI, firstLine(r.Title, r.Name), nil)
	}
	c.heading("prompts", len(s.Prompts))
	for _, p := range s.Prompts {
		c.entry(p.Name, p.Title, nil)
	}
	return report.ExitOK
}

func (c *mcpClient) heading(what string, n int) {
	if n > 0 {
		fmt.Fprintf(c.app.out, "\n%s: %d\n", what, n)
	}
}

func (c *mcpClient) entry(name, about string, marks []string) {
	line := "  " + report.Inert(c.hide.String(name), 200)
	if about != "" {
		line += "  " + report.Inert(c.hide.String(about), 100)
	}
	if len(marks) > 0 {
		line += "  [" + strings.Join(marks, ", ") + "]"
	}
	fmt.Fprintln(c.app.out, report.GuardLine(line))
}

// hints are the annotations that tell what a call does.
func hints(all map[string]bool) (list []string) {
	for _, h := range []struct{ name, text string }{{"readOnlyHint", "read-only"}, {"idempotentHint", "idempotent"}, {"destructiveHint", "destructive"}} {
		if all[h.name] {
			list = append(list, h.text)
		}
	}
	return list
}

// firstLine is the first line of the first text that is there.
func firstLine(texts ...string) string {
	for _, s := range texts {
		if line, _, _ := strings.Cut(strings.TrimSpace(s), "\n"); line != "" {
			return line
		}
	}
	return ""
}

// toolSchema is as much of an input schema as a call needs.
type toolSchema struct {
	Properties map[string]map[string]any `json:"properties"`
	Required   []string                  `json:"required"`
}

// signature lists the arguments, those that may be left out with a mark.
func signature(raw json.RawMessage) (args []string) {
	var s toolSchema
	_ = json.Unmarshal(raw, &s)
	var optional []string
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name+"?")
		}
	}
	slices.Sort(optional)
	return append(slices.Clone(s.Required), optional...)
}

// listedTool is a tool as a list of them says it.
type listedTool struct {
	Name        string
	InputSchema map[string]any
}

func toolsOf(list []byte) []listedTool {
	var all struct{ Tools []listedTool }
	_ = json.Unmarshal(list, &all)
	return all.Tools
}

// inputOf finds the input schema of a tool in a list; nil where it is not.
func inputOf(tools []listedTool, name string) map[string]any {
	for _, t := range tools {
		if t.Name == name {
			return t.InputSchema
		}
	}
	return nil
}

// unlisted says of a tool that a list lacks what may be meant; "" where it is
// there, or where nothing is listed.
func unlisted(tools []listedTool, name string) string {
	var names []string
	for _, t := range tools {
		if t.Name == name {
			return ""
		}
		names = append(names, t.Name)
	}
	if near := source.DidYouMean(name, names); near != "" {
		return fmt.Sprintf("the server lists no tool %q: %s", name, near)
	}
	return ""
}

// arguments makes the object of key=value words: a value is a text unless the
// schema says that it is something else, and key:=JSON is any JSON.
func arguments(words []string, schema map[string]any) (json.RawMessage, error) {
	if len(words) == 0 {
		return nil, nil
	}
	properties, _ := schema["properties"].(map[string]any)
	args := map[string]json.RawMessage{}
	for _, word := range words {
		name, value, _ := strings.Cut(word, "=")
		if raw, is := strings.CutSuffix(name, ":"); is {
			if !json.Valid([]byte(value)) {
				return nil, fmt.Errorf("the value of %s:= is no JSON: %s", raw, value)
			}
			args[raw] = json.RawMessage(value)
			continue
		}
		property, _ := properties[name].(map[string]any)
		if json.Valid([]byte(value)) && !takesText(property) {
			args[name] = json.RawMessage(value)
			continue
		}
		quoted, err := json.Marshal(value)
		if err != nil {
			return nil, err
		}
		args[name] = quoted
	}
	return json.Marshal(args)
}

// takesText reports whether a property takes a text: it says so, or says
// nothing.
func takesText(property map[string]any) bool {
	switch t := property["type"].(type) {
	case string:
		return t == "string"
	case []any:
		return slices.Contains(t, any("string"))
	}
	return true
}
