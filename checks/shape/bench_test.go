package shape

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"testing"
)

// fiveMB is 100 000 objects in about 5 MB.
func fiveMB() []byte {
	var b bytes.Buffer
	b.WriteByte('[')
	for i := range 100_000 {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"data":"%02d/%02d/%d","valor":"%d.%06d","n":%d}`, i%28+1, i%12+1, 1990+i%30, i%20, i, i)
	}
	b.WriteByte(']')
	return b.Bytes()
}

// BenchmarkDecodeAny is the floor that the others are held against.
func BenchmarkDecodeAny(b *testing.B) {
	text := fiveMB()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		var v any
		if err := json.Unmarshal(text, &v); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInferAndCompare(b *testing.B) {
	text := fiveMB()
	was := learn(b, string(text), Options{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		now, err := Infer(context.Background(), text, Options{Like: was})
		if err != nil || len(Compare(was, now, Rules{})) > 0 {
			b.Fatal(err)
		}
	}
}

func BenchmarkCompare(b *testing.B) {
	for _, text := range []string{`[{"a":1,"b":"x"}]`, string(fiveMB())} {
		was := learn(b, text, Options{})
		b.Run(fmt.Sprint(len(text)), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Compare(was, was, Rules{})
			}
		})
	}
}
