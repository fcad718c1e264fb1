package fetch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

const smallJSON = `[{"data":"01/09/2026","valor":"0.043739"},{"data":"02/09/2026","valor":"0.043739"}]`

func benchServer(b *testing.B) string {
	b.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, smallJSON)
	}))
	s.Listener.Close()
	s.Listener = l
	s.Start()
	b.Cleanup(s.Close)
	return s.URL
}

// inFlight runs b.N calls, 64 at a time.
func inFlight(b *testing.B, one func(i int)) {
	b.Helper()
	b.ReportAllocs()
	b.ResetTimer()
	var wg sync.WaitGroup
	next := make(chan int)
	for range 64 {
		wg.Go(func() {
			for i := range next {
				one(i)
			}
		})
	}
	for i := range b.N {
		next <- i
	}
	close(next)
	wg.Wait()
}

// BenchmarkRequests compares a trip with the same request made by nothing but
// net/http.
func BenchmarkRequests(b *testing.B) {
	b.Run("fetch", func(b *testing.B) {
		url := benchServer(b)
		p := DefaultPolicy()
		p.MaxInFlight = 64
		c := NewClient(Config{Policy: p})
		defer c.CloseIdle()
		inFlight(b, func(i int) {
			if _, err := c.Do(context.Background(), &Request{URL: fmt.Sprintf("%s/%d", url, i), Mode: ModeJSON, Call: new(Call)}); err != nil {
				b.Error(err)
			}
		})
	})
	b.Run("net-http", func(b *testing.B) {
		url := benchServer(b)
		t := &http.Transport{MaxIdleConnsPerHost: 64}
		defer t.CloseIdleConnections()
		c := &http.Client{Transport: t}
		inFlight(b, func(i int) {
			res, err := c.Get(fmt.Sprintf("%s/%d", url, i))
			if err != nil {
				b.Error(err)
				return
			}
			body, err := io.ReadAll(res.Body)
			res.Body.Close()
			if err != nil || !json.Valid(body) {
				b.Error(err, len(body))
			}
		})
	})
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
