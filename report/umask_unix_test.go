//go:build unix

package report

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestTextfileIsReadable holds that another user can read the file whatever the
// umask, and that nothing else is left where node_exporter looks.
func TestTextfileIsReadable(t *testing.T) {
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)
	dir := t.TempDir()
	f, _ := FormatNamed("json")
	doc := NewDocument(okReport(), policyOf(""), DecideOptions{Format: "json"})
	if lost := WriteAll(doc, f, io.Discard, outputsOf(t, "textfile="+filepath.Join(dir, "f.prom"), "json="+filepath.Join(dir, "f.json")), Options{}); len(lost) > 0 {
		t.Fatal(lost)
	}
	for name, want := range map[string]os.FileMode{"f.prom": 0o644, "f.json": 0o600} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
	leftovers(t, dir, 2)
}
