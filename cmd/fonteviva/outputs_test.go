//go:build unix

package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestOutputIsNotAStream holds that a further report replaces neither the file
// that standard output goes to, which would lose the main report, nor the one
// that is read as standard input; links do not hide it.
func TestOutputIsNotAStream(t *testing.T) {
	dir := t.TempDir()
	run, out := filepath.Join(dir, "run.ndjson"), filepath.Join(dir, "out.txt")
	recorded := longReport(t)
	recorded = recorded[:bytes.IndexByte(recorded, '\n')+1]
	for _, tt := range []struct{ name, output, want string }{
		{"stdout", "json=out.txt", "standard output goes to that file"},
		{"stdout behind a link", "json=link", "standard output goes to that file"},
		{"stdin", "json=run.ndjson", "that file is read here"},
		{"two behind a link to nothing", "json=later", "two reports would go to"},
		{"by a name of its own", "json=/dev/stdout", ""},
		{"another", "json=other.json", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			writeFile(t, run, recorded)
			for link, to := range map[string]string{"link": "out.txt", "later": "not-yet.json"} {
				_ = os.Remove(filepath.Join(dir, link)) // of the case before
				if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
					t.Fatal(err)
				}
			}
			in, err := os.Open(run)
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			to, err := os.Create(out)
			if err != nil {
				t.Fatal(err)
			}
			defer to.Close()
			var said strings.Builder
			cmd := exec.CommandContext(t.Context(), "fonteviva", "report", "--output", "tap=not-yet.json", "--output", tt.output)
			cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, in, to, &said
			_ = cmd.Run() // the exit code says it all
			if refused := cmd.ProcessState.ExitCode() == 2; refused != (tt.want != "") || !strings.Contains(said.String(), tt.want) {
				t.Errorf("exit code %d, %q; want a refusal: %t, with %q", cmd.ProcessState.ExitCode(), said.String(), tt.want != "", tt.want)
			}
			if kept, err := os.ReadFile(run); err != nil || !bytes.Equal(kept, recorded) {
				t.Errorf("the input is another now: %v", err)
			}
		})
	}
}
