package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/report"
)

// declaredToVary are the members of a report that two runs of the same may not
// have in common; so are those that end in _ms.
var declaredToVary = map[string]bool{"trace": true, "started_at": true, "retrieved_at": true}

// steady drops from a report what is declared to vary.
func steady(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if declaredToVary[key] || strings.HasSuffix(key, "_ms") {
				delete(v, key)
			} else {
				v[key] = steady(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = steady(v[i])
		}
	}
	return v
}

// TestRunsOfTheSameAreTheSame wants equal reports whatever runs side by side,
// on however many processors.
func TestRunsOfTheSameAreTheSame(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, "/500"):
			w.WriteHeader(http.StatusInternalServerError)
		case strings.HasPrefix(r.URL.Path, "/404"):
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprintf(w, `{"path": %q, "n": 1}`, r.URL.Path)
	}))
	defer origin.Close()
	t.Chdir(t.TempDir())
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\ndefaults: {retries: 0, ambiguous: {trips: 1}, confirm: {trips: 2, wait: 1ms}, circuit_breaker: off, max_in_flight: 64}\norigins:\n")
	for i := range 3 {
		fmt.Fprintf(&b, "  o%d: {url: '%s'}\n", i, origin.URL)
	}
	b.WriteString("probes:\n")
	for i := range 60 {
		path := []string{"/ok", "/500", "/404", "/shared"}[i%4]
		if i%4 != 3 {
			path += fmt.Sprint("/", i)
		}
		fmt.Fprintf(&b, "  - {name: p%d, origin: o%d, get: '%s', expect: {json: [{path: '$.n', equals: %d}]}}\n", i, i%3, path, 1+i%8/7)
	}
	if err := os.WriteFile("fonteviva.yaml", []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(parallel string) (any, string) {
		_, out, errs := invoke(t, "", "run", "--format", "json", "--no-history", "--parallel", parallel)
		var doc any
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%v: %s", err, errs)
		}
		return steady(doc), out
	}
	want, whole := ask("64")
	for range 3 {
		if got, _ := ask("64"); !cmp.Equal(want, got) {
			t.Errorf("--parallel 64 again: %s", cmp.Diff(want, got))
		}
	}
	if got, _ := ask("1"); !cmp.Equal(want, got) {
		t.Errorf("--parallel 1: %s", cmp.Diff(want, got))
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	if got, _ := ask("64"); !cmp.Equal(want, got) {
		t.Errorf("one processor: %s", cmp.Diff(want, got))
	}
	for _, f := range report.Formats() {
		_, first, _ := invoke(t, whole, "report", "--format", f.Name)
		if _, second, _ := invoke(t, whole, "report", "--format", f.Name); first != second || first == "" {
			t.Errorf("%s: the same run is written in two ways", f.Name)
		}
	}
}

// TestFiftyThousandProbes wants a large declaration to be read, and one beyond
// the bounds to be refused by its size.
func TestFiftyThousandProbes(t *testing.T) {
	t.Chdir(t.TempDir())
	var b strings.Builder
	b.WriteString("version: 1\norigins: {a: {url: 'https://a.example'}}\nprobes:\n")
	for i := range 50_000 {
		fmt.Fprintf(&b, "  - {name: p%d, origin: a, get: '/x?n=%d', expect: {status: 200}}\n", i, i)
	}
	if err := os.WriteFile("fonteviva.yaml", []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, out, errs := invoke(t, "", "validate"); code != 0 || !strings.Contains(out, "50000 probes of 1 origin, valid") {
		t.Errorf("exit %d: %.300s%.300s", code, out, errs)
	}
	if err := os.WriteFile("fonteviva.yaml", []byte(strings.Repeat("# filler\n", 12<<20)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke(t, "", "validate"); code != report.ExitUsage || !strings.Contains(errs, "MiB") {
		t.Errorf("exit %d: %.300s", code, errs)
	}
}

// TestAReportThatIsALink wants the file behind a link to be replaced, and a
// link that leads nowhere to become the report.
func TestAReportThatIsALink(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer origin.Close()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("fonteviva.yaml", []byte("version: 1\norigins: {a: {url: '"+origin.URL+"'}}\nprobes: [{name: p, origin: a, get: /}]\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("real", 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"link.json": filepath.Join("real", "r.json"), "circle.json": "circle.json"} {
		if err := os.Symlink(to, link); err != nil {
			t.Skip(err)
		}
	}
	if err := os.WriteFile(filepath.Join("real", "r.json"), []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke(t, "", "run", "--no-history", "--output", "json=link.json"); code != 0 {
		t.Errorf("exit %d: %s", code, errs)
	}
	if data, err := os.ReadFile(filepath.Join("real", "r.json")); err != nil || !strings.HasPrefix(string(data), "{") {
		t.Errorf("the file behind the link holds %.40q (%v)", data, err)
	}
	if info, err := os.Lstat("link.json"); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v", err)
	}
	if code, _, errs := invoke(t, "", "run", "--no-history", "--output", "json=circle.json"); code != 0 {
		t.Errorf("a circle: exit %d: %s", code, errs)
	}
	if info, err := os.Lstat("circle.json"); err != nil || !info.Mode().IsRegular() {
		t.Errorf("a link that leads nowhere is not replaced by the report: %v", err)
	}
}

// TestNothingIsReadBesideTheDeclaration wants a folder that someone else fills
// to have a say in nothing: no settings of it are read.
func TestNothingIsReadBesideTheDeclaration(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer origin.Close()
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"mine.yaml":      "version: 1\norigins: {a: {url: '" + origin.URL + "'}}\nprobes: [{name: p, origin: a, get: /}]\n",
		"fonteviva.yaml": "not: [a declaration", "config.yaml": "format: html", ".fonteviva.yaml": "format: html", ".env": "FONTEVIVA_FORMAT=html", "fonteviva.json": "{}",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if code, out, errs := invoke(t, "", "run", "-c", "mine.yaml", "--no-history"); code != 0 || !strings.Contains(out, "measured 1 of 1") {
		t.Errorf("exit %d: %s%s", code, out, errs)
	}
}

// TestValuesAreNeverReadAgain wants what a variable holds to stay a value: no
// declaration, no reference, no header and no query grows out of it.
func TestValuesAreNeverReadAgain(t *testing.T) {
	var seen []*http.Request
	origin := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { seen = append(seen, r) }))
	defer origin.Close()
	t.Chdir(t.TempDir())
	y := "version: 1\norigins: {a: {url: '" + origin.URL + "'}}\nprobes:\n  - {name: p, origin: a, get: '/x?q=${env.VALUE}', expect: {status: 200}}\n" +
		"  - {name: h, origin: a, request: {path: /h, headers: {X-A: '${env.VALUE}'}}}\n"
	if err := os.WriteFile("fonteviva.yaml", []byte(y), 0o600); err != nil {
		t.Fatal(err)
	}
	const value = `a"}, {name: evil, origin: a, get: /evil} ${env.HOME}&admin=1#x`
	t.Setenv("VALUE", value)
	if code, out, errs := invoke(t, "", "run", "--no-history", "--parallel", "1"); code != 0 || len(seen) != 2 {
		t.Fatalf("exit %d, %d requests: %s%s", code, len(seen), out, errs)
	}
	if got := seen[0].URL.Query(); got.Get("q") != value || len(got) != 1 {
		t.Errorf("query %q", seen[0].URL.RawQuery)
	}
	if got := seen[1].Header.Get("X-A"); got != value {
		t.Errorf("header %q", got)
	}
	for _, broken := range []string{"a\nX-Injected: 1", "a\r\n\r\nGET / HTTP/1.1"} {
		t.Setenv("VALUE", broken)
		if code, _, errs := invoke(t, "", "run", "--no-history"); code != report.ExitUsage || !strings.Contains(errs, "VALUE holds a line break") || len(seen) != 2 {
			t.Errorf("%q: exit %d, %d requests: %s", broken, code, len(seen), errs)
		}
	}
}

// TestNamesOfFilesAreInert wherever a command says them: whoever sends a pull
// request names the files in a folder of declarations.
func TestNamesOfFilesAreInert(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("such names are refused there")
	}
	t.Chdir(t.TempDir())
	if err := os.Mkdir("d", 0o700); err != nil {
		t.Fatal(err)
	}
	const hostile = "a\n::error::pwn\x1b[31m##[add-mask]\xff.yaml"
	for _, tt := range []struct{ text, want string }{
		{"version: 1\norigins: {o: {url: http://127.0.0.1:1}}\nprobes: [{name: a, origin: o, get: /, title: \"\\u202e\"}]\n", "1 probe of 1 origin, valid"},
		{"version: 1\nthe ##[add-mask]: 1\n", `the ##\[add-mask]`},
	} {
		if err := os.WriteFile(filepath.Join("d", hostile), []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, args := range [][]string{{"validate"}, {"list"}, {"list", "--format", "json"}} {
			_, stdout, stderr := invoke(t, "", append(args, "-c", "d")...)
			for line := range strings.Lines(stdout + stderr) {
				if strings.HasPrefix(strings.TrimLeft(line, " "), "::") || strings.Contains(line, "##[") || strings.ContainsAny(line, "\x1b\u202e") || !utf8.ValidString(line) {
					t.Errorf("%v says %q", args, line)
				}
			}
			if args[0] == "validate" && !strings.Contains(stdout+stderr, tt.want) {
				t.Errorf("%v says no %q:\n%s%s", args, tt.want, stdout, stderr)
			}
		}
	}
}
