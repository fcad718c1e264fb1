package checks

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/google/go-cmp/cmp"
)

func everyKey(t *testing.T) *Declaration {
	t.Helper()
	d, err := Load([]string{"testdata/valid/every-key.yaml"}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// rawOf lists texts as they were declared.
func rawOf(params []Param) (out []string) {
	for _, p := range params {
		out = append(out, p.Name+"="+p.Value.Raw())
	}
	return out
}

func headersOf(headers []Header) (out []string) {
	for _, h := range headers {
		out = append(out, h.Name+": "+h.Value.Raw())
	}
	return out
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func TestOriginsOverDefaults(t *testing.T) {
	d := everyKey(t)
	sgs, basic, short, key := d.Origins[0], d.Origins[1], d.Origins[2], d.Origins[3]

	equal(t, "sgs policy", fetch.Policy{
		Timeout: 5 * time.Second, Budget: time.Minute, Retries: 1,
		Backoff:   fetch.Backoff{Strategy: fetch.Linear, Base: 100 * time.Millisecond, Max: 2 * time.Second, FullJitter: true},
		RetryOn:   &fetch.RetryOn{Kinds: []fetch.Kind{fetch.Timeout}, Statuses: []int{503, 599, 999}},
		Redirects: fetch.RedirectsFollow, MaxBody: 1 << 20, MaxInFlight: 64,
	}, sgs.Policy)
	equal(t, "sgs ambiguous", Retrip{Trips: 1, Wait: 5 * time.Second}, sgs.Ambiguous)
	equal(t, "sgs confirm", Retrip{Trips: 3}, sgs.Confirm)
	equal(t, "sgs headers", []string{"accept: text/plain", "X-Common: 1", "X-Own: ${env.OWN}"}, headersOf(sgs.Headers))
	equal(t, "sgs auth", []string{"bearer", "", "${env.SGS_TOKEN}"}, []string{sgs.Auth.Scheme, sgs.Auth.User.Raw(), sgs.Auth.Value.Raw()})

	want := fetch.DefaultPolicy()
	want.Timeout, want.Retries = 5*time.Second, 1
	equal(t, "basic policy", want, basic.Policy)
	equal(t, "basic retrips", []Retrip{{2, 5 * time.Second}, {2, time.Second}}, []Retrip{basic.Ambiguous, basic.Confirm})
	equal(t, "basic headers", []string{"Accept: application/json", "X-Common: 1"}, headersOf(basic.Headers))
	equal(t, "basic agent", "fonteviva-test/1.0 (+https://example.org)", basic.UserAgent.Raw())
	if short.Policy.RetryOn == nil || len(short.Policy.RetryOn.Kinds) != 0 {
		t.Error("an empty retry_on retries nothing, which is not the default")
	}
	for _, o := range []*Origin{basic, short} {
		equal(t, o.Name, []string{"basic", "${env.U}", "${env.P}"}, []string{o.Auth.Scheme, o.Auth.User.Raw(), o.Auth.Value.Raw()})
	}
	equal(t, "key auth", []string{"header", "X-Api-Key", "Token ${env.KEY}"}, []string{key.Auth.Scheme, key.Auth.Name, key.Auth.Value.Raw()})
	equal(t, "place", "testdata/valid/every-key.yaml:11:3", sgs.Pos.String())
}

func TestProbesOverOrigins(t *testing.T) {
	d := everyKey(t)
	p := d.Probes[0]
	if p.Name != "selic-diaria" || p.Title != "Selic diária | meta" || p.Origin != d.Origins[0] || !p.JSON || p.Share ||
		p.Empty != EmptyFail || p.MaxUnmeasured != 24*time.Hour || p.MaxEmpty != 5*24*time.Hour || p.Expect == nil {
		t.Errorf("%+v", p)
	}
	equal(t, "tags", []string{"daily", "bcb"}, p.Tags)
	equal(t, "path", "/dados/ultimos/20?formato=json&nome=S%C3%A3o", p.Request.Path.Raw())
	want := d.Origins[0].Policy
	want.Timeout, want.Retries, want.Backoff.FullJitter = 30*time.Second, 0, false
	want.RetryOn = &fetch.RetryOn{Kinds: []fetch.Kind{fetch.Network}}
	equal(t, "policy", want, p.Policy)

	plain := d.Probes[1]
	if plain.JSON || !plain.Share || plain.Empty != EmptyWarn || plain.MaxUnmeasured != 7*24*time.Hour ||
		plain.Request.Method != "GET" || !plain.Request.Path.IsZero() || plain.Expect == nil {
		t.Errorf("%+v", plain)
	}
	equal(t, "one tag", []string{"daily"}, plain.Tags)
	equal(t, "its origin's policy", d.Origins[1].Policy, plain.Policy)
}

func TestRequests(t *testing.T) {
	d := everyKey(t)
	posted, form, text := d.Probes[2].Request, d.Probes[3].Request, d.Probes[4]

	equal(t, "query", []string{"a=1", "b=2", "b=${env.B}"}, rawOf(posted.Query))
	equal(t, "headers", []string{"Content-Type: application/vnd.x+json", "User-Agent: other"}, headersOf(posted.Headers))
	equal(t, "json", `{"z":1.50,"a":["${env.B}",null,true,"2026-11-29"],"é":"a\"b<"}`, posted.Text.Raw())
	equal(t, "refs", []source.Ref{{Scope: "env", Name: "B"}}, posted.Text.Refs())
	if posted.Method != "POST" || posted.Type != "application/json" || !posted.Idempotent {
		t.Errorf("%+v", posted)
	}
	equal(t, "form", []string{"x=1", "x=2", "y=a b"}, rawOf(form.Form))
	if form.Method != "PUT" || form.Type != formType || !form.Idempotent {
		t.Errorf("%+v", form)
	}
	if r := text.Request; r.Method != "PURGE" || r.Text.Raw() != "line ${env.B}\n" || r.Type != "" || r.Idempotent || text.JSON {
		t.Errorf("%+v", text)
	}
}

func TestRawBlocks(t *testing.T) {
	d := everyKey(t)
	var flat func(list []Raw) []string
	flat = func(list []Raw) (out []string) {
		for _, r := range list {
			out = append(out, r.Key+"="+r.Value+"@"+strings.TrimPrefix(r.Node.Pos().String(), "testdata/valid/every-key.yaml:"))
			out = append(out, flat(r.Children)...)
		}
		return out
	}
	equal(t, "settings", []string{"profile=smoke@3:21", "parallel=8@3:38"}, flat(d.Settings))
	equal(t, "formats", []string{"junit=@63:10", "drift=warn@63:18", "list=@63:30", "=a@63:31", "=@63:34", "b=c@63:38", "nothing=@63:52"}, flat(d.Formats))
	equal(t, "profiles", []string{"smoke=@65:10", "on=@65:15", "drift=warn@65:23"}, flat(d.Profiles))
}

func TestRawBlocksAreBounded(t *testing.T) {
	y := "version: 1\nsettings:\n  a: &a [x,x,x,x,x,x,x,x,x,x]\n  b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\n" +
		"  c: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\n  d: [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\n"
	d, err := LoadBytes("x.yaml", []byte(y), LoadOptions{})
	if ps := problems(t, d, err); !strings.Contains(ps[0].Message, "settings: holds more than 10000 entries") {
		t.Errorf("%v", ps)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	big := `"` + strings.Repeat("x", 10_000) + `"`
	y := "version: 1\norigins: {a: {url: 'https://a.example'}}\nprobes:\n  - {name: p, origin: a, request: {method: POST, json: [&s " + big +
		", &t [" + strings.Repeat("*s,", 99) + "*s], &u [" + strings.Repeat("*t,", 99) + "*t]]}}\n"
	d, err := LoadBytes("x.yaml", []byte(y), LoadOptions{})
	if ps := problems(t, d, err); ps[0].Message != "the body is larger than 8 MiB" {
		t.Errorf("%v", ps)
	}
}

// fileProbe is a declaration whose request sends a file.
func fileProbe(name string) string {
	return "version: 1\norigins: {a: {url: 'https://a.example'}}\nprobes:\n  - {name: p, origin: a, request: {method: POST, file: " + name + "}}\n"
}

func TestBodyFiles(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "declared")
	if err := os.MkdirAll(inner, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "secret", "outside")
	write(t, inner, "fine.json", "{}")
	write(t, inner, "big", strings.Repeat("x", maxBodySize+1))
	write(t, inner, "limit", strings.Repeat("x", maxBodySize))
	symlink(t, filepath.Join(dir, "secret"), filepath.Join(inner, "leaves"))
	symlink(t, "fine.json", filepath.Join(inner, "stays"))
	if err := syscall.Mkfifo(filepath.Join(inner, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, want string }{
		{"fine.json", ""}, {"./fine.json", ""}, {"stays", ""}, {"limit", ""},
		{"leaves", "cannot be read: path escapes from parent"},
		{"big", "cannot be read: it is larger than 8 MiB"},
		{"pipe", "cannot be read: it is not a plain file"},
		{"gone", "there is no file"},
		{"../secret", "is outside the declaration's folder"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, inner, "fonteviva.yaml", fileProbe(tt.name))
			d, err := Load([]string{filepath.Join(inner, "fonteviva.yaml")}, LoadOptions{})
			if tt.want == "" {
				if err != nil || len(d.Probes[0].Request.Body) == 0 {
					t.Error(err)
				}
				return
			}
			if ps := problems(t, d, err); !strings.Contains(ps[0].Message, tt.want) {
				t.Errorf("got %v, want %q", ps, tt.want)
			}
		})
	}
}

func symlink(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Symlink(from, to); err != nil {
		t.Fatal(err)
	}
}

func TestSameFileIsReadOnce(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "body", "abc")
	y := fileProbe("body") + "  - {name: q, origin: a, request: {method: POST, file: body}}\n"
	write(t, dir, "fonteviva.yaml", y)
	d, err := Load([]string{dir}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if &d.Probes[0].Request.Body[0] != &d.Probes[1].Request.Body[0] {
		t.Error("two copies of one file")
	}
}

func TestEmbeddedDeclarationHasNoFiles(t *testing.T) {
	d, err := LoadBytes("demo.yaml", []byte(fileProbe("body")), LoadOptions{})
	if ps := problems(t, d, err); ps[0].Message != "demo.yaml cannot name a file: it is none itself" {
		t.Errorf("%v", ps)
	}
}

func TestMergeKeysCompose(t *testing.T) {
	y := `version: 1
origins:
  a: &a {url: https://a.example, timeout: 3s}
  b: {<<: *a, retries: 0}
probes:
  - {name: p, origin: b, get: /}
`
	d, err := LoadBytes("x.yaml", []byte(y), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if p := d.Probes[0].Policy; p.Timeout != 3*time.Second || p.Retries != 0 {
		t.Errorf("%+v", p)
	}
}

func TestCheckTarget(t *testing.T) {
	for _, s := range []string{"", "/", "//x", "/a?b=c&d=%20", "/a:b@c", "/$metadata?$filter=a%20eq%20'b'", "/São", "/x?u=https://b.example/", "/${env.A}"} {
		if reason, _ := checkTarget(s); reason != "" {
			t.Errorf("%q %s", s, reason)
		}
	}
	for _, s := range []string{"a", "?a", "http://a", "/a#b", "/a b", "/%", "/%2", "/%zz", "/\x00", "/\x7f", "/\n", "mailto:x"} {
		if reason, _ := checkTarget(s); reason == "" {
			t.Errorf("%q is taken", s)
		}
	}
}

func TestCheckBaseURL(t *testing.T) {
	for _, s := range []string{"https://a.example", "HTTP://a.example:80/", "https://a.example/v1/", "http://[::1]:8080", "https://bücher.example", "http://localhost:65535"} {
		if reason, _ := checkBaseURL(s); reason != "" {
			t.Errorf("%q %s", s, reason)
		}
	}
	for _, s := range []string{"", "a.example", "//a.example", "https:///x", "https://:80", "https://u@a.example", "https://a.example?", "https://a.example#", "https://a.example:0", "https://a.example:x", "file:///etc"} {
		if reason, _ := checkBaseURL(s); reason == "" {
			t.Errorf("%q is taken", s)
		}
	}
}
