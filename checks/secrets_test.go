package checks

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
)

const boundSecrets = `version: 1
secrets: {TOKEN: {hosts: [api.example, "alt.example:8443"]}, FREE: {}}
origins:
  a: {url: "${env.BASE}", mirrors: ["${env.MIRROR}"], headers: {X-Key: "${env.KEY}"}}
probes:
  - {name: p, origin: a, get: "/x?k=${env.TOKEN}&f=${env.FREE}"}
`

// TestSecretsGoWhereTheyAreBoundTo resolves addresses and values as a run does.
func TestSecretsGoWhereTheyAreBoundTo(t *testing.T) {
	const secret = "s3cret-token"
	for _, c := range []struct{ name, base, mirror, key, want string }{
		{"its own host", "https://api.example/v1", "https://API.example./m", "plain", ""},
		{"its own port", "https://api.example:99", "https://alt.example:8443", "plain", ""},
		{"another host", "https://evil.example", "https://api.example", "plain", `x.yaml:6:31: secret TOKEN would be sent to origin a at "evil.example"`},
		{"another port", "https://api.example", "https://alt.example", "plain", `secret TOKEN would be sent to a mirror of origin a at "alt.example"`},
		{"a host that begins with it", "https://api.example.evil.example", "https://api.example", "plain", `at "api.example.evil.example"`},
		{"a host that ends with it", "https://evil-api.example", "https://api.example", "plain", `at "evil-api.example"`},
		{"under another name", "https://api.example", "https://evil.example", "Bearer " + secret, `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"in base64", "https://api.example", "https://evil.example", "Basic " + base64.StdEncoding.EncodeToString([]byte("user:"+secret)), `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"in base64 without padding", "https://api.example", "https://evil.example", base64.RawURLEncoding.EncodeToString([]byte("u:" + secret + ":x")), `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"in hexadecimal", "https://api.example", "https://evil.example", hex.EncodeToString([]byte(secret)), `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"percent-encoded", "https://api.example", "https://evil.example", strings.ReplaceAll(secret, "-", "%2d"), `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"escaped", "https://api.example", "https://evil.example", strings.ReplaceAll(secret, "-", `\u002d`), `x.yaml:4:72: secret TOKEN would be sent to a mirror of origin a at "evil.example"`},
		{"in hexadecimal as a host", "https://" + hex.EncodeToString([]byte(secret)) + ".evil.example", "https://api.example", "plain", "secret TOKEN would be sent to origin a, whose host is a secret itself"},
		{"as a host", "https://" + secret + ".evil.example", "https://api.example", "plain", "secret TOKEN would be sent to origin a, whose host is a secret itself"},
	} {
		d := loadText(t, boundSecrets)
		env := map[string]string{"BASE": c.base, "MIRROR": c.mirror, "KEY": c.key, "TOKEN": secret, "FREE": "free-of-hosts"}
		_, err := NewPlan(d, d.Probes, Options{Env: lookupIn(env)})
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the secret: %v", c.name, err)
		}
	}
}

// TestABoundSecretInAFile holds what a file says to the hosts of a secret, too.
func TestABoundSecretInAFile(t *testing.T) {
	const value = "s3cret-token"
	for body, leaks := range map[string]bool{
		`{"key": "` + value + `"}`:                                   true,
		`{"key": "s3cret\u002dtoken"}`:                               true,
		"k=" + strings.ReplaceAll(value, "-", "%2D"):                 true,
		base64.StdEncoding.EncodeToString([]byte("{" + value + "}")): true,
		`{"key": "other"}`:                                           false,
	} {
		for host, listed := range map[string]bool{"evil.example": false, "api.example": true} {
			dir := t.TempDir()
			y := "version: 1\nsecrets: {TOKEN: {hosts: [api.example]}}\norigins: {a: {url: 'https://" + host + "'}}\nprobes:\n" +
				"  - {name: p, origin: a, request: {method: POST, path: /x, file: body.json}}\n"
			for name, text := range map[string]string{"x.yaml": y, "body.json": body} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			d, err := Load([]string{filepath.Join(dir, "x.yaml")}, LoadOptions{})
			if err != nil {
				t.Fatal(err)
			}
			_, err = NewPlan(d, d.Probes, Options{Env: lookupIn(map[string]string{"TOKEN": value})})
			if want := leaks && !listed; (err != nil) != want || want && !strings.Contains(err.Error(), `x.yaml:5:66: secret TOKEN would be sent to origin a at "evil.example"`) {
				t.Errorf("%s to %s: %v", body, host, err)
			}
		}
	}
}

// TestABoundSecretIsReadByNoProxy: a proxy reads plain HTTP, and nothing of what
// is in a tunnel.
func TestABoundSecretIsReadByNoProxy(t *testing.T) {
	const secret = "s3cret-token"
	for _, c := range []struct{ name, url, proxy, hosts, environment, want string }{
		{"declared", "http://api.example", "http://proxy.example:3128", "api.example", "", `x.yaml:6:31: secret TOKEN would be sent to the proxy before origin a at "proxy.example:3128"`},
		{"declared, by a variable", "http://api.example", "http://${env.PU}@${env.PH}:3128", "api.example", "", `x.yaml:6:31: secret TOKEN would be sent to the proxy before origin a at "proxy.example:3128"`},
		{"declared, SOCKS", "http://api.example", "socks5://proxy.example", "api.example", "", `the proxy before origin a at "proxy.example"`},
		{"declared, listed", "http://api.example", "http://proxy.example:3128", "api.example, 'proxy.example:3128'", "", ""},
		{"declared, a tunnel", "https://api.example", "http://proxy.example:3128", "api.example", "", ""},
		{"declared none", "http://api.example", "none", "api.example", "http://proxy.example:3128", ""},
		{"of the environment", "http://api.example", "", "api.example", "http://proxy.example:3128", `x.yaml:6:31: secret TOKEN would be sent to the proxy before origin a at "proxy.example:3128"`},
		{"of the environment, listed", "http://api.example", "", "api.example, proxy.example", "http://proxy.example:3128", ""},
		{"of the environment, a tunnel", "https://api.example", "", "api.example", "http://proxy.example:3128", ""},
		{"not for this host", "http://quiet.example", "", "quiet.example", "http://proxy.example:3128", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"http_proxy", "https_proxy", "HTTPS_PROXY", "no_proxy", "REQUEST_METHOD"} {
				t.Setenv(name, "")
			}
			t.Setenv("HTTP_PROXY", c.environment)
			t.Setenv("HTTPS_PROXY", c.environment)
			t.Setenv("NO_PROXY", "quiet.example")
			y := "version: 1\nsecrets: {TOKEN: {hosts: [" + c.hosts + "]}}\norigins:\n  a: {url: '" + c.url + "'"
			if c.proxy != "" {
				y += ", proxy: '" + c.proxy + "'"
			}
			y += "}\nprobes:\n  - {name: p, origin: a, get: \"/x?k=${env.TOKEN}\"}\n"
			env := lookupIn(map[string]string{"TOKEN": secret, "PU": "user", "PH": "proxy.example"})
			d, err := LoadBytes("x.yaml", []byte(y), LoadOptions{})
			if err == nil {
				_, err = NewPlan(d, d.Probes, Options{Env: env})
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}

// TestACaptureTakesNoBoundSecretElsewhere: an origin reflects the secret that it
// was sent, and what it gives goes only where the secret may.
func TestACaptureTakesNoBoundSecretElsewhere(t *testing.T) {
	const value = "s3cret-token"
	encoded := base64.StdEncoding.EncodeToString([]byte("id:" + value))
	for _, c := range []struct {
		name, given, host string
		asked             bool
	}{
		{"as it is", "x" + value, "evil.example", false},
		{"in base64", encoded, "evil.example", false},
		{"percent-encoded", strings.ReplaceAll(value, "-", "%2D"), "evil.example", false},
		{"another value", "nothing", "evil.example", true},
		{"a listed host", value, "alt.example", true},
	} {
		asked := false
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			if r.URL.Host == "api.example" {
				return respond(r, 200, `{"v":"`+c.given+`"}`), nil
			}
			asked = true
			return respond(r, 200, "{}"), nil
		}}
		d := declare(t, `
version: 1
secrets: {TOKEN: {hosts: [api.example, alt.example]}}
origins:
  a: {url: "https://api.example", headers: {X-Key: "${env.TOKEN}"}}
  b: {url: "https://`+c.host+`"}
probes:
  - {name: gives, origin: a, get: /g, capture: {v: {path: $.v}}}
  - {name: takes, origin: b, get: "/t?k=${gives.v}"}
`)
		rep := runPlan(t, t.Context(), d, tr, Options{Env: lookupIn(map[string]string{"TOKEN": value})})
		r := rep.Results[1]
		if asked != c.asked || r.Asked != c.asked {
			t.Errorf("%s: asked %v, %+v", c.name, asked, r)
		}
		want := "não foi perguntada: o valor v que a sonda gives deu contém o segredo TOKEN, que não pode ir para evil.example"
		if !c.asked && (r.Finding != Alheio || deref(r.Detail, "") != DetailBoundSecret || deref(r.Motivo, "") != want || len(r.Trips) != 0) {
			t.Errorf("%s: %s %s", c.name, r.Finding, deref(r.Motivo, ""))
		}
		said, err := json.Marshal(rep.Results)
		if err != nil || strings.Contains(string(said), value) {
			t.Errorf("%s: %s %v", c.name, said, err)
		}
	}
}

// TestWhatIsLearntLaterIsHiddenEarlier: a result was made before the capture
// that says what in it is a secret.
func TestWhatIsLearntLaterIsHiddenEarlier(t *testing.T) {
	synctest.Test(t, learntLater)
}

func learntLater(t *testing.T) {
	const value = "k3y-of-the-session"
	encoded := base64.StdEncoding.EncodeToString([]byte(value))
	early := make(chan struct{}) // closed when the first probe has its result
	tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
		switch r.URL.Path {
		case "/login":
			<-early
			return respond(r, 200, `{"token":"`+value+`"}`), nil
		case "/warned":
			return respond(r, 200, `{"v":"`+value+`"}`), nil
		}
		return respond(r, 400, "bad key "+value+" or "+encoded), nil
	}}
	d := declare(t, header+`
  - {name: early, origin: o, get: /early}
  - {name: warned, origin: o, get: /warned, expect: {json: [{path: $.v, equals: other}]}}
  - {name: login, origin: o, get: /login, capture: {token: {path: $.token, secret: true}}}
`)
	done := 0
	var mu sync.Mutex
	rep := runPlan(t, t.Context(), d, tr, Options{Observe: func(e Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == EventDone && e.Probe != "login" {
			said, _ := json.Marshal(e.Result)
			if !strings.Contains(string(said), value) {
				t.Errorf("nothing to hide in %s", said)
			}
			if done++; done == 2 {
				close(early)
			}
		}
	}})
	said, err := json.Marshal(rep.Results)
	if err != nil || strings.Contains(string(said), value) || strings.Contains(string(said), strings.TrimRight(encoded, "=")) {
		t.Errorf("%s %v", said, err)
	}
	for i, want := range []string{"bad key [redacted:login.token] or [redacted:login.token]", ""} {
		if r := rep.Results[i]; !strings.Contains(deref(r.Motivo, ""), want) || want == "" && !strings.Contains(r.Mismatches[0].Got, "[redacted:login.token]") {
			t.Errorf("%s: %s %+v", r.Name, deref(r.Motivo, ""), r.Mismatches)
		}
	}
}

func TestDeclaredSecretsAreFitToHide(t *testing.T) {
	d := loadText(t, boundSecrets)
	for value, want := range map[string]string{"": "is empty", "abc": "is shorter than 4", "true": "is a word that every report holds"} {
		env := map[string]string{"BASE": "https://api.example", "MIRROR": "https://api.example", "KEY": "", "TOKEN": "long enough", "FREE": value}
		if err := d.Missing(d.Probes, lookupIn(env)); err == nil || !strings.Contains(err.Error(), "FREE "+want) || !strings.Contains(err.Error(), "secrets:") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

func TestRedactorKnowsEverySecret(t *testing.T) {
	d := loadText(t, `version: 1
secrets: {UNUSED: {hosts: [x.example]}, UNSET: }
origins:
  a: {url: "https://a.example", auth: {basic: {user: "${env.U}", password: "${env.P}"}}, proxy: "http://${env.PU}@p.example:1", headers: {X: "${env.SHOWN}"}}
  b: {url: "https://b.example", auth: {header: {name: X-Key, value: "Token ${env.K}"}}}
probes:
  - {name: p, origin: a, get: /x}
`)
	r := d.Redactor(func(name string) (string, bool) { return "value-of-" + name + "-", name != "UNSET" })
	for _, name := range []string{"UNUSED", "U", "P", "PU", "K"} {
		if got := r.String("value-of-" + name + "-"); got != "[redacted:"+name+"]" {
			t.Errorf("%s is shown as %q", name, got)
		}
	}
	if got := r.String("value-of-SHOWN-"); got != "value-of-SHOWN-" {
		t.Errorf("%q", got)
	}
}

// TestRedactorKnowsTheCredentialsOfProxies that a variable holds inside an
// address, whoever reads that variable.
func TestRedactorKnowsTheCredentialsOfProxies(t *testing.T) {
	d := loadText(t, `version: 1
connectivity: up.example:443
defaults: {proxy: "${env.UP}"}
origins:
  a: {url: "https://a.example", proxy: "${env.WHOLE}"}
  b: {url: "https://b.example", proxy: "http://${env.END}"}
probes:
  - {name: p, origin: a, get: /x}
`)
	r := d.Redactor(lookupIn(map[string]string{
		"HTTP_PROXY": "http://bob:S3cr%40t%2Fpw@proxy.example:3128", "https_proxy": "carol:tok%zz-en@proxy.example",
		"WHOLE": "socks5://only-a-token@proxy.example", "END": "dave:pass-word@proxy.example", "UP": "http://up:up-word@proxy.example",
		"http_proxy": "http://proxy.example:1", "HTTPS_PROXY": "http://eve:pw@proxy.example",
	}))
	for text, want := range map[string]string{
		"S3cr@t/pw":               "[redacted:HTTP_PROXY]",
		"S3cr%40t%2fpw":           "[redacted:HTTP_PROXY]",
		basic("bob:S3cr@t/pw"):    "Basic [redacted:HTTP_PROXY]",
		"tok%zz-en":               "[redacted:https_proxy]",
		basic("eve:pw"):           "Basic [redacted:HTTPS_PROXY]",
		basic("only-a-token:"):    "Basic [redacted:WHOLE]g==",
		basic("dave:pass-word"):   "Basic [redacted:END]",
		"pass-word and up-word":   "[redacted:END] and [redacted:UP]",
		"http://proxy.example:1/": "http://proxy.example:1/",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func basic(credentials string) string {
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(credentials))
}

const knownFailures = `version: 1
known_failures:
  - {probe: one, finding: drift, until: 2026-12-31, issue: https://tracker.example/7, reason: they know}
  - {probe: 'many-*', finding: respondeu, until: 2026-12-31, reason: under way}
origins: {a: {url: https://a.example}}
probes:
  - {name: one, origin: a, get: /1}
  - {name: many-1, origin: a, get: /2}
  - {name: many-2, origin: a, get: /3}
  - {name: other, origin: a, get: /4}
`

func TestKnownFailures(t *testing.T) {
	d := loadText(t, knownFailures)
	before, after := time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	type row map[string]Finding
	for _, c := range []struct {
		name  string
		at    time.Time
		found row
		known map[string]string // the label of each result that has one
		over  map[string]string // its code, where it fails by it
	}{
		{"as known", before, row{"one": Drift, "many-1": Respondeu, "many-2": OK, "other": Drift},
			map[string]string{"one": "https://tracker.example/7", "many-1": "under way"}, nil},
		{"another finding is not known", before, row{"one": Respondeu, "many-1": Drift}, nil, nil},
		{"not measured says nothing", before, row{"one": Indisponivel, "many-1": Ambiguo, "many-2": OK}, nil, nil},
		{"no longer fails", before, row{"one": OK}, map[string]string{"one": "https://tracker.example/7"}, map[string]string{"one": KnownPasses}},
		{"of a pattern, a part of it says nothing", before, row{"many-1": OK}, nil, nil},
		{"of a pattern, all of it", before, row{"many-1": OK, "many-2": OK},
			map[string]string{"many-1": "under way", "many-2": "under way"}, map[string]string{"many-1": KnownPasses, "many-2": KnownPasses}},
		{"past its date", after, row{"one": Drift, "many-1": Respondeu, "many-2": OK},
			map[string]string{"one": "https://tracker.example/7", "many-1": "under way"}, map[string]string{"one": KnownExpired, "many-1": KnownExpired}},
		{"past its date, whatever is found", after, row{"one": Indisponivel, "many-1": OK, "many-2": OK},
			map[string]string{"one": "https://tracker.example/7", "many-1": "under way"}, map[string]string{"one": KnownExpired, "many-1": KnownExpired}},
		{"not selected", after, row{"other": OK}, nil, nil},
	} {
		report := &Report{StartedAt: c.at}
		for _, p := range d.Probes {
			if f, ok := c.found[p.Name]; ok {
				report.Results = append(report.Results, Result{Name: p.Name, Finding: f, Measured: f == OK || f == Drift, Mismatches: []expect.Mismatch{}})
			}
		}
		d.applyKnown(report)
		first := slices.Clone(report.Results)
		d.ApplyPast(report)
		equal(t, c.name+": judged anew", first, report.Results)
		known, over := map[string]string{}, map[string]string{}
		for i := range report.Results {
			r := &report.Results[i]
			if r.KnownFailure != nil {
				known[r.Name] = *r.KnownFailure
			}
			if code := KnownFailureOver(r); code != "" {
				over[r.Name] = code
			}
			if f := c.found[r.Name]; r.Finding != f {
				t.Errorf("%s: %s became %s", c.name, f, r.Finding)
			}
		}
		if c.over == nil {
			c.over = map[string]string{}
		}
		if c.known == nil {
			c.known = map[string]string{}
		}
		equal(t, c.name+": known", c.known, known)
		equal(t, c.name+": over", c.over, over)
	}
	if n := len(d.Overdue(before)); n != 0 {
		t.Errorf("%d are over on their last day", n)
	}
	if n := len(d.Overdue(after)); n != 2 {
		t.Errorf("%d are over on the day after", n)
	}
}

// A known failure has the age limit of its entry, and where that has none the
// probe's, for as long as it holds.
func TestKnownFailuresAndAges(t *testing.T) {
	d := loadText(t, `version: 1
known_failures:
  - {probe: down, finding: indisponivel, until: 2026-12-31, reason: x, max_unmeasured: 60d}
  - {probe: down, finding: ambiguo, until: 2026-12-31, reason: x}
  - {probe: gone, finding: indisponivel, until: 2020-12-31, reason: x, max_unmeasured: 60d}
origins: {a: {url: https://a.example}}
probes: [{name: down, origin: a, get: /1}, {name: gone, origin: a, get: /2}]
`)
	const day = int64(24 * time.Hour / time.Millisecond)
	for _, c := range []struct {
		name    string
		finding Finding
		before  *int64
		want    *int64
	}{
		{"down", Indisponivel, some(day), some(60 * day)},
		{"down", Indisponivel, nil, some(60 * day)},
		{"down", Ambiguo, some(day), some(day)},
		{"down", Ambiguo, nil, nil},
		{"down", Respondeu, some(day), some(day)},
		{"gone", Indisponivel, some(day), some(day)},
	} {
		report := &Report{StartedAt: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC), Results: []Result{
			{Name: c.name, Finding: c.finding, Past: &Past{MaxUnmeasuredMS: c.before}},
			{Name: c.name, Finding: c.finding},
		}}
		d.applyKnown(report)
		d.ApplyPast(report)
		equal(t, c.name+" "+string(c.finding), c.want, report.Results[0].Past.MaxUnmeasuredMS)
	}
}

// What the history makes drift of is a known failure like any other drift, and no
// known failure that is over.
func TestKnownFailuresOfTheHistory(t *testing.T) {
	d := loadText(t, `version: 1
known_failures: [{probe: empty, finding: drift, until: 2026-12-31, reason: x}]
origins: {a: {url: https://a.example}}
probes: [{name: empty, origin: a, get: /1}]
`)
	late := []expect.Mismatch{{Code: "max_empty", Severity: expect.Fail}}
	for _, c := range []struct {
		at    time.Time
		over  string
		codes int
	}{
		{time.Date(2026, 12, 31, 23, 59, 59, 0, time.UTC), "", 1},
		{time.Date(2026, 12, 31, 21, 0, 0, 0, time.FixedZone("BRT", -3*3600)), KnownExpired, 2},
	} {
		report := &Report{StartedAt: c.at, Results: []Result{{Name: "empty", Finding: OK, Measured: true, Mismatches: []expect.Mismatch{}}}}
		d.applyKnown(report)
		r := &report.Results[0]
		r.Finding, r.Mismatches = Drift, append(r.Mismatches, late...)
		d.ApplyPast(report)
		if over := KnownFailureOver(r); r.KnownFailure == nil || over != c.over || len(r.Mismatches) != c.codes {
			t.Errorf("%s: known %v, over %q, %+v", c.at, r.KnownFailure, over, r.Mismatches)
		}
	}
}

// brokenTransport panics with what it was sent.
type brokenTransport struct{}

func (brokenTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	panic("broken by " + r.Header.Get("Authorization") + " of " + r.URL.String())
}

func TestAPanicOfATransportHidesSecrets(t *testing.T) {
	d := loadText(t, "version: 1\nsecrets: {KEY: }\norigins: {a: {url: 'https://a.example', auth: {bearer: '${env.TOKEN}'}}}\nprobes: [{name: p, origin: a, get: '/x?k=${env.KEY}'}]\n")
	plan, err := NewPlan(d, d.Probes, Options{
		Env:       lookupIn(map[string]string{"TOKEN": "s3cret-token", "KEY": "s3cret key"}),
		Transport: func(*Origin) http.RoundTripper { return brokenTransport{} },
	})
	if err != nil {
		t.Fatal(err)
	}
	r := plan.Run(t.Context()).Results[0]
	said, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"s3cret-token", "s3cret key", "s3cret%20key", "s3cret+key"} {
		if strings.Contains(string(said), secret) {
			t.Errorf("%s is shown: %s", secret, said)
		}
	}
	if r.Finding != Alheio {
		t.Errorf("%s", said)
	}
}
