package shape

import (
	"context"
	"flag"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew")

func learn(t testing.TB, text string, o Options) *Shape {
	t.Helper()
	s, err := Infer(context.Background(), []byte(text), o)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func paths(t testing.TB, texts ...string) Paths {
	t.Helper()
	var list Paths
	for _, text := range texts {
		p, err := jsonpath.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		steps, ok := p.Steps()
		if !ok {
			t.Fatal(text)
		}
		list = append(list, steps)
	}
	return list
}

// TestDifferences has the class of every way in which an answer can differ.
// A difference that breaks starts with !.
func TestDifferences(t *testing.T) {
	for _, c := range []struct {
		name, was, now string
		want           []string
	}{
		{"the same", `[{"a":1}]`, `[{"a":2},{"a":3}]`, nil},
		{"order of keys", `{"a":1,"b":"x"}`, `{"b":"y","a":2}`, nil},

		{"a required key gone", `{"a":1,"b":"x"}`, `{"a":1}`, []string{`!$.b: key_gone (string → absent)`}},
		{"a renamed key", `[{"valor":"1.5"}]`, `[{"value":"1.5"}]`, []string{
			`!$[*].valor: key_gone (string (number) → absent)`, `$[*].value: new_key (absent → string (number))`}},
		{"a key gone from some", `[{"a":1},{"a":2}]`, `[{"a":1},{}]`, []string{`!$[*].a: key_optional (in every object → missing from some)`}},
		{"an optional key gone", `[{"a":1},{}]`, `[{}]`, nil},
		{"an optional key in all", `[{"a":1},{}]`, `[{"a":1}]`, nil},
		{"a new key", `[{"a":1}]`, `[{"a":1,"b c":null}]`, []string{`$[*]['b c']: new_key (absent → null)`}},
		{"a new optional key", `[{"a":1}]`, `[{"a":1,"b":[]},{"a":1}]`, []string{`$[*].b: new_key (absent → array, optional)`}},
		{"only the top of what is gone", `{"a":{"b":{"c":1}}}`, `{}`, []string{`!$.a: key_gone (object → absent)`}},

		{"a number became a string", `[{"v":1.5}]`, `[{"v":"1.5"}]`, []string{`!$[*].v: type (number → string)`}},
		{"a string became a number", `{"v":"2"}`, `{"v":2}`, []string{`!$.v: type (string → integer)`}},
		{"object or array", `{"v":{"a":1}}`, `{"v":[{"a":1}]}`, []string{`!$.v: type (object → array)`}},
		{"either was recorded", `[{"v":{"a":1}},{"v":[1]}]`, `[{"v":[2]}]`, nil},
		{"one element of another type", `[1,2]`, `[1,"x"]`, []string{`!$[*]: type (integer → string or integer)`}},
		{"a number beside text", `["2"]`, `["2",1.5]`, []string{`!$[*]: type (string → string or number)`}},
		{"the whole", `[]`, `{"error":"x"}`, []string{`!$: type (array → object)`}},
		{"integer to number", `[1]`, `[1,1.5]`, []string{`$[*]: number (integer → number)`}},
		{"number to integer", `[1.5]`, `[1]`, nil},
		{"beyond 2^53", `{"id":1}`, `{"id":653247040368672768}`, nil},

		{"null where none was", `{"a":"x"}`, `{"a":null}`, []string{`!$.a: null (string → null)`}},
		{"null at times", `[{"a":1}]`, `[{"a":1},{"a":null}]`, []string{`!$[*].a: null (integer → integer or null)`}},
		{"null was recorded", `[{"a":1},{"a":null}]`, `[{"a":1}]`, nil},
		{"only null was known", `{"a":null}`, `{"a":{"b":1}}`, []string{`$.a: new_type (null → object)`}},
		{"wider and null", `[1]`, `[1.5,null]`, []string{`!$[*]: null (integer → number or null)`, `$[*]: number (integer → number)`}},

		{"a date became text", `{"d":"31/12/2024"}`, `{"d":"soon"}`, []string{`!$.d: format (DD/MM/YYYY → text)`}},
		{"a date written otherwise", `{"d":"31/12/2024"}`, `{"d":"2024-12-31"}`, []string{`!$.d: format (DD/MM/YYYY → YYYY-MM-DD)`}},
		{"month first", `{"d":"31/12/2024"}`, `{"d":"12/31/2024"}`, []string{`!$.d: format (DD/MM/YYYY → MM/DD/YYYY)`}},
		{"either way round", `{"d":"01/02/2024"}`, `{"d":"31/12/2024"}`, nil},
		{"a point became a comma", `{"v":"0.04"}`, `{"v":"0,04"}`, []string{`!$.v: format (number → number with a decimal comma)`}},
		{"text became a date", `{"d":"soon"}`, `{"d":"2024-12-31"}`, nil},
		{"an absent figure", `[{"v":"1.5"}]`, `[{"v":"1.5"},{"v":""}]`, []string{`$[*].v: empty_text (number → empty text at times)`}},
		{"absent figures alone", `[{"v":"1.5"}]`, `[{"v":""}]`, []string{`$[*].v: empty_text (number → empty text alone)`}},
		{"absent figures were recorded", `[{"v":"1.5"},{"v":""}]`, `[{"v":""}]`, nil},
		{"only empty text was known", `{"v":""}`, `{"v":"x"}`, nil},
		{"empty at times, and written otherwise", `[{"v":"1.5"}]`, `[{"v":"soon"},{"v":""}]`, []string{`!$[*].v: format (number → text)`}},
		{"free text, empty at times", `[{"v":"x y"}]`, `[{"v":"x"},{"v":""}]`, nil},
		{"empty free text", `{"v":"x y"}`, `{"v":""}`, nil},
		{"digits to number", `{"v":"12"}`, `{"v":"12.5"}`, []string{`$.v: number (digits → number)`}},
		{"an address", `{"u":"https://x.example/a"}`, `{"u":"/a"}`, []string{`!$.u: format (URL → text)`}},

		{"nothing in it", `{"value":[{"a":1}]}`, `{"value":[]}`, []string{`$.value: empty (never empty → empty, so that nothing in it can be compared)`}},
		{"empty at times", `[{"l":[1]},{"l":[]}]`, `[{"l":[]}]`, nil},
		{"always empty until now", `{"l":[]}`, `{"l":[1]}`, []string{`$.l: new_items (always empty → of integer)`}},
		{"lengths are information", `[1,2,3]`, `[1]`, nil},

		{"a map keyed by dates", `{"2024-01-01":{"v":1},"2024-01-02":{"v":1}}`, `{"2024-01-03":{"v":1}}`, nil},
		{"a value of a map", `{"10":{"v":1},"11":{"v":1}}`, `{"12":{"v":"x"}}`, []string{`!$[*].v: type (integer → string)`}},
		{"a map of dates whose keys are words", `{"2024-01-01":1,"2024-01-02":2}`, `{"value":1}`, []string{`!$: map (a map keyed by dates, numbers or identifiers → words among its keys)`}},
		{"a word among dates", `{"2024-01-01":1,"2024-01-02":2}`, `{"2024-01-03":1,"total":2}`, []string{`!$: map (a map keyed by dates, numbers or identifiers → words among its keys)`}},
		{"dates beside numbers", `{"1":1,"2":2}`, `{"2024-01-03":1}`, nil},
		{"a map that had words", `[{"m":{"1":1}},{"m":{"total":1}}]`, `[{"m":{"sum":1}}]`, nil},
		{"an empty map", `{"value":{"0":1.5}}`, `{"value":{}}`, []string{`$.value: empty (never empty → empty, so that nothing in it can be compared)`}},
		{"a map at last", `{"value":{}}`, `{"value":{"0":1}}`, []string{`$.value: map (0 keys → a map of many keys)`}},
		{"words beside dates are keys", `{"total":1,"2024-01-01":1}`, `{"2024-01-01":1}`, []string{`!$.total: key_gone (integer → absent)`}},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := learn(t, c.was, Options{})
			now := learn(t, c.now, Options{Like: was})
			if diff := cmp.Diff(c.want, written(compared(t, was, now, Rules{}))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			accepted := Update(was, now)
			if left := compared(t, accepted, learn(t, c.now, Options{Like: accepted}), Rules{}); len(left) > 0 {
				t.Errorf("after it was accepted: %v", left)
			}
		})
	}
}

func written(list []Difference) []string {
	var out []string
	for _, d := range list {
		mark := ""
		if d.Class == Breaking {
			mark = "!"
		}
		out = append(out, mark+d.String())
	}
	return out
}

func TestReads(t *testing.T) {
	was := `{"meta":{"n":1},"rows":[{"valor":"1.5","nome":"x","cep":{"a":1}}]}`
	for _, c := range []struct {
		reads, now string
		breaks     bool
	}{
		{"$.rows[*].valor", `{"meta":{"n":1},"rows":[{"valor":"1.5","cep":{"a":1}}]}`, false},
		{"$.rows[*].valor", `{"meta":{"n":1},"rows":[{"nome":"x","cep":{"a":1}}]}`, true},
		{"$.rows[0].valor", `{"meta":{"n":1},"rows":[{"nome":"x","cep":{"a":1}}]}`, true},
		{"$.rows[*]['valor','nome']", `{"meta":{"n":1},"rows":[{"valor":"1.5","cep":{"a":1}}]}`, true},
		{"$.rows[*].*", `{"meta":{"n":1},"rows":[{"valor":"1.5","cep":{"a":1}}]}`, true},
		{"$.rows[*].valor", `{"rows":[{"valor":"1.5","nome":"x","cep":{"a":1}}]}`, false},
		{"$.rows[*].valor", `{"meta":{"n":1},"rows":{}}`, true},                                         // on the way
		{"$.rows[*].cep", `{"meta":{"n":1},"rows":[{"valor":"1.5","nome":"x","cep":{"a":"x"}}]}`, true}, // part of it
		{"$.rows[*].valor", `[]`, true},
		{"$.*.n", `{"meta":{},"rows":[{"valor":"1.5","nome":"x","cep":{"a":1}}]}`, true},
		{"$[0]", `{"meta":{},"rows":[{"valor":"1.5","nome":"x","cep":{"a":1}}]}`, false}, // no member
	} {
		rec := learn(t, was, Options{})
		list := compared(t, rec, learn(t, c.now, Options{Like: rec}), Rules{Reads: paths(t, c.reads)})
		if Breaks(list) != c.breaks || len(list) == 0 {
			t.Errorf("%s, %s: %v", c.reads, c.now, written(list))
		}
	}
	rec := learn(t, `{"taxas":{"2024-01-01":{"v":1}}}`, Options{})
	now := learn(t, `{"taxas":{"2024-01-02":{}}}`, Options{Like: rec})
	for reads, breaks := range map[string]bool{"$.taxas[*].v": true, "$.taxas.*.v": true, "$.taxas['2024-01-01'].v": true, "$.taxas.*.w": false, "$.taxas[0].v": false} {
		if list := compared(t, rec, now, Rules{Reads: paths(t, reads)}); Breaks(list) != breaks {
			t.Errorf("%s: %v", reads, written(list))
		}
	}
}

// TestUpdate has what a shape is once the differences to another were accepted:
// what a third answer has to keep to.
func TestUpdate(t *testing.T) {
	for _, c := range []struct{ name, was, now, want string }{
		{"another type", `[{"v":1}]`, `[{"v":"x"}]`, `[{"v":"x"}]`},
		{"another type, and null as before", `[{"v":1},{"v":null}]`, `[{"v":"x"}]`, `[{"v":"x"},{"v":null}]`},
		{"null beside it", `[{"v":1}]`, `[{"v":null}]`, `[{"v":1},{"v":null}]`},
		{"a date written otherwise", `[{"d":"31/12/2024"}]`, `[{"d":"2024-12-31"}]`, `[{"d":"2024-12-31"}]`},
		{"a narrower date stays", `[{"d":"31/12/2024"}]`, `[{"d":"01/02/2024"}]`, `[{"d":"31/12/2024"}]`},
		{"empty text at times", `[{"v":"1.5"}]`, `[{"v":""}]`, `[{"v":"1.5"},{"v":""}]`},
		{"an optional key that is in none", `[{"a":1,"b":1},{"b":1}]`, `[{"b":1}]`, `[{"a":1,"b":1},{"b":1}]`},
		{"an optional key that is in all", `[{"a":1},{}]`, `[{"a":1}]`, `[{"a":1},{}]`},
		{"a key that is missing from some", `[{"a":1}]`, `[{"a":1},{}]`, `[{"a":1},{}]`},
		{"a required key gone", `[{"a":1,"b":1}]`, `[{"b":1}]`, `[{"b":1}]`},
		{"a key more", `[{"b":1}]`, `[{"a":1,"b":1}]`, `[{"a":1,"b":1}]`},
		{"words among the keys of a map", `[{"1":1,"2":1}]`, `[{"1":1,"total":1}]`, `[{"1":1,"total":1}]`},
	} {
		was := learn(t, c.was, Options{})
		got := Update(was, learn(t, c.now, Options{Like: was})).Array.Items
		if diff := cmp.Diff(learn(t, c.want, Options{}).Array.Items, got, same()); diff != "" && !got.Object.Map {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		} else if got.Object.Map && got.Object.Data {
			t.Errorf("%s: still a map keyed by numbers alone", c.name)
		}
	}
	words := &Object{Map: true, Values: &Shape{Types: TypeInteger}}
	data := &Object{Map: true, Values: &Shape{Types: TypeInteger}, Data: true}
	for _, pair := range [][2]*Object{{words, data}, {data, words}} {
		if updateObject(pair[0], pair[1]).Data {
			t.Error("a map that had words has none")
		}
	}
}

// TestCollapse has what remains of an object's keys in a map.
func TestCollapse(t *testing.T) {
	one := Shape{Types: TypeInteger}
	got := (&Object{Keys: map[string]*Key{"1": {Shape: one}, "2": {Shape: one, Optional: true}}}).collapsed()
	want := &Object{Map: true, Size: Length{1, 2}, Values: &one, Data: true}
	if diff := cmp.Diff(want, got, same()); diff != "" {
		t.Error(diff)
	}
	if (&Object{Keys: map[string]*Key{"1": {Shape: one}, "total": {Shape: one}}}).collapsed().Data {
		t.Error("a word is no number")
	}
}

func TestEnumSets(t *testing.T) {
	for _, c := range []struct{ a, b, want Enum }{
		{nil, nil, nil}, {Enum{`1`}, nil, Enum{`1`}}, {nil, Enum{`1`}, Enum{`1`}},
		{Enum{`"a"`, `"c"`}, Enum{`"b"`, `"c"`}, Enum{`"a"`, `"b"`, `"c"`}},
	} {
		if diff := cmp.Diff(c.want, c.a.with(c.b), same()); diff != "" {
			t.Errorf("%v and %v: %s", c.a, c.b, diff)
		}
	}
	full := make([]string, MaxEnum)
	for i := range full {
		full[i] = strconv.Itoa(i)
	}
	list := strings.Join(full, ",")
	for text, want := range map[string]int{`["b","a","b"]`: 2, `["\u0061","a"]`: 1, `[]`: 0, `[` + list + `,0]`: MaxEnum, `[` + list + `,-1]`: -1, `[[1]]`: -1, `[{}]`: -1} {
		e := Enum{"left over"}
		switch err := e.UnmarshalJSON([]byte(text)); {
		case want < 0 && err == nil:
			t.Errorf("%.40s was taken", text)
		case want >= 0 && (err != nil || len(e) != want || !slices.IsSorted(e)):
			t.Errorf("%.40s: %v, %v", text, e, err)
		}
	}
}

func TestEnums(t *testing.T) {
	o := Options{Enums: paths(t, "$[*].uf")}
	was := learn(t, `[{"uf":"AC","x":"a"},{"uf":"S\u0050","x":"b"},{"uf":null}]`, o)
	if diff := cmp.Diff(Enum{`"AC"`, `"SP"`, `null`}, was.Array.Items.Object.Keys["uf"].Shape.Enum); diff != "" {
		t.Error(diff)
	}
	if was.Array.Items.Object.Keys["x"].Shape.Enum != nil {
		t.Error("values were kept that nobody asked for")
	}
	for now, want := range map[string][]string{
		`[{"uf":"SP","x":"c"}]`:             nil,
		`[{"uf":"SP","x":"c"},{"uf":"XX"}]`: {`!$[*].uf: enum (one of 3 values → "XX")`},
		`[{"uf":"SP"},{"uf":"a"},{"uf":"b"},{"uf":"c"},{"uf":"d"},{"uf":"e"}]`: {
			`!$[*].uf: enum (one of 3 values → "a", "b", "c", "d", "e")`},
		`[{"uf":"a"},{"uf":"b"},{"uf":"c"},{"uf":"d"},{"uf":"e"},{"uf":"f"}]`: {
			`!$[*].uf: enum (one of 3 values → "a", "b", "c", "d", "e" and 1 more)`},
		`[{"uf":"SP","x":"c"},{"uf":"sp"}]`:   {`!$[*].uf: enum (one of 3 values → "sp")`},
		`[{"uf":1,"x":"c"},{"uf":"\u0041C"}]`: {`!$[*].uf: type (string or null → string or integer)`, `!$[*].uf: enum (one of 3 values → 1)`},
	} {
		if diff := cmp.Diff(want, written(compared(t, was, learn(t, now, Options{Enums: o.Enums, Like: was}), Rules{}))); diff != "" {
			t.Errorf("%s: %s", now, diff)
		}
	}
	// Writers drop a trailing .0, or add it; as text it is another value.
	numbers := learn(t, `[{"uf":1},{"uf":"2.0"},{"uf":20}]`, o)
	for now, want := range map[string]string{`1.0`: "number", `2e1`: "number", `2.0`: "enum number", `"2"`: "enum", `10e-1`: "number"} {
		var codes []string
		for _, d := range compared(t, numbers, learn(t, `[{"uf":`+now+`}]`, Options{Enums: o.Enums, Like: numbers}), Rules{}) {
			codes = append(codes, d.Code)
		}
		if got := strings.Join(codes, " "); got != want {
			t.Errorf("%s: %q, want %q", now, got, want)
		}
	}
	// Not asked any more, nothing is closed; asked anew, it can be accepted.
	open := learn(t, `[{"uf":"XX","x":"c"}]`, Options{Like: was})
	if list := compared(t, was, open, Rules{}); len(list) > 0 {
		t.Error(list)
	}
	if got := written(compared(t, open, learn(t, `[{"uf":"XX","x":"c"}]`, o), Rules{})); len(got) != 1 || got[0] != "$[*].uf: new_enum (any value → 1 value)" {
		t.Error(got)
	}
	many := "[{\"uf\":1}" + strings.Repeat(`,{"uf":2},{"uf":3}`, 3)
	for i := range 100 {
		many += `,{"uf":"v` + strings.Repeat("x", i) + `"}`
	}
	if n := len(learn(t, many+"]", o).Array.Items.Object.Keys["uf"].Shape.Enum); n != MaxEnum+1 {
		t.Errorf("%d values were kept", n)
	}
}

func TestBounds(t *testing.T) {
	was := learn(t, `[1,2,3]`, Options{})
	for now, want := range map[string][]string{
		`[1,2,3]`: nil, `[1]`: {"!$: length (3 elements → 1 element)"}, `[1,2]`: {"!$: length (3 elements → 2 elements)"}, `[1,2,3,4]`: {"!$: length (3 elements → 4 elements)"},
	} {
		if diff := cmp.Diff(want, written(compared(t, was, learn(t, now, Options{}), Rules{Bounds: true}))); diff != "" {
			t.Errorf("%s: %s", now, diff)
		}
	}
}

// TestGolden holds how a whole list of differences reads, and the file.
func TestGolden(t *testing.T) {
	was := learn(t, `{"meta":{"total":2,"gerado":"2024-05-07T14:00:00Z"},"dados":[
		{"id":1,"uf":"AC","data":"07/05/2024","valor":"1.542,07","nome":"Rio Branco","site":"https://x.example","extra":null},
		{"id":2,"uf":"SP","data":"31/05/2024","valor":"","nome":"São Paulo","site":"https://y.example","extra":{"a":[1,2]}}],
		"taxas":{"2024-01":1.5,"2024-02":2}}`, Options{Enums: paths(t, "$.dados[*].uf")})
	now := learn(t, `{"meta":{"total":"2","gerado":"ontem"},"dados":[
		{"id":1.5,"uf":"RJ","data":"2024-05-07","valor":"1.542,07","site":null,"novo":true,"extra":{"a":[]}}],
		"taxas":{"2024-03":null}}`, Options{Like: was, Enums: paths(t, "$.dados[*].uf")})
	list := written(compared(t, was, now, Rules{}))
	got := strings.Join(list, "\n") + "\n\n" +
		strings.Join(written(compared(t, was, now, Rules{Reads: paths(t, "$.dados[*].valor")})), "\n") + "\n"
	golden(t, "testdata/differences.txt", got)
	file, err := (&File{Probe: "cidades", AcceptedAt: day, Shape: was}).Marshal()
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "testdata/recorded.json", string(file))
	for range 50 {
		again, _ := (&File{Probe: "cidades", AcceptedAt: day, Shape: was.clone()}).Marshal()
		if string(again) != string(file) || !slices.Equal(written(compared(t, was, now, Rules{})), list) {
			t.Fatal("it is written differently each time")
		}
	}
}

func golden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
