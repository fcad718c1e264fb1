package checks

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fonteviva/fonteviva/fetch"
)

// What comes in the place of a text is no change of the source: the contract
// that it breaks was not measured.
func TestWhatStandsInForATextIsNoDrift(t *testing.T) {
	const (
		challenge = `<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head></html>`
		failed    = `<html><head><title>503 Service Temporarily Unavailable</title></head></html>`
		entry     = `<html><title>Portal</title><form><input type="password"></form></html>`
		contains  = `expect: {body: {contains: needle}}`
	)
	for _, tt := range []struct {
		name, probe, body string
		header            http.Header
		finding           Finding
		looks             fetch.LooksLike
		codes             string
	}{
		{"nothing", contains, "", nil, Ambiguo, fetch.LooksEmpty, ""},
		{"a challenge", contains, challenge, nil, Ambiguo, fetch.LooksWAFChallenge, ""},
		{"a guard that names itself", contains, "wait", http.Header{"Cf-Mitigated": {"challenge"}}, Ambiguo, fetch.LooksWAFChallenge, ""},
		{"an error page", contains, failed, nil, Ambiguo, fetch.LooksHTMLErrorPage, ""},
		{"an error page where another type is due", `expect: {content_type: text/csv}`, failed, http.Header{"Content-Type": {"text/html"}}, Ambiguo, fetch.LooksHTMLErrorPage, ""},
		{"a guard's words are one column of CSV", `as: csv, expect: {json: [{path: "$[0].id", exists: true}]}`,
			"The requested URL was rejected. Please consult with your administrator. Your support ID is: 1", nil, Ambiguo, fetch.LooksWAFChallenge, ""},
		{"a guard's words are no column without rows", `as: csv, empty: ok, empty_when: {path: "$[*]"}, expect: {json: [{path: "$[0].id", exists: true}]}`,
			"The requested URL was rejected. Please consult with your administrator. Your support ID is: 1", nil, Ambiguo, fetch.LooksWAFChallenge, ""},
		{"a column without rows has no data", `as: csv, empty: ok, empty_when: {path: "$[*]"}`, "id", nil, OK, "", ""},
		{"a guard that names itself has no empty list", `as: json, empty_when: {path: "$[*]"}`, "[]", http.Header{"Cf-Mitigated": {"challenge"}}, Ambiguo, fetch.LooksWAFChallenge, ""},
		{"a page that keeps the contract is an answer", `expect: {body: {contains: Service}}`, failed, nil, OK, "", ""},
		{"a warning is no contract of a page", `expect: {body: {contains: needle, severity: warn}}`, failed, nil, Ambiguo, fetch.LooksHTMLErrorPage, ""},
		{"a login", contains, `<html><title>Entrar</title><form><input type="password"></form></html>`, nil, Ambiguo, fetch.LooksLoginPage, ""},
		{"another page", contains, `<html><title>List</title></html>`, nil, Drift, "", "body.contains"},
		{"another text", contains, "hay", nil, Drift, "", "body.contains"},
		{"the page itself asks for a password", contains, entry, nil, Drift, "", "body.contains"},
		{"the page itself carries a guard's script", contains, `<html><title>List</title><script src="/cdn-cgi/challenge-platform/x.js"></script></html>`, nil, Drift, "", "body.contains"},
		{"what is broken is the connection", `expect: {body: {contains: needle}, tls: {version: 1.3}}`, failed, nil, Drift, "", "body.contains tls"},
		{"a HEAD has no body", `expect: {headers: {X-Id: {exists: true}}}`, "", nil, Drift, "", "headers.exists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				target := "get: /x"
				if strings.HasPrefix(tt.name, "a HEAD") {
					target = "request: {path: /x, method: HEAD}"
				}
				tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
					res := respond(r, 200, tt.body)
					if tt.header != nil {
						res.Header = tt.header.Clone()
					}
					return res, nil
				}}
				rep := runPlan(t, t.Context(), declare(t, header+"  - {name: a, origin: o, "+target+", "+tt.probe+"}"), tr, Options{})
				r := &rep.Results[0]
				if r.Finding != tt.finding || fetch.LooksLike(deref((*string)(r.LooksLike), "")) != tt.looks || brokenBy(r) != tt.codes {
					t.Errorf("%s, looks like %q, %q; want %s, %q, %q", r.Finding, deref((*string)(r.LooksLike), ""), brokenBy(r), tt.finding, tt.looks, tt.codes)
				}
				if tt.finding == Ambiguo && (len(r.Trips) != 2 || !r.Persistent || *r.Kind != fetch.MalformedBody) {
					t.Errorf("%d trips, persistent %v, kind %v", len(r.Trips), r.Persistent, r.Kind)
				}
			})
		})
	}
}

// brokenBy lists the codes of a result's mismatches.
func brokenBy(r *Result) string {
	codes := make([]string, len(r.Mismatches))
	for i, m := range r.Mismatches {
		codes[i] = m.Code
	}
	return strings.Join(codes, " ")
}

// The sentinel settles it, and a rule of the origin comes before it.
func TestWhatSettlesAStandIn(t *testing.T) {
	const failed = `200 <html><head><title>Erro interno</title></head></html>`
	for _, tt := range []struct {
		name, origin, sentinel string
		finding                Finding
	}{
		{"a sentinel that delivers", "sentinel: /s", "200 1", Respondeu},
		{"a sentinel that fails", "sentinel: /s", "503 x", Indisponivel},
		{"a sentinel with another error page", "sentinel: /s", "200 <html><h1>Erro em /s</h1></html>", Indisponivel},
		{"a sentinel with another page", "sentinel: /s", "200 <html><h1>Lista</h1></html>", Respondeu},
		{"a sentinel without a body", "sentinel: /s", "204 ", Respondeu},
		{"a sentinel whose page a rule calls an answer", "sentinel: /s, answers: [{status: 200, body_contains: em /s, means: ok}]", "200 <html><h1>Erro em /s</h1></html>", Respondeu},
		{"a rule that calls it an answer", "answers: [{status: 200, body_is: html, means: ok}]", "200 1", Drift},
		{"a rule that calls it an outage", "answers: [{status: 200, body_is: html, means: indisponivel}]", "200 1", Indisponivel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := script(map[string][]string{"/x": {failed}, "/s": {tt.sentinel}})
				rep := runPlan(t, t.Context(), declare(t, "version: 1\norigins: {o: {url: https://o.example, retries: 0, "+tt.origin+"}}\n"+
					"probes: [{name: a, origin: o, get: /x, expect: {body: {contains: needle}}}]"), tr, Options{})
				if got := rep.Results[0].Finding; got != tt.finding {
					t.Errorf("%s, want %s", got, tt.finding)
				}
			})
		})
	}
}

// An expected error status says what it always does where its body is not of
// the kind that the contract reads: then not the expected one has answered.
func TestAnExpectedStatusWithAnotherBody(t *testing.T) {
	const (
		page  = ` <html><head><title>503 Service Temporarily Unavailable</title></head></html>`
		reads = `json: [{path: $.a, type: number}]`
	)
	for _, tt := range []struct {
		name, probe, answer string
		finding             Finding
		kind                fetch.Kind
		codes               string
	}{
		{"a gateway's page", `get: /x, expect: {status: [200, 503], ` + reads + `}`, "503" + page, Indisponivel, fetch.HTTP5xx, ""},
		{"a gateway's text", `get: /x, expect: {status: [200, 503], ` + reads + `}`, "503 upstream request timeout", Indisponivel, fetch.HTTP5xx, ""},
		{"nothing", `get: /x, expect: {status: [200, 503], ` + reads + `}`, "503 ", Indisponivel, fetch.HTTP5xx, ""},
		{"a limit's page", `get: /x, expect: {status: [200, 429], ` + reads + `}`, "429" + page, Indisponivel, fetch.RateLimited, ""},
		{"a page of what is not there", `get: /x, expect: {status: 404, ` + reads + `}`, "404" + page, Respondeu, fetch.NotFound, ""},
		{"a warning is no contract of a page", `get: /x, expect: {status: 503, json: [{path: $.a, exists: true, severity: warn}]}`, "503" + page, Indisponivel, fetch.HTTP5xx, ""},
		{"a page where CSV is due", `get: /x, as: csv, expect: {status: 503, json: [{path: "$[0].a", exists: true}]}`, "503" + page, Indisponivel, fetch.HTTP5xx, ""},
		{"a text where XML is due", `get: /x, as: xml, expect: {status: 503, xpath: [{path: //a, exists: true}]}`, "503 oops", Indisponivel, fetch.HTTP5xx, ""},
		{"what was expected", `get: /x, expect: {status: [200, 503], ` + reads + `}`, `503 {"a":1}`, OK, "", ""},
		{"the same, changed", `get: /x, expect: {status: [200, 503], ` + reads + `}`, `503 {"a":"1"}`, Drift, "", "json.type"},
		{"any body is text", `get: /x, as: text, expect: {status: 503, body: {contains: needle}}`, "503" + page, Drift, "", "body.contains"},
		{"a body that nothing reads", `get: /x, as: json, expect: {status: 503}`, "503" + page, OK, "", ""},
		{"what is broken is the connection", `get: /x, expect: {status: 503, tls: {version: 1.3}, ` + reads + `}`, "503" + page, Drift, "", "tls json"},
		{"a HEAD has no body", `request: {method: HEAD, path: /x}, expect: {status: 503, headers: {X-Id: {exists: true}}}`, "503 ", Drift, "", "headers.exists"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := script(map[string][]string{"/x": {tt.answer}})
				rep := runPlan(t, t.Context(), declare(t, header+"  - {name: a, origin: o, "+tt.probe+"}"), tr, Options{})
				r := &rep.Results[0]
				if r.Finding != tt.finding || fetch.Kind(deref((*string)(r.Kind), "")) != tt.kind || brokenBy(r) != tt.codes {
					t.Errorf("%s, %v, %q; want %s, %q, %q", r.Finding, r.Kind, brokenBy(r), tt.finding, tt.kind, tt.codes)
				}
			})
		})
	}
}
