package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/report"
)

// skipWithout skips a test that needs a program which is not installed, except
// where CI promises that it is.
func skipWithout(t *testing.T, program, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	if os.Getenv("FONTEVIVA_NO_SKIP") != "" {
		t.Fatalf("%s is not installed, and CI must not skip: %v", program, err)
	}
	t.Skipf("%s is not installed (Debian package %s)", program, pkg)
	return ""
}

// startNginx serves fixtures/nginx on a loopback port and gives its address.
func startNginx(t *testing.T) string {
	t.Helper()
	nginx := skipWithout(t, "nginx", "nginx-light")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "www", "series.json"), `[{"data":"27/11/2026","valor":"0.043739"},{"data":"28/11/2026","valor":"0.043739"}]`)
	write(t, filepath.Join(dir, "www", "page.html"), "<html><head><title>Manutenção</title></head><body>em manutenção</body></html>")
	port, dead := freePort(t), freePort(t)
	conf, err := os.ReadFile("../../fixtures/nginx/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("{dir}", dir, "{port}", port, "{dead}", dead).Replace(string(conf))
	write(t, filepath.Join(dir, "nginx.conf"), text)
	var said bytes.Buffer
	cmd := exec.Command(nginx, "-p", dir, "-c", filepath.Join(dir, "nginx.conf"), "-e", filepath.Join(dir, "error.log"))
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
		cmd.Wait()                       //nolint:errcheck // its exit code says nothing
	})
	address := "127.0.0.1:" + port
	for deadline := time.Now().Add(10 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			conn.Close()
			return "http://" + address
		}
		if time.Now().After(deadline) {
			t.Fatalf("nginx did not start: %v\n%s", err, said.String())
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

// TestNginx asserts findings, kinds and exit codes on a server that is not
// ours.
func TestNginx(t *testing.T) {
	t.Setenv("NGINX", startNginx(t))
	var out, errs bytes.Buffer
	code := run([]string{"run", "-c", "../../fixtures/nginx/fonteviva.yaml", "--format", "json"}, streams{in: strings.NewReader(""), out: &out, err: &errs})
	if code != report.ExitContract {
		t.Errorf("exit code %d, want 1\n%s", code, errs.String())
	}
	var doc report.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"file":               "ok <nil> 200 2",
		"file-changed":       "drift <nil> 200 2",
		"missing-page":       "respondeu not_found 404 2",
		"missing-expected":   "ok <nil> 404 1",
		"dead-upstream":      "indisponivel http_5xx 502 1",
		"redirect":           "ok <nil> 200 1",
		"redirect-elsewhere": "respondeu redirect 302 2",
		"html-for-json":      "ambiguo malformed_body 200 2",
		"closed":             "indisponivel network <nil> 1",
		"busy":               "indisponivel http_5xx 503 1",
	}
	for _, r := range doc.Results {
		got := fmt.Sprintf("%s %s %s %d", r.Finding, show(r.Kind), show(r.Status), len(r.Trips))
		if got != want[r.Name] {
			t.Errorf("%s: %s, want %s", r.Name, got, want[r.Name])
		}
	}
	if len(doc.Results) != len(want) {
		t.Errorf("%d results, want %d", len(doc.Results), len(want))
	}
	for probe, exit := range map[string]int{"file": 0, "missing-page": 1, "dead-upstream": 0} {
		if code := run([]string{"run", "-c", "../../fixtures/nginx/fonteviva.yaml", probe}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != exit {
			t.Errorf("run %s: exit code %d, want %d", probe, code, exit)
		}
	}
	if code := run([]string{"run", "-c", "../../fixtures/nginx/fonteviva.yaml", "dead-upstream", "--on", "indisponivel=fail"}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != report.ExitTemporary {
		t.Errorf("a dead upstream that fails under the policy: exit code %d, want 75", code)
	}
}

func show[T any](p *T) string {
	if p == nil {
		return "<nil>"
	}
	return fmt.Sprint(*p)
}
