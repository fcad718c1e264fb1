package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

const smallJSON = `[{"data":"01/09/2026","valor":"0.043739"},{"data":"02/09/2026","valor":"0.043739"}]`

func benchServer(b *testing.B) string {
	b.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, smallJSON)
	}))
	b.Cleanup(s.Close)
	return s.URL
}

// inFlight makes n calls, 64 at a time, and gives how long they took.
func inFlight(n int, one func(i int)) time.Duration {
	start := time.Now()
	var wg sync.WaitGroup
	var next atomic.Int64
	for range 64 {
		wg.Go(func() {
			for i := next.Add(1); i <= int64(n); i = next.Add(1) {
				one(int(i))
			}
		})
	}
	wg.Wait()
	return time.Since(start)
}

// BenchmarkRequests compares trips with the same requests made by nothing but
// net/http, in turn, so that whatever else the machine does falls on both:
// x-bare is the ratio of the median rounds.
func BenchmarkRequests(b *testing.B) {
	url := benchServer(b)
	p := DefaultPolicy()
	p.MaxInFlight = 64
	client := NewClient(Config{Policy: p})
	defer client.CloseIdle()
	transport := &http.Transport{MaxIdleConnsPerHost: 64}
	defer transport.CloseIdleConnections()
	bare := &http.Client{Transport: transport}

	trip := func(i int) {
		if _, err := client.Do(context.Background(), &Request{URL: fmt.Sprintf("%s/%d", url, i), Mode: ModeJSON, Call: new(Call)}); err != nil {
			b.Error(err)
		}
	}
	get := func(i int) {
		res, err := bare.Get(fmt.Sprintf("%s/%d", url, i))
		if err != nil {
			b.Error(err)
			return
		}
		body, err := io.ReadAll(res.Body)
		res.Body.Close()
		if err != nil || !json.Valid(body) {
			b.Error(err, len(body))
		}
	}
	const round = 2000
	var ours, theirs []time.Duration
	for b.Loop() {
		ours = append(ours, inFlight(round, trip))
		theirs = append(theirs, inFlight(round, get))
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mid := len(ours) / 2
	b.ReportMetric(float64(ours[mid])/float64(theirs[mid]), "x-bare")
	b.ReportMetric(float64(ours[mid])/round, "ns/trip")
}

// BenchmarkCheckJSON validates 5 MB.
func BenchmarkCheckJSON(b *testing.B) {
	row := `{"data":"01/09/2026","valor":"0.043739","série":12,"nota":null},`
	body := []byte("[" + strings.Repeat(row, 5_000_000/len(row)) + `0]`)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		if f := checkJSON(body); f != nil {
			b.Fatal(f.err)
		}
	}
}

func BenchmarkGunzip(b *testing.B) {
	raw := gzipped([]byte(strings.Repeat(smallJSON, 1000)))
	b.ReportAllocs()
	for b.Loop() {
		out, err := decode(raw, []string{"gzip"}, 1<<20)
		if err != nil || !bytes.HasPrefix(out, []byte("[{")) {
			b.Fatal(err)
		}
	}
}

// BenchmarkLayers compares trips through every layer (rules, rate limit,
// breaker, collector) with trips through none, in turn, 10 000 each: x-plain is
// the ratio of the processor time, which other processes cannot lengthen, and
// x-plain-wall that of the median rounds.
func BenchmarkLayers(b *testing.B) {
	url := benchServer(b)
	p := DefaultPolicy()
	p.MaxInFlight = 64
	breaker := DefaultBreaker()
	client := func(cfg Config) *Client {
		c := NewClient(cfg)
		b.Cleanup(c.CloseIdle)
		return c
	}
	plain := client(Config{Policy: p})
	layered := client(Config{
		Policy: p, Breaker: &breaker, RateLimit: &RateLimit{Max: 1_000_000, Window: time.Second},
		Rules: []Rule{
			{Name: "a", Status: only(404), BodyContains: "not found", Means: MeansAbsent},
			{Name: "b", BodyIs: BodyIsHTML, Means: MeansAmbiguo},
		},
	})
	var wall [2][]time.Duration
	var used [2]time.Duration
	trips := func(i int, c *Client, call func() *Call) {
		start := cpu()
		wall[i] = append(wall[i], inFlight(500, func(n int) {
			if _, err := c.Do(context.Background(), &Request{URL: fmt.Sprintf("%s/%d", url, n), Mode: ModeJSON, Call: call()}); err != nil {
				b.Error(err)
			}
		}))
		used[i] += cpu() - start
	}
	for b.Loop() {
		for i := range 20 {
			for j := range 2 { // each is first as often as the other
				if (i+j)%2 == 0 {
					trips(0, plain, func() *Call { return nil })
				} else {
					trips(1, layered, func() *Call { return new(Call) })
				}
			}
		}
	}
	slices.Sort(wall[0])
	slices.Sort(wall[1])
	mid := len(wall[0]) / 2
	b.ReportMetric(float64(used[1])/float64(used[0]), "x-plain")
	b.ReportMetric(float64(wall[1][mid])/float64(wall[0][mid]), "x-plain-wall")
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
