package main

import (
	"crypto/md5"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/fixtures"
	"github.com/fonteviva/fonteviva/report"
)

const (
	loopback = "127.0.0.1:"

	proxyUser, proxyPassword = "sonda", "s3nha-do-proxy"
)

// origins starts the simulated origin and tells a declaration of proxies where
// it is, at addresses of every sort. It gives the ports of its TLS door and of
// the one where nobody listens.
func origins(t *testing.T, dir string) (tls, down string) {
	t.Helper()
	o, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, filepath.Join(dir, "ca.pem"), string(o.CAPEM()))
	named := func(address string) string { return strings.Replace(address, "127.0.0.1", "localhost", 1) }
	port := func(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
	tls, down = port(o.Endpoint(fixtures.TLS)), port(o.Endpoint(fixtures.Refused))
	for name, value := range map[string]string{
		"ORIGIN": o.URL(), "ORIGIN_TLS": o.Endpoint(fixtures.TLS), "ORIGIN_NAMED": named(o.URL()),
		"ORIGIN_REFUSED": named(o.URL()), "ORIGIN_REFUSED_TLS": named(o.Endpoint(fixtures.TLS)),
		"ORIGIN_DOWN": "http://" + loopback + down, "ORIGIN_DOWN_TLS": "https://" + loopback + down,
		"PROXY_DEAD": loopback + freePort(t), "PROXY_USER": proxyUser, "PROXY_OTHER": "outra-sonda", "PROXY_PASSWORD": proxyPassword, "PROXY_OLD_PASSWORD": "a-do-mes-passado",
	} {
		t.Setenv(name, value)
	}
	return tls, down
}

// through holds what a declaration of proxies says of each probe, and the exit
// codes of its parts: 0 through the proxy, 1 what the origin said, 3 our side.
func through(t *testing.T, declaration string, want ...map[string]string) {
	t.Helper()
	all := map[string]string{}
	for _, part := range want {
		maps.Copy(all, part)
	}
	doc, _ := ask(t, declaration)
	compare(t, doc, all)
	for tag, exit := range map[string]int{"through": report.ExitOK, "origin": report.ExitContract, "down": report.ExitOK, "stopped": report.ExitOwn} {
		if _, code := ask(t, declaration, "--tag", tag); code != exit {
			t.Errorf("the probes tagged %s: exit code %d, want %d", tag, code, exit)
		}
	}
}

// httpProxy is what is found of any HTTP proxy.
var httpProxy = map[string]string{
	"direct": "ok 200 ×1", "open": "ok 200 ×1", "open-tls": "ok 200 ×1", "known": "ok 200 ×1", "known-tls": "ok 200 ×1",
	"origin-forbids":     "respondeu http_4xx 403 ×2",
	"origin-forbids-tls": "respondeu http_4xx 403 ×2",
	"origin-busy":        "indisponivel http_5xx 503 ×1",
	"origin-missing-tls": "respondeu not_found 404 ×2",
	"refused":            "alheio http_4xx 403 proxy ×1",
	"refused-tls":        "alheio network proxy ×1",
	"wrong-tls":          "alheio network proxy ×1",
	"anonymous":          "alheio http_4xx 407 proxy ×1",
	"anonymous-tls":      "alheio network proxy ×1",
	"dead":               "alheio network tcp_refused proxy ×1",
	"dead-tls":           "alheio network tcp_refused proxy ×1",
}

func TestTinyproxy(t *testing.T) {
	program := skipWithout(t, "tinyproxy", "tinyproxy")
	dir := t.TempDir()
	tls, down := origins(t, dir)
	write(t, filepath.Join(dir, "filter"), "^localhost$\n")
	for variable, password := range map[string]string{"PROXY": "", "PROXY_LOCKED": "BasicAuth " + proxyUser + " " + proxyPassword} {
		port := freePort(t)
		conf := configure(t, filepath.Join(dir, variable), "proxies/tinyproxy.conf",
			"{dir}", dir, "{port}", port, "{origin_tls}", tls, "{down}", down, "{password}", password)
		startServer(t, exec.Command(program, "-d", "-c", conf), loopback+port)
		t.Setenv(variable, loopback+port)
	}
	through(t, configure(t, dir, "proxies/http.yaml"), httpProxy, map[string]string{
		"wrong":    "alheio http_4xx 401 proxy ×1",
		"down":     "indisponivel http_5xx 500 ×1",
		"down-tls": "indisponivel network proxy_upstream ×1",
	})
}

func TestSquid(t *testing.T) {
	program := skipWithout(t, "squid", "squid")
	// Squid gives root's rights up, and still has to write here.
	dir, err := os.MkdirTemp("", "fonteviva-squid-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	origins(t, dir)
	// The one form that basic_ncsa_auth takes without crypt(3).
	write(t, filepath.Join(dir, "passwd"), fmt.Sprintf("%s:%x\n", proxyUser, md5.Sum([]byte(proxyPassword))))
	port, locked := freePort(t), freePort(t)
	conf := configure(t, dir, "proxies/squid.conf", "{dir}", dir, "{port}", port, "{locked}", locked, "{ncsa}", "/usr/lib/squid/basic_ncsa_auth")
	startServer(t, exec.Command(program, "-N", "-f", conf), loopback+port, loopback+locked)
	t.Setenv("PROXY", loopback+port)
	t.Setenv("PROXY_LOCKED", loopback+locked)
	through(t, configure(t, dir, "proxies/http.yaml"), httpProxy, map[string]string{
		"wrong":    "alheio http_4xx 407 proxy ×1",
		"down":     "indisponivel http_5xx 503 ×1",
		"down-tls": "indisponivel network proxy_upstream ×1",
	})
}

func TestSOCKS(t *testing.T) {
	program := skipWithout(t, "microsocks", "microsocks")
	dir := t.TempDir()
	origins(t, dir)
	for variable, password := range map[string][]string{"PROXY": nil, "PROXY_LOCKED": {"-u", proxyUser, "-P", proxyPassword}} {
		port := freePort(t)
		startServer(t, exec.Command(program, append([]string{"-i", "127.0.0.1", "-p", port}, password...)...), loopback+port)
		t.Setenv(variable, loopback+port)
	}
	through(t, configure(t, dir, "proxies/socks.yaml"), map[string]string{
		"open": "ok 200 ×1", "open-tls": "ok 200 ×1", "named": "ok 200 ×1", "known": "ok 200 ×1", "known-tls": "ok 200 ×1",
		"origin-forbids": "respondeu http_4xx 403 ×2",
		"down":           "indisponivel network tcp_refused ×1",
		"down-tls":       "indisponivel network tcp_refused ×1",
		"wrong":          "alheio network proxy ×1",
		"wrong-tls":      "alheio network proxy ×1",
		"anonymous":      "alheio network proxy ×1",
		"dead":           "alheio network tcp_refused proxy ×1",
		"dead-tls":       "alheio network tcp_refused proxy ×1",
	})
}
