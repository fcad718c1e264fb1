package checks

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/fetch"
)

var reproduceEnv = map[string]string{
	"TOKEN": "t0ken-'of\"$(id)`id`", "HOST": "api.example", "KEY": "k&y=1 2", "PLAIN": "plain", "U": "user", "P": "pa:ss w0rd",
}

func reproducePlan(t *testing.T, d *Declaration, agent string) *Plan {
	t.Helper()
	p, err := NewPlan(d, d.Probes, Options{UserAgent: agent, Env: func(name string) (string, bool) { v, ok := reproduceEnv[name]; return v, ok }})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReproduce(t *testing.T) {
	cases := []struct{ name, origin, probe, want string }{
		{"a plain GET", "url: https://a.example", `get: "/x?a=1&b=2"`,
			`curl -sS -g -i --max-time 10 --compressed -H 'User-Agent: agent/1' 'https://a.example/x?a=1&b=2'`},
		{"quotes are inert", "url: https://a.example, user_agent: \"it's $HOME `id`\"", "get: \"/x?q='$(id)'\"",
			`curl -sS -g -i --max-time 10 --compressed -H 'User-Agent: it'\''s $HOME ` + "`id`" + `' 'https://a.example/x?q='\''$(id)'\'''`},
		{"a token", `url: https://a.example, auth: {bearer: "${env.TOKEN}"}, headers: {Accept: a/b}`, "get: /x, timeout: 1500ms",
			`curl -sS -g -i --max-time 1.5 --compressed -H 'Accept: a/b' -H 'Authorization: Bearer '"$TOKEN" -H 'User-Agent: agent/1' https://a.example/x`},
		{"user and password", `url: https://a.example, auth: {basic: "${env.U}:${env.P}"}`, "get: /x",
			`curl -sS -g -i --max-time 10 -u "$U":"$P" --compressed -H 'User-Agent: agent/1' https://a.example/x`},
		{"a host of the environment", `url: "https://${env.HOST}/v1"`, "get: /x",
			`curl -sS -g -i --max-time 10 --compressed -H 'User-Agent: agent/1' https://"$HOST"/v1/x`},
		{"a key that needs no encoding", "url: https://a.example", `get: "/x?k=${env.PLAIN}&f=json"`,
			`curl -sS -g -i --max-time 10 --compressed -H 'User-Agent: agent/1' 'https://a.example/x?k='"$PLAIN"'&f=json'`},
		{"a key that curl has to encode", "url: https://a.example", `get: "/x?k=a%20${env.KEY}&f=json"`,
			`curl -sS -g -i --max-time 10 --compressed -H 'User-Agent: agent/1' -G --data-urlencode 'k=a '"$KEY" 'https://a.example/x?f=json'`},
		{"HEAD", "url: https://a.example", "request: {method: HEAD, path: /x}",
			`curl -sS -g -I --max-time 10 --compressed -H 'User-Agent: agent/1' https://a.example/x`},
		{"JSON", "url: https://a.example", `request: {method: POST, path: /x, json: {q: "it's ${env.PLAIN}"}}`,
			`curl -sS -g -i --max-time 10 --compressed -H 'Content-Type: application/json' -H 'User-Agent: agent/1' --data-raw '{"q":"it'\''s '"$PLAIN"'"}' https://a.example/x`},
		{"JSON that a shell cannot encode", "url: https://a.example", `request: {method: PUT, path: /x, json: {q: "${env.TOKEN}"}}`,
			`curl -sS -g -i --max-time 10 --compressed -H 'Content-Type: application/json' -H 'User-Agent: agent/1' -X PUT --data-binary @request-body https://a.example/x`},
		{"a form", "url: https://a.example", `request: {method: POST, path: /x, form: {"a b": "${env.KEY}", c: "@d"}}`,
			`curl -sS -g -i --max-time 10 --compressed -H 'Content-Type: application/x-www-form-urlencoded' -H 'User-Agent: agent/1' --data-urlencode a+b="$KEY" --data-urlencode c=@d https://a.example/x`},
		{"text without a type", "url: https://a.example", `request: {method: PATCH, path: /x, body: "@file"}`,
			`curl -sS -g -i --max-time 10 --compressed -H Content-Type: -H 'User-Agent: agent/1' -X PATCH --data-raw @file https://a.example/x`},
		{"bytes that a shell cannot hold", "url: https://a.example", `request: {method: POST, path: /x, body: "a\u0001b"}`,
			`curl -sS -g -i --max-time 10 --compressed -H Content-Type: -H 'User-Agent: agent/1' --data-binary @request-body https://a.example/x`},
		{"the way out", `url: https://a.example, proxy: "http://${env.U}:${env.PLAIN}@p.example:3128", http2: false, prefer_ip: 6, tls: {min_version: 1.3}`, "get: /x",
			`curl -sS -g -i --max-time 10 -x http://p.example:3128 -U "$U":"$PLAIN" --tlsv1.3 --http1.1 -6 --compressed -H 'User-Agent: agent/1' https://a.example/x`},
		{"no proxy", "url: https://a.example, proxy: none", "get: /x",
			`curl -sS -g -i --max-time 10 --noproxy '*' --compressed -H 'User-Agent: agent/1' https://a.example/x`},
		{"an empty header", `url: https://a.example, headers: {X-Empty: "", Accept-Encoding: identity}`, "get: /x",
			`curl -sS -g -i --max-time 10 -H 'Accept-Encoding: identity' -H 'User-Agent: agent/1' -H 'X-Empty;' https://a.example/x`},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			d := declare(t, "version: 1\norigins: {o: {"+c.origin+"}}\nprobes:\n  - {name: p, origin: o, "+c.probe+"}")
			p := reproducePlan(t, d, "agent/1")
			got := p.reproduce(p.probes[0].begin(), &Result{})
			if got != c.want {
				t.Errorf("\n got %s\nwant %s", got, c.want)
			}
			for name, v := range reproduceEnv {
				if name != "U" && name != "PLAIN" && strings.Contains(got, v) {
					t.Errorf("the value of %s is in it", name)
				}
			}
		})
	}
}

func TestReproduceFollowsOnlyAtHome(t *testing.T) {
	for _, c := range []struct {
		origin, final string
		follows       bool
	}{
		{"url: https://a.example", "", false},
		{"url: https://a.example", "https://a.example/y", true},
		{"url: https://a.example, headers: {X-Key: k}", "https://a.example/y", true},
		{"url: https://a.example, redirects: follow", "https://b.example/y", true},
		{"url: https://a.example, redirects: follow, headers: {X-Key: k}", "https://b.example/y", false},
		{"url: https://a.example, redirects: none", "https://a.example/y", false},
		{"url: http://a.example", "https://a.example/y", false},
	} {
		d := declare(t, "version: 1\norigins: {o: {"+c.origin+"}}\nprobes:\n  - {name: p, origin: o, get: /x}")
		p := reproducePlan(t, d, "")
		got := p.reproduce(p.probes[0].begin(), &Result{FinalURL: some(c.final)})
		if strings.Contains(got, " -L --proto-redir =https ") != c.follows {
			t.Errorf("%s to %q: %s", c.origin, c.final, got)
		}
		if strings.Contains(got, "b.example") {
			t.Errorf("an address of the origin's is in it: %s", got)
		}
	}
}

// TestReproduceAsksTheSame pastes commands into sh and compares what arrives.
func TestReproduceAsksTheSame(t *testing.T) {
	curl, err := exec.LookPath("curl")
	if err != nil {
		t.Skip("curl is not here")
	}
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		h := r.Header.Clone()
		h.Del("Accept-Encoding")
		h.Del("Content-Length")
		line, _ := json.Marshal([]any{r.Method, r.URL.EscapedPath(), r.URL.Query(), h, string(body)})
		seen = append(seen, string(line))
	}))
	defer server.Close()
	for _, probe := range []string{
		"get: \"/x?q='$(id)'&r=[1]{2}\"",
		`get: "/x?k=a%20${env.KEY}&f=json"`,
		`get: "/x?k=${env.TOKEN}"`,
		`request: {method: POST, path: "/x?k=${env.PLAIN}", json: {q: "it's ${env.PLAIN} \\ \" é"}}`,
		`request: {method: POST, path: /x, form: {"a b": "${env.KEY}", c: "@d", e: ""}}`,
		`request: {method: PATCH, path: /x, body: "line 1\nline 2 ${env.TOKEN}\n"}`,
		`request: {method: DELETE, path: /x, headers: {X-Odd: "a'b\"c$HOME", X-Empty: ""}}`,
	} {
		d := declare(t, "version: 1\norigins: {o: {url: '"+server.URL+"', auth: {basic: '${env.U}:${env.P}'}, proxy: none}}\nprobes:\n  - {name: p, origin: o, "+probe+"}")
		p := reproducePlan(t, d, "")
		req := p.probes[0].request
		if _, err := p.probes[0].origin.client.Do(t.Context(), &req); err != nil {
			t.Fatal(err)
		}
		command := p.reproduce(p.probes[0].begin(), &Result{})
		sh := exec.CommandContext(t.Context(), "sh", "-c", command)
		sh.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nowhere"}
		for name, v := range reproduceEnv {
			sh.Env = append(sh.Env, name+"="+v)
		}
		if out, err := sh.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s\n%s", curl, err, command, out)
		}
		if len(seen) != 2 || seen[0] != seen[1] {
			t.Errorf("%s\nasked %s", command, strings.Join(seen, "\n then "))
		}
		seen = nil
	}
}

func FuzzShellWord(f *testing.F) {
	for _, s := range []string{"", "a b", "it's", "$(id)", "`id`", "\\", "\n", markOpen + "NAME" + markClose, markOpen + "; rm" + markClose, "-x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c := &command{hide: func(s string) string { return s }}
		word := c.shellWord(s)
		// Whatever stands outside single quotes is a plain character, an
		// escaped quote or a "$NAME".
		for rest := word; rest != ""; {
			switch {
			case rest[0] == '\'':
				end := strings.IndexByte(rest[1:], '\'')
				if end < 0 {
					t.Fatalf("an open quote: %s", word)
				}
				rest = rest[end+2:]
			case strings.HasPrefix(rest, `\'`):
				rest = rest[2:]
			case strings.HasPrefix(rest, `"$`):
				name, after, ok := strings.Cut(rest[2:], `"`)
				if !ok || !IsName("A"+name) || strings.ContainsAny(name, "-.") {
					t.Fatalf("not a name: %s", word)
				}
				rest = after
			case isPlain(rest[:1]):
				rest = rest[1:]
			default:
				t.Fatalf("%q is not inert: %s", rest[0], word)
			}
		}
	})
}

func TestEveryFailureHasACommand(t *testing.T) {
	tr := script(map[string][]string{"/ok": {"200 x"}, "/down": {"503 x"}, "/gone": {"404 x"}})
	rep := runPlan(t, t.Context(), declare(t, `
version: 1
origins: {o: {url: "https://o.example", retries: 0, confirm: {trips: 1}}}
probes:
  - {name: ok, origin: o, get: /ok}
  - {name: down, origin: o, get: /down}
  - {name: down-too, origin: o, get: /down}
  - {name: gone, origin: o, get: /gone}
  - {name: drift, origin: o, get: /ok, expect: {body: {contains: y}}}
`), tr, Options{UserAgent: fetch.DefaultUserAgent})
	for _, r := range rep.Results {
		if (r.Reproduce == nil) != (r.Finding == OK) {
			t.Errorf("%s %s: %v", r.Name, r.Finding, deref(r.Reproduce, "none"))
		}
	}
}

func BenchmarkReproduce(b *testing.B) {
	d, err := LoadBytes("t.yaml", []byte(`
version: 1
origins: {o: {url: "https://o.example/v1", auth: {bearer: "${env.TOKEN}"}, headers: {Accept: a/b}}}
probes:
  - {name: p, origin: o, get: "/x?k=${env.PLAIN}&f=json"}
`), LoadOptions{})
	if err != nil {
		b.Fatal(err)
	}
	p, err := NewPlan(d, d.Probes, Options{Env: func(name string) (string, bool) { v, ok := reproduceEnv[name]; return v, ok }})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		p.reproduce(p.probes[0].begin(), &Result{})
	}
}
