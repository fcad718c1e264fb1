package checks

import (
	"errors"
	"strings"
	"testing"
)

func lookupIn(env map[string]string) func(string) (string, bool) {
	return func(name string) (string, bool) { v, ok := env[name]; return v, ok }
}

func loadText(t *testing.T, y string) *Declaration {
	t.Helper()
	d, err := LoadBytes("x.yaml", []byte(y), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestMissingNamesAllAtOnce(t *testing.T) {
	d := everyKey(t)
	all := map[string]string{"OWN": "", "SGS_TOKEN": "token", "U": "user", "P": "pass", "HOST": "h.example", "KEY": "abcd", "B": "x\ny"}
	if err := d.Missing(d.Probes[3:], lookupIn(all)); err != nil {
		t.Error(err)
	}
	err := d.Missing(d.Probes, lookupIn(nil))
	e, ok := errors.AsType[*EnvError](err)
	if !ok {
		t.Fatal(err)
	}
	var names []string
	for _, p := range e.Problems {
		names = append(names, p.Name)
		if p.Reason != "is not set" || p.Pos.Line == 0 {
			t.Errorf("%+v", p)
		}
	}
	equal(t, "names", []string{"OWN", "SGS_TOKEN", "U", "P", "B", "HOST", "KEY"}, names)
	golden(t, "testdata/missing.txt", err.Error()+"\n")
}

func TestMissingLooksAtSelectedProbesOnly(t *testing.T) {
	d := everyKey(t)
	if err := d.Missing(d.Probes[1:2], lookupIn(map[string]string{"U": "user", "P": "pass"})); err != nil {
		t.Error(err)
	}
	if err := d.Missing(nil, lookupIn(nil)); err != nil {
		t.Error(err)
	}
}

func TestMissingRefusesUnusableValues(t *testing.T) {
	const y = `version: 1
origins:
  a:
    url: ${env.URL}
    user_agent: x/${env.AGENT}
    headers: {X-A: "${env.HEADER}"}
    auth: {bearer: "${env.TOKEN}"}
probes:
  - name: p
    origin: a
    request: {method: POST, path: "/${env.PATH_PART}", query: {q: "${env.QUERY}"}, headers: {X-B: "${env.OWN}"}, json: {b: "${env.BODY}"}}
`
	d := loadText(t, y)
	fine := map[string]string{"URL": "https://a.example/v1", "AGENT": "", "HEADER": "", "TOKEN": "long enough",
		"PATH_PART": "", "QUERY": "a&b", "OWN": "\té", "BODY": "a\r\nb\x00"}
	if err := d.Missing(d.Probes, lookupIn(fine)); err != nil {
		t.Fatal(err)
	}
	tests := []struct{ name, value, want string }{
		{"URL", "", "must be absolute"},
		{"URL", "a.example/hunter2", "must be absolute"},
		{"URL", "https://someone:hunter2@a.example", "must not hold a user or a password"},
		{"URL", "https://a.example/?k=hunter2", "must not have a query"},
		{"URL", "https://a.example/hunter2\n", "URL holds a line break"},
		{"AGENT", "hunter2\r\nX: y", "AGENT holds a line break"},
		{"HEADER", "hunter2\n", "HEADER holds a line break"},
		{"HEADER", "hunter2\x00", "HEADER holds a control character"},
		{"OWN", "hunter2\x1b", "OWN holds a control character"},
		{"PATH_PART", "hunter2\n", "PATH_PART holds a line break"},
		{"QUERY", "hunter2\x00", "QUERY holds a control character"},
		{"TOKEN", "", "TOKEN is empty; auth: needs a secret"},
		{"TOKEN", "abc", "TOKEN is shorter than 4 characters"},
		{"TOKEN", "True", "TOKEN is a word that every report holds"},
		{"TOKEN", "hunter2\n", "TOKEN holds a line break"},
	}
	for _, tt := range tests {
		env := map[string]string{}
		for k, v := range fine {
			env[k] = v
		}
		env[tt.name] = tt.value
		err := d.Missing(d.Probes, lookupIn(env))
		if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), "x.yaml:") {
			t.Errorf("%s=%q: got %v, want %q", tt.name, tt.value, err, tt.want)
		}
	}
}

func TestMissingIsStricterWhereOneUseNeedsIt(t *testing.T) {
	d := loadText(t, `version: 1
origins:
  a: {url: https://a.example, headers: {X-A: "${env.T}"}, auth: {bearer: "${env.T}"}}
probes:
  - {name: p, origin: a, get: /}
`)
	err := d.Missing(d.Probes, lookupIn(map[string]string{"T": ""}))
	if err == nil || !strings.Contains(err.Error(), "x.yaml:3:74: T is empty") {
		t.Error(err)
	}
}

// What stands at an address is known when the environment has completed it.
func TestMissingRefusesTLSOfPlainAddress(t *testing.T) {
	d := loadText(t, `version: 1
origins:
  a: {url: "${env.BASE}", mirrors: ["${env.MIRROR}"]}
probes:
  - {name: p, origin: a, get: /, expect: {tls: {version: 1.3}}}
  - {name: q, origin: a, get: /, as: json}
`)
	const plain, secure = "HTTP://a.example", "https://a.example"
	for _, tt := range []struct {
		base, mirror string
		line         int
	}{{secure, secure, 0}, {plain, secure, 3}, {secure, plain, 3}} {
		env := lookupIn(map[string]string{"BASE": tt.base, "MIRROR": tt.mirror})
		err := d.Missing(d.Probes, env)
		e, ok := errors.AsType[*EnvError](err)
		if ok != (tt.line > 0) {
			t.Fatalf("%+v: %v", tt, err)
		}
		if ok && (len(e.Problems) != 1 || e.Problems[0].Pos.Line != tt.line || !strings.Contains(e.Problems[0].Reason, "probe p expects tls")) {
			t.Errorf("%+v: %+v", tt, e.Problems)
		}
		if err := d.Missing(d.Probes[1:], env); err != nil {
			t.Errorf("%+v, without tls: %v", tt, err)
		}
	}
}
