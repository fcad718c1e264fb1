package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/source"
)

// longDeclaration has n probes of many kinds, two lines each; extra is a further
// probe in the middle.
func longDeclaration(n int, extra string) string {
	kinds := []string{
		`get: "/a/#?x=1", expect: {status: 2xx, json: [{path: "$[*].data", matches: "^[0-9]+$"}], cel: ["body.all(x, double(x.valor) > #.0)"]}`,
		`request: {method: POST, path: /b, json: {n: #}}, idempotent: true, timeout: 3s, retries: 1, backoff: {base: 1s}, retry_on: [timeout, 503]`,
		`get: /c/#, as: csv, csv: {delimiter: ";"}, capture: {last: {path: "$[0].a"}}, empty: fail, tags: [daily, n#]`,
		`get: "/d/${probe-2.last}", expect: {schema: schema.json, fresh: {path: "$[*].at", layout: YYYY-MM-DD, fail: 7d}}`,
		`request: {method: PUT, path: /e/#, file: body.txt}, expect: {headers: {etag: {exists: true}}, body: {contains: "x#"}}`,
		`get: /f/#, as: xml, expect: {xpath: [{path: "//a", exists: true}]}, max_unmeasured: 7d`,
	}
	var b strings.Builder
	b.WriteString("version: 1\ndefaults: {timeout: 5s}\nprobes:\n")
	for i := range n {
		if i == n/2 {
			b.WriteString(extra)
		}
		fmt.Fprintf(&b, "  - {name: probe-%d, origin: o,\n     %s}\n", i, strings.ReplaceAll(kinds[i%len(kinds)], "#", strconv.Itoa(i)))
	}
	b.WriteString("origins: {o: {url: https://api.example.org/base, headers: {A: b}}}\n")
	return b.String()
}

// loadOn loads a declaration with so many processors.
func loadOn(t *testing.T, procs int, path string) (*Declaration, error) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	return Load([]string{path}, LoadOptions{})
}

func writeLong(t *testing.T, text string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"fonteviva.yaml": text, "schema.json": `{"type": "array"}`, "body.txt": "body"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "fonteviva.yaml")
}

// A long declaration is the same on several processors as on one.
func TestALongListIsDecodedInParts(t *testing.T) {
	path := writeLong(t, longDeclaration(3*manyItems, ""))
	one, err := loadOn(t, 1, path)
	if err != nil {
		t.Fatal(err)
	}
	many, err := loadOn(t, 4, path)
	if err != nil {
		t.Fatal(err)
	}
	if len(many.Probes) != 3*manyItems || len(many.Probes) != len(one.Probes) {
		t.Fatalf("%d probes, want %d", len(many.Probes), len(one.Probes))
	}
	for i, p := range many.Probes {
		if got, want := described(p), described(one.Probes[i]); got != want {
			t.Fatalf("probe %d is\n%s\nwant\n%s", i, got, want)
		}
	}
	if fmt.Sprint(many.Reads) != fmt.Sprint(one.Reads) || len(many.Reads) != 2 {
		t.Errorf("reads %v, want %v", many.Reads, one.Reads)
	}
}

// described is what a probe is, as far as it can be printed.
func described(p *Probe) string {
	var needs []string
	for _, need := range p.Needs {
		needs = append(needs, need.Name)
	}
	return fmt.Sprintf("%s %s origin %s %v mode %q json %t policy %+v empty %s tags %v captures %d needs %v unmeasured %s body %q",
		p.Name, p.Pos, p.Origin.Name, p.Request, p.As, p.JSON, []any{p.Policy.Timeout, p.Policy.Retries, p.Policy.Backoff}, p.Empty, p.Tags, len(p.Captures), needs, p.MaxUnmeasured, p.Request.Body)
}

// What is wrong with a long declaration is said as on one processor.
func TestALongListSaysWhatIsWrong(t *testing.T) {
	for name, extra := range map[string]string{
		"an unknown key":        "  - {name: extra, origin: o, get: /x, gte: /y}\n",
		"an unknown origin":     "  - {name: extra, origin: p, get: /x}\n",
		"a name of another":     "  - {name: Probe-0, origin: o, get: /x}\n",
		"an unknown capture":    "  - {name: extra, origin: o, get: \"/${probe-2.first}\"}\n",
		"a file that is not":    "  - {name: extra, origin: o, get: /x, expect: {schema: none.json}}\n",
		"a probe of many":       "  - {name: extra, origin: o, get: \"/${each.value}\", each: [a, b, b]}\n",
		"two things at a place": "  - {name: probe-1, origin: p, get: /x, timeout: 1}\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := writeLong(t, longDeclaration(3*manyItems, extra))
			_, one := loadOn(t, 1, path)
			_, many := loadOn(t, 4, path)
			if one == nil || many == nil || one.Error() != many.Error() {
				t.Errorf("on several processors: %v\non one: %v", many, one)
			}
		})
	}
}

// A panic beside the caller would end the program, whatever the caller catches.
func TestAPanicInAPartIsLeftToTheWhole(t *testing.T) {
	p := &partLoader{items: make([]source.Node, 1)} // nothing to decode into
	p.decode()
	if p.whole {
		t.Error("a part that panicked is whole")
	}
}
