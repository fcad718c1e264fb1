package expect

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/source"
)

// TestSchemaSuite sends every case of the JSON Schema Test Suite through a
// declaration. testdata/schema-exclusions.txt names what does not pass, and
// why; a case that passes must not be there.
func TestSchemaSuite(t *testing.T) {
	schemaSuite := suite(t, "json-schema")
	excluded := exclusions(t)
	passed, failed := 0, map[string]bool{}
	for _, d := range []struct{ folder, dialect string }{
		{"draft2020-12", ""}, {"draft7", "http://json-schema.org/draft-07/schema#"},
	} {
		root := filepath.Join(schemaSuite, "tests", d.folder)
		err := filepath.WalkDir(root, func(file string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			rel, _ := filepath.Rel(filepath.Join(schemaSuite, "tests"), file)
			formats := strings.Contains(rel, "optional/format/")
			rel = filepath.ToSlash(rel)
			_, whole := excluded[rel]
			for name, holds := range suiteCases(t, schemaSuite, file, d.dialect, formats) {
				name = rel + ": " + name
				_, alone := excluded[name]
				switch wrong := holds(); {
				case wrong == "" && alone:
					t.Errorf("%s passes: take it from the exclusions", name)
				case wrong == "":
					passed++
				case whole:
					failed[rel] = true
				case alone:
					failed[name] = true
				default:
					t.Errorf("%s: %s", name, wrong)
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for name := range excluded {
		if !failed[name] {
			t.Errorf("%s is excluded, but nothing of that name fails", name)
		}
	}
	t.Logf("%d cases pass; %d cases and files are excluded", passed, len(excluded))
}

// exclusions are the lines "case | reason", or "file | reason", of the list.
func exclusions(t *testing.T) map[string]string {
	t.Helper()
	data, err := os.ReadFile("testdata/schema-exclusions.txt")
	if err != nil {
		t.Fatal(err)
	}
	list := map[string]string{}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		name, reason, ok := strings.Cut(line, " | ")
		if !ok || reason == "" {
			t.Fatalf("no reason: %s", line)
		}
		list[name] = reason
	}
	return list
}

// suiteCases gives the cases of one file: what is wrong with each, or "".
func suiteCases(t *testing.T, folder, file, dialect string, formats bool) map[string]func() string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var groups []struct {
		Description string
		Schema      json.RawMessage
		Tests       []struct {
			Description string
			Data        json.RawMessage
			Valid       bool
		}
	}
	if err := json.Unmarshal(data, &groups); err != nil {
		t.Fatal(err)
	}
	cases := map[string]func() string{}
	for _, g := range groups {
		yaml := fmt.Sprintf("schema: {file: schema.json, formats: %t, refs: {http://localhost:1234/: remotes}}", formats)
		spec, err := decodeWith(yaml, suiteFiles(folder, withDialect(g.Schema, dialect)))
		for _, tc := range g.Tests {
			cases[g.Description+": "+tc.Description] = func() string {
				if err != nil {
					return err.Error()
				}
				got := judge(t, spec, &Observation{Body: tc.Data, JSON: true})
				if (len(got) == 0) != tc.Valid {
					return fmt.Sprintf("valid is %t, got %v on %s for %s", tc.Valid, got, tc.Data, g.Schema)
				}
				return ""
			}
		}
	}
	return cases
}

// withDialect says the draft where the suite leaves it to the folder.
func withDialect(schema json.RawMessage, dialect string) []byte {
	var m map[string]json.RawMessage
	if dialect == "" || json.Unmarshal(schema, &m) != nil || m["$schema"] != nil {
		return schema
	}
	return slices.Concat([]byte(`{"$schema":"`+dialect+`"`), map[bool][]byte{true: []byte(","), false: nil}[len(m) > 0],
		schema[strings.IndexByte(string(schema), '{')+1:])
}

// suiteFiles serves one schema, and the suite's remotes as a folder.
func suiteFiles(folder string, schema []byte) *Files {
	return NewFiles(func(name string) ([]byte, error) {
		if name == "schema.json" {
			return schema, nil
		}
		return os.ReadFile(filepath.Join(folder, name))
	})
}

func decodeWith(yaml string, files *Files) (*Spec, error) {
	var c source.Collector
	n, ok := source.Parse("f.yaml", []byte(yaml), &c)
	if !ok {
		return nil, c.Err()
	}
	s := Decode(n, files)
	return s, c.Err()
}
