package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/checks"
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

// startServer runs a program that stays in the foreground until the end of the
// test, and returns once something listens at every address.
func startServer(t *testing.T, cmd *exec.Cmd, addresses ...string) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.WaitDelay = time.Second // for what the program leaves holding its output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait() //nolint:errcheck // its exit code says nothing
		close(ended)
	}()
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt) //nolint:errcheck // it may have ended
		select {
		case <-ended:
		case <-time.After(5 * time.Second):
			t.Errorf("%s did not end when it was asked to", cmd.Path)
			cmd.Process.Kill() //nolint:errcheck // as above
			<-ended
		}
	})
	for _, address := range addresses {
		if err := listening(address, ended); err != nil {
			t.Cleanup(func() { t.Logf("%s said: %s", cmd.Path, said.String()) })
			t.Fatalf("%s did not start: %v", cmd.Path, err)
		}
	}
}

// listening waits until address accepts a connection.
func listening(address string, ended <-chan struct{}) error {
	for deadline := time.Now().Add(20 * time.Second); ; {
		conn, err := net.DialTimeout("tcp", address, time.Second)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-ended:
			return err
		case <-time.After(10 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return err
		}
	}
}

// configure writes a file of fixtures into dir with its {words} filled in.
func configure(t *testing.T, dir, file string, words ...string) (path string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../../fixtures", file))
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, filepath.Base(file))
	write(t, path, strings.NewReplacer(words...).Replace(string(text)))
	return path
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

// freePort is a port of loopback that nobody listened on a moment ago.
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

// certify makes an authority of its own (ca.pem) in dir, and signs by it a
// server for 127.0.0.1 (server.pem, server.key) and a client (client.pem, client.key).
func certify(t *testing.T, dir string) {
	t.Helper()
	key, ca := newKey(t), &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "the test's authority"}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	sign := func(name string, template *x509.Certificate, of *ecdsa.PrivateKey) {
		der, err := x509.CreateCertificate(rand.Reader, template, ca, &of.PublicKey, key)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, name), string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
	}
	sign("ca.pem", ca, key)
	for i, name := range []string{"server", "client"} {
		k := newKey(t)
		sign(name+".pem", &x509.Certificate{
			SerialNumber: big.NewInt(int64(2 + i)), Subject: pkix.Name{CommonName: name}, NotBefore: ca.NotBefore, NotAfter: ca.NotAfter,
			IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, DNSNames: []string{"localhost"}, KeyUsage: x509.KeyUsageDigitalSignature,
			ExtKeyUsage: []x509.ExtKeyUsage{[]x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth}[i]},
		}, k)
		der, err := x509.MarshalPKCS8PrivateKey(k)
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, name+".key")
		write(t, file, string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})))
		if err := os.Chmod(file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// ask runs a declaration and gives its report and exit code.
func ask(t *testing.T, declaration string, args ...string) (*report.Document, int) {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(append([]string{"run", "-c", declaration, "--format", "json"}, args...), streams{in: strings.NewReader(""), out: &out, err: &errs})
	var doc report.Document
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatalf("exit code %d: %v\n%s", code, err, errs.String())
	}
	return &doc, code
}

// told is all that has to be known of a result, in one line: the finding, then
// kind, status, detail and cause where there are any, then how many trips.
func told(r *checks.Result) string {
	line := string(r.Finding)
	for _, p := range []string{show(r.Kind), show(r.Status), show(r.Detail), show(r.Cause)} {
		if p != "" {
			line += " " + p
		}
	}
	return fmt.Sprintf("%s ×%d", line, len(r.Trips))
}

// compare holds every result of a report against its line.
func compare(t *testing.T, doc *report.Document, want map[string]string) {
	t.Helper()
	for i := range doc.Results {
		r := &doc.Results[i]
		if got := told(r); got != want[r.Name] {
			t.Errorf("%s: %s, want %s\n%s", r.Name, got, want[r.Name], show(r.Motivo))
		}
	}
	if len(doc.Results) != len(want) {
		t.Errorf("%d results, want %d", len(doc.Results), len(want))
	}
}

func show[T any](p *T) string {
	if p == nil {
		return ""
	}
	return fmt.Sprint(*p)
}
