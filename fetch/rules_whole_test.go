package fetch

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRulesWantTheWholeBody: what a rule hands on to be read has to be there,
// whatever the status says by itself.
func TestRulesWantTheWholeBody(t *testing.T) {
	torn := func(status int, text string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			res, _ := say(status, "")(r)
			res.ContentLength = 1000
			res.Body = io.NopCloser(io.MultiReader(strings.NewReader(text), &failing{io.ErrUnexpectedEOF}))
			return res, nil
		}
	}
	packed := string(gzipped([]byte(`{"a":1}`)))
	half := packed[:len(packed)-9]
	long := strings.Repeat("x", maxErrorBody) + "END"
	ok := Rule{Name: "ok", Means: MeansOK}
	empty := Rule{Name: "empty", Status: only(404), BodyIs: BodyIsEmpty, Means: MeansAbsent}
	for _, tt := range []struct {
		name     string
		rule     Rule
		step     func(*http.Request) (*http.Response, error)
		kind     Kind // "" for an answer
		detail   Detail
		requests int
		body     string // of an answer
	}{
		{"an error's body that breaks off is no answer", ok, torn(404, `{"a"`), Network, BodyCut, 3, ""},
		{"nor is one that ends nowhere", ok, hangingBody(404, `{"a"`), Timeout, BodyTimeout, 3, ""},
		{"nor one that cannot be unpacked", ok, say(404, half, "Content-Encoding", "gzip"), MalformedBody, BadEncoding, 3, ""},
		{"nor a success that cannot be unpacked", ok, say(200, half, "Content-Encoding", "gzip"), MalformedBody, BadEncoding, 3, ""},
		{"what came plainly can be read", ok, say(200, `{"a":1}`, "Content-Encoding", "gzip"), "", "", 1, `{"a":1}`},
		{"under an error's status too", ok, say(404, `{"a":1}`, "Content-Encoding", "gzip"), "", "", 1, `{"a":1}`},
		{"an answer keeps all of its body", ok, say(404, long), "", "", 1, long},
		{"what broke off is not empty", empty, torn(404, ""), NotFound, "", 1, ""},
		{"what is empty is", empty, say(404, ""), "", "", 1, ""},
		{"drift needs no body", Rule{Name: "drift", Means: MeansDrift}, torn(404, "x"), "", "", 1, "x"},
		{"what has come says enough", Rule{Name: "absent", BodyContains: "no data", Means: MeansAbsent}, torn(404, "no data"), "", "", 1, "no data"},
		{"a body over our cap is our side", ok, say(404, long+long), Aborted, "", 1, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := exact()
				p.Timeout, p.MaxBody = time.Second, int64(len(long))
				f := script(tt.step)
				a, err := NewClient(Config{Policy: p, Transport: f, Rules: []Rule{tt.rule}}).Do(t.Context(), &Request{URL: origin})
				if f.count() != tt.requests {
					t.Errorf("%d requests, want %d", f.count(), tt.requests)
				}
				if tt.kind != "" {
					if e := failed(t, err); e.Kind != tt.kind || e.Detail != tt.detail || e.Rule != nil {
						t.Errorf("%s %q by rule %v, want %s %q", e.Kind, e.Detail, e.Rule, tt.kind, tt.detail)
					}
					return
				}
				if err != nil || a.Rule == nil || string(a.Body) != tt.body {
					t.Errorf("%v, %+v", err, a)
				}
			})
		})
	}
}
