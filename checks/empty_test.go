package checks

import (
	"testing"
	"testing/synctest"
)

// A format that changed is no legitimate emptiness, even where nothing but
// empty_when says what the answer looks like.
func TestEmptyWhenOfAChangedFormat(t *testing.T) {
	for body, want := range map[string]struct {
		finding Finding
		code    string
	}{
		`{"value":[]}`:        {OK, "empty"},
		`{"value":[{}]}`:      {OK, "empty"}, // the path ends with a member that is not there
		`{"value":[{"x":1}]}`: {OK, ""},
		`{"values":[1]}`:      {Drift, "empty_when"},
		`{"error":"none"}`:    {Drift, "empty_when"},
	} {
		synctest.Test(t, func(t *testing.T) {
			tr := script(map[string][]string{"/a": {"200 " + body}})
			d := declare(t, header+`  - {name: a, origin: o, get: /a, as: json, empty: warn, empty_when: {path: "$.value[*].x"}}`)
			r := runPlan(t, t.Context(), d, tr, Options{}).Results[0]
			code := ""
			if len(r.Mismatches) > 0 {
				code = r.Mismatches[0].Code
			}
			if r.Finding != want.finding || code != want.code {
				t.Errorf("%s: %s %+v", body, r.Finding, r.Mismatches)
			}
		})
	}
}
