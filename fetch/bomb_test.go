package fetch

import (
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// bombURL is the variable that turns this test binary into a client of a bomb.
const bombURL = "FETCH_TEST_BOMB_URL"

// bombs are 512 MiB of zeros each, under every coding.
func bombs() map[string][]byte {
	const mib = 1 << 20
	var segment bytes.Buffer
	w, _ := flate.NewWriter(&segment, flate.BestCompression)
	w.Write(make([]byte, mib))
	w.Flush()
	bare := bytes.Repeat(segment.Bytes(), 512)
	packed := bomb()
	return map[string][]byte{
		"gzip":       packed,
		"gzip, gzip": gzipped(packed),
		"deflate":    append([]byte{0x78, 0x9c}, bare...),
		"Deflate":    bare,
		"br":         brotlied(make([]byte, 512*mib)),
		"zstd":       bytes.Repeat(zstandard(make([]byte, mib)), 512),
		"br, zstd":   zstandard(brotlied(make([]byte, 512*mib))),
	}
}

// TestBombsInAProcess fetches every bomb under max_body 8 MiB in a process of
// its own, and reads from the kernel what it took at most.
func TestBombsInAProcess(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the kernel does not tell how much memory a process took")
	}
	all := bombs()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		coding := r.URL.Query().Get("coding")
		w.Header().Set("Content-Encoding", coding)
		w.Write(all[coding])
	}))
	defer s.Close()
	for coding := range all {
		t.Run(coding, func(t *testing.T) {
			cmd := exec.CommandContext(t.Context(), os.Args[0])
			cmd.Env = append(os.Environ(), bombURL+"="+s.URL+"/?"+url.Values{"coding": {coding}}.Encode())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			peak, err := strconv.Atoi(string(bytes.TrimSpace(out)))
			if err != nil || peak < 1<<10 || peak > shadow*64<<10 {
				t.Errorf("%s KiB at most, want less than 64 MiB", out)
			}
			t.Logf("%d MiB at most", peak>>10)
		})
	}
}

var highWater = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// swallowBomb is the client: it prints its own high-water mark in KiB.
func swallowBomb(url string) int {
	p := once()
	p.MaxBody, p.Timeout = 8<<20, time.Minute
	_, err := NewClient(Config{Policy: p}).Do(context.Background(), &Request{URL: url})
	var e *Error
	if !errors.As(err, &e) || e.Cause != CauseMaxBody || e.Kind != Aborted {
		fmt.Println("not refused for its size:", err)
		return 1
	}
	status, err := os.ReadFile("/proc/self/status")
	m := highWater.FindSubmatch(status)
	if err != nil || m == nil {
		fmt.Println("no high-water mark:", err)
		return 1
	}
	fmt.Println(string(m[1]))
	return 0
}
