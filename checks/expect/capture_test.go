package expect

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/source"
)

func capture(t *testing.T, yaml string) *Capture {
	t.Helper()
	var c source.Collector
	n, ok := source.Parse("c.yaml", []byte(yaml), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	got := DecodeCapture("x", n)
	if c.Len() > 0 {
		t.Fatal(c.Err())
	}
	return got
}

func TestCaptures(t *testing.T) {
	const list = `[{"d":"02/01/2026","n":9,"id":"a"},{"d":"31/12/2025","n":10.50,"id":"b"},{"d":"03/01/2026","n":10.5,"id":"c"},{"id":"none"}]`
	for _, tt := range []struct {
		capture, body string
		want, why     string
	}{
		{`{path: "$[-1].id"}`, list, "none", ""},
		{`{path: "$[*].id"}`, list, "a", ""},
		{`{path: "$[1].n"}`, list, "10.50", ""},
		{`{path: $.a}`, `{"a":653247040368672768}`, "653247040368672768", ""},
		{`{path: $.a}`, `{"a":true}`, "true", ""},
		{`{path: $.a}`, `{"a":"é\u0041/?"}`, "éA/?", ""},
		{`{header: etag}`, `{}`, `W/"1"`, ""},
		{`{path: "$[*]", max_by: "@.n", take: "@.id"}`, list, "b", ""}, // 10.50 and 10.5 are equal: the first stays
		{`{path: "$[*]", min_by: "@.n", take: "$.id"}`, list, "a", ""},
		{`{path: "$[*]", max_by: "@.d", take: "@.id"}`, list, "b", ""}, // as text
		{`{path: "$[*]", max_by: "@.d", layout: DD/MM/YYYY, take: "@.id"}`, list, "c", ""},
		{`{path: "$[*]", min_by: "@.d", layout: DD/MM/YYYY, take: "@['id']"}`, list, "b", ""},
		{`{path: "$[*].n", max_by: "@"}`, list, "10.50", ""},

		{`{path: $.x}`, `{}`, "", "nothing: the path selects no node"},
		{`{path: $.x}`, `{"x":null}`, "", "null"},
		{`{path: $.x}`, `{"x":""}`, "", "an empty text"},
		{`{path: $.x}`, `{"x":{"a":1}}`, "", "an object, which is not one value"},
		{`{path: $.x}`, `{"x":[1]}`, "", "an array, which is not one value"},
		{`{path: $.x}`, `{"x":"a\nb"}`, "", "a text with a line break or a control character, which no request can carry in its headers"},
		{`{path: $.x}`, `{"x":"` + strings.Repeat("s", 8193) + `"}`, "", "a text of 8193 bytes, more than 8192"},
		{`{header: X-None}`, `{}`, "", "nothing: the answer has no such header"},
		{`{path: "$[*]", max_by: "@.n", take: "@.x"}`, list, "", "a node in which @.x selects nothing"},
		{`{path: "$[*]", max_by: "@.z", take: "@.id"}`, list, "", "no number or text at @.z"},
		{`{path: "$[*]", max_by: "@.id", layout: DD/MM/YYYY}`, list, "", "no date as DD/MM/YYYY at @.id"},
		{`{path: "$[*]", max_by: "@.v"}`, `[{"v":1},{"v":"2"}]`, "", "numbers and texts at @.v, which have no common order"},
		{`{path: $.x}`, `no json`, "", "a body that is not JSON, of Content-Type text/plain"},
	} {
		o := &Observation{Header: http.Header{"Etag": {`W/"1"`}, "Content-Type": {"text/plain"}}, Body: []byte(tt.body), JSON: tt.body[0] != 'n'}
		c := capture(t, tt.capture)
		got, m, err := c.Take(t.Context(), o)
		why := ""
		if m != nil {
			why = m.Got
			if m.Code != "capture" || m.Severity != Fail || m.Want != "a value for the capture x" || m.Path == nil {
				t.Errorf("%s: %+v", tt.capture, m)
			}
		}
		if got != tt.want || why != tt.why || err != nil {
			t.Errorf("%s of %.60s: %q %q %v, want %q %q", tt.capture, tt.body, got, why, err, tt.want, tt.why)
		}
	}
}

func TestCapturesOfXML(t *testing.T) {
	const rss = `<?xml version="1.0"?><rss><channel><item id="7"><t>a</t></item><item id="9"><t> b
	</t></item><none/><two>x
y</two></channel></rss>`
	const atom = `<feed xmlns="urn:atom"><id>urn:1</id></feed>`
	for _, tt := range []struct {
		capture, body string
		want, why     string
	}{
		{`{xpath: //item/@id}`, rss, "7", ""},
		{`{xpath: "//item[last()]/@id"}`, rss, "9", ""},
		{`{xpath: "//item[2]/t"}`, rss, "b", ""},
		{`{xpath: count(//item)}`, rss, "2", ""},
		{`{xpath: "concat('n', //item/@id)"}`, rss, "n7", ""},
		{`{xpath: boolean(//item)}`, rss, "true", ""},
		{`{xpath: "//a:id", namespaces: {a: urn:atom}}`, atom, "urn:1", ""},
		{`{xpath: //id}`, atom, "", "nothing: the path selects no node; the document is of the namespace urn:atom"},
		{`{xpath: //x}`, rss, "", "nothing: the path selects no node"},
		{`{xpath: //none}`, rss, "", "an empty text"},
		{`{xpath: number(//x)}`, rss, "", "NaN, which is not a number"},
		{`{xpath: //two}`, rss, "", "a text with a line break or a control character, which no request can carry in its headers"},
		{`{xpath: //x}`, `{"x":1}`, "", "the body is not xml: line 1: text stands outside of the element"},
	} {
		c := capture(t, tt.capture)
		if !c.NeedsXML() || c.NeedsJSON() {
			t.Errorf("%s: %v %v", tt.capture, c.NeedsXML(), c.NeedsJSON())
		}
		got, m, err := c.Take(t.Context(), &Observation{Body: []byte(tt.body)})
		why := ""
		if m != nil {
			why = m.Got
			if m.Code != "capture" || m.Severity != Fail || *m.Path != c.xpath.String() {
				t.Errorf("%s: %+v", tt.capture, m)
			}
		}
		if got != tt.want || why != tt.why || err != nil {
			t.Errorf("%s of %.60s: %q %q %v, want %q %q", tt.capture, tt.body, got, why, err, tt.want, tt.why)
		}
	}
}

// TestACaptureThatCostsTooMuch holds that our own limit is no mismatch, which
// would be drift.
func TestACaptureThatCostsTooMuch(t *testing.T) {
	c := capture(t, `{xpath: "//a[count(//a) = count(//a)]"}`)
	body := "<r>" + strings.Repeat("<a/>", 5000) + "</r>"
	if v, m, err := c.Take(t.Context(), &Observation{Body: []byte(body)}); !errors.Is(err, ErrLimit) || m != nil || v != "" {
		t.Errorf("%q %+v %v", v, m, err)
	}
}

func TestACaptureStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := capture(t, `{path: "$..x"}`)
	_, m, err := c.Take(ctx, &Observation{JSON: true, Body: []byte("[" + strings.Repeat("[],", 100_000) + "[]]")})
	if !errors.Is(err, context.Canceled) || m != nil {
		t.Errorf("%v %v", m, err)
	}
}

func TestWrongCaptures(t *testing.T) {
	for yaml, want := range map[string]string{
		`{}`:                                      "exactly one of path, xpath and header",
		`{path: $, header: A}`:                    "exactly one of path, xpath and header",
		`{path: $, xpath: //a}`:                   "exactly one of path, xpath and header",
		`{xpath: //a, header: A}`:                 "exactly one of path, xpath and header",
		`{xpath: "//a["}`:                         "is not an XPath expression",
		`{xpath: //g:a}`:                          "prefixes are declared beside it",
		`{xpath: //a, namespaces: {xml: u}}`:      "cannot be a prefix",
		`{xpath: //a, namespaces: [a]}`:           "expected a mapping",
		`{path: $, namespaces: {a: u}}`:           "namespaces: belongs to xpath:",
		`{xpath: //a, max_by: "@.b"}`:             "choose within the expression",
		`{xpath: //a, take: "@.b"}`:               "choose within the expression",
		`{xpath: //a, layout: YYYY}`:              "layout: belongs to",
		`{xpath: ""}`:                             "expected",
		`{header: A, take: "@"}`:                  "choose among the nodes of a path",
		`{path: $, max_by: "@.a", min_by: "@.b"}`: "not both",
		`{path: $, take: "@.a"}`:                  "take: belongs to",
		`{path: $, layout: YYYY}`:                 "layout: belongs to",
		`{path: $, max_by: data}`:                 "is not a path from a node",
		`{path: $, max_by: "@", layout: QQ}`:      "is not a layout",
		`{path: nope}`:                            "is not a JSON path",
		`{path: $, secret: 1}`:                    "expected true or false",
		`text`:                                    "expected a mapping",
	} {
		var c source.Collector
		n, ok := source.Parse("c.yaml", []byte(yaml), &c)
		if !ok {
			t.Fatal(c.Err())
		}
		DecodeCapture("x", n)
		if err := c.Err(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", yaml, err, want)
		}
	}
}
