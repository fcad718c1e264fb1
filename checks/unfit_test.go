package checks

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

// What another origin gave is one value wherever it stands in a request: it
// changes neither the path's segments, nor the query's parameters, nor the
// lines of the header, nor the form of the body. Where no escaping helps, the
// request is not made.
func TestACaptureStaysInItsPlace(t *testing.T) {
	const refused = ""
	for _, tt := range []struct{ value, probe, want string }{
		{"a", "get: '/x/${g.v}'", "/base/x/a"},
		{"a/b", "get: '/x/${g.v}/y'", "/base/x/a%2Fb/y"},
		{"a?b=1&c#d", "get: '/x/${g.v}?q=1'", "/base/x/a%3Fb=1&c%23d?q=1"},
		{"%41", "get: '/x/${g.v}'", "/base/x/%2541"},
		{"a..b", "get: '/x/${g.v}'", "/base/x/a..b"},
		{"...", "get: '/x/${g.v}'", "/base/x/..."},
		{`a\b`, "get: '/x/${g.v}'", "/base/x/a%5Cb"},
		{".", "get: '/x/a${g.v}json'", "/base/x/a.json"},
		{"..", "get: '/x?at=${g.v}'", "/base/x?at=.."},
		{"../../admin&x=1#", "get: '/x?at=${g.v}'", "/base/x?at=..%2F..%2Fadmin%26x%3D1%23"},
		{"..", "request: {path: /x, query: {at: '${g.v}'}}", "/base/x?at=.."},
		{"a&b=1", "request: {path: /x, query: {at: '${g.v}'}}", "/base/x?at=a%26b%3D1"},
		{"..", "get: '/x/${g.v}'", refused},
		{".", "get: '/x/${g.v}?q'", refused},
		{".", "get: '/x/.${g.v}/y'", refused},
		{".", "get: '/x/${g.v}${g.v}'", refused},
		{"%2e%2E", "get: '/x/${g.v}'", refused},
		{"%2e.", "get: '/x/${g.v}/y'", refused},
		{"%252e%252e", "get: '/x/${g.v}'", "/base/x/%25252e%25252e"},
		{"../admin", "get: '/x/${g.v}'", refused},
		{`a\..\b`, "get: '/x/${g.v}'", refused},
		{"a/..", "get: '/x/${g.v}'", refused},
		{"..%2fadmin", "get: '/x/${g.v}'", refused},
		{"..", "request: {path: '/x/${g.v}'}", refused},
		{"a b", "request: {path: /x, headers: {X-At: '${g.v}'}}", "/base/x X-At=a b"},
		{`a","b":"c`, "request: {method: POST, path: /x, json: {at: '${g.v}'}}, idempotent: true", `/base/x {"at":"a\",\"b\":\"c"}`},
		{"a&b=c", "request: {method: POST, path: /x, form: {at: '${g.v}'}}, idempotent: true", "/base/x at=a%26b%3Dc"},
	} {
		synctest.Test(t, func(t *testing.T) {
			asked := refused
			tr := &fake{reply: func(r *http.Request, _ int) (*http.Response, error) {
				if r.URL.Path == "/base/give" {
					given, _ := json.Marshal(tt.value)
					return respond(r, 200, `{"v":`+string(given)+`}`), nil
				}
				asked = r.URL.RequestURI()
				if at := r.Header.Get("X-At"); at != "" {
					asked += " X-At=" + at
				}
				if r.Body != nil {
					body, _ := io.ReadAll(r.Body)
					asked += " " + string(body)
				}
				return respond(r, 200, "{}"), nil
			}}
			y := strings.Replace(header, "https://o.example", "https://o.example/base", 1) + `
  - {name: g, origin: o, get: /give, capture: {v: {path: $.v}}}
  - {name: b, origin: o, ` + tt.probe + `}`
			r := runPlan(t, t.Context(), declare(t, y), tr, Options{}).Results[1]
			if asked != tt.want {
				t.Errorf("%q in %s: asked %q, want %q", tt.value, tt.probe, asked, tt.want)
			}
			if tt.want == refused && (r.Finding != Alheio || r.Asked || deref(r.Detail, "") != DetailUnfitCapture || !strings.Contains(deref(r.Motivo, ""), "o valor v que a sonda g deu")) {
				t.Errorf("%q in %s: %s %v %s", tt.value, tt.probe, r.Finding, deref(r.Detail, ""), deref(r.Motivo, ""))
			}
		})
	}
}
