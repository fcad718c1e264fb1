package expect

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// suite finds a public suite: in the folder that FONTEVIVA_SUITES names, where
// it has to be, or beside this checkout.
func suite(t *testing.T, name string) string {
	t.Helper()
	folder, named := os.LookupEnv("FONTEVIVA_SUITES")
	if !named {
		folder = "../../../shared/suites"
	}
	path := filepath.Join(folder, name)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !named {
		t.Skipf("the public suite is not beside this checkout (%s)", path)
	}
	return path
}

// TestPathSuite sends every path of the compliance suite through a
// declaration: wrong ones are refused at their place, right ones select as
// many nodes as the suite says. The nodes themselves are compared in package
// jsonpath.
func TestPathSuite(t *testing.T) {
	data, err := os.ReadFile(suite(t, "jsonpath-cts.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases struct {
		Tests []struct {
			Name, Selector string
			Document       json.RawMessage
			Result         []json.RawMessage
			Results        [][]json.RawMessage
			Invalid        bool `json:"invalid_selector"`
		}
	}
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	for _, tc := range cases.Tests {
		t.Run(tc.Name, func(t *testing.T) {
			// Go's quoted ASCII form is a double-quoted YAML scalar too.
			head := "json:\n  - path: " + strconv.QuoteToASCII(tc.Selector) + "\n"
			if tc.Invalid {
				refused(t, head)
				return
			}
			if len(tc.Results) > 0 {
				tc.Result = tc.Results[0]
			}
			o := &Observation{Body: tc.Document, JSON: true}
			n := len(tc.Result)
			switch {
			case n == 0:
				head += "    exists: false\n"
			case !singular(t, tc.Selector):
				head += "    length: " + strconv.Itoa(n) + "\n"
			default:
				head += "    equals: " + string(tc.Result[0]) + "\n"
			}
			if got := judge(t, mustDecode(t, head), o); len(got) > 0 {
				t.Errorf("%s on %s: %v", tc.Selector, tc.Document, got)
			}
		})
	}
}

func singular(t *testing.T, selector string) bool {
	t.Helper()
	p, err := jsonpath.Parse(selector)
	if err != nil {
		t.Fatalf("%q is refused: %v", selector, err)
	}
	return p.Singular()
}

func refused(t *testing.T, yaml string) {
	t.Helper()
	_, err := decode(t, yaml)
	var problems source.Problems
	if !errors.As(err, &problems) {
		t.Fatalf("%s is not refused", yaml)
	}
	if p := problems[0]; p.Pos != (source.Position{File: "f.yaml", Line: 2, Col: 11}) || p.Message == "" {
		t.Errorf("%s: %v", yaml, p)
	}
}

// FuzzDecode holds that no declaration and no body breaks an evaluation.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{status: [2xx], content_type: text/html, headers: {a: {matches: x}}, max_duration: 1s}`), []byte("x"))
	f.Add([]byte(`json: [{path: "$[*].a", equals: {b: [1]}, unique: true, sorted: desc, length: {min: 1}}]`), []byte(`[{"a":{"b":[1]}},{"a":2}]`))
	f.Add([]byte(`json: [{path: "$..a", in: [1], type: [integer], contains_all: [1], contains: x, optional: true}]`), []byte(`{"a":"x"}`))
	f.Add([]byte(`fresh: {path: "$[*].d", layout: [DD/MM/YYYY, rfc3339], warn: 1d, fail: 2d, calendar: business, zone: America/Sao_Paulo}`), []byte(`[{"d":"01/02/2026"}]`))
	f.Add([]byte(`cel: ['body.all(x, x.a > 0)', {that: 'status == 200', severity: warn}]`), []byte(`[{"a":1},{"a":0}]`))
	f.Add([]byte(`xpath: {namespaces: {a: urn:a}, assertions: [{path: "//a:b/@c", min: 1, sorted: true}]}`), []byte(`<b xmlns="urn:a" c="1"/>`))
	f.Add([]byte(`tls: {expires_after: 14d, warn_after: 30d, issuer: [x], version: [1.2, 1.3]}`), []byte("x"))
	f.Add([]byte(`body: {contains: [a], not_matches: "b", min_size: 1kB}`), []byte("ab"))
	f.Fuzz(func(t *testing.T, yaml, body []byte) {
		var c source.Collector
		n, ok := source.Parse("f.yaml", yaml, &c)
		if !ok {
			return
		}
		s := Decode(n, nil)
		if c.Err() != nil || len(yaml) > 500 || len(body) > 500 {
			return
		}
		judge(t, s, &Observation{Status: 200, Body: body, JSON: json.Valid(body)})
	})
}
