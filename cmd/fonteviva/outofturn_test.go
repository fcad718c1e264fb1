package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhatComesOutOfTurnIsNotLogged has an origin that sends our credential
// back behind its answer, where net/http finds it on an idle connection and
// would log it.
func TestWhatComesOutOfTurnIsNotLogged(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			r, err := http.ReadRequest(bufio.NewReader(conn))
			if err == nil {
				fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\nX: %s\r\n\r\n", r.Header.Get("Authorization"))
			}
			defer conn.Close()
		}
	}()
	var logged bytes.Buffer
	before := log.Writer()
	log.SetOutput(&logged)
	defer log.SetOutput(before)
	dir := t.TempDir()
	write(t, filepath.Join(dir, "f.yaml"), "version: 1\norigins:\n  o: {url: \"http://"+l.Addr().String()+"\", auth: {bearer: \"${env.OUT_OF_TURN}\"}}\nprobes:\n  - {name: a, origin: o, get: /}\n  - {name: b, origin: o, get: /b}\n")
	t.Setenv("OUT_OF_TURN", "a-secret-that-is-long")
	var out, errs bytes.Buffer
	if code := run([]string{"run", "--no-history", "-c", filepath.Join(dir, "f.yaml")}, streams{in: strings.NewReader(""), out: &out, err: &errs}); code != 0 {
		t.Errorf("exit code %d\n%s%s", code, out.String(), errs.String())
	}
	if log.Writer() != io.Discard {
		t.Error("the standard logger still writes")
	}
	if logged.Len() > 0 || strings.Contains(out.String()+errs.String(), os.Getenv("OUT_OF_TURN")) {
		t.Errorf("the credential is shown: %s", logged.String())
	}
}
