package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/report"
)

// TestSchemaAgreesOnWhatIsSet puts what may and may not stand there into every
// place of the blocks that are read here and by the reports: the loader and the
// schema say the same of it, as they do of the rest (see package checks).
func TestSchemaAgreesOnWhatIsSet(t *testing.T) {
	text, err := declarationSchema()
	if err != nil {
		t.Fatal(err)
	}
	schema := compiled(t, text)
	var doc map[string]any
	if err := json.Unmarshal([]byte(`{"version": 1, "origins": {"a": {"url": "https://a.example"}}, "probes": [{"name": "p", "origin": "a", "get": "/"}],
		"settings": {"profile": "cron", "format": "json", "lang": "en", "color": "auto", "parallel": 4, "run_budget": "1m", "min_measured": "50%", "wait": "1m",
			"state_dir": "x", "history": "on", "history_keep": "30d", "history_max_size": "1GiB", "project": "x", "timeout": "5s", "budget": "9s", "retries": 1,
			"backoff_base": "1s", "backoff_max": "8s"},
		"formats": {"junit": {"indisponivel": "fail", "drift": "warn"}},
		"profiles": {"nightly": {"extends": "cron", "on": {"ambiguo": "fail"}, "max_unmeasured": "1d", "min_measured": 3, "budget": "1m", "wait": "1m",
			"formats": {"tap": {"ok": "warn"}}}, "plain": null}}`), &doc); err != nil {
		t.Fatal(err)
	}
	if len(doc["settings"].(map[string]any)) != len(settings) {
		t.Error("not every setting is here")
	}
	valid := 0
	judge := func(path string, with any) {
		text, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		_, err = checks.LoadBytes("f.yaml", text, checks.LoadOptions{Check: func(d *checks.Declaration, problems *source.Collector) {
			checkSettings(d.Settings, report.ProfileNames(d))
			report.CheckDeclaration(d, problems)
		}})
		value, invalid := jsonschema.UnmarshalJSON(bytes.NewReader(text))
		if invalid != nil {
			t.Fatal(invalid)
		}
		refused := schema.Validate(value)
		switch {
		case err == nil && refused != nil:
			t.Errorf("%s = %v is valid, and the schema refuses it: %v", path, with, refused)
		case err != nil && refused == nil && !beyondSettings.MatchString(err.Error()):
			t.Errorf("%s = %v is accepted by the schema: %v", path, with, err)
		case err == nil:
			valid++
		}
	}
	judge("as it is", nil)
	if valid != 1 {
		t.Fatal("the declaration itself is not valid")
	}
	for _, with := range []any{nil, map[string]any{}, []any{}, "", " ", "x", "1.5", "101%", 0, -1, 1.5, 5000, true, []any{nil}, map[string]any{"x": nil}} {
		for _, block := range []string{"settings", "formats", "profiles"} {
			exchange(doc, block, block, with, judge)
		}
	}
	if valid < 30 {
		t.Errorf("only %d were valid", valid)
	}
}

// beyondSettings is what a schema cannot say: names that are looked up, and
// least sizes of what has a unit.
var beyondSettings = regexp.MustCompile(`unknown profile|profile \S+ extends|at least 1MiB|goes round|a duration of at least`)

// exchange calls then for what stands under a key, and for each place within it,
// while something else stands there.
func exchange(in map[string]any, key, path string, with any, then func(string, any)) {
	old := in[key]
	in[key] = with
	then(path, with)
	in[key] = old
	if m, is := old.(map[string]any); is {
		for _, k := range slices.Sorted(maps.Keys(m)) {
			exchange(m, k, path+"."+k, with, then)
		}
	}
}

func compiled(t *testing.T, text []byte) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	c := jsonschema.NewCompiler()
	if err = errors.Join(err, c.AddResource("declaration.json", doc)); err != nil {
		t.Fatal(fmt.Errorf("the schema itself: %w", err))
	}
	s, err := c.Compile("declaration.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}
