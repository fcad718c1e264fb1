//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// more than a pipe holds: who has written it knows that it is being read, and
// who writes it without a reader stays in the write.
const beyondPipe = 256 << 10

// TestFirstSignalEnds holds that the first signal ends the process within a
// second wherever it waits for somebody.
func TestFirstSignalEnds(t *testing.T) {
	dir := t.TempDir()
	fifo := filepath.Join(dir, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	long := filepath.Join(dir, "long.ndjson")
	writeFile(t, long, longReport(t))
	slow := filepath.Join(dir, "slow")
	if err := syscall.Mkfifo(slow, 0o600); err != nil {
		t.Fatal(err)
	}
	spaces := bytes.Repeat([]byte("\n"), beyondPipe)
	reading := func(t *testing.T, in io.Writer, _ io.Reader) {
		if _, err := in.Write(spaces); err != nil {
			t.Fatal(err)
		}
	}
	writing := func(t *testing.T, _ io.Writer, out io.Reader) {
		if _, err := out.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name  string
		args  []string
		ready func(*testing.T, io.Writer, io.Reader)
	}{
		{"report on a pipe", []string{"report"}, reading},
		{"merge on a pipe", []string{"merge", long, "-"}, reading},
		{"trace on a pipe", []string{"trace"}, reading},
		{"a declaration on a pipe", []string{"run", "-c", "/dev/stdin"}, reading},
		{"report of a named pipe", []string{"report", fifo}, func(t *testing.T, _ io.Writer, _ io.Reader) {
			w, err := os.OpenFile(fifo, os.O_WRONLY, 0) // waits for the reader
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { w.Close() })
		}},
		{"report to who does not read", []string{"report", long, "--format", "json"}, writing},
		{"drawing for who does not read", []string{"trace", long}, writing},
		{"a list for who does not read", []string{"list", "--format", "json", "-c", wide(t, dir)}, writing},
		{"a further report for who does not read", []string{"report", long, "--output", "json=" + slow}, func(t *testing.T, _ io.Writer, _ io.Reader) {
			r, err := os.OpenFile(slow, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { r.Close() })
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
				if n, _ := r.Read(make([]byte, 1)); n == 1 {
					return
				}
			}
			t.Fatal("nothing came")
		}},
	} {
		for sig, code := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
			t.Run(fmt.Sprint(c.name, "/", sig), func(t *testing.T) { endsWith(t, c.args, c.ready, sig, code) })
		}
	}
}

func endsWith(t *testing.T, args []string, ready func(*testing.T, io.Writer, io.Reader), sig syscall.Signal, code int) {
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { inR.Close(); inW.Close(); outR.Close() }()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "fonteviva", args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inR, outW, &said
	err = cmd.Start()
	outW.Close()
	if err != nil {
		t.Fatal(err)
	}
	ready(t, inW, outR)
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	_ = cmd.Wait() // the exit code says it all
	if took := time.Since(start); took > time.Second {
		t.Errorf("it took %s to end, want at most 1s", took)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		t.Errorf("exit code %d (%s), want %d: %s", got, cmd.ProcessState, code, said.String())
	}
}

// longReport is a report that no pipe holds.
func longReport(t *testing.T) []byte {
	t.Helper()
	var out bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "fonteviva", "demo", "--format", "ndjson")
	cmd.Stdout = &out
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(bytes.TrimRight(out.Bytes(), "\n"), []byte("\n"))
	long := bytes.Clone(lines[0])
	for len(long) < 8*beyondPipe {
		long = append(long, bytes.Join(lines[1:len(lines)-1], nil)...)
	}
	return long
}

// wide is a declaration of which no pipe holds the list.
func wide(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "wide.yaml")
	var b bytes.Buffer
	b.WriteString("version: 1\norigins: {o: {url: https://o.example}}\nprobes:\n")
	for i := range beyondPipe / 100 {
		fmt.Fprintf(&b, "  - {name: p%d, origin: o, get: /%0100d}\n", i, i)
	}
	writeFile(t, path, b.Bytes())
	return path
}

func writeFile(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}
