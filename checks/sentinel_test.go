package checks

import (
	"net/http"
	"testing"
	"testing/synctest"
)

// TestARightBodyInAWrongCodingIsNoSentinelsPage has a probe whose bytes are
// those of the healthy sentinel, sent under a Content-Encoding that they are
// not in: the origin is well, and what is wrong is the coding.
func TestARightBodyInAWrongCodingIsNoSentinelsPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
			res := respond(r, 200, `{"ok":true}`)
			if r.URL.Path == "/a" {
				res.Header.Set("Content-Encoding", "gzip")
			}
			return res, nil
		}}
		d := declare(t, `
version: 1
origins:
  o: {url: https://o.example, retries: 0, sentinel: /known-good}
probes:
  - {name: a, origin: o, get: /a, as: json}
`)
		r := runPlan(t, t.Context(), d, tr, Options{}).Results[0]
		if r.Sentinel == nil || r.Sentinel.Finding != OK {
			t.Fatalf("the sentinel was %+v, want ok", r.Sentinel)
		}
		if r.Finding == Indisponivel {
			t.Errorf("a healthy origin is called down: %s %v", r.Finding, r.Detail)
		}
		if r.Finding != Drift {
			t.Errorf("%s, want drift: the same wrong body each time, and the origin is well", r.Finding)
		}
	})
}

// TestWhatTheSentinelSays has one wrong body of a probe, the same on each trip,
// beside what the origin's known-good request gets.
func TestWhatTheSentinelSays(t *testing.T) {
	for _, c := range []struct {
		name, as, page, good string
		rule                 string
		status               int
		sentinel, want       Finding
	}{
		{"it is well", "json", `closed today`, `{"ok":true}`, "[]", 200, OK, Drift},
		{"it gets the same page", "json", `closed today`, `closed today`, "[]", 200, Ambiguo, Indisponivel},
		{"it gets the same page, and takes any text", "text", `closed today`, `closed today`, "[]", 200, OK, Indisponivel},
		{"it is down", "json", `closed today`, `busy`, "[]", 503, Indisponivel, Indisponivel},
		{"it is refused", "json", `closed today`, `no`, "[]", 404, Respondeu, Ambiguo},
		{"its own format changed", "json", `closed today`, `moved`, "[{body_contains: moved, means: drift}]", 200, Drift, Ambiguo},
		{"the same page, which a rule calls drift", "json", `moved`, `moved`, "[{path: /known-good, body_contains: moved, means: drift}]", 200, Drift, Ambiguo},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
					if r.URL.Path == "/known-good" {
						return respond(r, c.status, c.good), nil
					}
					return respond(r, 200, c.page), nil
				}}
				d := declare(t, `
version: 1
origins:
  o: {url: https://o.example, retries: 0, sentinel: {get: /known-good, as: `+c.as+`}, answers: `+c.rule+`}
probes:
  - {name: a, origin: o, get: /a, as: json}
`)
				r := runPlan(t, t.Context(), d, tr, Options{}).Results[0]
				if r.Sentinel == nil || r.Sentinel.Finding != c.sentinel || r.Finding != c.want {
					t.Errorf("the sentinel was %+v, the finding %s %v; want %s, %s", r.Sentinel, r.Finding, r.Motivo, c.sentinel, c.want)
				}
			})
		})
	}
}
