package main

import (
	"bytes"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
	"github.com/fonteviva/fonteviva/report"
)

// typed runs a command line as a shell would.
func typed(args ...string) (exit int, out, err string) {
	var o, e bytes.Buffer
	exit = run(args, streams{in: strings.NewReader(""), out: &o, err: &e})
	return exit, o.String(), e.String()
}

func mcpOrigin(t *testing.T) *faulty.Origin {
	t.Helper()
	origin, err := faulty.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(origin.Close)
	return origin
}

func TestMCPCommand(t *testing.T) {
	origin := mcpOrigin(t)
	for _, tc := range []struct {
		args string
		exit int
		want string // an expression that the output matches
	}{
		{"mcp $/pages", 0, `(?s)^faulty 1\.0\.0, protocol 2025-11-25\n.*tools: 7\n.*  echo\(text\)  Echo  \[read-only\]\n.*resources: 1\n.*prompts: 1\n`},
		{"mcp call echo text=olá $/ok", 0, `(?s)^ok  echo\n\d+ ms, 1 attempt, 1 request\nEcho: olá\n$`},
		{"mcp $/ok call estados regiao=SE", 0, `(?s)structuredContent\n  \{\n.*"total": 4`},
		{"mcp call fails $/ok", 1, `^respondeu  .*isError.*the source behind did not answer`},
		{"mcp call nope $/ok", 1, `(?s)^respondeu  o servidor MCP .*JSON-RPC.*-32602.*\nfacts  .*rpc_error\nnext   the server lists no tool "nope": known here: echo, `},
		{"mcp --retries 0 call echo text=x $/502", 75, `^indisponivel  .*502`},
		{"mcp --retries 0 call echo text=x $/html", 4, `^ambiguo  `},
		{"mcp --retries 0 $/pages-502", 75, `^indisponivel  `},
		{"mcp -- no-such-program-at-all", 3, `(?s)^alheio  .*não pôde ser executado\n.*\nfacts  aborted · command · command_not_started\nnext   the server's command does not run here: `},
		{"mcp call echo text=x $/stale-404", 0, `⚠ the server had forgotten the session`},
	} {
		exit, out, errs := typed(strings.Fields(strings.ReplaceAll(tc.args, "$", origin.URL))...)
		if exit != tc.exit || !regexp.MustCompile(tc.want).MatchString(out) {
			t.Errorf("%s: exit %d, want %d\n%s%s", tc.args, exit, tc.exit, out, errs)
		}
	}
}

func TestMCPCommandLines(t *testing.T) {
	for _, args := range []string{
		"mcp", "mcp call echo", "mcp http://a.example http://b.example", "mcp http://a.example ping", "mcp call http://a.example",
		"mcp http://a.example call echo text", "mcp http://a.example call echo =x", "mcp http://a.example -- node", "mcp --", "mcp --protocol 1 http://a.example",
		"mcp http://user:pass@a.example", "mcp http://a.example:99999", "mcp http://", "init --from-mcp http://user:pass@a.example",
		"mcp --timeout 0s http://a.example", "mcp --timeout -1s http://a.example", "mcp --retries -1 http://a.example", "mcp --retries 21 http://a.example",
		"mcp --env A=b http://a.example", "mcp --env FONTEVIVA_TEST_NOT_SET -- node", "mcp --env =x -- node", "mcp -H A:b -- node",
		"mcp -H nocolon http://a.example", "init --from-mcp", "init --from-mcp http://a.example call x",
	} {
		if exit, out, errs := typed(strings.Fields(args)...); exit != report.ExitUsage || out != "" || errs == "" {
			t.Errorf("%s: exit %d, %q", args, exit, out+errs)
		}
	}
}

func TestMCPHeadersAreSecret(t *testing.T) {
	t.Setenv("FONTEVIVA_TEST_TOKEN", "hunter2hunter2")
	origin := mcpOrigin(t)
	exit, out, _ := typed("mcp", "-H", "Authorization: Bearer ${env.FONTEVIVA_TEST_TOKEN}", "call", "echo", "text=hunter2hunter2", origin.At("ok"))
	if exit != 0 || strings.Contains(out, "hunter2") {
		t.Errorf("exit %d\n%s", exit, out)
	}
	for _, s := range origin.Seen("ok") {
		if s.Header.Get("Authorization") != "Bearer hunter2hunter2" {
			t.Errorf("%s %s without the declared header", s.Method, s.RPC)
		}
	}
}

func TestArguments(t *testing.T) {
	schema := map[string]any{"properties": map[string]any{
		"n": map[string]any{"type": "number"}, "s": map[string]any{"type": "string"}, "b": map[string]any{"type": "boolean"}, "e": map[string]any{"type": []any{"null", "string"}},
	}}
	for word, want := range map[string]string{
		"n=1": `{"n":1}`, "n=x": `{"n":"x"}`, "s=1": `{"s":"1"}`, "b=true": `{"b":true}`, "e=2": `{"e":"2"}`, "unknown=1": `{"unknown":"1"}`, `s:=["a"]`: `{"s":["a"]}`, "s=a=b": `{"s":"a=b"}`,
	} {
		got, err := arguments([]string{word}, schema)
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s %v, want %s", word, got, err, want)
		}
	}
	if _, err := arguments([]string{"s:=[1"}, schema); err == nil {
		t.Error("half JSON is taken")
	}
}

// TestInitFromMCPWithACredential holds that what identifies us is declared
// where it is hidden, by a declaration that runs.
func TestInitFromMCPWithACredential(t *testing.T) {
	t.Setenv("FONTEVIVA_TEST_TOKEN", "hunter2hunter2")
	t.Setenv("FONTEVIVA_TEST_USER", "somebodysomebody")
	origin := mcpOrigin(t)
	at, err := url.Parse(origin.At("ok"))
	if err != nil {
		t.Fatal(err)
	}
	host := at.Host
	for _, c := range []struct {
		headers []string
		want    []string
	}{
		{[]string{"Authorization: Bearer ${env.FONTEVIVA_TEST_TOKEN}"}, []string{`auth: {bearer: "${env.FONTEVIVA_TEST_TOKEN}"}`}},
		{[]string{"authorization: Token ${env.FONTEVIVA_TEST_TOKEN}"}, []string{`auth: {header: {name: "authorization", value: "Token ${env.FONTEVIVA_TEST_TOKEN}"}}`}},
		{[]string{"X-Api-Key: ${env.FONTEVIVA_TEST_TOKEN}", "X-Team: a"}, []string{`auth: {header: {name: "X-Api-Key", value: "${env.FONTEVIVA_TEST_TOKEN}"}}`, `headers: {"X-Team":"a"}`}},
		{[]string{"X-Key: ${env.FONTEVIVA_TEST_TOKEN}", "Authorization: Bearer ${env.FONTEVIVA_TEST_TOKEN}", "User-Agent: me/1"}, []string{
			`auth: {bearer: "${env.FONTEVIVA_TEST_TOKEN}"}`, `user_agent: "me/1"`, `headers: {"X-Key":"${env.FONTEVIVA_TEST_TOKEN}"}`}},
		{[]string{"X-Key: ${env.FONTEVIVA_TEST_TOKEN}", "X-User: a-${env.FONTEVIVA_TEST_USER}"}, []string{
			`auth: {header: {name: "X-Key", value: "${env.FONTEVIVA_TEST_TOKEN}"}}`,
			`headers: {"X-User":"a-${env.FONTEVIVA_TEST_USER}"}` + "\n" + `secrets: {"FONTEVIVA_TEST_USER": {hosts: ["` + host + `"]}}`}},
	} {
		file := filepath.Join(t.TempDir(), "fonteviva.yaml")
		args := []string{"init", "--from-mcp", "-o", file, origin.At("ok")}
		for _, h := range c.headers {
			args = append(args, "-H", h)
		}
		exit, out, errs := typed(args...)
		text, err := os.ReadFile(file)
		if exit != 0 || err != nil {
			t.Fatalf("%s: exit %d, %v\n%s%s", c.headers, exit, err, out, errs)
		}
		for _, want := range c.want {
			if !strings.Contains(string(text), "\n    "+want+"\n") {
				t.Errorf("%s: the declaration lacks %s in\n%s", c.headers, want, text)
			}
		}
		if exit, out, errs := typed("run", "--no-history", "-c", file, "faulty-surface"); exit != 0 {
			t.Errorf("%s: exit %d\n%s%s", c.headers, exit, out, errs)
		}
	}
	for _, c := range [][2]string{
		{"-H", "Authorization: Bearer hunter2hunter2"}, {"-H", "Cookie: sid=hunter2hunter2"}, {"-H", "x-api-key: hunter2hunter2"},
		{"-H", "Proxy-Authorization: Basic hunter2hunter2"}, {"-H", "Ocp-Apim-Subscription-Key: hunter2hunter2"}, {"-H", "PRIVATE-TOKEN: hunter2hunter2"},
		{"--env", "API_TOKEN=hunter2hunter2"}, {"--env", "DB_PASSWORD=hunter2hunter2"},
	} {
		file := filepath.Join(t.TempDir(), "fonteviva.yaml")
		if exit, _, errs := typed("init", "--from-mcp", "-o", file, c[0], c[1], origin.At("ok")); exit != report.ExitUsage || strings.Contains(errs, "hunter2") || !strings.Contains(errs, "a credential would stand") || exists(file) {
			t.Errorf("%s in clear: exit %d\n%s", c[1], exit, errs)
		}
	}
	if err := clearCredential([]string{"Accept: text/plain", "X-Team: a", "Idempotency-Key: 1", "X-Author: me", "X-Monkey: a", "X-Api-Key:"}, []string{"TZ=UTC", "KEYBOARD=br", "API_TOKEN", "API_TOKEN=${env.OTHER}"}); err != nil {
		t.Errorf("no credential: %v", err)
	}
}

func TestInitFromMCP(t *testing.T) {
	origin := mcpOrigin(t)
	folder := t.TempDir()
	file := filepath.Join(folder, "fonteviva.yaml")
	exit, out, errs := typed("init", "--from-mcp", "--name", "test server", "-o", file, origin.At("ok"))
	if exit != 0 {
		t.Fatalf("exit %d\n%s%s", exit, out, errs)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"    expect: {surface: \"surfaces/test-server.json\"}\n",
		"  - name: test-server-estados\n    origin: test-server\n    mcp: {call: \"estados\", arguments: {\"regiao\":\"N\"}}\n    expect: {is_error: false, output_schema: true}\n",
		"  # \"needs a real value for text\"\n  # - name: test-server-echo\n",
		"  # \"the server does not say that it only reads\"\n  # - name: test-server-write\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the declaration lacks\n%s\nin\n%s", want, text)
		}
	}
	if !strings.HasSuffix(out, "with its reason; then: fonteviva run -c '"+file+"'\n") {
		t.Errorf("what to do next is not said: %s", out)
	}
	if exit, out, errs := typed("list", "-c", file); exit != 0 || !regexp.MustCompile(`(?m)^test-server-surface +test-server +mcp list tools$`).MatchString(out) ||
		!regexp.MustCompile(`(?m)^test-server-estados +test-server +mcp call estados$`).MatchString(out) {
		t.Errorf("exit %d\n%s%s", exit, out, errs)
	}
	surfaces := filepath.Join(folder, "surfaces", "test-server.json")
	for there, args := range map[string][]string{
		file:     {"-o", file, "http://127.0.0.1:1/asked-of-no-server"},
		surfaces: {"-o", filepath.Join(folder, "other.yaml"), "--name", "test server", origin.At("ok")},
	} {
		exit, _, errs := typed(append([]string{"init", "--from-mcp"}, args...)...)
		if exit != report.ExitUsage || !strings.Contains(errs, there+" is there already and is kept") || !strings.Contains(errs, "--output") {
			t.Errorf("%s: exit %d\n%s", there, exit, errs)
		}
	}
	if exists(filepath.Join(folder, "other.yaml")) {
		t.Error("half of what was to be written is there")
	}
	if exit, out, _ := typed("run", "-c", file, "--no-history", "test-server-surface", "test-server-estados"); exit != 0 {
		t.Errorf("the declaration does not hold: exit %d\n%s", exit, out)
	}
}

// TestASurfaceIsAcceptedAndHeld goes the whole way: accept, run, a release of
// the server, what it broke, accept again.
func TestASurfaceIsAcceptedAndHeld(t *testing.T) {
	origin := mcpOrigin(t)
	file := filepath.Join(t.TempDir(), "fonteviva.yaml")
	declare := func(fault string) {
		t.Helper()
		text := "version: 1\ndefaults: {confirm: {trips: 1}, retries: 0}\norigins: {s: {mcp: {url: '" + origin.At(fault) + "'}}}\n" +
			"probes: [{name: surface, origin: s, mcp: {list: tools}, expect: {surface: surfaces/s.json}}]\n"
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	step := func(exit int, want string, args ...string) {
		t.Helper()
		got, out, errs := typed(args...)
		if got != exit || !strings.Contains(out+errs, want) {
			t.Errorf("%v: exit %d, want %d and %q\n%s%s", args, got, exit, want, out, errs)
		}
	}
	run := []string{"run", "-c", file, "--no-history", "--format", "json"}
	declare("pages")
	step(2, "fonteviva accept surface", run...)
	step(0, "recorded", "accept", "-c", file)
	step(0, `"finding":"ok"`, run...)
	declare("changed")
	for _, code := range []string{"surface.tool_removed", "surface.tool_added", "surface.argument_added", "surface.field_removed"} {
		step(1, code, run...)
	}
	step(1, "surface.tool_removed at tools.write", "accept", "-c", file)
	step(0, "breaking", "accept", "-c", file, "--yes")
	step(0, `"finding":"ok"`, run...)
	declare("pages-502")
	step(75, "not measured", "accept", "-c", file, "--yes")
}
