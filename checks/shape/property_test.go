package shape

import (
	"context"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var words = []string{"", "a", "soon", "17", "0.5", "1.542,07", "31/12/2024", "01/02/2024", "12/31/2024", "2024-12-31", "2024-05-07T14:00:00Z", "https://x.example", "a@x.example"}

var names = []string{"a", "b", "c", "valor", "x y", "2024-01-01", "2024-01-02", "17", "18", ""}

// value makes any JSON value.
func value(r *rand.Rand, depth int) any {
	n := 8
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return nil
	case 1:
		return r.IntN(2) == 0
	case 2:
		return r.IntN(100)
	case 3:
		return json.Number("1.5")
	case 4, 5:
		return words[r.IntN(len(words))]
	case 6:
		list := make([]any, r.IntN(4))
		for i := range list {
			list[i] = value(r, depth-1)
		}
		return list
	}
	m := map[string]any{}
	for range r.IntN(5) {
		m[names[r.IntN(len(names))]] = value(r, depth-1)
	}
	return m
}

func text(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func shapeOf(t testing.TB, v any, like *Shape) *Shape {
	t.Helper()
	return learn(t, string(text(t, v)), Options{Like: like})
}

func rounds(t *testing.T, check func(t *testing.T, r *rand.Rand)) {
	t.Helper()
	for seed := range uint64(3000) {
		if check(t, rand.New(rand.NewPCG(seed, 7))); t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func TestAShapeAcceptsWhatItWasLearntFrom(t *testing.T) {
	rounds(t, func(t *testing.T, r *rand.Rand) {
		v := value(r, 4)
		was := shapeOf(t, v, nil)
		if list := compared(t, was, was.clone(), Rules{Bounds: true}); len(list) > 0 {
			t.Errorf("%s: %v", text(t, v), list)
		}
		if list := compared(t, was, shapeOf(t, v, was), Rules{Bounds: true}); len(list) > 0 {
			t.Errorf("%s: %v", text(t, v), list)
		}
	})
}

func TestMerge(t *testing.T) {
	same := cmp.Options{cmpopts.EquateEmpty()}
	rounds(t, func(t *testing.T, r *rand.Rand) {
		x, y, z := value(r, 3), value(r, 3), value(r, 3)
		a, b, c := shapeOf(t, x, nil), shapeOf(t, y, nil), shapeOf(t, z, nil)
		if diff := cmp.Diff(a, Merge(a, a), same); diff != "" {
			t.Errorf("not idempotent: %s\n%s", text(t, x), diff)
		}
		if diff := cmp.Diff(Merge(a, b), Merge(b, a), same); diff != "" {
			t.Errorf("not commutative: %s %s\n%s", text(t, x), text(t, y), diff)
		}
		m := Merge(Merge(a, b), c)
		if list := compared(t, m, Merge(a, Merge(b, c)), Rules{}); len(list) > 0 {
			t.Errorf("not associative: %s %s %s\n%v", text(t, x), text(t, y), text(t, z), list)
		}
		for _, v := range []any{x, y, z} {
			if list := compared(t, m, shapeOf(t, v, m), Rules{}); len(list) > 0 {
				t.Errorf("%s is not accepted by the merge of %s %s %s: %v", text(t, v), text(t, x), text(t, y), text(t, z), list)
			}
		}
	})
}

func TestUpdateLeavesNothing(t *testing.T) {
	rounds(t, func(t *testing.T, r *rand.Rand) {
		x, y := value(r, 3), value(r, 3)
		was := shapeOf(t, x, nil)
		now := shapeOf(t, y, was)
		u := Update(was, now)
		if list := compared(t, u, shapeOf(t, y, u), Rules{}); len(list) > 0 {
			t.Errorf("%s then %s: %v", text(t, x), text(t, y), list)
		}
		if b, err := (&File{Shape: u, AcceptedAt: day}).Marshal(); err != nil {
			t.Error(err)
		} else if f, err := Unmarshal(b); err != nil || cmp.Diff(u, f.Shape, same()) != "" {
			t.Errorf("%s then %s: %v %s\n%s", text(t, x), text(t, y), err, b, cmp.Diff(u, f.Shape, same()))
		}
	})
}

func same() cmp.Option { return cmpopts.EquateEmpty() }

// objects gives every object in a value.
func objects(v any) []map[string]any {
	var list []map[string]any
	switch v := v.(type) {
	case map[string]any:
		list = append(list, v)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			list = append(list, objects(v[name])...)
		}
	case []any:
		for _, e := range v {
			list = append(list, objects(e)...)
		}
	}
	return list
}

func copied(t *testing.T, v any) (out any) {
	t.Helper()
	if err := json.Unmarshal(text(t, v), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestKeysTakenAndGiven holds that taking any required key away breaks, and
// that giving any key does not.
func TestKeysTakenAndGiven(t *testing.T) {
	taken := 0
	rounds(t, func(t *testing.T, r *rand.Rand) {
		v := copied(t, value(r, 4))
		was := shapeOf(t, v, nil)
		for i := range objects(v) {
			given := copied(t, v)
			objects(given)[i]["a key of its own"] = value(r, 2)
			list := compared(t, was, shapeOf(t, given, was), Rules{})
			if breaksOtherThanMaps(was, list) {
				t.Errorf("%s, given a key: %v", text(t, v), list)
			}
		}
		for at, o := range required(was, v) {
			for _, name := range o {
				less := copied(t, v)
				delete(objects(less)[at], name)
				if list := compared(t, was, shapeOf(t, less, was), Rules{}); !Breaks(list) {
					t.Errorf("%s without %q: %v", text(t, v), name, list)
				}
				taken++
			}
		}
	})
	if taken < 500 {
		t.Errorf("only %d keys were taken away", taken)
	}
}

// breaksOtherThanMaps leaves out values of maps: a new key of a map is one of
// its values, and has to be as they are.
func breaksOtherThanMaps(was *Shape, list []Difference) bool {
	return Breaks(list) && !hasMap(was)
}

func hasMap(s *Shape) bool {
	switch {
	case s == nil:
		return false
	case s.Array != nil && hasMap(s.Array.Items):
		return true
	case s.Object == nil:
		return false
	case s.Object.Map:
		return true
	}
	for _, k := range s.Object.Keys {
		if hasMap(&k.Shape) {
			return true
		}
	}
	return false
}

// required names, for each object of a value in the order of objects, the keys
// that its place requires.
func required(s *Shape, v any) [][]string {
	var list [][]string
	switch v := v.(type) {
	case map[string]any:
		var own []string
		for name := range v {
			if k := keyOf(s, name); k != nil && !k.Optional {
				own = append(own, name)
			}
		}
		list = append(list, own)
		for _, name := range slices.Sorted(maps.Keys(v)) {
			inside := s.Object.Values
			if !s.Object.Map {
				inside = &s.Object.Keys[name].Shape
			}
			list = append(list, required(inside, v[name])...)
		}
	case []any:
		for _, e := range v {
			list = append(list, required(s.Array.Items, e)...)
		}
	}
	return list
}

func FuzzInfer(f *testing.F) {
	for _, seed := range []string{
		`[{"data":"31/12/2024","valor":"0.04"}]`, `{"2024-01-01":{"v":1},"2024-01-02":null}`, `[1,1.5,null,"",[[]],{}]`,
		`{"a\u0062":1,"ab":2,"":"\ud83d\ude00"}`, `"x`, "\xef\xbb\xbf{}", `{"a":{"a":{"a":[]}}}`,
	} {
		f.Add([]byte(seed), []byte(`{"a":1}`))
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		was, err := Infer(context.Background(), a, Options{})
		if (err == nil) != (was != nil) {
			t.Fatal(was, err)
		}
		now, err := Infer(context.Background(), b, Options{Like: was})
		if err != nil || was == nil {
			return
		}
		compared(t, was, now, Rules{Bounds: true})
		again, err := Infer(context.Background(), a, Options{Like: was})
		if list := compared(t, was, again, Rules{Bounds: true}); err != nil || len(list) > 0 {
			t.Fatal(err, list)
		}
		u := Update(was, now)
		after, err := Infer(context.Background(), b, Options{Like: u})
		if list := compared(t, u, after, Rules{}); err != nil || len(list) > 0 {
			t.Fatal(err, list)
		}
		file, err := (&File{Shape: u, AcceptedAt: day}).Marshal()
		if err != nil {
			return // larger than a file may be
		}
		if _, err := Unmarshal(file); err != nil {
			t.Fatalf("%v\n%s", err, file)
		}
	})
}

func FuzzUnmarshal(f *testing.F) {
	f.Add([]byte(`{"version":1,"probe":"p","accepted_at":"2026-05-07","shape":{"type":"array or null","length":"1 to 2","items":{"type":"string","format":"digits","empty":true}}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		file, err := Unmarshal(b)
		if err != nil {
			return
		}
		out, err := file.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unmarshal(out)
		if err != nil || cmp.Diff(file, again, same()) != "" {
			t.Fatalf("%v\n%s", err, cmp.Diff(file, again, same()))
		}
		compared(t, file.Shape, again.Shape, Rules{})
	})
}
