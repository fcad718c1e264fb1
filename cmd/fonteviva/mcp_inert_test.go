package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/secret"
)

// TestAServersLinesAreNoCommands: a text is shown with its lines, each of which
// a CI log would look at.
func TestAServersLinesAreNoCommands(t *testing.T) {
	var out bytes.Buffer
	c := &mcpClient{app: &app{streams: streams{out: &out}}, hide: secret.New(map[string]string{"KEY": "-----BEGIN KEY-----\nabcdef\n-----END KEY-----"})}
	c.lines("first\n::error file=x::pwn\n \t::add-mask::ok\n##[error]y\n\x1b]0;t\x07\r\n-----BEGIN KEY-----\nabcdef\n-----END KEY-----\nlast")
	c.value("structuredContent", map[string]string{"::a": "\u202e"})
	c.entry("::warning::t", "about", nil)
	for line := range strings.Lines(out.String()) {
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\r\u202e") || strings.Contains(line, "abcdef") {
			t.Errorf("%q", line)
		}
	}
	for _, want := range []string{"first\n", `\::error file=x::pwn`, "[redacted:KEY]\nlast\n", `  \::warning::t  about`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
