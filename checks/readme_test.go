package checks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheREADMEsChainLoads holds its declaration of needs, a matrix and pages.
func TestTheREADMEsChainLoads(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## Probes that build on each other")
	_, after, _ = strings.Cut(after, "```yaml\n")
	block, _, _ := strings.Cut(after, "```")
	d, err := LoadBytes("README.md", []byte(block), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if len(d.Probes) != 4 || d.Probes[2].Name != "point-daily" || len(d.Probes[3].Needs) != 1 || d.Probes[1].Next.MaxPages != 20 {
		t.Errorf("%+v", d.Probes)
	}
	if doc, ok := asJSON(t, "README.md", []byte(block)); !ok || declarationSchema(t).Validate(doc) != nil {
		t.Error("the schema refuses it")
	}
}

// TestTheREADMEsOriginLoads holds the README's declaration of answers and ways
// out to the decoder.
func TestTheREADMEsOriginLoads(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(text), "## What a source's answers mean")
	_, after, _ = strings.Cut(after, "```yaml\n")
	block, _, found := strings.Cut(after, "```")
	if !found {
		t.Fatal("the README has no such declaration")
	}
	ca, err := os.ReadFile("testdata/valid/ca.pem")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write(t, dir, "icp-brasil.pem", string(ca))
	write(t, dir, "fonteviva.yaml", block)
	d, err := Load([]string{filepath.Join(dir, "fonteviva.yaml")}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if o := d.Origins[0]; len(o.Answers) != 5 || o.Sentinel == nil || len(o.Mirrors) != 1 || o.Out.Way.Roots == nil || d.Connectivity == nil {
		t.Errorf("%+v", o)
	}
}
