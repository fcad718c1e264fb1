package jsonpath

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	oracle "github.com/theory/jsonpath"
)

func mustParse(t testing.TB, path string) *Path {
	t.Helper()
	p, err := Parse(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestBothEngines(t *testing.T) {
	for _, tc := range []struct {
		doc, path string
		want      string // nodes as one JSON array
		paths     []string
	}{
		{`{"a":1,"a":2}`, `$.a`, `[2]`, []string{"$['a']"}},
		{`{"a":1,"b":2,"a":3}`, `$.*`, `[2,3]`, []string{"$['b']", "$['a']"}},
		{`{"a":1,"\u0061":2}`, `$.a`, `[2]`, []string{"$['a']"}},
		{`{"\u0061":1,"a":2,"b":3}`, `$[*]`, `[2,3]`, []string{"$['a']", "$['b']"}},
		{`{"\ud800":1}`, `$['` + "\uFFFD" + `']`, `[1]`, []string{"$['\uFFFD']"}},
		{"{\"\xff\":1,\"\xfe\":2}", `$.*`, `[2]`, []string{"$['\uFFFD']"}},
		{`{"\ud83d\ude00":1}`, `$['😀']`, `[1]`, []string{"$['😀']"}},
		{`{"a\"b":1}`, `$['a"b']`, `[1]`, []string{`$['a"b']`}},
		{`{"a'b\n":1}`, `$["a'b\n"]`, `[1]`, []string{`$['a\'b\n']`}},
		{`{"":{"":1}}`, `$['']['']`, `[1]`, []string{`$['']['']`}},
		{`[653247040368672768,1e1000000000,5.07730]`, `$[*]`, `[653247040368672768,1e1000000000,5.07730]`, []string{"$[0]", "$[1]", "$[2]"}},
		{` [ 1 , [ 2 , 3 ] , { "a" : [ 4 ] } ] `, `$[1][-1]`, `[3]`, []string{"$[1][1]"}},
		{` [ 1 , [ 2 , 3 ] , { "a" : [ 4 ] } ] `, `$[-1].a[0]`, `[4]`, []string{"$[2]['a'][0]"}},
		{`[0,1,2,3,4]`, `$[-3]`, `[2]`, []string{"$[2]"}},
		{`[0,1,2,3,4]`, `$[-6]`, `[]`, []string{}},
		{`[0,1,2,3,4]`, `$[-2:]`, `[3,4]`, []string{"$[3]", "$[4]"}},
		{`[0,1,2,3,4]`, `$[::-2]`, `[4,2,0]`, []string{"$[4]", "$[2]", "$[0]"}},
		{`[0,1,2,3,4]`, `$[1:4:2,0,-1]`, `[1,3,0,4]`, []string{"$[1]", "$[3]", "$[0]", "$[4]"}},
		{`[0,1,2]`, `$[9007199254740991,-9007199254740991]`, `[]`, []string{}},
		{`[0,1,2]`, `$[::9007199254740991]`, `[0]`, []string{"$[0]"}},
		{`[[1,2],[3],[]]`, `$[*][0]`, `[1,3]`, []string{"$[0][0]", "$[1][0]"}},
		{`[{"a":[1,2]},{"a":3},4]`, `$[*].a`, `[[1,2],3]`, []string{"$[0]['a']", "$[1]['a']"}},
		{`{"a":"x\\"}`, `$.a`, `["x\\"]`, []string{"$['a']"}},
		{`"only"`, `$`, `["only"]`, []string{"$"}},
		{`"only"`, `$.a`, `[]`, []string{}},
		{`3`, `$[0]`, `[]`, []string{}},
		{`[]`, `$[*]`, `[]`, []string{}},
		{`{}`, `$.*`, `[]`, []string{}},
	} {
		p := mustParse(t, tc.path)
		if !p.Streams() {
			t.Errorf("%s does not stream", tc.path)
		}
		for name, run := range map[string]engine{"stream": streamEngine, "index": indexEngine} {
			nodes, paths := selected(t, run, []byte(tc.doc), p)
			if want := (Value{[]byte(tc.want)}).Decode(); !reflect.DeepEqual(any(nodes), want) || !slices.Equal(paths, tc.paths) {
				t.Errorf("%s: %s on %s: %v %v", name, tc.path, tc.doc, nodes, paths)
			}
		}
	}
}

func TestFiltersKeepDigits(t *testing.T) {
	for _, tc := range []struct{ doc, path, want string }{
		{`[653247040368672768,653247040368672769]`, `$[?@==653247040368672768]`, `[653247040368672768]`},
		{`[0.1,0.1000000000000000000001]`, `$[?@>0.1]`, `[0.1000000000000000000001]`},
		{`[1e400,1e401,"1e401"]`, `$[?@>1e400]`, `[1e401]`},
		{`[{"a":[1,{"b":2.0}],"c":[1.0,{"b":2}]}]`, `$[?@.a==@.c]`, `[{"a":[1,{"b":2.0}],"c":[1.0,{"b":2}]}]`},
		{`["a1","b","ab"]`, `$[?match(@,'a|b')]`, `["b"]`},
		{`{"p":"a.","l":["ab","abc"]}`, `$.l[?match(@,$.p)]`, `["ab"]`},
		{`{"n":2,"l":[1,2,3]}`, `$.l[?@>=$.n]`, `[2,3]`},
		{`{"l":[1,2]}`, `$.l[?count($..*)==3]`, `[1,2]`},
		{`[{"a":1},{"a":1,"a":2}]`, `$[?@.a==2].a`, `[2]`},
		{`[{"a":1,"a":2}]`, `$..a`, `[2]`},
		{`[{"a":{"b":1}},{"a":{}}]`, `$[?!@.a.b]`, `[{"a":{}}]`},
	} {
		nodes, _ := selected(t, indexEngine, []byte(tc.doc), mustParse(t, tc.path))
		if want := (Value{[]byte(tc.want)}).Decode(); !reflect.DeepEqual(any(nodes), want) {
			t.Errorf("%s on %s: %v", tc.path, tc.doc, nodes)
		}
	}
}

func TestSelectStopsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	doc := NewDocument([]byte("[" + strings.Repeat("[1],", 5000) + "[1]]"))
	for _, path := range []string{"$[*][0]", "$..*", "$[?@[0]==1]"} {
		seen := 0
		err := doc.Select(ctx, mustParse(t, path), func(Value, *Location) bool { seen++; return true })
		if err != nil || seen < 5001 {
			t.Errorf("%s: %d nodes, %v", path, seen, err)
		}
	}
	cancel()
	for _, path := range []string{"$[*][0]", "$..*", "$[?@[0]==1]", "$[?count($..*)>1]"} {
		seen := 0
		err := doc.Select(ctx, mustParse(t, path), func(Value, *Location) bool { seen++; return true })
		if !errors.Is(err, context.Canceled) || seen > 1024 {
			t.Errorf("%s: %d nodes, %v", path, seen, err)
		}
	}
}

func TestSelectStopsWhenAsked(t *testing.T) {
	doc := []byte(`{"a":[1,2,3],"b":[4,5]}`)
	for _, path := range []string{"$.*[*]", "$['a','b'][*]", "$..*", "$.a[::-1]", "$.a[?@>0]", "$.a[-3:]"} {
		for _, run := range []engine{streamEngine, indexEngine} {
			p := mustParse(t, path)
			if !p.Streams() {
				run = indexEngine
			}
			seen := 0
			if err := run(NewDocument(doc), p, func(Value, *Location) bool { seen++; return seen < 2 }); err != nil || seen != 2 {
				t.Errorf("%s: %d nodes, %v", path, seen, err)
			}
		}
	}
}

// Depth is bounded by the validator; both engines must live with what it lets
// through.
func TestDeepText(t *testing.T) {
	doc := []byte(strings.Repeat(`[{"a":`, 5000) + "1" + strings.Repeat("}]", 5000))
	nodes, _ := selected(t, streamEngine, doc, mustParse(t, "$[0].a[0].a[0]"))
	if len(nodes) != 1 {
		t.Error("nothing selected")
	}
	if whole := (Value{doc}); !whole.Equal(whole.Decode()) {
		t.Error("a deep value is not itself")
	}
	seen := 0
	err := NewDocument(doc).Select(context.Background(), mustParse(t, "$..a"), func(Value, *Location) bool { seen++; return true })
	if err != nil || seen != 5000 {
		t.Errorf("%d nodes, %v", seen, err)
	}
}

// What costs much for every node of a deep text ends soon after the context.
func TestHostileTextEndsWithTheContext(t *testing.T) {
	text := []byte(strings.Repeat("[", 9000) + "[" + strings.Repeat("0,", 1<<20) + "0]" + strings.Repeat("]", 9000))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, path := range []string{"$..*", "$..[?length(@)==-1]", "$..[?@==$[0]]"} {
		doc, seen := NewDocument(text), 0
		err := doc.Select(ctx, mustParse(t, path), func(v Value, _ *Location) bool { seen++; v.Decode(); return true })
		if !errors.Is(err, context.Canceled) || seen > 2 {
			t.Errorf("%s: %d nodes, %v", path, seen, err)
		}
	}
}

// FuzzEngines compares the two engines, and both with a library that walks a
// decoded tree.
func FuzzEngines(f *testing.F) {
	for _, s := range [][2]string{
		{`{"a":[1,{"b":2}],"a":[3]}`, `$.a[0]`}, {`[1,2,3]`, `$[-1:0:-1]`}, {`{"x":{"y":[]}}`, `$.*.*`},
		{`[{"a":1},{"a":"1"}]`, `$[?@.a==1].a`}, {`{"a":{"a":{"a":1}}}`, `$..a`}, {`["\ud800","é"]`, `$[*,0]`},
		{`{"\u0061":1,"b":null}`, `$['a','b']`}, {`[[1,2],[3,4]]`, `$[::2][-1]`}, {`[1,2]`, `$[?@>1 && !(@<0) || search("ab",'b')]`},
	} {
		f.Add([]byte(s[0]), s[1])
	}
	f.Fuzz(func(t *testing.T, doc []byte, path string) {
		p, err := Parse(path)
		if err != nil || !json.Valid(doc) || len(doc) > 1000 || len(path) > 60 || strings.Count(path, ",") > 4 {
			t.Skip()
		}
		indexed, places := selected(t, indexEngine, doc, p)
		if p.Streams() {
			streamed, where := selected(t, streamEngine, doc, p)
			if !reflect.DeepEqual(indexed, streamed) || !slices.Equal(places, where) {
				t.Errorf("%s on %s: index %v %v, stream %v %v", path, doc, indexed, places, streamed, where)
			}
			compareWithOracle(t, doc, path, indexed)
		}
	})
}

// compareWithOracle compares the nodes whatever their order: the library walks
// Go maps, and compares numbers as floats, so that filters are left out.
func compareWithOracle(t *testing.T, doc []byte, path string, nodes []any) {
	t.Helper()
	p, err := oracle.Parse(path)
	if err != nil {
		t.Errorf("%s is refused by the library: %v", path, err)
		return
	}
	dec := json.NewDecoder(bytes.NewReader(doc))
	dec.UseNumber()
	var tree any
	if err := dec.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	if got, want := sorted(t, nodes), sorted(t, p.Select(tree)); !slices.Equal(got, want) {
		t.Errorf("%s on %s: %v, the library says %v", path, doc, got, want)
	}
}

func sorted(t *testing.T, nodes []any) []string {
	t.Helper()
	texts := []string{}
	for _, n := range nodes {
		text, err := json.Marshal(n)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	slices.Sort(texts)
	return texts
}

// TestRandomEngines runs the comparison of FuzzEngines on generated documents
// and paths, which meet far more often than mutated ones do.
func TestRandomEngines(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	hits := 0
	for range 6000 {
		doc := appendRandom(nil, r, 4)
		path := randomPath(r)
		p := mustParse(t, path)
		indexed, places := selected(t, indexEngine, doc, p)
		streamed, where := selected(t, streamEngine, doc, p)
		if !reflect.DeepEqual(indexed, streamed) || !slices.Equal(places, where) {
			t.Fatalf("%s on %s: index %v %v, stream %v %v", path, doc, indexed, places, streamed, where)
		}
		compareWithOracle(t, doc, path, indexed)
		if len(indexed) > 0 {
			hits++
		}
	}
	if hits < 1200 {
		t.Errorf("only %d selections found something", hits)
	}
}

var someNames = []string{`"a"`, `"b"`, `"\u0061"`, `"é"`, `"\u00e9"`, `""`}

func appendRandom(b []byte, r *rand.Rand, depth int) []byte {
	space := []string{"", " ", "\n"}[r.IntN(3)]
	kind := r.IntN(6)
	if depth == 0 {
		kind %= 4
	} else if depth == 4 {
		kind = 4 + kind%2
	}
	switch kind {
	case 0:
		return append(b, []string{"1", "-2.50", "1e3", "653247040368672768"}[r.IntN(4)]...)
	case 1:
		return append(b, []string{`"x"`, `"]}"`, `"\"\\"`, `"é\ud800"`}[r.IntN(4)]...)
	case 2:
		return append(b, []string{"null", "true", "false"}[r.IntN(3)]...)
	case 3:
		return append(b, []string{"[]", "{}", "[ ]", "{ }"}[r.IntN(4)]...)
	}
	brackets := [2]byte{'[', ']'}
	if kind == 5 {
		brackets = [2]byte{'{', '}'}
	}
	b = append(b, brackets[0])
	for i := range 1 + r.IntN(4) {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, space...)
		if kind == 5 {
			b = append(append(append(b, someNames[r.IntN(len(someNames))]...), space...), ':')
		}
		b = append(appendRandom(append(b, space...), r, depth-1), space...)
	}
	return append(b, brackets[1])
}

func randomPath(r *rand.Rand) string {
	parts := []string{".a", ".b", "['é']", "['']", "[0]", "[1]", "[-1]", "[-2]", "[*]", ".*", "[*]", "[1:]", "[::-1]", "[-3:-1]", "['a','b']", "[0,*]", "[::2,-1,'a']"}
	path := "$"
	for range 1 + r.IntN(3) {
		path += parts[r.IntN(len(parts))]
	}
	return path
}
