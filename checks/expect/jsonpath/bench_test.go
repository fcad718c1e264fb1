package jsonpath

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// bigText is an array of 100 000 objects, about 5 MB.
func bigText() []byte {
	b := []byte{'['}
	for i := range 100_000 {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, `{"id":%d,"data":"%02d/01/2026","valor":"%d.%02d"}`, i, i%28+1, i, i%100)
	}
	return append(b, ']')
}

// BenchmarkFloor is what a program of its own does: encoding/json into structs.
func BenchmarkFloor(b *testing.B) {
	text := bigText()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var list []struct {
			ID    int    `json:"id"`
			Data  string `json:"data"`
			Valor string `json:"valor"`
		}
		if err := json.Unmarshal(text, &list); err != nil || list[len(list)-1].ID != 99_999 {
			b.Fatal(err)
		}
	}
}

func BenchmarkSelect(b *testing.B) {
	text := bigText()
	for _, path := range []string{"$[-1].id", "$[0].id", "$[*].id", "$[?@.id==99999].valor", "$..id"} {
		b.Run(path, func(b *testing.B) {
			p := mustParse(b, path)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				n := 0
				err := NewDocument(text).Select(context.Background(), p, func(Value, *Location) bool { n++; return true })
				if err != nil || n == 0 {
					b.Fatal(n, err)
				}
			}
		})
	}
}
