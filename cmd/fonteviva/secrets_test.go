package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

// theSecret differs from itself in every encoding.
const theSecret = `s3cr<e>t&"k+y/%41=é`

// secretForms are the ways in which a secret can stand in an output.
func secretForms(s string) map[string]string {
	quoted, _ := json.Marshal(s)
	var escaped bytes.Buffer
	_ = xml.EscapeText(&escaped, []byte(s))
	percent := func(format string) (out string) {
		for _, c := range []byte(s) {
			out += fmt.Sprintf(format, c)
		}
		return out
	}
	slashless, _ := json.Marshal(strings.ReplaceAll(s, "<", "\u2028"))
	forms := map[string]string{
		"raw": s, "query": url.QueryEscape(s), "path": url.PathEscape(s), "percent": percent("%%%02X"), "lower percent": percent("%%%02x"),
		"json": string(quoted[1 : len(quoted)-1]), "json without HTML": strings.Trim(string(slashless), `"`),
		"go": strings.Trim(strconv.QuoteToASCII(s), `"`), "xml": escaped.String(), "html": html.EscapeString(s),
		"hex": hex.EncodeToString([]byte(s)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(s))),
		"lower query": strings.ToLower(url.QueryEscape(s)),
	}
	for name, enc := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
		for offset := range 3 {
			text := enc.EncodeToString([]byte(strings.Repeat("x", offset) + s))
			forms[name+" +"+strconv.Itoa(offset)] = text[(offset*8+5)/6 : (offset+len(s))*8/6]
		}
	}
	return forms
}

// hostileEcho answers with what it was sent, in every form, wherever an answer
// has a place for it.
func hostileEcho(w http.ResponseWriter, r *http.Request) {
	sent, _ := io.ReadAll(io.LimitReader(r.Body, 1<<16))
	said := r.RequestURI + " " + string(sent)
	for name, values := range r.Header {
		said += " " + name + ": " + strings.Join(values, ", ")
	}
	var all []string
	for _, form := range secretForms(theSecret) {
		all = append(all, form)
	}
	said += " " + strings.Join(all, " ") + " user:" + base64.StdEncoding.EncodeToString([]byte("user:"+theSecret))
	h := w.Header()
	h.Set("X-Said", url.PathEscape(theSecret)+" "+theSecret)
	mode := strings.TrimPrefix(r.URL.Path, "/")
	mode, _, _ = strings.Cut(mode, "/")
	text, _ := json.Marshal(map[string]any{"said": said, theSecret: all, "items": []string{theSecret}})
	switch mode {
	case "first":
		_, _ = io.WriteString(w, `{"a": 1}`)
	case "redirect":
		h.Set("Location", "http://other.invalid/?token="+url.QueryEscape(theSecret))
		w.WriteHeader(http.StatusFound)
	case "html":
		h.Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprintf(w, "<html><head><title>%s</title></head><body>%s</body></html>", html.EscapeString(theSecret), html.EscapeString(said))
	case "cut":
		h.Set("Content-Length", "100000")
		_, _ = w.Write(text)
	default:
		if code, err := strconv.Atoi(mode); err == nil {
			h.Set("Content-Type", "text/plain")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, said)
			return
		}
		h.Set("Content-Type", "application/json")
		_, _ = w.Write(text)
	}
}

// secretDeclaration sends the secret from everywhere that a declaration can,
// to every kind of answer.
func secretDeclaration(origin, shaped string) string {
	var b strings.Builder
	host, _, _ := strings.Cut(strings.TrimPrefix(origin, "http://"), ":")
	fmt.Fprintf(&b, `version: 1
secrets: {TOKEN: {hosts: [%s]}}
defaults: {retries: 0, ambiguous: {trips: 2, wait: 1ms}, confirm: {trips: 2, wait: 1ms}, timeout: 5s, circuit_breaker: off}
origins:
  plain: {url: "%s", headers: {X-Key: "k ${env.TOKEN}"}, user_agent: "agent/${env.TOKEN}"}
  auth: {url: "%s", auth: {basic: {user: "${env.TOKEN}", password: "${env.TOKEN}"}}, mirrors: ["%s/mirror"]}
  down: {url: "http://127.0.0.1:1", auth: {bearer: "${env.TOKEN}"}}
probes:
`, host, origin, origin, origin)
	expectations := `{json: [{path: "$.said", equals: "other"}, {path: "$.items", length: {max: 0}}], headers: {x-said: {equals: nothing}}, body: {contains: "absent text"}}`
	for _, origin := range []string{"plain", "auth"} {
		for _, mode := range []string{"ok", "redirect", "html", "cut", "400", "403", "404", "429", "500"} {
			fmt.Fprintf(&b, "  - {name: %s-%s, origin: %s, request: {method: POST, path: '/%s/${env.TOKEN}?q=${env.TOKEN}', query: {k: '${env.TOKEN}'}, headers: {X-Own: '${env.TOKEN}'}, json: {deep: ['${env.TOKEN}']}}, idempotent: true, expect: %s}\n",
				origin, mode, origin, mode, expectations)
		}
	}
	fmt.Fprintf(&b, "  - {name: form, origin: plain, request: {method: POST, path: /ok, form: {f: '${env.TOKEN}'}}, expect: %s}\n", expectations)
	fmt.Fprintf(&b, "  - {name: down, origin: down, get: '/x?k=${env.TOKEN}'}\n")
	fmt.Fprintf(&b, "  - {name: shaped, origin: plain, get: /%s, expect: {shape: shape.json}}\n", shaped)
	return b.String()
}

// invoke runs a command line in this process.
func invoke(t *testing.T, in string, args ...string) (code int, out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code = run(args, streams{in: strings.NewReader(in), out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}

// TestNoOutputShowsASecret runs against an origin that echoes all that it is
// sent, and looks for the secret in everything that any command writes.
func TestNoOutputShowsASecret(t *testing.T) {
	origin := httptest.NewServer(http.HandlerFunc(hostileEcho))
	defer origin.Close()
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("TOKEN", theSecret)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("GITHUB_STEP_SUMMARY", filepath.Join(dir, "summary.md"))
	declare := func(shaped string) {
		if err := os.WriteFile("fonteviva.yaml", []byte(secretDeclaration(origin.URL, shaped)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	said := map[string]string{}
	keep := func(name string, want int, in string, args ...string) string {
		code, out, errs := invoke(t, in, args...)
		said[name+" stdout"], said[name+" stderr"] = out, errs
		if code != want {
			t.Errorf("%s: exit %d, want %d\n%s%s", name, code, want, out, errs)
		}
		return out
	}
	declare("ok")
	keep("accept refused", 1, "", "accept", "--yes")
	declare("first")
	keep("accept", 0, "", "accept", "--yes")
	declare("ok")
	keep("accept shown", 1, "", "accept", "--dry-run")
	args := []string{"run", "--format", "pretty", "-v"}
	for _, f := range report.Formats() {
		args = append(args, "--output", f.Name+"=report."+f.Name)
	}
	keep("run", 1, "", args...)
	for _, f := range report.Formats() {
		want := 1
		if f.DataOnly {
			want = 0
		} else if f.Name == "nagios" {
			want = 2
		}
		keep("main "+f.Name, want, "", "run", "--format", f.Name, "--no-history")
	}
	whole, err := os.ReadFile("report.json")
	if err != nil {
		t.Fatal(err)
	}
	keep("report", 1, string(whole), "report", "--format", "pretty", "-v")
	keep("trace", 0, string(whole), "trace")
	keep("record", 1, "", "record", "--no-history")
	keep("replay", 1, "", "run", "--replay", "recordings", "--no-history", "-v")
	keep("history", 0, "", "history")
	keep("history json", 0, "", "history", "--format", "json")
	keep("validate", 0, "", "validate")
	keep("list", 0, "", "list")
	keep("list json", 0, "", "list", "--format", "json")
	keep("policy", 0, "", "policy")
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			var data []byte
			data, err = os.ReadFile(path)
			said[path] = string(data)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(said) < 40 || !strings.Contains(said["run stdout"], "[redacted:TOKEN]") {
		t.Fatalf("%d outputs; the run says nothing of what it hid", len(said))
	}
	hides(t, said)
}

// hides fails for every output that shows the secret in any form.
func hides(t *testing.T, said map[string]string) {
	t.Helper()
	for name, text := range said {
		for form, value := range secretForms(theSecret) {
			if i := strings.Index(text, value); i >= 0 {
				t.Errorf("%s shows the secret (%s): …%q…", name, form, text[max(0, i-80):min(len(text), i+len(value)+40)])
			}
		}
	}
}

// TestErrorsShowNoSecret wants every way to fail before a run to say what is
// wrong without the value.
func TestErrorsShowNoSecret(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("TOKEN", theSecret)
	t.Setenv("BREAK", theSecret+"\nX-Injected: 1")
	said := map[string]string{}
	for name, origin := range map[string]string{
		"as a host":        `{url: "https://${env.TOKEN}"}`,
		"as a url":         `{url: "${env.TOKEN}"}`,
		"in a url":         `{url: "https://a.example/${env.TOKEN}?x"}`,
		"in a proxy":       `{url: "https://a.example", proxy: "http://${env.TOKEN}"}`,
		"to another":       `{url: "https://a.example", headers: {X: "${env.TOKEN}"}}`,
		"with a line end":  `{url: "https://a.example", headers: {X: "${env.BREAK}"}}`,
		"to another, auth": `{url: "https://a.example", auth: {bearer: "${env.TOKEN}"}}`,
	} {
		y := "version: 1\nsecrets: {TOKEN: {hosts: [b.example]}, BREAK: {hosts: []}}\norigins: {a: " + origin + "}\nprobes: [{name: p, origin: a, get: /x}]\n"
		if err := os.WriteFile("fonteviva.yaml", []byte(y), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out, errs := invoke(t, "", "run", "--no-history")
		if code != report.ExitUsage || !strings.Contains(errs, "fonteviva.yaml:3:") {
			t.Errorf("%s: exit %d: %s", name, code, errs)
		}
		said[name], said[name+" stdout"] = errs, out
		_, out, errs = invoke(t, "", "validate")
		said[name+" validate"] = out + errs
	}
	hides(t, said)
}

// TestPanicOfOurOwnIsToldInertly wants exit 3, no secret and no control
// characters.
func TestPanicOfOurOwnIsToldInertly(t *testing.T) {
	d, err := checks.LoadBytes("x.yaml", []byte("version: 1\nsecrets: {TOKEN: }\norigins: {a: {url: 'https://a.example'}}\nprobes: [{name: p, origin: a, get: /x}]\n"), checks.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	a := &app{streams: streams{err: &errs}, secrets: d.Redactor(func(string) (string, bool) { return theSecret, true })}
	if code := a.panicked("boom \x1b[31m "+theSecret+"\n::error::pwn", []byte("goroutine 1\n\tfile.go:1 "+url.QueryEscape(theSecret)+"\n")); code != report.ExitOwn {
		t.Errorf("exit %d", code)
	}
	hides(t, map[string]string{"panic": errs.String()})
	for _, want := range []string{"boom \\x1b[31m [redacted:TOKEN]\n", "goroutine 1\n"} {
		if !strings.Contains(errs.String(), want) {
			t.Errorf("%q is not in %s", want, errs.String())
		}
	}
	for line := range strings.Lines(errs.String()) {
		if strings.HasPrefix(line, "::") {
			t.Errorf("a line that a CI would obey: %s", line)
		}
	}
}
