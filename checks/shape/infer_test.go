package shape

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInfer(t *testing.T) {
	key := func(optional bool, s Shape) *Key { return &Key{Optional: optional, Shape: s} }
	got := learn(t, `[{"data":"31/12/2024","valor":"0.04","n":1,"x":[1,2.5]},{"data":"01/01/2025","valor":"","n":null,"x":[],"novo":{}}]`, Options{})
	want := &Shape{Types: TypeArray, Array: &Array{Length: Length{2, 2}, Items: &Shape{Types: TypeObject, Object: &Object{Keys: map[string]*Key{
		"data":  key(false, Shape{Types: TypeString, Formats: FormatDayFirst}),
		"valor": key(false, Shape{Types: TypeString, Formats: FormatNumber, Empty: true}),
		"n":     key(false, Shape{Types: TypeInteger | TypeNull}),
		"x":     key(false, Shape{Types: TypeArray, Array: &Array{Length: Length{0, 2}, Items: &Shape{Types: TypeNumber}}}),
		"novo":  key(true, Shape{Types: TypeObject, Object: &Object{Keys: map[string]*Key{}}}),
	}}}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestNamesAreReadNotCompared(t *testing.T) {
	// The same name with and without escapes, and one that comes twice.
	s := learn(t, `[{"a\u0062":1,"c":1,"c":"x"},{"ab":2,"c":2},{"\u0061b":3,"c":2}]`, Options{})
	o := s.Array.Items.Object
	if len(o.Keys) != 2 || o.Keys["ab"] == nil || o.Keys["ab"].Optional || o.Keys["c"].Optional || o.Keys["c"].Shape.Types != TypeInteger|TypeString {
		t.Errorf("%+v", o.Keys)
	}
	if s := learn(t, `{"d":"31\/12\/2024"}`, Options{}); s.Object.Keys["d"].Shape.Formats != FormatDayFirst {
		t.Error("an escape hides a date")
	}
}

func TestBoundsOfInfer(t *testing.T) {
	ctx := context.Background()
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	depth := 0
	for s := learn(t, deep, Options{}); s != nil; s = itemsOf(s) {
		depth++
	}
	if depth != MaxDepth+1 {
		t.Errorf("%d levels were learnt", depth)
	}
	if b, err := (&File{Shape: learn(t, deep, Options{}), AcceptedAt: day}).Marshal(); err != nil {
		t.Error(err)
	} else if _, err := Unmarshal(b); err != nil {
		t.Error(err)
	}
	var many strings.Builder
	for i := range 300 {
		fmt.Fprintf(&many, `,"k%d":{"v":%d}`, i, i)
	}
	text := "{" + many.String()[1:] + "}"
	if o := learn(t, text, Options{}).Object; !o.Map || o.Keys != nil || o.Size != (Length{300, 300}) || o.Values.Object.Keys["v"] == nil {
		t.Errorf("%+v", o)
	}
	known := learn(t, `{"k7":{"v":1},"gone":1}`, Options{})
	o := learn(t, text, Options{Like: known}).Object
	if o.Map || !o.More || len(o.Keys) != MaxKeys+2 {
		t.Errorf("map %t, more %t, %d keys", o.Map, o.More, len(o.Keys))
	}
	accepted := Update(known, &Shape{Types: TypeObject, Object: o})
	if !accepted.Object.Map || compared(t, accepted, learn(t, text, Options{Like: accepted}), Rules{}) != nil {
		t.Error("what has too many keys is accepted as no map")
	}
	if o := learn(t, `{"`+strings.Repeat("x", maxName+1)+`":1}`, Options{}).Object; !o.Map {
		t.Error("a name of any length is kept")
	}
	var wide strings.Builder
	for i := range 100 {
		fmt.Fprintf(&wide, `,"a%d":{"":0`, i)
		for j := range 101 {
			fmt.Fprintf(&wide, `,"b%d":0`, j)
		}
		wide.WriteString("}")
	}
	if _, err := Infer(ctx, []byte("{"+wide.String()[1:]+"}"), Options{}); !errors.Is(err, ErrTooLarge) {
		t.Error(err)
	}
	cut, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Infer(cut, []byte("["+strings.Repeat("1,", 10_000)+"1]"), Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	for _, text := range []string{"", "{", "[1", "nul", `{"a":}`, "1 2", "[1]]", "\xff", `"\ud800`} {
		if s, err := Infer(ctx, []byte(text), Options{}); !errors.Is(err, ErrNotJSON) || s != nil {
			t.Errorf("%q: %v", text, err)
		}
	}
}
