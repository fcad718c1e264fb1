package checks

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fonteviva/fonteviva/fetch"
)

// book answers by path and query: "STATUS BODY", after "<LINK> " for a Link
// header of the next page, "Link:… " for any other.
func book(pages map[string]string) *fake {
	return &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
		answer, ok := pages[r.URL.RequestURI()]
		if !ok {
			return respond(r, 404, "no such page"), nil
		}
		link := ""
		if strings.HasPrefix(answer, "<") {
			link, answer, _ = strings.Cut(answer, " ")
			link += `; rel="next"`
		} else if strings.HasPrefix(answer, "Link:") {
			link, answer, _ = strings.Cut(strings.TrimPrefix(answer, "Link:"), " ")
		}
		status, body, _ := strings.Cut(answer, " ")
		res := respond(r, map[string]int{"200": 200, "503": 503, "404": 404}[status], body)
		if link != "" {
			res.Header.Set("Link", link)
		}
		return res, nil
	}}
}

const paged = header + `  - {name: a, origin: o, get: /p, next: {path: $.next, items: $.r}, expect: {json: [{path: $, length: 5}, {path: "$[*].id", unique: true, sorted: asc}]}}`

func TestPages(t *testing.T) {
	three := map[string]string{
		"/p":     `200 {"r":[{"id":1},{"id":2}],"next":"/p?n=2"}`,
		"/p?n=2": `200 {"r":[{"id":3},{"id":4}],"next":"?n=3"}`,
		"/p?n=3": `200 {"r":[{"id":5}],"next":null}`,
	}
	with := func(page, answer string) map[string]string {
		m := map[string]string{page: answer}
		for k, v := range three {
			if _, changed := m[k]; !changed {
				m[k] = v
			}
		}
		return m
	}
	for _, tt := range []struct {
		name    string
		yaml    string
		pages   map[string]string
		finding Finding
		codes   string
		trips   string // findings of the trips
		motivo  string
	}{
		{"all", paged, three, OK, "", "ok ok ok", ""},
		{"an empty last page", paged, with("/p?n=3", `200 {"r":[{"id":5}],"next":""}`), OK, "", "ok ok ok", ""},
		{"no key at the end", paged, with("/p?n=3", `200 {"r":[{"id":5}]}`), OK, "", "ok ok ok", ""},
		{"a whole address of the same place", paged, with("/p", `200 {"r":[{"id":1},{"id":2}],"next":"https://O.example:443/p?n=2#x"}`), OK, "", "ok ok ok", ""},
		{"too few", paged, with("/p?n=3", `200 {"r":[],"next":null}`), Drift, "json.length", "ok ok drift ok ok drift", ""},
		{"page 3 down", paged, with("/p?n=3", "503 busy"), Indisponivel, "", "ok ok indisponivel", "na página 3: "},
		{"page 2 no JSON", paged, with("/p?n=2", "200 <html>"), Ambiguo, "", "ok ambiguo ok ambiguo", "na página 2: "},
		{"page 2 refused", paged, with("/p?n=2", "404 gone"), Respondeu, "", "ok respondeu ok respondeu", "na página 2: "},
		{"cycle", paged, with("/p?n=3", `200 {"r":[{"id":5}],"next":"/p?n=2"}`), Drift, "next.cycle", "ok ok drift ok ok drift", ""},
		{"elsewhere", paged, with("/p?n=2", `200 {"r":[],"next":"https://evil.example/p?n=3"}`), Drift, "json.length next.elsewhere", "ok drift ok drift", ""},
		{"another scheme", paged, with("/p?n=2", `200 {"r":[],"next":"http://o.example/p?n=3"}`), Drift, "json.length next.elsewhere", "ok drift ok drift", ""},
		{"credentials in the address", paged, with("/p?n=2", `200 {"r":[],"next":"https://u:p@o.example/p?n=3"}`), Drift, "json.length next.elsewhere", "ok drift ok drift", ""},
		{"not an address", paged, with("/p?n=2", `200 {"r":[],"next":"https://[::x"}`), Drift, "json.length next", "ok drift ok drift", ""},
		{"a number", paged, with("/p?n=2", `200 {"r":[],"next":3}`), Drift, "json.length next", "ok drift ok drift", ""},
		{"two addresses of a next page", paged, with("/p?n=2", `200 {"r":[{"id":3},{"id":4}],"next":"?n=3","next":null}`), Drift, "json.length json.duplicate_key", "ok drift ok drift", ""},
		{"a key twice around the items", paged, with("/p?n=3", `200 {"r":[{"id":5}],"m":{"x":1,"x":1}}`), Drift, "json.duplicate_key", "ok ok drift ok ok drift", ""},
		{"a key twice in an item is told once", paged, with("/p?n=3", `200 {"r":[{"id":5,"x":1,"x":1}]}`), Drift, "json.duplicate_key", "ok ok drift ok ok drift", ""},
		{"no items", paged, with("/p?n=2", `200 {"x":[]}`), Drift, "json.length next.items", "ok drift ok drift", ""},
		{"bounded", strings.Replace(paged, "items: $.r", "items: $.r, max_pages: 2", 1), three, Drift, "json.length next.max_pages", "ok drift ok drift", ""},
		{"bounded and fine", header + `  - {name: a, origin: o, get: /p, next: {path: $.next, items: $.r, max_pages: 2}}`, three, OK, "next.max_pages", "ok ok", ""},
		{"links", header + `  - {name: a, origin: o, get: /p, next: {link: next}, expect: {json: [{path: $, equals: [1, 2, 3]}]}}`,
			map[string]string{"/p": "</q?n=2> 200 [1,2]", "/q?n=2": "200 [3]"}, OK, "", "ok ok", ""},
		{"a Link header that cannot be read", header + `  - {name: a, origin: o, get: /p, next: {link: next}, expect: {json: [{path: $, length: {min: 1}}]}}`,
			map[string]string{"/p": "</q> 200 [1,2]", "/q": `Link:/r;rel="next" 200 [3]`}, Drift, "next.link", "ok drift ok drift", ""},
		{"an unreadable Link header and nothing else that is asked", header + `  - {name: a, origin: o, get: /p, next: {link: next}}`,
			map[string]string{"/p": `Link:</q>;rel='next' 200 []`}, Drift, "next.link", "drift drift", ""},
		{"an unreadable Link header where the page would be empty", header + `  - {name: a, origin: o, get: /p, next: {link: next}, empty: ok, empty_when: {rows: 0}}`,
			map[string]string{"/p": `Link:</q 200 []`}, Drift, "next.link", "drift drift", ""},
		{"a Link header of other relations", header + `  - {name: a, origin: o, get: /p, next: {link: next}}`,
			map[string]string{"/p": `Link:</a>;rel=first,</p>;rel="last" 200 [1]`}, OK, "", "ok", ""},
		{"a link to the same page", header + `  - {name: a, origin: o, get: /p, next: {link: next}}`,
			map[string]string{"/p": "<> 200 [1,2]"}, Drift, "next.cycle", "drift drift", ""},
		{"links of NDJSON", header + `  - {name: a, origin: o, get: /p, as: ndjson, next: {link: next}, expect: {json: [{path: "$[*].n", equals: 1}, {path: $, length: 3}]}}`,
			map[string]string{"/p": "</q> 200 {\"n\":1}\n{\"n\":1}\n", "/q": "200 {\"n\":1}"}, OK, "", "ok ok", ""},
		{"pages of CSV that stop being CSV", header + `  - {name: a, origin: o, get: /p, as: csv, next: {link: next}}`,
			map[string]string{"/p": "</q> 200 a,b\n1,2\n", "/q": "200 a,b\n\"1,2"}, Ambiguo, "", "ok ambiguo ok ambiguo", "na página 2: "},
		{"empty", strings.Replace(paged, "expect:", "empty_when: {rows: 0}, empty: warn, expect:", 1), map[string]string{"/p": `200 {"r":[]}`}, OK, "empty", "ok", ""},
		{"an end that a rule calls absent", strings.Replace(paged, "retries: 0", `retries: 0, answers: [{status: 404, means: absent}]`, 1),
			map[string]string{"/p": `200 {"r":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5}],"next":"/gone"}`}, OK, "", "ok ok", ""},
		{"more than we take", strings.Replace(paged, "retries: 0", "retries: 0, max_body: 44B", 1), three, Alheio, "", "ok ok alheio", "na página 3: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := book(tt.pages)
				r := runPlan(t, t.Context(), declare(t, tt.yaml), tr, Options{}).Results[0]
				var codes, trips []string
				for _, m := range r.Mismatches {
					codes = append(codes, m.Code)
				}
				for _, trip := range r.Trips {
					trips = append(trips, string(trip.Finding))
				}
				if r.Finding != tt.finding || strings.Join(codes, " ") != tt.codes || strings.Join(trips, " ") != tt.trips || !strings.HasPrefix(deref(r.Motivo, ""), tt.motivo) {
					t.Errorf("%s %q %q %s %+v", r.Finding, codes, trips, deref(r.Motivo, ""), r.Mismatches)
				}
				if r.Retrieval.Requests != len(trips) {
					t.Errorf("%d trips counted, %d shown", r.Retrieval.Requests, len(trips))
				}
				asked := 0
				for _, n := range tr.counts {
					asked += n
				}
				if asked != len(trips) {
					t.Errorf("%d requests left, want %d", asked, len(trips))
				}
			})
		})
	}
}

// Declared headers go with every page, captures come from all of them, and what
// is slow is any page.
func TestPagesAreOneAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		y := header + `
  - {name: a, origin: o, request: {path: /p, headers: {X-Key: k}}, next: {link: next}, capture: {last: {path: "$[-1]"}}}
  - {name: b, origin: o, get: "/b?x=${a.last}"}`
		pages := book(map[string]string{"/p": "</q> 200 [1]", "/q": "200 [2]", "/b?x=2": "200 x"})
		tr := &fake{reply: func(r *http.Request, n int) (*http.Response, error) {
			if r.URL.Path != "/b" && r.Header.Get("X-Key") != "k" {
				t.Errorf("%s has lost its headers", r.URL)
			}
			return pages.reply(r, n)
		}}
		rep := runPlan(t, t.Context(), declare(t, y), tr, Options{})
		if rep.Results[1].Finding != OK || rep.Results[1].URL != "https://o.example/b?x=2" {
			t.Errorf("%+v", rep.Results[1])
		}
		equal(t, "retrieval", &fetch.Retrieval{Requests: 2, Attempts: 2, Anomalies: []fetch.Kind{}}, rep.Results[0].Retrieval)
	})
}

func TestLinkTo(t *testing.T) {
	const from = "https://o.example/p?n=1"
	for _, tt := range []struct {
		headers []string
		want    string
		state   linkState
	}{
		{nil, "", linkNone},
		{[]string{``}, "", linkNone},
		{[]string{`, ,`}, "", linkNone},
		{[]string{`</1>; rel=prev`}, "", linkNone},
		{[]string{`</1>; rev=next`}, "", linkNone},
		{[]string{`</2>; rel="next"`}, "/2", linkFound},
		{[]string{`</1>; rel=prev, </2>; rel=next`}, "/2", linkFound},
		{[]string{`</1>; rel="prev"`, `</2> ; REL = "NEXT"`}, "/2", linkFound},
		{[]string{`</2>; title="a, b; \"c\""; rel="last next"`}, "/2", linkFound},
		{[]string{`</1>; rel="next1", </2>; rel=next; rel=prev`}, "/2", linkFound},
		{[]string{`</1>; rel=prev; rel=next`}, "", linkNone},
		{[]string{`</1>; rel=next; anchor="/other", </2>; rel=next`}, "/2", linkFound},
		{[]string{`</1>; rel=next; anchor="/other"`}, "", linkNone},
		{[]string{`</1>; rel=next; anchor="#part"`}, "", linkNone},
		{[]string{`</2>; rel=next; anchor="/p?n=1"`}, "/2", linkFound},
		{[]string{`</2>; rel=next; anchor=""`}, "/2", linkFound},
		{[]string{`</a,b;c>; rel=next`}, "/a,b;c", linkFound},
		{[]string{`</1>; flag; rel=next`}, "/1", linkFound},
		{[]string{`</1>;; rel=next;`}, "/1", linkFound},
		{[]string{`<>; rel=next`}, "", linkFound},
		{[]string{`</1>; rel="https://o.example/rels/x"`}, "", linkNone},
		{[]string{`</2>; rel="next`}, "/2", linkFound},
		{[]string{`no link`, `</x>; rel="next`}, "/x", linkFound},
		{[]string{`no link`}, "", linkUnreadable},
		{[]string{`/2; rel=next`}, "", linkUnreadable},
		{[]string{`</1>; rel=prev, /2; rel=next`}, "", linkUnreadable},
		{[]string{`<`}, "", linkUnreadable},
		{[]string{`</x`}, "", linkUnreadable},
		{[]string{`</x; rel="next"`}, "", linkUnreadable},
		{[]string{`</x>`}, "", linkUnreadable},
		{[]string{`</x>;`}, "", linkUnreadable},
		{[]string{`</x>; rel`}, "", linkUnreadable},
		{[]string{`</x>; rel=`}, "", linkUnreadable},
		{[]string{`</x>; rel="prev`}, "", linkUnreadable},
		{[]string{`</x>; rel='next'`}, "", linkUnreadable},
		{[]string{`</x>; relation="next"`}, "", linkUnreadable},
		{[]string{`</1>; rel=prev </2>; rel=last`}, "", linkUnreadable},
		{[]string{`</1>; rel=prev </2>; rel=next`}, "/2", linkFound},
		{[]string{`</1>; rel="prev"</2>; rel=last`}, "", linkUnreadable},
		{[]string{`{"next": "/2"}`}, "", linkUnreadable},
	} {
		if got, state := linkTo(tt.headers, "next", from); got != tt.want || state != tt.state {
			t.Errorf("%q: %q %d, want %q %d", tt.headers, got, state, tt.want, tt.state)
		}
	}
}

func FuzzLinkTo(f *testing.F) {
	for _, s := range []string{`</2>; rel="next"`, `</1>; rel=prev, </2>; rel=next`, `<a>;a="\"`, `<>;;,<`, `<x>; rel*=UTF-8''next`, `<x>;y<z>;rel=next`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if got, _ := linkTo([]string{s}, "next", "https://o.example/"); !strings.Contains(s, got) {
			t.Errorf("%q is not of %q", got, s)
		}
	})
}
