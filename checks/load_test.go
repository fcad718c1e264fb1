package checks

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew")

// golden compares with a file of testdata, or writes it with -update.
func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

// problems is the source.Problems of a load that must fail.
func problems(t *testing.T, d *Declaration, err error) source.Problems {
	t.Helper()
	ps, ok := errors.AsType[source.Problems](err)
	if !ok || len(ps) == 0 {
		t.Fatalf("want source.Problems, got %v", err)
	}
	if d != nil {
		t.Error("a wrong declaration was handed out")
	}
	return ps
}

func TestWrongDeclarations(t *testing.T) {
	paths, err := filepath.Glob("testdata/wrong/*")
	if err != nil || len(paths) == 0 {
		t.Fatal(err, paths)
	}
	for _, path := range paths {
		if filepath.Ext(path) == ".txt" {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			d, err := Load([]string{path}, LoadOptions{})
			ps := problems(t, d, err)
			for _, p := range ps {
				if p.Pos.File == "" {
					t.Errorf("no place: %s", p)
				}
			}
			if strings.Contains(err.Error(), "hunter2") {
				t.Errorf("a credential is shown:\n%v", err)
			}
			golden(t, strings.TrimSuffix(path, filepath.Ext(path))+".txt", err.Error()+"\n")
		})
	}
}

func TestFiveProblemsAtTheirPlaces(t *testing.T) {
	d, err := Load([]string{"testdata/wrong/five.yaml"}, LoadOptions{})
	var places []string
	for _, p := range problems(t, d, err) {
		places = append(places, strings.TrimPrefix(p.Pos.String(), "testdata/wrong/five.yaml:"))
	}
	if diff := cmp.Diff([]string{"2:21", "5:10", "6:5", "11:11", "12:13"}, places); diff != "" {
		t.Error(diff)
	}
}

// wrongYAML stands for a small declaration with one line changed.
func wrongYAML(origin, probe string) []byte {
	return []byte("version: 1\norigins:\n  a: {url: 'https://a.example'" + origin + "}\nprobes:\n  - {name: p, origin: a, get: /" + probe + "}\n")
}

func TestCheckHookReportsWithTheRest(t *testing.T) {
	calls := 0
	opt := LoadOptions{Check: func(d *Declaration, c *source.Collector) {
		calls++
		d.Settings[0].KeyNode.Problem("", "setting %s is not known", d.Settings[0].Key)
	}}
	data := append(wrongYAML("", ", timeout: x"), "settings: {profle: smoke}\n"...)
	d, err := LoadBytes("x.yaml", data, opt)
	ps := problems(t, d, err)
	if calls != 1 || len(ps) != 2 {
		t.Fatalf("%d calls, problems %v", calls, ps)
	}
	if got := ps[1].Pos.String() + " " + ps[1].Message; got != "x.yaml:6:12 setting profle is not known" {
		t.Error(got)
	}
}

func TestCheckHookRunsWhenNothingWasRead(t *testing.T) {
	called := false
	_, err := LoadBytes("x.yaml", []byte("a: [b"), LoadOptions{Check: func(d *Declaration, _ *source.Collector) { called = d != nil }})
	if err == nil || !called {
		t.Error(err, called)
	}
}

func TestNetworkOptionIsBelowDefaults(t *testing.T) {
	opt := LoadOptions{Network: func(settings []Raw) fetch.Policy {
		p := fetch.DefaultPolicy()
		if settings[0].Value == "3s" {
			p.Timeout, p.Budget = 3*time.Second, 9*time.Second
		}
		return p
	}}
	data := append(wrongYAML(", budget: 20s", ""), "settings: {timeout: 3s}\ndefaults: {retries: 5}\n"...)
	d, err := LoadBytes("x.yaml", data, opt)
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Probes[0].Policy; p.Timeout != 3*time.Second || p.Budget != 20*time.Second || p.Retries != 5 {
		t.Errorf("%+v", p)
	}
}

func TestUnreadFileCausesNoFurtherProblems(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.yaml", "version: 1\norigins: {a: {url: 'https://a.example'}\n")
	write(t, dir, "b.yaml", "version: 1\nprobes:\n  - {name: p, origin: a, get: /}\n")
	d, err := Load([]string{dir}, LoadOptions{})
	if ps := problems(t, d, err); len(ps) != 1 || filepath.Base(ps[0].Pos.File) != "a.yaml" {
		t.Errorf("%v", ps)
	}
}

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	fails := func(want string, paths ...string) {
		t.Helper()
		d, err := Load(paths, LoadOptions{})
		if ps := problems(t, d, err); len(ps) != 1 || !strings.Contains(ps[0].String(), want) {
			t.Errorf("%v: got %v, want %q", paths, ps, want)
		}
	}
	fails("there is no fonteviva.yaml in the current folder")
	fails("cannot be read: no such file or directory", "nowhere.yaml")
	fails("the folder holds no *.yaml or *.yml file", ".")
	fails("is neither a file nor a folder", "/dev/null")

	write(t, dir, "fonteviva.yml", string(wrongYAML("", "")))
	for _, paths := range [][]string{nil, {"."}, {"fonteviva.yml", "./fonteviva.yml", "."}} {
		d, err := Load(paths, LoadOptions{})
		if err != nil || len(d.Files) != 1 || len(d.Probes) != 1 {
			t.Errorf("%v: %v", paths, err)
		}
	}
	write(t, dir, "fonteviva.yaml", "version: 1\n")
	d, err := Load(nil, LoadOptions{})
	if ps := problems(t, d, err); ps[0].Pos.File != "fonteviva.yaml" {
		t.Errorf("fonteviva.yaml comes first: %v", ps)
	}
}

func TestFolderIsOneDeclaration(t *testing.T) {
	d, err := Load([]string{"testdata/valid/folder"}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Files) != 2 || len(d.Origins) != 1 || len(d.Probes) != 2 {
		t.Fatalf("%+v", d)
	}
	if p := d.Probes[1]; p.Origin != d.Origins[0] || string(p.Request.Body) != "{\"one\": 1}\n" || p.Request.Type != "" {
		t.Errorf("%+v", p)
	}
	if pos := d.Probes[0].Pos.String(); pos != "testdata/valid/folder/20-probes.yml:3:5" {
		t.Error(pos)
	}
}

func TestManyProblemsAreBounded(t *testing.T) {
	data := strings.ReplaceAll(string(manyProbes(5000)), "origin: sgs", "origin: sgx")
	d, err := LoadBytes("x.yaml", []byte(data), LoadOptions{})
	ps := problems(t, d, err)
	if len(ps) > 101 || !strings.Contains(err.Error(), "and 4900 more problems") {
		t.Errorf("%d problems: %.300s", len(ps), err)
	}
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestUndeclaredOriginsAreToldOnce holds that a block of origins that is not
// there is one problem, and no other for each probe.
func TestUndeclaredOriginsAreToldOnce(t *testing.T) {
	const probes = "probes: [{name: a, origin: o, get: /}, {name: b, origin: o, get: /}, {name: c, origin: o, get: /}]\n"
	for _, c := range []struct {
		yaml string
		want []string
	}{
		{"version: 1\norigin: {o: {url: 'https://o.example'}}\n" + probes, []string{`unknown key "origin" in a declaration`}},
		{"version: 1\nOrigins: {o: {url: 'https://o.example'}}\n" + probes, []string{`unknown key "Origins" in a declaration`}},
		{"version: 1\n" + probes, []string{`origin "o" is not declared`}},
		{"version: 1\norigins: {n: {url: 'https://o.example'}}\n" + probes,
			[]string{`origin "o" is not declared`, `origin "o" is not declared`, `origin "o" is not declared`}},
	} {
		d, err := LoadBytes("x.yaml", []byte(c.yaml), LoadOptions{})
		var got []string
		for _, p := range problems(t, d, err) {
			got = append(got, p.Message)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s(-want +got)\n%s", c.yaml, diff)
		}
	}
}
