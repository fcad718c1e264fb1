package mcp

import (
	"bytes"
	"strings"
	"testing"
)

// What a command wrote is hidden before its end is cut off: half a secret is
// found by nobody.
func TestLastWordsAreHiddenBeforeTheyAreCut(t *testing.T) {
	const value = "hunter2-and-some-more"
	hide := func(b []byte) []byte {
		b = bytes.ReplaceAll(b, []byte(value), []byte("[hidden]"))
		return bytes.ReplaceAll(b, []byte("hunter2-\nand-some-more"), []byte("[hidden]"))
	}
	for name, text := range map[string]string{
		"the cut of the end":             strings.Repeat("x", 2000) + value + strings.Repeat("y", 690),
		"a line end within":              strings.Repeat("x", 2000) + "hunter2-\nand-some-more" + strings.Repeat("y", 600),
		"a line that is kept in part":    strings.Repeat("x", 50) + value + strings.Repeat("y", maxStderr-40-len(value)) + "\nthe end",
		"a line that is kept, twice cut": strings.Repeat("x", 50) + value + strings.Repeat("y", maxStderr-10) + "\nthe end",
	} {
		kept := tail{hide: hide}
		for len(text) > 0 { // as it comes from a pipe
			n := min(len(text), 4096)
			_, _ = kept.Write([]byte(text[:n]))
			text = text[n:]
		}
		for _, said := range [][]byte{kept.bytes(), kept.last()} {
			if rest := strings.ReplaceAll(string(said), "[hidden]", ""); strings.ContainsAny(rest, "hunr2-so") && !strings.Contains(rest, "the end") || strings.Contains(rest, "more") {
				t.Errorf("%s: %.80q", name, said)
			}
		}
	}
	kept := tail{}
	_, _ = kept.Write([]byte("plain words\n"))
	if string(kept.bytes()) != "plain words\n" || string(kept.last()) != "plain words" {
		t.Errorf("%q, %q", kept.bytes(), kept.last())
	}
}
