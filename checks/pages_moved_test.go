package checks

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
)

// A page may come from another place, by a redirect that the policy follows or
// from a mirror. What was declared for the origin goes to no other, and to none
// that another has chosen.
func TestPagesFromElsewhere(t *testing.T) {
	probe := `
probes:
  - {name: a, origin: o, request: {path: /p, headers: {X-Key: k}}, next: {path: $.next, items: $.r}}`
	origin := func(url, more string) string {
		return "version: 1\norigins:\n  o: {url: '" + url + "', retries: 0, confirm: {trips: 1}" + more + "}" + probe
	}
	for _, tt := range []struct {
		name    string
		yaml    string
		pages   map[string]string // by address: "-> LOCATION", or the body
		asked   string            // addresses; with ! where what was declared came along
		finding Finding
		codes   string
	}{
		{"page 1 moved", origin("https://o.example", ", redirects: follow"), map[string]string{
			"https://o.example/p":     "-> https://b.example/p",
			"https://b.example/p":     `{"r":[1],"next":"?n=2"}`,
			"https://b.example/p?n=2": `{"r":[2],"next":null}`,
		}, "https://o.example/p! https://b.example/p https://b.example/p?n=2", OK, "redirect.moved"},
		{"page 2 moved", origin("https://o.example", ", redirects: follow"), map[string]string{
			"https://o.example/p":     `{"r":[1],"next":"?n=2"}`,
			"https://o.example/p?n=2": "-> https://b.example/p?n=2",
			"https://b.example/p?n=2": `{"r":[2],"next":"?n=3"}`,
			"https://b.example/p?n=3": `{"r":[3],"next":null}`,
		}, "https://o.example/p! https://o.example/p?n=2! https://b.example/p?n=2 https://b.example/p?n=3", OK, "redirect.moved"},
		{"and home again", origin("https://o.example", ", redirects: follow"), map[string]string{
			"https://o.example/p":      "-> https://b.example/p",
			"https://b.example/p":      `{"r":[1],"next":"https://o.example/admin"}`,
			"https://o.example/admin":  `{"r":[2],"next":"/admin2"}`,
			"https://o.example/admin2": `{"r":[3],"next":null}`,
		}, "https://o.example/p! https://b.example/p https://o.example/admin https://o.example/admin2", OK, "redirect.moved"},
		{"from there to a third place", origin("https://o.example", ", redirects: follow"), map[string]string{
			"https://o.example/p": "-> https://b.example/p",
			"https://b.example/p": `{"r":[1],"next":"https://c.example/p"}`,
		}, "https://o.example/p! https://b.example/p", Drift, "next.elsewhere redirect.moved"},
		{"from there down to http", origin("http://o.example", ", redirects: follow"), map[string]string{
			"http://o.example/p":  "-> https://o.example/p",
			"https://o.example/p": `{"r":[1],"next":"http://o.example/p?n=2"}`,
		}, "http://o.example/p! https://o.example/p", Drift, "next.elsewhere redirect.moved"},
		{"up to https on the same host", origin("http://o.example", ""), map[string]string{
			"http://o.example/p":      "-> https://o.example/p",
			"https://o.example/p":     `{"r":[1],"next":"?n=2"}`,
			"https://o.example/p?n=2": `{"r":[2],"next":null}`,
		}, "http://o.example/p! https://o.example/p https://o.example/p?n=2", OK, "redirect.moved"},
		{"a redirect that is not followed", origin("https://o.example", ""), map[string]string{
			"https://o.example/p":     `{"r":[1],"next":"?n=2"}`,
			"https://o.example/p?n=2": "-> https://b.example/p?n=2",
		}, "https://o.example/p! https://o.example/p?n=2!", Respondeu, ""},
		{"a redirect to the same place, written otherwise", origin("https://o.example", ""), map[string]string{
			"https://o.example/p":         "-> https://O.example:443/q",
			"https://O.example:443/q":     `{"r":[1],"next":"?n=2"}`,
			"https://O.example:443/q?n=2": `{"r":[2],"next":null}`,
		}, "https://o.example/p! https://O.example:443/q! https://O.example:443/q?n=2!", OK, ""},
		{"a mirror by http", origin("https://o.example", ", mirrors: [http://m.example]"), map[string]string{
			"http://m.example/p":     `{"r":[1],"next":"?n=2"}`,
			"http://m.example/p?n=2": `{"r":[2],"next":null}`,
		}, "https://o.example/p! http://m.example/p http://m.example/p?n=2", OK, ""},
		{"to a mirror by http", origin("https://o.example", ", mirrors: [http://m.example]"), map[string]string{
			"https://o.example/p":    `{"r":[1],"next":"http://m.example/p?n=2"}`,
			"http://m.example/p?n=2": `{"r":[2],"next":null}`,
		}, "https://o.example/p! http://m.example/p?n=2", OK, ""},
		{"a mirror by https", origin("https://o.example", ", mirrors: [https://m.example]"), map[string]string{
			"https://m.example/p":     `{"r":[1],"next":"?n=2"}`,
			"https://m.example/p?n=2": `{"r":[2],"next":null}`,
		}, "https://o.example/p! https://m.example/p! https://m.example/p?n=2!", OK, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var asked []string
				tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
					asked = append(asked, r.URL.String())
					if r.Header.Get("X-Key") != "" {
						asked[len(asked)-1] += "!"
					}
					page, ok := tt.pages[r.URL.String()]
					if !ok {
						return respond(r, 503, "no such page"), nil
					}
					if to, is := strings.CutPrefix(page, "-> "); is {
						res := respond(r, 302, "")
						res.Header.Set("Location", to)
						return res, nil
					}
					return respond(r, 200, page), nil
				}}
				r := runPlan(t, t.Context(), declare(t, tt.yaml), tr, Options{}).Results[0]
				var codes []string
				for _, m := range r.Mismatches {
					codes = append(codes, m.Code)
				}
				slices.Sort(codes)
				if r.Finding != tt.finding || strings.Join(codes, " ") != tt.codes {
					t.Errorf("%s %q %s %+v", r.Finding, codes, deref(r.Motivo, ""), r.Mismatches)
				}
				if got := strings.Join(asked, " "); got != tt.asked {
					t.Errorf("asked\n%s, want\n%s", got, tt.asked)
				}
			})
		})
	}
}

// No place that a redirect led to is told one of our secrets by an address of
// its own.
func TestNoSecretGoesToAPageElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := `version: 1
secrets: {TOKEN: {hosts: [o.example]}}
origins: {o: {url: https://o.example, auth: {bearer: "${env.TOKEN}"}, retries: 0, redirects: follow, confirm: {trips: 1}}}
probes: [{name: a, origin: o, get: /p, next: {link: next}}]`
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			res := respond(r, 200, "[1]")
			switch {
			case r.URL.Host == "o.example":
				res = respond(r, 302, "")
				res.Header.Set("Location", "https://b.example/p")
			case r.URL.RawQuery == "":
				res.Header.Set("Link", `</p?t=hunter2hunter2>; rel=next`)
			default:
				t.Errorf("asked %s", r.URL)
			}
			return res, nil
		}}
		env := func(string) (string, bool) { return "hunter2hunter2", true }
		r := runPlan(t, t.Context(), declare(t, y), tr, Options{Env: env}).Results[0]
		if r.Finding != Drift || r.Mismatches[0].Code != "next.elsewhere" {
			t.Errorf("%s %+v", r.Finding, r.Mismatches)
		}
	})
}
