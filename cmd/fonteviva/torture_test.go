//go:build linux

package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fixtures"
)

// build makes the program.
func build(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "fonteviva")
	if out, err := exec.Command("go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return binary
}

// TestTorture runs the cases that need root.
func TestTorture(t *testing.T) {
	if testing.Short() || os.Getuid() != 0 {
		t.Skip("it mounts file systems: root only, and not with -short")
	}
	for _, tool := range []string{"bash", "mount", "prlimit"} {
		skipWithout(t, tool, "bash, mount, util-linux")
	}
	probe := t.TempDir()
	if err := syscall.Mount("none", probe, "tmpfs", 0, "size=64k"); err != nil {
		t.Skipf("this root may not mount: %v", err)
	}
	if err := syscall.Unmount(probe, 0); err != nil {
		t.Fatal(err)
	}
	origin, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer origin.Close() //nolint:errcheck // the script has ended
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", filepath.Join("..", "..", "fixtures", "torture", "torture.sh"))
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) } // it has mounts to undo
	cmd.WaitDelay = 10 * time.Second
	cmd.Env = append(os.Environ(), "FONTEVIVA="+build(t), "FONTEVIVA_DEMO_ORIGIN="+origin.URL(), "PATH="+os.Getenv("PATH")+":/usr/sbin:/sbin")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	passed := 0
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "ok ") {
			passed++
		} else {
			t.Error(strings.TrimSpace(line))
		}
	}
	if passed < 40 {
		t.Errorf("%d cases", passed)
	}
}
