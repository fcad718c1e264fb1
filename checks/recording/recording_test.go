package recording

import (
	"crypto/tls"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/fetch"
)

func sample() []fetch.Recorded {
	at := time.Date(2026, 6, 30, 12, 0, 0, 123e6, time.UTC)
	return []fetch.Recorded{
		{At: at, Method: "GET", URL: "https://x.test/a?b=1", Header: http.Header{"Accept": {"*/*"}}, Unanswered: fetch.Timeout},
		{
			At: at, Method: "POST", URL: "https://x.test/a", Header: http.Header{}, Sum: "ab12", Status: 200,
			Answered: http.Header{"Content-Type": {"text/plain"}, "X-Twice": {"1", "2"}, "X-Latin": {"S\xe9rie"}, "X-Esc": {"\x1b[31m"}},
			Coding:   []string{"gzip"}, Body: []byte("série <b>&\n\t\"ok\"\r\n"), Bytes: 9, TTFB: 30500 * time.Microsecond, Reading: time.Millisecond,
			TLS: &fetch.TLSInfo{Version: tls.VersionTLS13, Cipher: 1, Protocol: "h2", Subject: "CN=x", Issuer: "CN=y", NotBefore: at, NotAfter: at},
		},
		{At: at, Method: "GET", URL: "http://x.test/", Header: http.Header{}, Status: 200, Answered: http.Header{}, Body: []byte{0, 0xff, 0x1b}, Bytes: 3},
		{At: at, Method: "GET", URL: "http://x.test/", Header: http.Header{}, Status: 204, Answered: http.Header{}, Body: []byte{}},
		{At: at, Method: "GET", URL: "http://x.test/", Header: http.Header{}, Status: 200, Answered: http.Header{}, Body: []byte("cut"), Partial: true},
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	data, err := Encode("selic", sample())
	if err != nil {
		t.Fatal(err)
	}
	probe, list, err := Decode(data)
	if err != nil || probe != "selic" {
		t.Fatalf("%q, %v", probe, err)
	}
	if d := cmp.Diff(sample(), list); d != "" {
		t.Error(d)
	}
	for _, want := range []string{`"body": "série <b>&\n\t\"ok\"\r\n"`, `"body_base64": "AP8b"`, `"ttfb_ms": 30.5`, `"unanswered": "timeout"`, `"headers_base64": {`} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s is not in\n%s", want, data)
		}
	}
	if strings.Contains(string(data), "\x1b") {
		t.Error("an escape stands in it as it is")
	}
}

// TestHeadersStandAsAPlainObject looks at the text itself: reading back what was
// written would hold whatever shape the headers had.
func TestHeadersStandAsAPlainObject(t *testing.T) {
	data, err := Encode("selic", sample()[:2])
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`
        "url": "https://x.test/a?b=1",
        "headers": {
          "Accept": [
            "*/*"
          ]
        }
      },`, `
        "status": 200,
        "headers": {
          "Content-Type": [
            "text/plain"
          ],`, `
        },
        "headers_base64": {
          "X-Esc": [
            "G1szMW0="
          ],`,
	} {
		if !strings.Contains(string(data), want) {
			t.Errorf("%s\nis not in\n%s", want, data)
		}
	}
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "a\tb\r\nç日本\u00a0": true, "a\x00": false, "\x1b[31m": false, "\u009b31m": false, "\u202eabc": false, "a\u200bb": false, "\xff": false, "\ufeffa": false,
	} {
		if got := readable([]byte(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	good, err := Encode("a", sample()[4:])
	if err != nil {
		t.Fatal(err)
	}
	for from, to := range map[string]string{
		`"fonteviva_recording": 1`: `"fonteviva_recording": 2`,
		`"probe"`:                  `"prober"`,
		`"method": "GET"`:          `"method": ""`,
		`"url": "http://x.test/"`:  `"url": "/etc/passwd"`,
		`"status": 200`:            `"status": 99`,
		`"bytes": 0`:               `"bytes": -1`,
		`"body": "cut"`:            `"body": "cut", "body_base64": "AA=="`,
		`"recorded_at": "2026-`:    `"recorded_at": "yesterday 2026-`,
		`"response": {`:            `"unanswered": "timeout", "response": {`,
		"]\n}":                     "]\n} {}",
	} {
		bad := strings.Replace(string(good), from, to, 1)
		if bad == string(good) {
			t.Fatalf("%s is not in\n%s", from, good)
		}
		if _, _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%s in place of %s was taken", to, from)
		} else if strings.Contains(err.Error(), "yesterday") {
			t.Errorf("the error repeats the file: %v", err)
		}
	}
	for _, bad := range []string{"", "[]", "null", `{"exchanges": [{"recorded_at": "2026-01-01T00:00:00Z", "request": {"method": "GET", "url": "http://x/"}, "unanswered": "tired"}], "probe": "a", "fonteviva_recording": 1}`} {
		if _, _, err := Decode([]byte(bad)); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

// TestNamesStayInTheFolder, whatever a system makes of them.
func TestNamesStayInTheFolder(t *testing.T) {
	for probe, want := range map[string]string{
		"selic": "selic.json", "CON": "_CON.json", "con.x": "_con.x.json", "console": "console.json", "Lpt1": "_Lpt1.json", "a..b": "a..b.json",
	} {
		if got := FileName(probe); got != want {
			t.Errorf("%s: %s, want %s", probe, got, want)
		}
	}
	dir := t.TempDir()
	f, err := Open(filepath.Join(dir, "in"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, hostile := range []string{"../out", "/out", "a/../../out"} {
		if err := f.Write(hostile, sample()); err == nil {
			t.Errorf("%s was written", hostile)
		}
	}
	// A link that leads out is replaced, never followed.
	outside := filepath.Join(dir, "outside")
	if err := os.WriteFile(outside, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "in", "selic.json")); err != nil {
		t.Skip(err)
	}
	if err := f.Write("selic", sample()); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(outside); err != nil || string(data) != "mine" {
		t.Errorf("the link was followed: %q, %v", data, err)
	}
	entries, err := os.ReadDir(filepath.Join(dir, "in"))
	if err != nil || len(entries) != 1 || entries[0].Type() != 0 {
		t.Errorf("%v, %v", entries, err)
	}
	if all, err := Read(filepath.Join(dir, "in")); err != nil || len(all["selic"]) != len(sample()) {
		t.Errorf("%v, %v", all, err)
	}
}

func TestOthersAreThoseOfNoProbe(t *testing.T) {
	f, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for _, p := range []string{"b", "a", "con"} {
		if err := f.Write(p, sample()); err != nil {
			t.Fatal(err)
		}
	}
	others, err := f.Others([]string{"a"})
	if d := cmp.Diff([]string{"_con.json", "b.json"}, others); d != "" || err != nil {
		t.Error(d, err)
	}
	if !f.Has("con") || f.Has("c") {
		t.Error("Has is wrong")
	}
}

// FuzzDecode: no file makes reading it panic, and what is taken can be written
// and read again.
func FuzzDecode(f *testing.F) {
	good, err := Encode("selic", sample())
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"fonteviva_recording": 1, "probe": "x", "exchanges": []}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		probe, list, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Encode(probe, list)
		if err != nil {
			t.Fatal(err)
		}
		if _, second, err := Decode(again); err != nil || len(second) != len(list) {
			t.Errorf("%v\n%s", err, again)
		}
	})
}
