package report

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// missing skips a test whose real reader is not installed; where everything
// has to be, it fails.
func missing(t *testing.T, what, from string) {
	t.Helper()
	if os.Getenv("FONTEVIVA_NO_SKIP") != "" {
		t.Fatalf("%s is not installed (%s)", what, from)
	}
	t.Skipf("%s is not installed (%s); the format is read by this test alone", what, from)
}

// reader finds a program that reads a format.
func reader(t *testing.T, program, debian string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t, program, "Debian: "+debian)
	}
	return path
}

// node finds Node.js and a package under $FONTEVIVA_NPM, a folder with
// node_modules, and gives both.
func node(t *testing.T, pkg string) (program, dir string) {
	t.Helper()
	program = reader(t, "node", "nodejs")
	dir = os.Getenv("FONTEVIVA_NPM")
	if _, err := os.Stat(filepath.Join(dir, "node_modules", pkg)); dir == "" || err != nil {
		missing(t, pkg, "npm, in the folder that FONTEVIVA_NPM names")
	}
	return program, dir
}

// script runs a module of JavaScript whose imports come from dir.
func script(t *testing.T, program, dir, source string, args ...string) []byte {
	t.Helper()
	file, err := os.CreateTemp(dir, "read-*.mjs")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Remove(file.Name()) }) //nolint:errcheck // a temporary file
	if _, err := file.WriteString(source); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, append([]string{file.Name()}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return out
}

// written writes a format's output into a file of a temporary folder.
func written(t *testing.T, name string, doc *Document, o Options, as string) string {
	t.Helper()
	f, err := FormatNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), as)
	if err := os.WriteFile(path, render(t, f, doc, o), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
