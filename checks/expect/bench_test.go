package expect

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks/shape"
)

// bigBody is an array of 100 000 objects, about 5 MB.
func bigBody() []byte {
	b := []byte{'['}
	for i := range 100_000 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%d,"data":"%02d/01/2026","valor":"%d.%02d"}`, i, i%28+1, i, i%100)
	}
	return append(b, ']')
}

// BenchmarkFloor is what a program of its own does: encoding/json into structs,
// then a look at the last element.
func BenchmarkFloor(b *testing.B) {
	body := bigBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var list []struct {
			ID    int    `json:"id"`
			Data  string `json:"data"`
			Valor string `json:"valor"`
		}
		if err := json.Unmarshal(body, &list); err != nil || list[len(list)-1].ID != 99_999 {
			b.Fatal(err)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	body := bigBody()
	for _, yaml := range []string{
		`json: [{path: "$[-1].id", equals: 99999}]`,
		`json: [{path: "$[*].data", matches: '^\d{2}/\d{2}/\d{4}$'}]`,
		`json: [{path: "$[*].id", type: integer, unique: true, sorted: true}]`,
		`json: [{path: "$[?@.id == 99999].valor", length: 1}]`,
		`json: [{path: $, length: 100000}, {path: "$[0].id", equals: 0}, {path: "$[-1].id", equals: 99999}, {path: "$[*].id", min: 0}, {path: "$..erro", exists: false}]`,
	} {
		b.Run(yaml, func(b *testing.B) {
			s := mustDecode(b, yaml)
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				list, err := s.Evaluate(context.Background(), &Observation{Body: body, JSON: true, Now: time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)})
				if err != nil || len(list) != 0 {
					b.Fatal(list, err)
				}
			}
		})
	}
}

// BenchmarkFloorAny is the floor of the figures for contracts: encoding/json
// into any.
func BenchmarkFloorAny(b *testing.B) {
	body := bigBody()
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(body, &v); err != nil {
			b.Fatal(err)
		}
	}
}

// figures are the files of the contract that the figures are about.
func figures(tb testing.TB) *Files {
	tb.Helper()
	shaped, err := shape.Infer(context.Background(), bigBody(), shape.Options{})
	if err != nil {
		tb.Fatal(err)
	}
	recorded, err := (&shape.File{Probe: "p", AcceptedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC), Shape: shaped}).Marshal()
	if err != nil {
		tb.Fatal(err)
	}
	return memory(map[string]string{"shape.json": string(recorded), "s.json": `{"type": "array", "minItems": 1, "items": {"type": "object", "required": ["id", "data", "valor"],
		"properties": {"id": {"type": "integer", "minimum": 0}, "data": {"type": "string", "pattern": "^\\d{2}/\\d{2}/\\d{4}$"}, "valor": {"type": "string", "minLength": 1}}}}`})
}

// BenchmarkContract is held against BenchmarkFloorAny: a path alone may take
// 1.3 times as long, the whole contract 4 times, in 2.5 times the memory.
func BenchmarkContract(b *testing.B) {
	body, files := bigBody(), figures(b)
	const path, fresh = `json: [{path: "$[*].valor", type: string}]`, `fresh: {path: "$[*].data", layout: DD/MM/YYYY, fail: 7d}`
	for _, yaml := range []string{
		path, "schema: s.json", "shape: shape.json", fresh,
		"{schema: s.json, shape: shape.json, " + fresh + ", " + path + "}",
		`cel: ["body.all(x, double(x.valor) >= 0.0)"]`,
	} {
		b.Run(yaml, func(b *testing.B) {
			s, err := decodeWith(yaml, files)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				list, err := s.Evaluate(context.Background(), &Observation{Body: body, JSON: true, Now: time.Date(2026, 1, 30, 0, 0, 0, 0, time.UTC)})
				if err != nil || len(list) != 0 {
					b.Fatal(list, err)
				}
			}
		})
	}
}
