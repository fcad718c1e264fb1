package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/fonteviva/fonteviva/"

// mayImport is the one direction of imports: what each room's own code may use
// of the others. Tests may use fixtures as well.
var mayImport = map[string][]string{
	"fetch":    {"fetch"},
	"verdict":  {"verdict", "fetch"},
	"checks":   {"checks", "verdict", "fetch"},
	"report":   {"report", "checks", "verdict", "fetch"},
	"fixtures": {"fixtures"},
	"cmd":      {"cmd", "report", "checks", "verdict", "fetch", "fixtures"},
}

func TestImportsRunOneWay(t *testing.T) {
	root := os.DirFS("../..")
	err := fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		room, _, _ := strings.Cut(path, "/")
		allowed, known := mayImport[room]
		if !known {
			t.Errorf("%s is in no room", path)
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("../..", path), nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			inside, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			target, _, _ := strings.Cut(inside, "/")
			test := strings.HasSuffix(path, "_test.go")
			if !slices.Contains(allowed, target) && !(test && target == "fixtures") {
				t.Errorf("%s imports %s: %s may use %v", path, inside, room, allowed)
			}
			// Expectations are pure: not even the fetcher is theirs.
			if strings.HasPrefix(path, "checks/expect/") && !test && !strings.HasPrefix(inside, "checks/") {
				t.Errorf("%s imports %s: an expectation knows no other room", path, inside)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// testsOnly are libraries that serve tests: as references, or to run them.
var testsOnly = []string{
	"cel.dev/cel-go",
	"github.com/google/go-cmp",
	"github.com/rogpeppe/go-internal",
	"github.com/santhosh-tekuri/jsonschema",
	"github.com/theory/jsonpath",
	"go.uber.org/goleak",
	"golang.org/x/net/dns",
}

// TestTheProgramLinksNoTestLibrary: what is linked is initialised at every
// start, whether it is used or not.
func TestTheProgramLinksNoTestLibrary(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	if !slices.Contains(packages, module+"checks") {
		t.Fatalf("%q is not what the program links", packages)
	}
	for _, linked := range packages {
		for _, library := range testsOnly {
			if linked == library || strings.HasPrefix(linked, library+"/") {
				t.Errorf("the program links %s: every start would pay for a library of the tests", linked)
			}
		}
	}
}

func TestTheTopLevelIsFixed(t *testing.T) {
	entries, err := os.ReadDir("../..")
	if err != nil {
		t.Fatal(err)
	}
	allowed := []string{"go.mod", "go.sum", "cmd", "checks", "verdict", "fetch", "report", "fixtures", "README.md", "LICENSE"}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(allowed, e.Name()) && !ignored(e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
}

// ignored are the products of a build that .gitignore names.
func ignored(name string) bool {
	return name == "fonteviva" || strings.HasSuffix(name, ".test") || strings.HasSuffix(name, ".prof") || name == "coverage.out"
}

func TestEveryPackageSaysWhatItOwns(t *testing.T) {
	for _, pattern := range []string{"../../*/*.go", "../../*/*/*.go", "../../*/*/*/*.go"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			if doc := filepath.Join(filepath.Dir(f), "doc.go"); !strings.Contains(f, "testdata") && !isFile(doc) {
				t.Errorf("%s has no doc.go", filepath.Dir(f))
			}
		}
	}
}
