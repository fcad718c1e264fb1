package main

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/report"
)

// startNginx serves fixtures/nginx on loopback ports, tells the declaration of
// their addresses in the environment, and gives the declaration's path.
func startNginx(t *testing.T) string {
	t.Helper()
	nginx := skipWithout(t, "nginx", "nginx-light")
	dir := t.TempDir()
	const series = `[{"data":"27/11/2026","valor":"0.043739"},{"data":"28/11/2026","valor":"0.043739"}]`
	for _, file := range []string{"series.json", "gzip/series.json", "private/series.json", "limited/busy.json", "limited/often.json", "folder/none.json"} {
		write(t, filepath.Join(dir, "www", file), series)
	}
	write(t, filepath.Join(dir, "www", "page.html"), "<html><head><title>Manutenção</title></head><body>em manutenção</body></html>")
	const user, password = "probe", "s3nha-do-teste"
	write(t, filepath.Join(dir, "htpasswd"), user+":{PLAIN}"+password+"\n")
	certify(t, dir)
	port, h2, h1, client := freePort(t), freePort(t), freePort(t), freePort(t)
	words := []string{
		"{dir}", dir, "{port}", port, "{tls_h2}", h2, "{tls_h1}", h1, "{tls_client}", client, "{dead}", freePort(t),
		"{silent}", upstream(t, ""), "{cut}", upstream(t, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n[{\""),
	}
	configure(t, dir, "nginx/locations.conf", words...)
	conf := configure(t, dir, "nginx/nginx.conf", words...)
	const host = "127.0.0.1:"
	startServer(t, exec.Command(nginx, "-p", dir, "-c", conf, "-e", filepath.Join(dir, "error.log")), host+port, host+h2, host+h1, host+client)
	for name, value := range map[string]string{
		"": "http://" + host + port, "_TLS": "https://" + host + h2, "_TLS_HTTP1": "https://" + host + h1, "_TLS_CLIENT": "https://" + host + client,
		"_USER": user, "_PASSWORD": password, "_OLD_PASSWORD": "s3nha-do-mês-passado",
	} {
		t.Setenv("NGINX"+name, value)
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	useUp(t, "http://"+host+port)
	return configure(t, dir, "nginx/fonteviva.yaml")
}

// useUp makes the one request that each limit allows.
func useUp(t *testing.T, base string) {
	t.Helper()
	for _, path := range []string{"/limited/busy.json", "/limited/often.json"} {
		res, err := http.Get(base + path)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v %+v", path, err, res)
		}
		res.Body.Close()
	}
}

// upstream is a server that reads requests and answers each with the same
// bytes before it hangs up, or says nothing at all where there are none.
func upstream(t *testing.T, answer string) (port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				if _, err := http.ReadRequest(bufio.NewReader(c)); err == nil && answer != "" {
					io.WriteString(c, answer) //nolint:errcheck // who asked may have gone
					return
				}
				io.Copy(io.Discard, c) //nolint:errcheck // until who asked goes
			}()
		}
	}()
	_, port, _ = net.SplitHostPort(l.Addr().String())
	return port
}

// TestNginx asserts findings, kinds and exit codes on a server that is not
// ours.
func TestNginx(t *testing.T) {
	declaration := startNginx(t)
	doc, code := ask(t, declaration)
	if code != report.ExitContract {
		t.Errorf("exit code %d, want 1", code)
	}
	compare(t, doc, map[string]string{
		"file":             "ok 200 ×2", // shared with the next, which is confirmed
		"file-changed":     "drift 200 ×2",
		"missing-page":     "respondeu not_found 404 ×2",
		"missing-expected": "ok 404 ×1",
		"forbidden-folder": "respondeu http_4xx 403 ×2",
		"method-refused":   "respondeu http_4xx 405 ×2",
		"html-for-json":    "ambiguo malformed_body 200 ×2",

		"dead-upstream":   "indisponivel http_5xx 502 ×1",
		"slow-upstream":   "indisponivel timeout header_timeout ×1",
		"gateway-timeout": "indisponivel http_5xx 504 ×1",
		"cut-upstream":    "indisponivel network 200 body_cut ×1",

		"redirect":            "ok 200 ×1",
		"redirect-found":      "ok 200 ×1",
		"redirect-elsewhere":  "respondeu redirect 302 redirect_cross_host ×2",
		"redirect-keeps-get":  "ok 200 ×1",
		"redirect-keeps-post": "ok 200 ×1",
		"redirect-of-a-post":  "respondeu redirect 301 redirect_method ×2",

		"closed":           "indisponivel network connection_closed ×1",
		"busy":             "indisponivel http_5xx 503 ×1",
		"limited-busy":     "indisponivel http_5xx 503 ×1",
		"limited-often":    "indisponivel rate_limited 429 ×1",
		"upload":           "ok 200 ×1",
		"upload-too-large": "respondeu http_4xx 413 single_trip ×1",

		"gzip":              "ok 200 ×1",
		"private-right":     "ok 200 ×1",
		"private-wrong":     "respondeu http_4xx 401 ×2",
		"private-anonymous": "respondeu http_4xx 401 ×2",

		"http2":               "ok 200 ×1",
		"http2-off":           "ok 200 ×1",
		"http2-not-offered":   "ok 200 ×1",
		"http2-missing":       "respondeu not_found 404 ×2",
		"http2-dead-upstream": "indisponivel http_5xx 502 ×1",
		"http2-cut-upstream":  "indisponivel network 200 body_cut ×1",
		"http2-closed":        "indisponivel network connection_closed ×1",
		"http2-gzip":          "ok 200 ×1",
		"tls-new":             "ok 200 ×1",
		"tls-too-new":         "indisponivel network tls_policy ×1",
		"tls-unknown":         "indisponivel network tls_unknown_authority ×1",
		"client-known":        "ok 200 ×1",
		"client-anonymous":    "respondeu http_4xx 400 ×2",
	})
	counted(t, doc, filepath.Join(filepath.Dir(declaration), "closed.log"))
	for probe, exit := range map[string]int{"file": 0, "missing-page": 1, "dead-upstream": 0} {
		if _, code := ask(t, declaration, probe); code != exit {
			t.Errorf("run %s: exit code %d, want %d", probe, code, exit)
		}
	}
	if _, code := ask(t, declaration, "dead-upstream", "--on", "indisponivel=fail"); code != report.ExitTemporary {
		t.Errorf("a dead upstream that fails under the policy: exit code %d, want 75", code)
	}
}

// counted holds that every request which nginx answered with nothing, the ones
// that net/http repeated by itself included, is in the report.
func counted(t *testing.T, doc *report.Document, log string) {
	t.Helper()
	requests := 0
	for _, r := range doc.Results {
		if r.Name != "closed" && r.Name != "http2-closed" {
			continue
		}
		for _, a := range r.Trips[0].Attempts {
			requests += a.Requests
		}
	}
	// nginx writes about a request once it is done with it, which may be after us.
	seen := 0
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		lines, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if seen = bytes.Count(lines, []byte("\n")); seen >= requests || time.Now().After(end) {
			break
		}
	}
	// How many connections are kept, and tried first, depends on what ran before.
	if seen != requests || requests > 60 {
		t.Errorf("nginx saw %d requests, the report tells of %d: want as many, and some dozens at most", seen, requests)
	}
}
