package jsonpath

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// suiteCase is one case of the JSONPath compliance suite.
type suiteCase struct {
	Name     string          `json:"name"`
	Selector string          `json:"selector"`
	Document json.RawMessage `json:"document"`
	Result   []any           `json:"result"`
	Results  [][]any         `json:"results"` // any of them is right
	Paths    []string        `json:"result_paths"`
	AnyPaths [][]string      `json:"results_paths"`
	Invalid  bool            `json:"invalid_selector"`
}

// loadSuite reads the compliance suite: from the folder that FONTEVIVA_SUITES
// names, where it has to be, or from beside this checkout.
func loadSuite(t *testing.T) []suiteCase {
	t.Helper()
	folder, named := os.LookupEnv("FONTEVIVA_SUITES")
	if !named {
		folder = "../../../../shared/suites"
	}
	file := filepath.Join(folder, "jsonpath-cts.json")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) && !named {
		t.Skipf("the compliance suite is not beside this checkout (%s)", file)
	}
	if err != nil {
		t.Fatal(err)
	}
	var suite struct{ Tests []suiteCase }
	if err := json.Unmarshal(data, &suite); err != nil {
		t.Fatal(err)
	}
	if len(suite.Tests) < 700 {
		t.Fatalf("only %d cases in the suite", len(suite.Tests))
	}
	return suite.Tests
}

type engine func(d *Document, p *Path, visit func(Value, *Location) bool) error

func streamEngine(d *Document, p *Path, visit func(Value, *Location) bool) error {
	return d.stream(context.Background(), p, visit)
}

func indexEngine(d *Document, p *Path, visit func(Value, *Location) bool) error {
	if err := d.Index(); err != nil {
		return err
	}
	return d.walk(context.Background(), p, visit)
}

// selected runs a path and gives the nodes with their normalized paths.
func selected(t testing.TB, run engine, doc []byte, p *Path) (nodes []any, paths []string) {
	t.Helper()
	nodes, paths = []any{}, []string{}
	err := run(NewDocument(doc), p, func(v Value, at *Location) bool {
		nodes, paths = append(nodes, v.Decode()), append(paths, at.Normalized())
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return nodes, paths
}

func TestComplianceSuite(t *testing.T) {
	streamed := 0
	for _, tc := range loadSuite(t) {
		t.Run(tc.Name, func(t *testing.T) {
			p, err := Parse(tc.Selector)
			if tc.Invalid {
				if err == nil {
					t.Fatalf("%q is not refused", tc.Selector)
				}
				return
			}
			if err != nil {
				t.Fatalf("%q is refused: %v", tc.Selector, err)
			}
			checkCase(t, tc, indexEngine, p)
			if p.Streams() {
				streamed++
				checkCase(t, tc, streamEngine, p)
			}
		})
	}
	if streamed < 100 {
		t.Errorf("only %d cases went through the streaming engine", streamed)
	}
}

func checkCase(t *testing.T, tc suiteCase, run engine, p *Path) {
	t.Helper()
	results, paths := tc.Results, tc.AnyPaths
	if results == nil {
		results, paths = [][]any{tc.Result}, [][]string{tc.Paths}
	}
	nodes, places := selected(t, run, tc.Document, p)
	for i := range results {
		if equal(toAny(nodes), numbered(t, results[i])) && (len(paths) <= i || reflect.DeepEqual(places, paths[i])) {
			return
		}
	}
	t.Errorf("%s on %s\n got %v %v\nwant %v %v", tc.Selector, tc.Document, nodes, places, results, paths)
}

func toAny(nodes []any) any { return nodes }

// numbered turns a value of encoding/json into one of Value.Decode.
func numbered(t *testing.T, list []any) any {
	t.Helper()
	if list == nil {
		list = []any{}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return Value{text}.Decode()
}
