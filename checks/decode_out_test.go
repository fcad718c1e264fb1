package checks

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

func originKeysOf(t *testing.T) *Declaration {
	t.Helper()
	d, err := Load([]string{"testdata/valid/origins.yaml"}, LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestWaysOut(t *testing.T) {
	d := originKeysOf(t)
	sgs, basic := d.Origins[0], d.Origins[1]
	way := sgs.Out.Way
	if way.Roots == nil || way.MinTLS != tls.VersionTLS13 || !way.Cookies || way.HTTP2 == nil || *way.HTTP2 || way.IP != 6 || way.DNS != "9.9.9.9:53" {
		t.Errorf("%+v", way)
	}
	equal(t, "files", []string{"testdata/valid/ca.pem", ""}, []string{sgs.Out.CAFile, sgs.Out.CertFile})
	equal(t, "proxies", []string{"none", "http://${env.PUSER}:${env.PPASS}@proxy.example:3128"}, []string{sgs.Out.Proxy.Raw(), basic.Out.Proxy.Raw()})
	if basic.Out.Way.IP != 4 || basic.Out.Way.Roots != nil || basic.Out.Way.HTTP2 != nil {
		t.Errorf("%+v", basic.Out.Way)
	}
	equal(t, "charset", "iso-8859-1", sgs.Charset)
	equal(t, "trace headers", [][]string{{"traceparent", "X-Request-Id"}, {"traceparent"}}, [][]string{sgs.TraceHeaders, basic.TraceHeaders})
	equal(t, "mirrors", []string{"https://mirror.example/base", "https://${env.MIRROR}"}, []string{sgs.Mirrors[0].Raw(), sgs.Mirrors[1].Raw()})
	equal(t, "connectivity", "one.one.one.one:443 https://www.example.org/", strings.Join(d.Connectivity.Targets, " "))
	equal(t, "its way", basic.Out.Proxy.Raw(), d.Connectivity.Out.Proxy.Raw())
}

func TestLimitsOfOrigins(t *testing.T) {
	d := originKeysOf(t)
	sgs, basic, short := d.Origins[0], d.Origins[1], d.Origins[2]
	equal(t, "limit", fetch.RateLimit{Max: 5, Window: 24 * time.Hour}, *sgs.RateLimit)
	equal(t, "defaults' limit", fetch.RateLimit{Max: 10, Window: time.Minute, PerIdentity: true}, *short.RateLimit)
	equal(t, "breaker", fetch.BreakerPolicy{ErrorThreshold: 0.25, MinRequests: 3, Window: 10 * time.Second, HalfOpenAfter: 5 * time.Second}, *sgs.Breaker)
	equal(t, "defaults' breaker", fetch.BreakerPolicy{ErrorThreshold: 0.5, MinRequests: 9, Window: time.Minute, HalfOpenAfter: 30 * time.Second}, *short.Breaker)
	if basic.RateLimit != nil || basic.Breaker != nil {
		t.Error("off turns off what defaults say")
	}
	plain, err := LoadBytes("x.yaml", wrongYAML("", ""), LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	o := plain.Origins[0]
	if o.RateLimit != nil || o.Breaker == nil || *o.Breaker != fetch.DefaultBreaker() || o.Sentinel != nil || o.Out.Way.Roots != nil || plain.Connectivity != nil {
		t.Errorf("%+v", o)
	}
}

func TestAnswerRules(t *testing.T) {
	o := originKeysOf(t).Origins[0]
	if len(o.Answers) != 2 {
		t.Fatalf("%d rules", len(o.Answers))
	}
	absent, all := &o.Answers[0], &o.Answers[1]
	equal(t, "names", []string{"origins.sgs.answers[0]", "origins.sgs.answers[1]"}, []string{absent.Name, all.Name})
	if !absent.Match(fetch.Seen{Status: 404, Body: []byte("x: Value(s) not found.")}) || absent.Match(fetch.Seen{Status: 404, Body: []byte("gone")}) {
		t.Error("status and body_contains")
	}
	seen := func(change func(*fetch.Seen)) fetch.Seen {
		s := fetch.Seen{Status: 503, Path: "/base/api/v3/x", Header: map[string][]string{"Via": {"x"}, "Server": {"nginx"}}, Body: []byte(`{"erro":"aaa"}`)}
		change(&s)
		return s
	}
	if !all.Match(seen(func(*fetch.Seen) {})) || !all.Match(seen(func(s *fetch.Seen) { s.Status = 404 })) {
		t.Error("it matches all that it names")
	}
	for name, change := range map[string]func(*fetch.Seen){
		"status": func(s *fetch.Seen) { s.Status = 400 }, "path": func(s *fetch.Seen) { s.Path = "/api/v3" },
		"via": func(s *fetch.Seen) { s.Header["Via"] = []string{"y"} }, "age": func(s *fetch.Seen) { s.Header["Age"] = []string{"1"} },
		"server": func(s *fetch.Seen) { s.Header["Server"] = []string{"apache"} }, "json": func(s *fetch.Seen) { s.Body = []byte(`{"error":"aaa"}`) },
		"text": func(s *fetch.Seen) { s.Body = []byte(`{"erro":"bbb"}`) }, "no JSON": func(s *fetch.Seen) { s.Body = []byte(`{"erro":"aaa"`) },
	} {
		if all.Match(seen(change)) {
			t.Errorf("%s: it matches without", name)
		}
	}
	if all.Means != fetch.MeansRespondeu || all.Retry == nil || !*all.Retry || absent.Retry != nil {
		t.Errorf("%+v", all)
	}
}

func TestSentinels(t *testing.T) {
	d := originKeysOf(t)
	if s := d.Origins[0].Sentinel; s.Request.Path.Raw() != "/dados/ultimos/1" || !s.JSON {
		t.Errorf("%+v: its origin's probe reads JSON, so does the sentinel", s)
	}
	if s := d.Origins[1].Sentinel; s.Request.Path.Raw() != "/health" || s.JSON {
		t.Errorf("%+v", s)
	}
}

// identity writes a certificate of our own and its key.
func identity(t *testing.T, dir, name string, until time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: until.Add(-48 * time.Hour), NotAfter: until}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, name+".pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	write(t, dir, name+".key", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw})))
}

func TestClientCertificates(t *testing.T) {
	dir := t.TempDir()
	identity(t, dir, "good", time.Now().Add(24*time.Hour))
	identity(t, dir, "other", time.Now().Add(24*time.Hour))
	identity(t, dir, "old", time.Now().Add(-time.Hour))
	write(t, dir, "empty.pem", "")
	identity(t, dir, "open", time.Now().Add(24*time.Hour))
	if err := os.Chmod(filepath.Join(dir, "open.key"), 0o644); err != nil {
		t.Fatal(err)
	}
	cases := []struct{ cert, key, want string }{
		{"good.pem", "good.key", ""},
		{filepath.Join(dir, "good.pem"), "good.key", ""},
		{"good.pem", "other.key", "the private key is not the certificate's"},
		{"old.pem", "old.key", "the certificate has expired"},
		{"empty.pem", "good.key", "the file is empty"},
		{"good.pem", "empty.pem", "the file is empty"},
		{"good.pem", "open.key", "every user of this machine can read the file"},
		{"good.pem", "good.pem", "holds no private key"},
		{"good.pem", "none.key", `there is no file "none.key"`},
	}
	for _, c := range cases {
		t.Run(c.cert+" "+c.key, func(t *testing.T) {
			write(t, dir, "t.yaml", string(wrongYAML(", tls: {client_cert: "+c.cert+", client_key: "+c.key+"}", "")))
			d, err := Load([]string{filepath.Join(dir, "t.yaml")}, LoadOptions{})
			if c.want == "" {
				if err != nil || d.Origins[0].Out.Way.ClientCert == nil {
					t.Fatalf("%v", err)
				}
				return
			}
			if ps := problems(t, d, err); len(ps) != 1 || !strings.Contains(ps[0].Message, c.want) {
				t.Errorf("%v, want %q", ps, c.want)
			}
		})
	}
	_, err := LoadBytes("x.yaml", wrongYAML(", tls: {ca_file: x.pem}", ""), LoadOptions{})
	if err == nil || !strings.Contains(err.Error(), "a declaration that is no file cannot name one") {
		t.Errorf("%v", err)
	}
}

func TestProxies(t *testing.T) {
	env := map[string]string{"U": "us er", "P": "p@ss:w/rd", "BAD": "has space.example", "HOST": "p.example"}
	lookup := func(name string) (string, bool) { v, ok := env[name]; return v, ok }
	for _, c := range []struct{ proxy, want string }{
		{"none", "none"},
		{"socks5h://${env.HOST}:1080", "socks5h://p.example:1080"},
		{"http://${env.U}:${env.P}@${env.HOST}:3128", "http://us%20er:p%40ss%3Aw%2Frd@p.example:3128"},
	} {
		d, err := LoadBytes("x.yaml", wrongYAML(", proxy: '"+c.proxy+"'", ""), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Missing(d.Probes, lookup); err != nil {
			t.Error(err)
		}
		equal(t, c.proxy, c.want, expander{env: lookup}.proxy(d.Origins[0].Out.Proxy))
	}
	for proxy, want := range map[string]string{
		"http://${env.BAD}:3128":         "the proxy of origin a, with its variables",
		"http://${env.NONE}:3128":        "NONE is not set",
		"http://${env.NONE}@h.example:1": "NONE is not set",
	} {
		d, err := LoadBytes("x.yaml", wrongYAML(", proxy: '"+proxy+"'", ""), LoadOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Missing(d.Probes, lookup); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", proxy, err, want)
		}
	}
}
