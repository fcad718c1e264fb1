package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fonteviva/fonteviva/fixtures"
	"github.com/fonteviva/fonteviva/report"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// blocks gives the fenced blocks of a language in a Markdown file.
func blocks(t *testing.T, path, lang string) []string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range fence.FindAllStringSubmatch(string(data), -1) {
		if m[1] == lang {
			found = append(found, m[2])
		}
	}
	return found
}

// TestEveryCommandOfTheREADME runs each command line of the README with the
// README's own declaration, whose source is the simulated origin here.
func TestEveryCommandOfTheREADME(t *testing.T) {
	origin, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { origin.Close() }) //nolint:errcheck // the test has ended
	dir := t.TempDir()
	declaration := blocks(t, readme, "yaml")[0]
	local := strings.Replace(declaration, "https://api.bcb.gov.br", origin.URL()+"/json", 1)
	if local == declaration {
		t.Fatal("the README's declaration has another source than this test replaces")
	}
	write(t, filepath.Join(dir, "fonteviva.yaml"), local)
	binary := filepath.Join(t.TempDir(), "fonteviva")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	ran := 0
	for _, line := range commandLines(t, readme) {
		switch {
		case strings.HasPrefix(line, "go test"), strings.HasPrefix(line, "go run ./fixtures/bench"):
			continue // this very command; and the benchmark, which has its own test
		case strings.HasPrefix(line, "go run ./cmd/fonteviva"):
			line = strings.Replace(line, "go run ./cmd/fonteviva", "fonteviva", 1)
		}
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), "LANG=C", "XDG_STATE_HOME="+filepath.Join(dir, "state"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", line, err, out)
		}
		ran++
	}
	if ran < 10 {
		t.Errorf("only %d commands were found", ran)
	}
}

// The README, and its short form in Portuguese.
const (
	readme   = "../../README.md"
	readmePT = "../../.github/README.pt-BR.md"
)

// TestTheREADMEsGoTogether holds the Portuguese one to the sections and the
// commands of the other, whose commands are run, and to its exit codes.
func TestTheREADMEsGoTogether(t *testing.T) {
	if diff := cmp.Diff(commandLines(t, readme), commandLines(t, readmePT)); diff != "" {
		t.Errorf("the commands differ (-English +Portuguese)\n%s", diff)
	}
	levels := func(path string) (list []string) {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`(?m)^(##+) .*$|^\| ([0-9, ]+) \|`).FindAllStringSubmatch(string(data), -1) {
			list = append(list, m[1]+m[2])
		}
		return list
	}
	if diff := cmp.Diff(levels(readme), levels(readmePT)); diff != "" {
		t.Errorf("the sections or the exit codes differ (-English +Portuguese)\n%s", diff)
	}
	english, portuguese := blocks(t, readme, "yaml")[0], blocks(t, readmePT, "yaml")[0]
	comment := regexp.MustCompile(` +#.*`)
	if diff := cmp.Diff(comment.ReplaceAllString(english, ""), comment.ReplaceAllString(portuguese, "")); diff != "" {
		t.Errorf("the declarations differ (-English +Portuguese)\n%s", diff)
	}
}

// commandLines are the lines of the sh blocks, and the cron line's command.
func commandLines(t *testing.T, path string) []string {
	t.Helper()
	var lines []string
	for _, block := range blocks(t, path, "sh") {
		for line := range strings.Lines(block) {
			line, _, _ = strings.Cut(line, " #")
			if line = strings.TrimSpace(line); line != "" {
				lines = append(lines, line)
			}
		}
	}
	for _, block := range blocks(t, path, "crontab") {
		_, command, _ := strings.Cut(strings.TrimSpace(block), "&& ")
		lines = append(lines, command)
	}
	return lines
}

// TestEveryDeclarationOfTheREADMEIsValid validates each block that is a whole
// declaration, where a file that it names is there.
func TestEveryDeclarationOfTheREADMEIsValid(t *testing.T) {
	ca, err := os.ReadFile("../../checks/testdata/valid/ca.pem")
	if err != nil {
		t.Fatal(err)
	}
	whole := 0
	for _, block := range append(blocks(t, readme, "yaml"), blocks(t, readmePT, "yaml")...) {
		if !strings.HasPrefix(block, "version: 1\n") {
			continue
		}
		whole++
		dir := t.TempDir()
		write(t, filepath.Join(dir, "icp-brasil.pem"), string(ca))
		path := filepath.Join(dir, "fonteviva.yaml")
		write(t, path, block)
		var out, errs bytes.Buffer
		if code := run([]string{"validate", "-c", path}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != 0 {
			t.Errorf("exit code %d\n%s\n%s", code, errs.String(), block)
		}
	}
	if whole < 5 {
		t.Errorf("only %d declarations were found", whole)
	}
}

// TestTheREADMENamesEveryDependency holds the table true, in both directions.
func TestTheREADMENamesEveryDependency(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(readme), "## Dependencies")
	for line := range strings.Lines(string(mod)) {
		fields := strings.Fields(line)
		if len(fields) < 2 || !strings.HasPrefix(fields[1], "v") || strings.Contains(line, "// indirect") {
			continue
		}
		name := regexp.MustCompile(`/v\d+$`).ReplaceAllString(strings.TrimPrefix(fields[0], "github.com/"), "")
		if !strings.Contains(table, name) && !strings.Contains(table, fields[0]) {
			t.Errorf("go.mod needs %s, and the README's table does not say why", fields[0])
		}
	}
	for row := range strings.Lines(table) {
		cells := strings.Split(row, "|")
		if len(cells) < 2 {
			continue
		}
		for _, name := range strings.FieldsFunc(cells[1], func(r rune) bool { return strings.ContainsRune(" ,()", r) }) {
			if strings.Contains(name, "/") && !strings.Contains(string(mod), name) {
				t.Errorf("the README's table has %s, which go.mod does not need", name)
			}
		}
	}
}

// TestTheWorkflowCallsTheREADME keeps the two commands, CI and the workflow one
// thing.
func TestTheWorkflowCallsTheREADME(t *testing.T) {
	lines := commandLines(t, readme)
	if len(lines) < 2 || lines[0] != "go run ./cmd/fonteviva demo" || lines[1] != "go test ./..." {
		t.Errorf("the README does not begin with its two commands: %q", lines)
	}
	workflow, err := os.ReadFile("../../.github/workflows/ci.yml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(workflow), "bash .ci/run") {
		t.Error("the workflow does not call .ci/run")
	}
	for _, uses := range regexp.MustCompile(`uses: (\S+)`).FindAllStringSubmatch(string(workflow), -1) {
		if !regexp.MustCompile(`@[0-9a-f]{40}$`).MatchString(uses[1]) {
			t.Errorf("%s is not pinned by hash", uses[1])
		}
	}
}

func TestTheDemoReportValidates(t *testing.T) {
	var out, errs bytes.Buffer
	if code := run([]string{"demo", "--format", "json"}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs.String())
	}
	schema, err := jsonschema.NewCompiler().Compile("../../report/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	instance, err := jsonschema.UnmarshalJSON(bytes.NewReader(out.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Error(err)
	}
	var doc report.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	var findings []string
	for _, r := range doc.Results {
		findings = append(findings, string(r.Finding))
	}
	for _, f := range []string{"ok", "drift", "respondeu", "indisponivel", "ambiguo", "alheio"} {
		if !slices.Contains(findings, f) {
			t.Errorf("the demo does not show %s", f)
		}
	}
}
