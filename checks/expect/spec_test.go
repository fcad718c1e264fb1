package expect

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/source"
)

func TestAnswerExpectations(t *testing.T) {
	answer := func(header ...string) *Observation {
		o := &Observation{Status: 200, Header: http.Header{}, Duration: 1500 * time.Millisecond, Body: []byte("data;valor\n01/02/2026;5,07\n")}
		for i := 0; i < len(header); i += 2 {
			o.Header.Add(header[i], header[i+1])
		}
		return o
	}
	for _, tc := range []struct {
		yaml string
		o    *Observation
		want []string
	}{
		{"status: 200", answer(), nil},
		{"status: [2xx, 404]", answer(), nil},
		{"status: [3XX, 404]", answer(), []string{"status at null: want one of 3xx, 404, got 200"}},
		{"status: 404", answer(), []string{"status at null: want 404, got 200"}},

		{"max_duration: 2s", answer(), nil},
		{"max_duration: 1500ms", answer(), nil},
		{"max_duration: 1s", answer(), []string{"warn max_duration at null: want at most 1s, got 1.5s"}},
		{"max_duration: {max: 1s, severity: fail}", answer(), []string{"max_duration at null: want at most 1s, got 1.5s"}},

		{"content_type: application/json", answer("Content-Type", "Application/JSON; charset=utf-8"), nil},
		{"content_type: text/csv; charset=UTF-8", answer("Content-Type", "text/csv;charset=utf-8;header=present"), nil},
		{"content_type: text/csv; charset=utf-8", answer("Content-Type", "text/csv"), []string{"content_type at null: want text/csv; charset=utf-8, got text/csv"}},
		{"content_type: [application/json, text/json]", answer("Content-Type", "text/html; charset"),
			[]string{"content_type at null: want one of application/json, text/json, got text/html; charset"}},
		{"content_type: text/html", answer("Content-Type", "TEXT/html; charset"), nil},
		{"content_type: text/html", answer(), []string{"content_type at null: want text/html, got no Content-Type"}},

		{"headers: {X-Total: 12}", answer("x-total", "12"), nil},
		{"headers: {x-total: 012}", answer("X-Total", "12"), []string{`headers.equals at x-total: want "012", got "12"`}},
		{"headers: {etag: {exists: true}}", answer("ETag", `"x"`), nil},
		{"headers: {etag: {exists: true}}", answer(), []string{"headers.exists at etag: want the header, got no such header"}},
		{"headers: {etag: {}}", answer(), []string{"headers.exists at etag: want the header, got no such header"}},
		{"headers: {warning: {exists: false}}", answer(), nil},
		{"headers: {warning: {exists: false, severity: warn}}", answer("Warning", "299"), []string{`warn headers.exists at warning: want no such header, got "299"`}},
		{"headers: {a: {contains: [x, z], not_contains: y}}", answer("A", "x", "A", "y"), []string{
			`headers.contains at a: want a text with "z" in it, got "x, y"`, `headers.not_contains at a: want no "y", got "y" at byte 3`}},
		{"headers: {a: {matches: '^x', not_matches: ['q', 'y$']}}", answer("A", "xy"), []string{`headers.not_matches at a: want no match of y$, got "y" at byte 1`}},
		{"headers: {a: {starts_with: b, optional: true}}", answer(), nil},
		{"headers: {a: {starts_with: b}}", answer(), []string{`headers.starts_with at a: want a text that begins "b", got no such header`}},
		{"headers: {b: {in: [x, y]}, a: {not_equals: z}}", answer("A", "z", "B", "z"), []string{
			`headers.in at b: want one of ["x","y"], got "z"`, `headers.not_equals at a: want anything but "z", got "z"`}},

		{`body: {contains: valor, starts_with: "data;", matches: '\d,\d', min_size: 5, max_size: 1kB}`, answer(), nil},
		{`body: {contains: [valor, Valor]}`, answer(), []string{`body.contains at null: want a text with "Valor" in it, got "data;valor\n01/02/2026;5,07\n"`}},
		{`body: {not_contains: "5,07", severity: warn}`, answer(), []string{`warn body.not_contains at null: want no "5,07", got "5,07" at byte 22`}},
		{`body: {min_size: 27, max_size: 27}`, answer(), nil},
		{`body: {min_size: 28, max_size: 26}`, answer(), []string{
			"body.min_size at null: want at least 28, got 27 bytes", "body.max_size at null: want at most 26, got 27 bytes"}},
		{`body: {max_size: 10}`, answer(), []string{"body.max_size at null: want at most 10, got 27 bytes"}},
		{`body: {min_size: 1kB}`, answer(), []string{"body.min_size at null: want at least 1kB, got 27 bytes"}},
		{`body: {equals: x, not_matches: 'valor'}`, answer(), []string{
			`body.equals at null: want "x", got "data;valor\n01/02/2026;5,07\n"`, `body.not_matches at null: want no match of valor, got "valor" at byte 5`}},

		{`json: [{path: $}]`, answer("Content-Type", "text/csv"), []string{"json at null: want one JSON value, got a body that is not JSON, of Content-Type text/csv"}},
		{`json: [{path: $, severity: warn}]`, &Observation{}, []string{"warn json at null: want one JSON value, got an empty body"}},

		{"{body: {max_size: 1}, status: 500, max_duration: 1ms}", answer(), []string{
			"body.max_size at null: want at most 1, got 27 bytes", "status at null: want 500, got 200", "warn max_duration at null: want at most 1ms, got 1.5s"}},
		{"{}", answer(), nil},
	} {
		if tc.want == nil {
			tc.want = []string{}
		}
		if diff := cmp.Diff(tc.want, judge(t, mustDecode(t, tc.yaml), tc.o)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}

func TestSpecFacts(t *testing.T) {
	for _, tc := range []struct {
		yaml                   string
		json, hasStatus, empty bool
		expected, unexpected   []int
	}{
		{"{}", false, false, true, nil, []int{200, 404}},
		{"status: [2xx, 404]", false, true, false, []int{200, 299, 404}, []int{199, 300, 403, 405}},
		{`json: [{path: $}]`, true, false, false, nil, []int{200}},
	} {
		s := mustDecode(t, tc.yaml)
		if s.NeedsJSON() != tc.json || s.HasStatus() != tc.hasStatus || s.Empty() != tc.empty {
			t.Errorf("%s: %v %v %v", tc.yaml, s.NeedsJSON(), s.HasStatus(), s.Empty())
		}
		for _, code := range tc.expected {
			if !s.StatusExpected(code) {
				t.Errorf("%s does not expect %d", tc.yaml, code)
			}
		}
		for _, code := range tc.unexpected {
			if s.StatusExpected(code) {
				t.Errorf("%s expects %d", tc.yaml, code)
			}
		}
	}
	if s := Decode(source.Node{}, nil); s == nil || !s.Empty() {
		t.Error("no expect: is no empty Spec")
	}
}

func TestDecodeProblems(t *testing.T) {
	for _, tc := range []struct {
		yaml string
		want []string // place, message and hint of every problem
	}{
		{"statu: 200", []string{`1:1 unknown key "statu" in expect | did you mean "status"?`}},
		{"status: [99, 6000, ok, 20x]", []string{
			`1:10 "99" is not a status | write 200, 2xx, or a list such as [200, 404]`, `1:14 "6000" is not a status | write 200, 2xx, or a list such as [200, 404]`,
			`1:20 "ok" is not a status | write 200, 2xx, or a list such as [200, 404]`, `1:24 "20x" is not a status | write 200, 2xx, or a list such as [200, 404]`}},
		{"status: []", []string{"1:9 the list of statuses is empty | name at least one, such as 200 or 2xx"}},
		{"max_duration: {max: 2s, severity: error}", []string{`1:35 expected one of fail, warn, got "error" | `}},
		{"max_duration: {severity: fail}", []string{`1:15 max_duration has no key "max" | add max: the longest time, such as 2s`}},
		{"max_duration: 2", []string{`1:15 "2" is not a duration: a number and a unit of ns, us, ms, s, m, h, d, w, such as 1.5s or 1d12h | `}},
		{"content_type: json", []string{`1:15 "json" is not a media type | write type/subtype, such as application/json or text/csv; charset=utf-8`}},
		{"headers: {a b: x, A: 1, a: 2}", []string{`1:11 "a b" is not a header's name | `, `1:25 header "a" is named twice | header names are the same whatever their case; remove one`}},
		{"headers: {a: {exists: false, equals: x}}", []string{"1:14 exists: false contradicts equals: what is not there has no value | remove one of them"}},
		{"headers: {a: [x]}", []string{"1:14 expected text, got a list | "}},
		{"headers: {a: {equal: x}}", []string{`1:15 unknown key "equal" in a header's expectation | did you mean "equals"?`}},
		{"body: {contains: []}", []string{"1:18 the list is empty | name at least one text"}},
		{"body: {}", []string{`1:7 body has no matcher | such as body: {contains: "valor", max_size: 1MiB}`}},
		{"body: {matches: '('}", []string{"1:17 not a regular expression: error parsing regexp: missing closing ): `(` | the syntax is RE2: no look-around, no back-references"}},
		{"body: text", []string{`1:7 expected a mapping (key: value), got "text" | `}},

		{"json: {path: $}", []string{"1:7 expected a list, got a mapping | "}},
		{"fresh: {path: $, layout: [], fail: 1d}", []string{"1:26 the list of layouts is empty | such as DD/MM/YYYY"}},
		{"tls: {version: []}", []string{"1:16 the list of versions is empty | such as 1.3"}},
		{"json: []", []string{`1:7 the list of assertions is empty | such as - {path: "$", type: array}`}},
		{"json:\n  - {path: $.a, equal: 1}\n  - {path: '$[', lenght: 2}", []string{
			`2:17 unknown key "equal" in a json assertion | did you mean "equals"?`,
			`3:12 "$[" is not a JSON path: the path ends too early at character 3 | a selector is 'name', 0, *, 1:3 or ?filter; names in brackets are quoted`,
			`3:18 unknown key "lenght" in a json assertion | did you mean "length"?`}},
		{"json: [{equals: 1}]", []string{`1:8 a json assertion has no key "path" | add path: an RFC 9535 path, such as $[0].data`}},
		{"json: [{path: data.x}]", []string{`1:15 "data.x" is not a JSON path: expected $ at character 1 | a path starts with $, such as $[0].data`}},
		{"json: [{path: $.a, matches: '(?=x)'}]", []string{"1:29 not a regular expression: error parsing regexp: invalid or unsupported Perl syntax: `(?=` | the syntax is RE2: no look-around, no back-references"}},
		{"json: [{path: $.a, exists: false, equals: 1}]", []string{"1:8 exists: false contradicts equals: what is not there has no value | remove one of them"}},
		{"json: [{path: $.a, exists: true, optional: true}]", []string{"1:8 exists: true contradicts optional: true | remove one of them"}},
		{"json: [{path: $.a, min: 3, max: 2.5}]", []string{"1:8 min: 3 is more than max: 2.5 | "}},
		{"json: [{path: $.a, min: '3'}]", []string{`1:25 min needs a number, got "3" | numbers are written without quotes`}},
		{"json: [{path: $.a, type: [strin, integer]}]", []string{`1:27 expected one of string, number, integer, boolean, null, array, object, got "strin" | did you mean "string"?`}},
		{"json: [{path: $.a, type: []}]", []string{"1:26 the list of types is empty | name at least one type"}},
		{"json: [{path: $.a, length: {min: 3, max: 2}}]", []string{"1:28 min: 3 is more than max: 2 | "}},
		{"json: [{path: $.a, length: {}}]", []string{"1:28 length has neither min nor max | write length: 3 or length: {min: 1, max: 20}"}},
		{"json: [{path: $.a, length: many}]", []string{`1:28 expected a whole number from 0 to 2147483647, got "many" | `}},
		{"json: [{path: $.a, in: x}]", []string{`1:24 expected a list, got "x" | `}},
		{"json: [{path: $.a, contains_all: []}]", []string{"1:34 the list is empty | name at least one value"}},
		{"json: [{path: $.a, unique: false}]", []string{"1:28 unique: false asserts nothing | remove the key"}},
		{"json: [{path: $.a, sorted: down}]", []string{`1:28 expected one of asc, desc, got "down" | `}},
		{"json: [{path: $.a, equals: .inf}]", []string{"1:28 .inf is not a number that JSON can hold | quote it if text is meant"}},
		{"json: [{path: $.a, equals: 1, equals: 2}]", []string{`1:31 duplicate key "equals" | it stands on line 1 already; remove one`}},
	} {
		var c source.Collector
		if n, ok := source.Parse("f.yaml", []byte(tc.yaml), &c); ok {
			Decode(n, nil)
		}
		var got []string
		var problems source.Problems
		errors.As(c.Err(), &problems)
		for _, p := range problems {
			got = append(got, strings.TrimPrefix(p.Pos.String(), "f.yaml:")+" "+p.Message+" | "+p.Hint)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.yaml, diff)
		}
	}
}

func TestRedactComesBeforeShortening(t *testing.T) {
	secret := strings.Repeat("s", 300)
	o := &Observation{Body: []byte(`{"token":"` + secret + `"}`), JSON: true, Redact: func(s string) string { return strings.ReplaceAll(s, secret, "***") }}
	got := judge(t, mustDecode(t, `{json: [{path: $.token, equals: x}], body: {equals: y}, cel: ['body.token == "x"']}`), o)
	want := []string{`json.equals at $.token: want "x", got "***"`, `body.equals at null: want "y", got "{\"token\":\"***\"}"`, `cel at null: want body.token == "x", got body.token = "***"`}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if _, m, err := DecodeItems(source.Node{}).Of(context.Background(), o); err != nil || m == nil || m.Got != `(an object) {"token":"***"}` {
		t.Errorf("a page without an array: %+v, %v", m, err)
	}
}

func TestEvaluateStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := mustDecode(t, "{status: 404, json: [{path: '$..*'}]}")
	if list, err := s.Evaluate(ctx, &Observation{JSON: true, Body: []byte("[]")}); !errors.Is(err, context.Canceled) || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
	ctx, cancel = context.WithCancel(context.Background())
	o := &Observation{Status: 200, JSON: true, Body: []byte("[" + strings.Repeat("0,", 10_000) + "0]"), Redact: func(s string) string { cancel(); return s }}
	if list, err := s.Evaluate(ctx, o); !errors.Is(err, context.Canceled) || len(list) != 1 || list[0].Code != "status" {
		t.Errorf("%v, %v", list, err)
	}
}

func TestOneObservationForMany(t *testing.T) {
	s := mustDecode(t, `json: [{path: "$..id", max: 1}, {path: "$[*].id", unique: true}]`)
	o := &Observation{JSON: true, Body: []byte(`[{"id":1},{"id":2}]`)}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if got := judge(t, s, o); len(got) != 1 || got[0] != "json.max at $[1].id: want at most 1, got 2" {
				t.Errorf("%v", got)
			}
		})
	}
	wg.Wait()
}
