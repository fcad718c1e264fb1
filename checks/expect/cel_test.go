package expect

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCEL(t *testing.T) {
	selic := `[{"data":"01/02/2026","valor":"0.04"},{"data":"02/02/2026","valor":"-0.05"}]`
	for _, tc := range []struct {
		yaml, body string
		want       []string
	}{
		{"cel: ['body.all(x, double(x.valor) > -1.0)', 'status == 200', 'duration < duration(\"2s\")']", selic, nil},
		{"cel: ['body.all(x, double(x.valor) > 0.0)']", selic,
			[]string{`cel at $[1]: want body.all(x, double(x.valor) > 0.0), got x = {"data":"02/02/2026","valor":"-0.05"}; double(x.valor) = -0.05`}},
		{"cel: [{that: 'size(body) == 3', severity: warn}]", selic, []string{"warn cel at null: want size(body) == 3, got size(body) = 2"}},
		{"cel: ['headers[\"x-total\"] == string(size(body))']", selic, nil},
		{"cel: ['headers.etag != \"\"']", selic, []string{`cel at null: want headers.etag != "", got no such key: "etag"`}},
		// J5: a parameter that the origin ignores.
		{"cel: ['request.query.start == body[0].data', 'request.method == \"GET\"', 'request.url.contains(\"/dados?\")']", selic, nil},
		{"cel: ['request.query.start == body[1].data']", selic,
			[]string{`cel at null: want request.query.start == body[1].data, got request.query.start = "01/02/2026"; body[1].data = "02/02/2026"`}},
		{"cel: ['captures.last == body[1].data']", selic, nil},
		{"cel: ['body.missing == 1']", selic, []string{"cel at null: want body.missing == 1, got a list has no field missing"}},
		// A1: J1, the order of dates.
		{"cel: ['body.map(x, x.data) == [\"01/02/2026\", \"02/02/2026\"]']", selic, nil},
		// J7: at least one of them has it.
		{"cel: ['body.exists(x, has(x.sobrestacao))']", selic, []string{"cel at null: want body.exists(x, has(x.sobrestacao)), got body.exists(x, has(x.sobrestacao)): 0 of 2"}},
		{"cel: ['body.a == 1']", `{"a":1,"a":1}`, []string{"json.duplicate_key at $.a: want every key once in its object, got the key again in the same object"}},
	} {
		o := &Observation{Status: 200, Header: http.Header{"X-Total": {"2"}}, Body: []byte(tc.body), JSON: true, Duration: time.Second,
			Request: Request{Method: "GET", URL: "https://o.example/dados?start=01/02/2026"}, Captures: map[string]any{"last": "02/02/2026"}}
		spec := mustDecode(t, tc.yaml)
		if tc.want == nil {
			tc.want = []string{}
		}
		if !spec.PrefersJSON() || spec.NeedsJSON() {
			t.Errorf("%s: %t %t", tc.yaml, spec.PrefersJSON(), spec.NeedsJSON())
		}
		if diff := cmp.Diff(tc.want, judge(t, spec, o)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}

func TestCELOnText(t *testing.T) {
	got := judge(t, mustDecode(t, "cel: ['body.startsWith(\"data;\")', 'body.contains(\"x\")']"), &Observation{Body: []byte("data;valor")})
	if diff := cmp.Diff([]string{`cel at null: want body.contains("x"), got body = "data;valor"`}, got); diff != "" {
		t.Error(diff)
	}
}

func TestCELEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	o := &Observation{Status: 404, JSON: true, Body: []byte("[" + strings.Repeat("1,", 5_000) + "1]"), Redact: func(s string) string { cancel(); return s }}
	list, err := mustDecode(t, "{status: 200, cel: ['body.all(x, body.all(y, x == y))']}").Evaluate(ctx, o)
	if !errors.Is(err, context.Canceled) || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestCELProblems(t *testing.T) {
	known := "known here: body, captures, duration, headers, request, status"
	for _, tc := range []struct{ yaml, want string }{
		{"cel: ['request.path == \"/dados\"']", `1:7 "request.path == \"/dados\"" is not a predicate: there is no path in it at character 1 | known here: method, query, url`},
		{"cel: ['has(request.zzz)']", `1:7 "has(request.zzz)" is not a predicate: there is no zzz in it at character 1 | known here: method, query, url`},
		{"cel: []", "1:6 the list of predicates is empty | such as - body.all(x, double(x.valor) > 0.0)"},
		{"cel: 'true'", `1:6 expected a list, got "true" | `},
		{"cel: ['stat == 200']", `1:7 "stat == 200" is not a predicate: there is no stat at character 1 | ` + known},
		{"cel: ['status = 200']", `1:7 "status = 200" is not a predicate: '=' is not part of an expression at character 8 | the operators are ==, && and ||`},
		{"cel: ['status == \"200\"']", `1:7 "status == \"200\"" is not a predicate: int == string is always the same at character 1 | both sides have to be of one type`},
		{"cel: ['status + 1']", `1:7 "status + 1" is not a predicate: a predicate is true or false, and this is an int at character 1 | compare it with something`},
		{"cel: [{severity: warn}]", `1:7 a cel predicate has no key "that" | add that: a CEL expression that has to be true`},
		{"cel: [{that: 'true', severity: error}]", `1:32 expected one of fail, warn, got "error" | `},
	} {
		if diff := cmp.Diff([]string{tc.want}, problemsOf(t, tc.yaml, nil)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}
