package expect

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestOurLimitIsNoMismatch holds that what costs more than is followed fails
// nothing, and that what fails beside it still does.
func TestOurLimitIsNoMismatch(t *testing.T) {
	objects := "[" + strings.Repeat(`{"a":"x"},`, 99) + `{"a":"x"}]`
	elements := "<t>" + strings.Repeat("<a/>", 400) + "</t>"
	const (
		dear  = `cel: ['body.all(x, body.all(y, body.all(z, body.all(w, body.all(v, x.a != "")))))']`
		long  = `cel: ['[1,2,3,4,5,6,7,8,9,10,11].map(x, body + body + body).size() > 0']`
		paths = "xpath: [{path: 'count(//*[count(//*[count(//*) > 0]) > 0])', min: 1}]"
	)
	for name, tc := range map[string]struct {
		yaml, body string
		json       bool
		limit      string // "" where something fails
	}{
		"cel":                   {"{" + dear + "}", objects, true, "10 million"},
		"cel that only warns":   {"{" + strings.Replace(strings.Replace(dear, "['", "[{severity: warn, that: '", 1), "']", "'}]", 1) + "}", objects, true, "10 million"},
		"a text that is built":  {"{" + long + "}", strings.Repeat("x", 400<<10), false, "1 MiB"},
		"xpath":                 {"{" + paths + "}", elements, false, "20 million"},
		"beside what is broken": {"{status: 404, " + dear + "}", objects, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			list, err := mustDecode(t, tc.yaml).Evaluate(context.Background(), &Observation{Status: 200, Body: []byte(tc.body), JSON: tc.json})
			if errors.Is(err, ErrLimit) != (tc.limit != "") || err != nil && !strings.Contains(err.Error(), tc.limit) {
				t.Errorf("error %v, want the limit %q", err, tc.limit)
			}
			if last := list[len(list)-1]; last.Severity != Warn || !strings.HasPrefix(last.Got, "not judged: ") {
				t.Errorf("%+v", last)
			}
			if tc.limit == "" && list[0].Severity != Fail {
				t.Errorf("%+v", list[0])
			}
		})
	}
}
