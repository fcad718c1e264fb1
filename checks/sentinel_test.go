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
