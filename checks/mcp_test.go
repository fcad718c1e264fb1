//go:build unix

package checks_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

// mcpDefaults are clocks that a test can wait for.
const mcpDefaults = `version: 1
defaults: {timeout: 600ms, budget: 2s, retries: 0, backoff: {base: 1ms, jitter: none}, ambiguous: {trips: 2, wait: 1ms}, confirm: {trips: 2, wait: 1ms}, max_body: 8MiB}
`

// runMCP runs a declaration in a folder of its own.
func runMCP(t *testing.T, folder, text string, env map[string]string) map[string]checks.Result {
	t.Helper()
	file := filepath.Join(folder, "fonteviva.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := checks.Load([]string{file}, checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	plan, err := checks.NewPlan(d, d.Probes, checks.Options{Parallel: 4, Env: func(name string) (string, bool) {
		if v, ok := env[name]; ok {
			return v, true
		}
		return os.LookupEnv(name)
	}})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]checks.Result{}
	for _, r := range plan.Run(context.Background()).Results {
		results[r.Name] = r
	}
	return results
}

// inShort is what a result comes to: finding, kind, detail and what did not hold.
func inShort(r *checks.Result) string {
	parts := []string{string(r.Finding)}
	for _, s := range []*string{(*string)(r.Kind), r.Detail, (*string)(r.Cause)} {
		if s != nil {
			parts = append(parts, *s)
		}
	}
	for _, m := range r.Mismatches {
		parts = append(parts, m.Code+"/"+string(m.Severity))
	}
	return strings.Join(parts, " ")
}

func TestWhatMCPServersDo(t *testing.T) {
	t.Parallel()
	origin, err := faulty.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(origin.Close)
	const echo = "mcp: {call: echo, arguments: {text: x}}"
	for fault, tc := range map[string]struct{ probe, want string }{
		"ok":             {echo + ", expect: {is_error: false, text: {equals: 'Echo: x'}, unknown_argument: refuse}", "ok"},
		"502":            {echo, "indisponivel http_5xx"},
		"500":            {echo, "indisponivel http_5xx"},
		"429":            {echo, "indisponivel rate_limited"},
		"401":            {echo, "respondeu http_4xx"},
		"400":            {echo, "respondeu http_4xx"},
		"404":            {echo, "respondeu not_found"},
		"404-rpc-id":     {echo, "respondeu not_found"},
		"no-route":       {echo, "respondeu not_found"},
		"stale-404":      {echo, "ok"},
		"stale-400":      {echo, "ok"},
		"html":           {echo, "ambiguo malformed_body not_json_rpc"},
		"half-json":      {echo, "ambiguo malformed_body not_json_rpc"},
		"plain":          {echo, "ambiguo malformed_body not_json_rpc"},
		"not-rpc":        {echo, "ambiguo malformed_body not_json_rpc"},
		"null-result":    {echo + ", expect: {is_error: false}", "ambiguo malformed_body not_json_rpc"},
		"text-result":    {echo, "ambiguo malformed_body not_json_rpc"},
		"bare-result":    {echo, "ambiguo malformed_body not_json_rpc"},
		"wrong-id":       {echo, "ambiguo malformed_body rpc_wrong_id"},
		"hung-header":    {echo, "indisponivel timeout header_timeout"},
		"hung-body":      {echo, "indisponivel timeout body_timeout"},
		"sse-silence":    {echo, "indisponivel timeout body_timeout"},
		"sse-flood":      {echo, "indisponivel timeout body_timeout"},
		"202":            {echo, "indisponivel timeout body_timeout"},
		"sse-no-reply":   {echo, "indisponivel network no_reply"},
		"reset":          {echo, "indisponivel network tcp_reset"},
		"big":            {echo, "alheio aborted max_body"},
		"rpc-error":      {echo, "respondeu rpc_error"},
		"sse":            {echo, "ok"},
		"wrong-content":  {"mcp: {call: estados, arguments: {regiao: SE}}, expect: {output_schema: true}", "drift output_schema/fail output_schema/fail"},
		"no-content":     {"mcp: {call: estados, arguments: {regiao: SE}}, expect: {output_schema: true}", "drift output_schema/fail"},
		"no-lists":       {"mcp: {call: estados, arguments: {regiao: SE}}, expect: {output_schema: true}", "drift single_trip output_schema/fail"},
		"drops-unknown":  {echo + ", expect: {unknown_argument: refuse}", "ok unknown_argument/warn"},
		"unknown-error":  {echo + ", expect: {unknown_argument: refuse}", "ok"},
		"pages":          {"mcp: {list: tools}, expect: {count: 7, titles: true}", "ok"},
		"pages-502":      {"mcp: {list: tools}, expect: {count: 7}", "indisponivel network incomplete_list"},
		"pages-rpc":      {"mcp: {list: tools}, expect: {count: 7}", "indisponivel network incomplete_list"},
		"pages-loop":     {"mcp: {list: tools}", "drift cursor/fail"},
		"version-400":    {"mcp: ping", "ok"},
		"version-own":    {"mcp: initialize, expect: {json: [{path: $.protocolVersion, equals: '2024-11-05'}]}", "ok"},
		"version-future": {"mcp: ping", "respondeu protocol_version"},
		"changed":        {"mcp: {list: tools}, expect: {count: {min: 7}, titles: true}", "drift titles/fail"},
		"moved-302":      {"mcp: ping", "respondeu redirect redirect_method"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			r := runMCP(t, t.TempDir(), mcpDefaults+"origins: {o: {mcp: {url: '"+origin.At(fault)+"'}}}\nprobes: [{name: p, origin: o, "+tc.probe+"}]\n", nil)["p"]
			if got := inShort(&r); got != tc.want {
				t.Errorf("got %q, want %q\n%s", got, tc.want, text(&r))
			}
			if stale := strings.HasPrefix(fault, "stale"); stale != slices.Contains(r.Notes, string(fetch.NoteSessionRenewed)) {
				t.Errorf("notes %v", r.Notes)
			}
			for _, s := range origin.Seen(fault) {
				if out, _ := json.Marshal(r); s.Session != "" && strings.Contains(string(out), s.Session) {
					t.Error("the report holds a session's id")
				}
			}
		})
	}
}

func TestToolsThatFailInOneRun(t *testing.T) {
	origin, err := faulty.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer origin.Close()
	results := runMCP(t, t.TempDir(), mcpDefaults+`
origins:
  plain: {mcp: {url: '`+origin.At("ok")+`'}}
  ruled:
    mcp: {url: '`+origin.At("pages")+`'}
    answers:
      - {is_error: true, body_contains: "source behind", means: indisponivel}
      - {rpc_code: -32602, means: drift}
probes:
  - {name: fails, origin: plain, mcp: {call: fails}, expect: {output_schema: true}}
  - {name: expected, origin: plain, mcp: {call: fails}, expect: {is_error: true, text: {contains: behind}}}
  - {name: hides, origin: plain, mcp: {call: hides}, expect: {is_error: false, text: {not_contains: missing required}}}
  - {name: unknown, origin: plain, mcp: {call: nope}}
  - {name: written, origin: plain, mcp: {call: write}, expect: {text: {equals: other}}}
  - {name: json, origin: plain, mcp: {call: json-text}, expect: {json: [{path: $.valor, equals: '14.90'}]}}
  - {name: structured, origin: plain, mcp: {call: estados, arguments: {regiao: "${env.REGION}"}}, expect: {output_schema: true, json: [{path: $.estados, length: {min: 4}}]}}
  - {name: no-json, origin: plain, mcp: {call: hides}, expect: {json: [{path: $.a, exists: true}]}}
  - {name: no-json-cel, origin: plain, mcp: {call: hides}, expect: {is_error: false, cel: ['body.a == 1']}}
  - {name: no-json-fresh, origin: plain, mcp: {call: hides}, expect: {fresh: {path: $.a, layout: DD/MM/YYYY, fail: 7d}}}
  - {name: no-json-capture, origin: plain, mcp: {call: hides}, capture: {a: {path: $.a}}}
  - {name: other-cel, origin: plain, mcp: {call: hides}, expect: {cel: ['status == 200']}}
  - {name: wrong-json, origin: plain, mcp: {call: json-text}, expect: {json: [{path: $.a, exists: true}]}}
  - {name: failed-json, origin: plain, mcp: {call: fails}, expect: {json: [{path: $.a, exists: true}]}}
  - {name: expected-json, origin: plain, mcp: {call: fails}, expect: {is_error: true, json: [{path: $.a, exists: true}]}}
  - {name: read, origin: plain, mcp: {read: 'test://one'}, expect: {json: [{path: $.one, equals: 1}]}}
  - {name: prompt, origin: plain, mcp: {prompt: greet, arguments: {who: Ana}}, expect: {text: {contains: Ana}}}
  - {name: behind, origin: ruled, mcp: {call: fails}}
  - {name: coded, origin: ruled, mcp: {call: nope}}
`, map[string]string{"REGION": "SE"})
	for name, want := range map[string]string{
		"fails": "respondeu is_error", "expected": "ok", "hides": "drift text.not_contains/fail", "unknown": "respondeu single_trip",
		"written": "drift single_trip text.equals/fail", "json": "ok", "structured": "ok", "no-json": "ambiguo malformed_body",
		"no-json-cel": "ambiguo malformed_body", "no-json-fresh": "ambiguo malformed_body", "no-json-capture": "ambiguo malformed_body",
		"other-cel": "ok", "wrong-json": "drift json.exists/fail", "failed-json": "respondeu is_error",
		"expected-json": "ambiguo malformed_body", "read": "ok", "prompt": "ok",
		"behind": "indisponivel malformed_body is_error", "coded": "drift single_trip answers/fail",
	} {
		r := results[name]
		if got := inShort(&r); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if r := results["no-json"]; r.LooksLike == nil || *r.LooksLike != fetch.LooksPlainText || len(r.Trips) != 2 {
		t.Errorf("a text in the place of JSON: %s", text(&r))
	}
	if r := results["fails"]; r.Rule == nil || *r.Rule != "mcp.is_error" || len(r.Retrieval.Anomalies) > 0 || r.Motivo == nil || strings.Contains(*r.Motivo, "pela regra") {
		t.Errorf("the rule that decided: %s", text(&r))
	}
	if n := len(slices.DeleteFunc(origin.Seen("ok"), func(s faulty.Seen) bool { return s.RPC != "initialize" })); n != 1 {
		t.Errorf("%d sessions for one origin and run", n)
	}
	if n := len(slices.DeleteFunc(origin.Seen("ok"), func(s faulty.Seen) bool { return s.Method != "DELETE" })); n != 1 {
		t.Errorf("the session was ended %d times", n)
	}
}

func TestCommandsAsOrigins(t *testing.T) {
	t.Setenv("FONTEVIVA_OTHER_SECRET", "do-not-inherit")
	habit := func(name string) string {
		return "{mcp: {command: ['" + os.Args[0] + "'], env: {" + faulty.AskVariable + ": " + name + ", FAULTY_TOKEN: '${env.TOKEN}'}}}"
	}
	results := runMCP(t, t.TempDir(), mcpDefaults+`
origins:
  ok: `+habit("ok")+`
  banner: `+habit("banner")+`
  exit: `+habit("exit3")+`
  silent: `+habit("silence")+`
  prompts: `+habit("prompt")+`
  resultless: `+habit("no-result")+`
  gone: {mcp: {command: [no-such-program-at-all]}}
probes:
  - {name: env, origin: ok, mcp: {call: env}, expect: {text: {contains: PATH, not_contains: do-not-inherit}}}
  - {name: shown, origin: ok, mcp: {call: env}, expect: {text: {not_contains: FAULTY_TOKEN}, body: {equals: x}}}
  - {name: banner, origin: banner, mcp: ping}
  - {name: exit, origin: exit, mcp: ping}
  - {name: silent, origin: silent, mcp: ping}
  - {name: prompts, origin: prompts, mcp: ping}
  - {name: gone, origin: gone, mcp: ping}
  - {name: no-json, origin: ok, mcp: {call: hides}, expect: {is_error: false, json: [{path: $.a, exists: true}]}}
  - {name: resultless, origin: resultless, mcp: {call: echo, arguments: {text: x}}, expect: {is_error: false}}
`, map[string]string{"TOKEN": "hunter2hunter2"})
	for name, want := range map[string]string{
		"env": "ok", "shown": "drift text.not_contains/fail body.equals/fail", "banner": "ok stdout_not_clean/warn", "exit": "indisponivel network process_exited",
		"silent": "indisponivel timeout header_timeout", "prompts": "alheio aborted command_prompt command", "gone": "alheio aborted command_not_started command",
		"no-json": "ambiguo malformed_body", "resultless": "ambiguo malformed_body not_json_rpc",
	} {
		r := results[name]
		if got := inShort(&r); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if out, _ := json.Marshal(r); strings.Contains(string(out), "hunter2") {
			t.Errorf("%s shows a secret: %s", name, out)
		}
	}
	if r := results["exit"]; r.Motivo == nil || !strings.Contains(*r.Motivo, "Dynamic require") {
		t.Errorf("its last words are lost: %v", r.Motivo)
	}
}

func TestARunWithADeafCommandEnds(t *testing.T) {
	for _, habit := range []string{"silence", "ignores-term"} {
		began := time.Now()
		r := runMCP(t, t.TempDir(), mcpDefaults+"origins: {o: {mcp: {command: ['"+os.Args[0]+"'], env: {"+faulty.AskVariable+": "+habit+"}}, ambiguous: {trips: 1}}}\nprobes: [{name: p, origin: o, mcp: ping}]\n", nil)["p"]
		if took := time.Since(began); took > 600*time.Millisecond+700*time.Millisecond {
			t.Errorf("%s: the run took %s", habit, took)
		}
		if r.Finding != checks.Indisponivel {
			t.Errorf("%s: %s", habit, inShort(&r))
		}
	}
}
