package checks

import (
	"fmt"
	"strings"
	"testing"
)

// manyProbes is one declaration of n probes, as a generated one would be.
func manyProbes(n int) []byte {
	var b strings.Builder
	b.WriteString("version: 1\norigins:\n  sgs:\n    url: https://api.example.org\n    headers: {Accept: application/json}\nprobes:\n")
	for i := range n {
		fmt.Fprintf(&b, "  - name: serie-%d\n    origin: sgs\n    get: /dados/serie/%d/ultimos/20?formato=json\n    tags: [daily]\n    expect: {status: 200, max_duration: 2s}\n", i, i)
	}
	return []byte(b.String())
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{1, 100, 10_000} {
		data := manyProbes(n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				d, err := LoadBytes("bench.yaml", data, LoadOptions{})
				if err != nil || len(d.Probes) != n {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/probe")
		})
	}
}
