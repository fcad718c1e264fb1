package fetch

import (
	"bytes"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func only(status int) func(int) bool { return func(s int) bool { return s == status } }

func ptr[T any](v T) *T { return &v }

// selects stands for a compiled path that selects a member.
func selects(member string) func([]byte) bool {
	return func(b []byte) bool { return ValidJSON(b) && bytes.Contains(b, []byte(`"`+member+`"`)) }
}

func TestRuleMatch(t *testing.T) {
	seen := Seen{
		Status: 403, Path: "/api/v3/agregados/1",
		Header: http.Header{"Cf-Mitigated": {"challenge"}, "Vary": {"Accept", " Origin "}},
		Body:   []byte(`{"remark":"runtime error: timed out"}`),
	}
	for name, tt := range map[string]struct {
		rule Rule
		want bool
	}{
		"names nothing":            {Rule{}, true},
		"status":                   {Rule{Status: only(403)}, true},
		"another status":           {Rule{Status: only(404)}, false},
		"path":                     {Rule{Path: "/api/v3/**"}, true},
		"another path":             {Rule{Path: "/api/v3/*"}, false},
		"header is there":          {Rule{Header: []HeaderMatch{{Name: "cf-mitigated"}}}, true},
		"header is not there":      {Rule{Header: []HeaderMatch{{Name: "x-none"}}}, false},
		"header equals":            {Rule{Header: []HeaderMatch{{Name: "cf-mitigated", Equals: ptr("challenge")}}}, true},
		"header differs":           {Rule{Header: []HeaderMatch{{Name: "cf-mitigated", Equals: ptr("block")}}}, false},
		"the second value":         {Rule{Header: []HeaderMatch{{Name: "vary", Equals: ptr("Origin")}}}, true},
		"header matches":           {Rule{Header: []HeaderMatch{{Name: "vary", Matches: regexp.MustCompile("^Ori")}}}, true},
		"header does not match":    {Rule{Header: []HeaderMatch{{Name: "vary", Matches: regexp.MustCompile("^rig")}}}, false},
		"header exists, declared":  {Rule{Header: []HeaderMatch{{Name: "vary", Exists: ptr(true)}}}, true},
		"header must not exist":    {Rule{Header: []HeaderMatch{{Name: "vary", Exists: ptr(false)}}}, false},
		"header does not exist":    {Rule{Header: []HeaderMatch{{Name: "x-none", Exists: ptr(false)}}}, true},
		"all headers":              {Rule{Header: []HeaderMatch{{Name: "vary"}, {Name: "x-none"}}}, false},
		"json selects":             {Rule{JSON: selects("remark")}, true},
		"json selects nothing":     {Rule{JSON: selects("elements")}, false},
		"body contains":            {Rule{BodyContains: "timed out"}, true},
		"body does not contain":    {Rule{BodyContains: "Timed out"}, false},
		"body matches":             {Rule{BodyMatches: regexp.MustCompile(`error:\s+timed`)}, true},
		"body does not match":      {Rule{BodyMatches: regexp.MustCompile(`^error`)}, false},
		"body is":                  {Rule{BodyIs: BodyIsJSON}, true},
		"body is not":              {Rule{BodyIs: BodyIsHTML}, false},
		"an unknown body_is":       {Rule{BodyIs: "pdf"}, false},
		"everything":               {Rule{Status: only(403), Path: "/api/**", Header: []HeaderMatch{{Name: "vary"}}, BodyIs: BodyIsJSON, BodyContains: "runtime"}, true},
		"everything but one thing": {Rule{Status: only(403), Path: "/api/**", Header: []HeaderMatch{{Name: "vary"}}, BodyIs: BodyIsJSON, BodyContains: "nothing"}, false},
	} {
		if got := tt.rule.Match(seen); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
	unread := seen
	unread.NoBody, unread.Body = true, nil
	if (&Rule{BodyIs: BodyIsEmpty}).Match(unread) || !(&Rule{Status: only(403)}).Match(unread) {
		t.Error("a body that was not read decided")
	}
}

// TestRuleOfAReply: a tool's error is a result, a protocol error has a code and
// is none.
func TestRuleOfAReply(t *testing.T) {
	protocol, tool, fine := &RPC{Code: ptr(int64(-32601))}, &RPC{IsError: true}, &RPC{}
	for name, tt := range map[string]struct {
		rule Rule
		rpc  *RPC
		want bool
	}{
		"nothing of a reply":             {Rule{}, nil, true},
		"a code, and no reply":           {Rule{RPCCode: ptr(int64(-32601))}, nil, false},
		"is_error, and no reply":         {Rule{IsError: ptr(false)}, nil, false},
		"the code":                       {Rule{RPCCode: ptr(int64(-32601))}, protocol, true},
		"another code":                   {Rule{RPCCode: ptr(int64(-32602))}, protocol, false},
		"a code, and a tool's error":     {Rule{RPCCode: ptr(int64(-32601))}, tool, false},
		"is_error of a tool":             {Rule{IsError: ptr(true)}, tool, true},
		"is_error, and it went well":     {Rule{IsError: ptr(true)}, fine, false},
		"no error":                       {Rule{IsError: ptr(false)}, fine, true},
		"no error, and a tool's error":   {Rule{IsError: ptr(false)}, tool, false},
		"no error, and a protocol error": {Rule{IsError: ptr(false)}, protocol, false},
	} {
		if got := tt.rule.matchRPC(tt.rpc); got != tt.want {
			t.Errorf("%s: got %v, want %v", name, got, tt.want)
		}
	}
}

func TestBodyIs(t *testing.T) {
	const xhtml = `<?xml version="1.0" encoding="pt-br"?><!DOCTYPE html PUBLIC "x"><html><head><title>Requisição inválida!</title>`
	for body, want := range map[string]string{
		"": "empty", " \r\n": "empty", "\xef\xbb\xbf": "empty",
		"{}": "json", "\xef\xbb\xbf[1]": "json", "12": "json", "null": "json",
		"<html><body>": "html", "<!DOCTYPE HTML PUBLIC>\n<p>": "html", xhtml: "html",
		"<?xml version='1.0'?><rss/>": "xml", "<soapenv:Envelope><soapenv:Fault>": "xml",
		"plain": "", "&lt;html>": "", "{} {}": "", "{a:1}": "",
	} {
		for _, what := range []string{BodyIsEmpty, BodyIsJSON, BodyIsHTML, BodyIsXML} {
			if got := bodyIs(what, []byte(body)); got != (what == want) {
				t.Errorf("%q is %s: got %v", body, what, got)
			}
		}
	}
}

func TestMatchPath(t *testing.T) {
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"/a", "/a", true}, {"/a", "/a/", false}, {"/a", "/ab", false}, {"", "", true}, {"", "/", false},
		{"/*", "/a", true}, {"/*", "/", true}, {"/*", "/a/b", false}, {"/*/b", "/a/b", true}, {"/a*c", "/abbc", true},
		{"/**", "/a/b/c", true}, {"/**", "/", true}, {"/api/v3/**", "/api/v3/", true}, {"/api/v3/**", "/api/v3", false},
		{"/**/c", "/a/b/c", true}, {"/**/c", "/c", false}, {"**", "", true}, {"**c", "/a/b/c", true}, {"/***/c", "/a/b/c", true},
		{"/a?", "/ab", false}, {"/[a]", "/a", false}, {"/ação/*", "/ação/1", true},
	} {
		if got := MatchPath(tt.glob, tt.path); got != tt.want {
			t.Errorf("%q on %q: got %v, want %v", tt.glob, tt.path, got, tt.want)
		}
	}
	long := strings.Repeat("*a", 200) + "b"
	if MatchPath(long, strings.Repeat("a", 2000)) { // exponential where a matcher backtracks
		t.Error("matched")
	}
}

// FuzzMatchPath holds the matcher to the same glob written as a regular
// expression.
func FuzzMatchPath(f *testing.F) {
	for _, s := range [][2]string{{"/a/*/c", "/a/b/c"}, {"/**/x*", "/a/b/xy"}, {"***", "a"}, {"*/", "/"}, {"/é*", "/é\xff"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		if len(glob) > 200 || len(path) > 200 {
			return
		}
		var re strings.Builder
		for i := 0; i < len(glob); i++ {
			switch {
			case glob[i] != '*':
				re.WriteString(`\x{` + hex(glob[i]) + `}`)
			case i+1 < len(glob) && glob[i+1] == '*':
				for i+1 < len(glob) && glob[i+1] == '*' {
					i++
				}
				re.WriteString(`(?s:.*)`)
			default:
				re.WriteString(`[^/]*`)
			}
		}
		want := regexp.MustCompile(`^(?:` + re.String() + `)$`).MatchString(latin(path))
		if got := MatchPath(glob, path); got != want {
			t.Errorf("%q on %q: got %v, want %v", glob, path, got, want)
		}
	})
}

func hex(b byte) string { const d = "0123456789abcdef"; return string([]byte{d[b>>4], d[b&15]}) }

// latin makes each byte a rune, because regexp works on runes.
func latin(s string) string {
	r := make([]rune, len(s))
	for i := range len(s) {
		r[i] = rune(s[i])
	}
	return string(r)
}

// FuzzRuleMatch feeds rules with any answer: they are pure, and adding a
// condition never makes a rule match more.
func FuzzRuleMatch(f *testing.F) {
	f.Add(200, "/a", "v", []byte(`{"remark":1}`), "remark", "json")
	f.Add(403, "/", "challenge", []byte("<html>"), "", "html")
	f.Fuzz(func(t *testing.T, status int, path, header string, body []byte, contains, is string) {
		s := Seen{Status: status, Path: path, Header: http.Header{"X-A": {header}}, Body: body}
		r := Rule{Status: only(status), Path: "/**", BodyContains: contains, BodyIs: is}
		got := r.Match(s)
		if got != r.Match(s) {
			t.Fatal("not pure")
		}
		more := r
		more.Header = []HeaderMatch{{Name: "X-A", Equals: &header}}
		if more.Match(s) != got {
			t.Error("a header that equals itself changed the match")
		}
		less := Rule{Status: r.Status, Path: r.Path, BodyContains: contains}
		if got && !less.Match(s) {
			t.Error("fewer conditions match less")
		}
	})
}

// TestRuledTrips fixes what a rule makes of whole trips.
func TestRuledTrips(t *testing.T) {
	const html = "<html><title>Erro</title>"
	rule := func(m Means, r Rule) Rule { r.Name, r.Means = string(m), m; return r }
	for _, tt := range []struct {
		name      string
		rules     []Rule
		step      func(*http.Request) (*http.Response, error)
		req       Request
		config    func(*Config)
		answer    bool
		rule      string // the rule that decided
		kind      Kind
		requests  int
		anomalies int
		body      string
	}{
		{name: "404 that means absent", rules: []Rule{rule(MeansAbsent, Rule{Status: only(404), BodyContains: "not found"})},
			step: say(404, `{"erro":"Value(s) not found"}`), answer: true, rule: "absent", requests: 1, body: `{"erro":"Value(s) not found"}`},
		{name: "404 that the rule does not mean", rules: []Rule{rule(MeansAbsent, Rule{Status: only(404), BodyContains: "not found"})},
			step: say(404, "endpoint"), kind: NotFound, requests: 1},
		{name: "500 that means respondeu is not retried", rules: []Rule{rule(MeansRespondeu, Rule{Status: only(500)})},
			step: say(500, "bad"), rule: "respondeu", kind: HTTP5xx, requests: 1, anomalies: 1},
		{name: "403 that means indisponivel is retried", rules: []Rule{rule(MeansIndisponivel, Rule{Status: only(403)})},
			step: say(403, ""), rule: "indisponivel", kind: HTTP4xx, requests: 3, anomalies: 3},
		{name: "403 that means indisponivel, retry false", rules: []Rule{rule(MeansIndisponivel, Rule{Status: only(403), Retry: ptr(false)})},
			step: say(403, ""), rule: "indisponivel", kind: HTTP4xx, requests: 1, anomalies: 1},
		{name: "404 with retry true", rules: []Rule{rule(MeansRespondeu, Rule{Status: only(404), Retry: ptr(true)})},
			step: say(404, ""), rule: "respondeu", kind: NotFound, requests: 3},
		{name: "503 that means ambiguo", rules: []Rule{rule(MeansAmbiguo, Rule{Status: only(503)})},
			step: say(503, ""), rule: "ambiguo", kind: HTTP5xx, requests: 3, anomalies: 3},
		{name: "post is not retried by a rule", rules: []Rule{rule(MeansIndisponivel, Rule{Retry: ptr(true)})}, req: Request{Method: "POST"},
			step: say(503, ""), rule: "indisponivel", kind: HTTP5xx, requests: 1, anomalies: 1},
		{name: "200 with a remark is indisponivel", rules: []Rule{rule(MeansIndisponivel, Rule{Status: only(200), JSON: selects("remark")})}, req: Request{Mode: ModeJSON},
			step: say(200, `{"elements":[],"remark":"runtime error"}`), rule: "indisponivel", kind: MalformedBody, requests: 3, anomalies: 3},
		{name: "200 html is ambiguo", rules: []Rule{rule(MeansAmbiguo, Rule{BodyIs: BodyIsHTML})},
			step: say(200, html), rule: "ambiguo", kind: MalformedBody, requests: 3, anomalies: 3},
		{name: "200 that means respondeu has no kind", rules: []Rule{rule(MeansRespondeu, Rule{JSON: selects("message")})}, req: Request{Mode: ModeJSON},
			step: say(200, `[{"message":[]}]`), rule: "respondeu", kind: "", requests: 1},
		{name: "200 html that means respondeu has no kind in json mode", rules: []Rule{rule(MeansRespondeu, Rule{BodyIs: BodyIsHTML})}, req: Request{Mode: ModeJSON},
			step: say(200, html), rule: "respondeu", kind: "", requests: 1},
		{name: "200 that means alheio has no kind", rules: []Rule{rule(MeansAlheio, Rule{BodyContains: "key"})},
			step: say(200, "bad key"), rule: "alheio", kind: "", requests: 1},
		{name: "200 that means drift is an answer", rules: []Rule{rule(MeansDrift, Rule{BodyIs: BodyIsHTML})}, req: Request{Mode: ModeJSON},
			step: say(200, html), answer: true, rule: "drift", requests: 1, body: html},
		{name: "500 that means ok", rules: []Rule{rule(MeansOK, Rule{Status: only(500)})},
			step: say(500, "fine"), answer: true, rule: "ok", requests: 1, body: "fine"},
		{name: "empty 200 that means absent", rules: []Rule{rule(MeansAbsent, Rule{BodyIs: BodyIsEmpty})}, req: Request{Mode: ModeJSON},
			step: say(200, ""), answer: true, rule: "absent", requests: 1},
		{name: "the first match wins", rules: []Rule{rule(MeansAmbiguo, Rule{Status: only(404), BodyContains: "no"}), rule(MeansAbsent, Rule{Status: only(404)}), rule(MeansOK, Rule{})},
			step: say(404, "x"), answer: true, rule: "absent", requests: 1, body: "x"},
		{name: "an expected status is before the rules", rules: []Rule{rule(MeansIndisponivel, Rule{})}, req: Request{Expect: func(s int) bool { return s == 404 }},
			step: say(404, "x"), answer: true, requests: 1, body: "x"},
		{name: "an expected 2xx is still read by the rules", rules: []Rule{rule(MeansAmbiguo, Rule{BodyIs: BodyIsHTML, Retry: ptr(false)})}, req: Request{Expect: func(s int) bool { return s/100 == 2 }},
			step: say(200, html), rule: "ambiguo", kind: MalformedBody, requests: 1, anomalies: 1},
		{name: "rules are before the hook", rules: []Rule{rule(MeansRespondeu, Rule{BodyContains: "x"})}, config: func(c *Config) { c.InspectBody = func(*http.Response, []byte) Kind { return RateLimited } },
			step: say(200, "x"), rule: "respondeu", kind: "", requests: 1},
		{name: "rules are before retry_on", rules: []Rule{rule(MeansRespondeu, Rule{Status: only(503)})}, config: func(c *Config) { c.RetryOn = func(RetryEvent) bool { return true } },
			step: say(503, ""), rule: "respondeu", kind: HTTP5xx, requests: 1, anomalies: 1},
		{name: "a redirect that a rule names is not followed", rules: []Rule{rule(MeansRespondeu, Rule{Status: only(302), Header: []HeaderMatch{{Name: "Location", Matches: regexp.MustCompile("/login")}}})},
			step: say(302, "", "Location", "/login"), rule: "respondeu", kind: Redirect, requests: 1},
		{name: "path of the URL asked", rules: []Rule{rule(MeansAbsent, Rule{Path: "/d*"})},
			step: say(404, ""), answer: true, rule: "absent", requests: 1},
		{name: "no rule reads what did not come", rules: []Rule{rule(MeansOK, Rule{})},
			step: fail(nxdomain), kind: Network, requests: 1, anomalies: 1},
		{name: "nor a body over our cap", rules: []Rule{rule(MeansOK, Rule{})}, config: func(c *Config) { c.Policy.MaxBody = 2 },
			step: say(200, "xyz"), kind: Aborted, requests: 1},
		{name: "a rule reads the whole of an error's body", rules: []Rule{rule(MeansAbsent, Rule{Status: only(404), BodyContains: "END"})},
			step: say(404, strings.Repeat("x", maxErrorBody)+"END"), answer: true, rule: "absent", requests: 1, body: strings.Repeat("x", maxErrorBody) + "END"},
		{name: "but only so much is kept of it", rules: []Rule{rule(MeansAlheio, Rule{Status: only(404), BodyContains: "END"})},
			step: say(404, strings.Repeat("x", maxErrorBody)+"END"), rule: "alheio", kind: NotFound, requests: 1, body: strings.Repeat("x", maxErrorBody)},
		{name: "response mode has no body to read", rules: []Rule{rule(MeansAmbiguo, Rule{BodyContains: "x"}), rule(MeansAbsent, Rule{Status: only(404)})}, req: Request{Mode: ModeResponse},
			step: say(404, "x"), answer: true, rule: "absent", requests: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := script(tt.step)
				cfg := Config{Policy: exact(), Transport: f, Rules: tt.rules}
				if tt.config != nil {
					tt.config(&cfg)
				}
				call := new(Call)
				tt.req.URL, tt.req.Call = origin, call
				a, err := NewClient(cfg).Do(t.Context(), &tt.req)
				var rule *Rule
				var trip Trip
				var body []byte
				if tt.answer {
					if err != nil {
						t.Fatal(err)
					}
					rule, trip, body = a.Rule, a.Trip, a.Body
					if a.Response != nil {
						a.Response.Body.Close()
					}
				} else {
					e := failed(t, err)
					rule, trip, body = e.Rule, e.Trip, e.Body
					if e.Kind != tt.kind {
						t.Errorf("kind %q, want %q", e.Kind, tt.kind)
					}
				}
				name := ""
				if rule != nil {
					name = rule.Name
				}
				if name != tt.rule || f.count() != tt.requests {
					t.Errorf("rule %q after %d requests, want %q after %d", name, f.count(), tt.rule, tt.requests)
				}
				if n := len(call.Retrieval().Anomalies); n != tt.anomalies {
					t.Errorf("%d anomalies, want %d", n, tt.anomalies)
				}
				if tt.body != "" && string(body) != tt.body {
					t.Errorf("body of %d bytes, want %d", len(body), len(tt.body))
				}
				want := tt.kind
				if tt.answer {
					want = ""
				}
				if got := trip.Attempts[len(trip.Attempts)-1].Kind; got != want {
					t.Errorf("attempt is called %q, want %q", got, want)
				}
			})
		})
	}
}

// TestRuleRecovers: the kind of the attempt that a rule rejected stays an
// anomaly of the trip that recovered.
func TestRuleRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		rules := []Rule{{Name: "r", JSON: selects("remark"), Means: MeansIndisponivel}}
		call := new(Call)
		c := NewClient(Config{Policy: exact(), Rules: rules, Transport: script(say(200, `{"remark":1}`), say(200, `{}`))})
		a, err := c.Do(t.Context(), &Request{URL: origin, Mode: ModeJSON, Call: call})
		if err != nil {
			t.Fatal(err)
		}
		if a.Rule != nil || a.Trip.Duration != time.Second {
			t.Errorf("rule %v after %v", a.Rule, a.Trip.Duration)
		}
		if d := cmp.Diff(&Retrieval{Requests: 1, Attempts: 2, Anomalies: []Kind{MalformedBody}}, call.Retrieval()); d != "" {
			t.Error(d)
		}
	})
}
