package history

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks"
)

// fill gives every member that a type has a value of its own, n deep; odd
// numbers of texts hold what has to be escaped.
func fill(v reflect.Value, n *int) {
	*n++
	if v.Type() == timeType {
		v.Set(reflect.ValueOf(start.Add(time.Duration(*n) * time.Millisecond)))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString([]string{"plain ", "\"<é\u2028\x00\\>&"}[*n%2] + fmt.Sprint(*n))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(-int64(*n))
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem(), n)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0), n)
		fill(v.Index(1), n)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fill(v.Field(i), n)
			}
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

// TestLeanJSONLosesNothing holds that encoding/json reads back what was written
// without the members that are zero, whatever members the types get.
func TestLeanJSONLosesNothing(t *testing.T) {
	full, n := checks.Result{}, 0
	fill(reflect.ValueOf(&full).Elem(), &n)
	if n < 150 {
		t.Fatalf("only %d members were filled", n)
	}
	head := Run{}
	fill(reflect.ValueOf(&head).Elem(), &n)
	usual := result("probe-00001", checks.Indisponivel)
	for _, v := range []any{&full, &usual, &checks.Result{}, &checks.Result{Tags: []string{}, Trips: []checks.Trip{{}}}, &head, &Run{}} {
		value := reflect.ValueOf(v).Elem()
		lean, err := leanEncoder(value.Type())(nil, value)
		if err != nil {
			t.Fatal(err)
		}
		got := reflect.New(value.Type())
		if err := json.Unmarshal(lean, got.Interface()); err != nil {
			t.Fatalf("%v: %s", err, lean)
		}
		if d := cmp.Diff(v, got.Interface()); d != "" {
			t.Errorf("%T has changed: %s", v, d)
		}
	}
}

// odd has what no kept type has yet.
type odd struct {
	Any    any
	Map    map[string]int
	Float  float64
	Bytes  []byte
	Raw    json.RawMessage
	Opt    *odd2 `json:"opt"`
	hidden int
}

type odd2 struct {
	A []string `json:"a,omitempty"`
	B string   `json:"b"`
}

func TestLeanJSONLeavesTheRestToTheLibrary(t *testing.T) {
	v := odd{Any: "x", Map: map[string]int{"<": 1}, Float: 1.5, Bytes: []byte("yes"), Raw: json.RawMessage(`{"a":1}`), Opt: &odd2{A: []string{}, B: "b"}, hidden: 1}
	value := reflect.ValueOf(&v).Elem()
	got, err := leanEncoder(value.Type())(nil, value)
	want := `{"Any":"x","Map":{"<":1},"Float":1.5,"Bytes":"eWVz","Raw":{"a":1},"opt":{"b":"b"}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
	v = odd{Float: 1, Raw: json.RawMessage("nonsense")}
	if got, err := leanEncoder(value.Type())(nil, value); err == nil {
		t.Errorf("written: %s", got)
	}
}

func BenchmarkBlocks10000(b *testing.B) {
	run := runOf(start, 10_000, allOK)
	for i := range run.Results {
		Remember(&run.Results[i], start.Add(time.Hour), State{}, Limits{})
	}
	size := 0
	for b.Loop() {
		blocks, err := run.blocks()
		if err != nil {
			b.Fatal(err)
		}
		size = 0
		for _, bl := range blocks {
			size += len(bl.results)
		}
	}
	b.ReportMetric(float64(size), "bytes")
}
