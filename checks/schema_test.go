package checks

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

func declarationSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	text, err := Schema(nil)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("declaration.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("declaration.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// asJSON is a declaration as an editor sees it: merges and aliases followed.
func asJSON(t *testing.T, name string, data []byte) (any, bool) {
	t.Helper()
	n, ok := source.Parse(name, data, new(source.Collector))
	if !ok {
		return nil, false
	}
	v, ok := n.Value()
	if !ok {
		return nil, false
	}
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc, true
}

// Every key of every table has a form, and every table is part of the schema.
func TestSchemaIsComplete(t *testing.T) {
	text, err := Schema(nil)
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]struct {
			Properties map[string]struct{ Description string }
		} `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	made := map[string]bool{}
	for name, def := range schema.Defs {
		made[strings.TrimRight(strings.TrimSuffix(name, "_in_a_probe"), "0123456789")] = true
		if len(def.Properties) == 0 {
			t.Errorf("%s has no keys", name)
		}
		for key, p := range def.Properties {
			if p.Description == "" {
				t.Errorf("%s: %s is not described", name, key)
			}
		}
	}
	files, err := filepath.Glob("*.go")
	more, err2 := filepath.Glob("expect/*.go")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	tables := 0
	for _, file := range append(files, more...) {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		for _, after := range strings.Split(string(src), `source.NewObject("`)[1:] {
			what, _, _ := strings.Cut(after, `"`)
			tables++
			if name := strings.NewReplacer(" ", "_", "'", "_").Replace(what); !made[name] {
				t.Errorf("%s: the table of %s is not in the schema", file, what)
			}
		}
	}
	if tables < 40 {
		t.Errorf("only %d tables were found", tables)
	}
}

func TestSchemaAcceptsWhatIsValid(t *testing.T) {
	s := declarationSchema(t)
	paths, err := filepath.Glob("testdata/valid/*.yaml")
	more, err2 := filepath.Glob("testdata/valid/*/*.yaml")
	if err != nil || err2 != nil || len(paths) < 3 {
		t.Fatal(paths, err, err2)
	}
	for _, path := range append(paths, more...) {
		if strings.HasPrefix(filepath.Base(path), ".") {
			continue
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, ok := asJSON(t, path, data)
		if !ok {
			t.Fatalf("%s is not read", path)
		}
		if err := s.Validate(doc); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// TestSchemaAgrees takes the corpora apart, into declarations of one origin and
// one probe: each is judged by the loader and by the schema, and where the two
// differ, beyondSchema has the reason.
func TestSchemaAgrees(t *testing.T) {
	s := declarationSchema(t)
	used := map[string]bool{}
	for _, part := range parts(t) {
		_, err := LoadBytes("part.yaml", part.text, LoadOptions{Recording: true})
		doc, ok := asJSON(t, "part.yaml", part.text)
		if !ok {
			t.Fatalf("%s is not read: %s", part.name, part.text)
		}
		switch refused := s.Validate(doc); {
		case err == nil && refused != nil:
			t.Errorf("%s is valid, and the schema refuses it: %v\n%s", part.name, refused, part.text)
		case err != nil && refused == nil:
			message := problems(t, nil, err)[0].Message
			i := slices.IndexFunc(beyondSchema, func(e exception) bool { return e.message.MatchString(message) })
			if i < 0 {
				t.Errorf("%s is accepted by the schema: %s", part.name, message)
				continue
			}
			used[beyondSchema[i].reason] = true
		}
	}
	for _, e := range beyondSchema {
		if !used[e.reason] {
			t.Errorf("no part of the corpora needs the exception: %s", e.reason)
		}
	}
}

// TestSchemaAgreesOnWhatIsChanged puts into every place of every valid part of
// the corpora what does not belong there, and also what may: null, an empty
// mapping, a number, …; the loader and the schema say the same of it.
func TestSchemaAgreesOnWhatIsChanged(t *testing.T) {
	s := declarationSchema(t)
	changed := 0
	for _, part := range parts(t) {
		if _, err := LoadBytes("part.yaml", part.text, LoadOptions{Recording: true}); err != nil {
			continue
		}
		var doc any
		if err := json.Unmarshal(part.text, &doc); err != nil {
			t.Fatal(err)
		}
		for _, with := range []any{nil, map[string]any{}, []any{}, "", " ", "x", 0, -1, 1.5, true, []any{nil}, map[string]any{"x": nil}} {
			change(doc, "", with, func(path string) {
				changed++
				text, err := json.Marshal(doc)
				if err != nil {
					t.Fatal(err)
				}
				if why := disagree(t, s, text); why != "" {
					t.Errorf("%s, %s = %v: %s", part.name, path, with, why)
				}
			})
		}
	}
	if changed < 10_000 {
		t.Errorf("only %d changes were made", changed)
	}
}

// disagree says how the loader and the schema differ over a declaration.
func disagree(t *testing.T, s *jsonschema.Schema, text []byte) string {
	t.Helper()
	_, err := LoadBytes("part.yaml", text, LoadOptions{Recording: true})
	doc, ok := asJSON(t, "part.yaml", text)
	if !ok {
		return ""
	}
	refused := s.Validate(doc)
	switch {
	case err == nil && refused != nil:
		return "it is valid, and the schema refuses it: " + refused.Error()
	case err != nil && refused == nil:
		message := problems(t, nil, err)[0].Message
		if !slices.ContainsFunc(slices.Concat(beyondSchema, beyondChanges), func(e exception) bool { return e.message.MatchString(message) }) {
			return "it is accepted by the schema: " + message
		}
	}
	return ""
}

// change calls then once for each place within a value, while what stands there
// is replaced.
func change(v any, path string, with any, then func(path string)) {
	place := func(at string, old any, set func(any)) {
		set(with)
		then(at)
		set(old)
		change(old, at, with, then)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			place(path+"."+k, v[k], func(x any) { v[k] = x })
		}
	case []any:
		for i := range v {
			place(fmt.Sprintf("%s[%d]", path, i), v[i], func(x any) { v[i] = x })
		}
	}
}

// exception is a class of mistakes that the schema lets pass, and why.
type exception struct {
	message *regexp.Regexp
	reason  string
}

// beyondChanges are further ones, which only changes make.
var beyondChanges = []exception{
	{regexp.MustCompile(`^no probe is declared`), "another file may have them"},
	{regexp.MustCompile(`is not a layout`), "layouts have a grammar of their own"},
	{regexp.MustCompile(`^"s " is not a tag|is not a status`), "what the values of a matrix make is known when they are put in"},
}

var beyondSchema = []exception{
	{regexp.MustCompile(`no probe is named|the needs go round|captures no|captures has no|is not declared$`), "names are looked up over all files of a declaration"},
	{regexp.MustCompile(`^each: makes probe|can stand in a probe's name`), "the names of a matrix are made of its values"},
	{regexp.MustCompile(`has no value|can be used in a probe's get and request only|a reference is not expanded (?:here|in a command)|cannot be referred to|is not a reference$|is not known under expect:|can be used under expect: only`),
		"references have a grammar of their own inside of text, and are looked up"},
	{regexp.MustCompile(`reads? the body|this probe reads it|read as JSON|the body is none|are asked for with GET`), "the mode follows from several keys together"},
	{regexp.MustCompile(`port that is not between|cannot be read as a URL`), "an address is more than a pattern can say"},
	{regexp.MustCompile(`declaration that is no file|is no file, and can name none`), "files are looked at"},
	{regexp.MustCompile(`a credential comes from the environment only`), "the credentials of a proxy stand inside of its address"},
	{regexp.MustCompile(`belong together|belong to a command|this server is a command|exactly one of url and command|takes no arguments|an MCP reply says so|is about |has no certificate|the command is empty`),
		"some keys depend on others, or on the origin's kind"},
	{regexp.MustCompile(`is not an XPath expression`), "expressions have a grammar of their own"},
	{regexp.MustCompile(`header \w+ cannot be declared`), "the headers that belong to the connection are a list by lower case"},
}

// part is a declaration of one thing out of a file of many.
type part struct {
	name string
	text []byte
}

func parts(t *testing.T) (list []part) {
	t.Helper()
	var paths []string
	for _, pattern := range []string{"testdata/wrong/*.yaml", "testdata/valid/*.yaml", "testdata/schema/*.yaml"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	addWith := func(name string, doc map[string]any) {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, part{name, text})
	}
	add := func(name string, origins map[string]any, probes []any) {
		addWith(name, map[string]any{"version": 1, "origins": origins, "probes": probes})
	}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		doc, ok := asJSON(t, path, data)
		whole, isMap := doc.(map[string]any)
		if !ok || !isMap {
			continue
		}
		for _, key := range []string{"version", "defaults", "secrets", "known_failures", "connectivity", "vantages"} {
			one := map[string]any{
				"version": 1, "origins": map[string]any{"a": map[string]any{"url": "https://a.example"}},
				"probes": []any{map[string]any{"name": "p", "origin": "a", "get": "/"}},
			}
			if v, has := whole[key]; has && key != "version" || key == "version" && v != nil {
				one[key] = v
				addWith(filepath.Base(path)+" "+key, one)
			}
		}
		origins, _ := whole["origins"].(map[string]any)
		probes, _ := whole["probes"].([]any)
		for _, name := range slices.Sorted(maps.Keys(origins)) {
			probe := map[string]any{"name": "p", "origin": name, "get": "/"}
			if o, isMap := origins[name].(map[string]any); isMap && o["mcp"] != nil {
				delete(probe, "get")
				probe["mcp"] = "ping"
			}
			add(fmt.Sprintf("%s origin %s", filepath.Base(path), name), map[string]any{name: origins[name]}, []any{probe})
		}
		for i, p := range probes {
			probe, isMap := p.(map[string]any)
			if !isMap {
				continue
			}
			origin := map[string]any{"url": "https://a.example"}
			if probe["mcp"] != nil {
				origin = map[string]any{"mcp": map[string]any{"url": "https://a.example"}}
			}
			name, isText := probe["origin"].(string)
			if !isText || name == "" {
				name = "a"
			}
			add(fmt.Sprintf("%s probe %d %v", filepath.Base(path), i, probe["name"]), map[string]any{name: origin}, []any{probe})
		}
	}
	return list
}
