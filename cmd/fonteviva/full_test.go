//go:build unix

package main

import (
	"bytes"
	"strings"
	"syscall"
	"testing"
)

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestUnwrittenOutput holds that every command whose standard output cannot be
// written ends with 74 and says why, once.
func TestUnwrittenOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	writeFile(t, "fonteviva.yaml", []byte("version: 1\norigins: {o: {url: https://o.example}}\nprobes: [{name: p, origin: o, get: /}]\n"))
	writeFile(t, "run.ndjson", longReport(t))
	for _, line := range []string{
		"list", "list --format json", "policy", "policy --format json", "formats", "formats --format json", "explain 75", "version", "validate",
		"completion bash", "completion zsh", "trace run.ndjson", "history", "history --format json", "demo --show", "demo", "demo --format json", "--help", "run --help",
	} {
		t.Run(line, func(t *testing.T) {
			var errs bytes.Buffer
			code := run(strings.Fields(line), streams{in: strings.NewReader(""), out: fullDisk{}, err: &errs})
			if code != 74 || strings.Count(errs.String(), "no space left on device") != 1 {
				t.Errorf("exit code %d: %s", code, errs.String())
			}
		})
	}
}
