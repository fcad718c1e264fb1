package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

const mark = "[redacted:TOKEN]"

func one4(value string) *Redactor { return New(map[string]string{"TOKEN": value}) }

// awkward are secrets whose encodings differ from themselves.
var awkward = []string{
	"hunter2", "s3cr", "abcd", "p@ss w0rd", `quo"te\back`, "a&b<c>d'e", "ção-ü", "100%41", "%41%42", `\u0041\n`, "&amp;&#65;",
	"+plus+and space", "tab\there", "emoji 😀 key", "/slash/../", "====", "````", "true false", "-._~", "\\\\\\\\", "%%%%",
	"a very long secret that goes on and on and on 0123456789",
}

var encodings = map[string]func(string) string{
	"raw":           func(s string) string { return s },
	"query":         url.QueryEscape,
	"path":          url.PathEscape,
	"lower percent": func(s string) string { return percentAll(s, "%%%02x") },
	"upper percent": func(s string) string { return percentAll(s, "%%%02X") },
	"json": func(s string) string {
		b, _ := json.Marshal(s)
		return string(b[1 : len(b)-1])
	},
	"json slash": func(s string) string {
		b, _ := json.Marshal(s)
		return strings.ReplaceAll(string(b[1:len(b)-1]), "/", `\/`)
	},
	"json ascii": func(s string) string { q := strconv.QuoteToASCII(s); return q[1 : len(q)-1] },
	"go":         func(s string) string { q := fmt.Sprintf("%q", s); return q[1 : len(q)-1] },
	"xml": func(s string) string {
		var b strings.Builder
		_ = xml.EscapeText(&b, []byte(s))
		return b.String()
	},
	"html":    html.EscapeString,
	"decimal": func(s string) string { return referenceAll(s, "&#%d;") },
	"hex":     func(s string) string { return referenceAll(s, "&#x%X;") },
	"url in json": func(s string) string {
		b, _ := json.Marshal(url.PathEscape(s))
		return string(b[1 : len(b)-1])
	},
	"json in json":       func(s string) string { return inJSON(inJSON(s)) },
	"json slash in json": func(s string) string { return inJSON(strings.ReplaceAll(inJSON(s), "/", `\/`)) },
	"slash, both times": func(s string) string {
		return strings.ReplaceAll(inJSON(strings.ReplaceAll(inJSON(s), "/", `\/`)), "/", `\/`)
	},
	"json ascii in json": func(s string) string { return inJSON(inGo(strconv.QuoteToASCII, s)) },
	"ascii utf-16": func(s string) string {
		return inJSON(asciiJSON(s))
	},
	"json in json in go": func(s string) string { return inGo(strconv.Quote, inJSON(inJSON(s))) },
	"base64 in json in json": func(s string) string {
		b := strings.ReplaceAll(base64.StdEncoding.EncodeToString([]byte(s)), "/", `\/`)
		return inJSON(b)
	},
	"digits":         func(s string) string { return hex.EncodeToString([]byte(s)) },
	"upper digits":   func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"base64":         func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"raw base64":     func(s string) string { return base64.RawStdEncoding.EncodeToString([]byte(s)) },
	"base64 url":     func(s string) string { return base64.URLEncoding.EncodeToString([]byte(s)) },
	"raw base64 url": func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) },
	"base64 query":   func(s string) string { return url.QueryEscape(base64.RawStdEncoding.EncodeToString([]byte(s))) },
}

func inJSON(s string) string {
	b, _ := json.Marshal(s)
	return string(b[1 : len(b)-1])
}

// asciiJSON writes what is not ASCII as JSON writers do: two \u beyond the basic plane.
func asciiJSON(s string) string {
	var b strings.Builder
	for _, r := range inJSON(s) {
		switch {
		case r < utf8.RuneSelf:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func inGo(quote func(string) string, s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

func percentAll(s, format string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, format, c)
	}
	return b.String()
}

func referenceAll(s, format string) string {
	var b strings.Builder
	for _, r := range s {
		fmt.Fprintf(&b, format, r)
	}
	return b.String()
}

func TestEveryForm(t *testing.T) {
	for _, value := range awkward {
		r := one4(value)
		for name, encode := range encodings {
			text := "(" + encode(value) + ")"
			if got := r.String(text); got != "("+mark+")" {
				t.Errorf("%s of %q: %q gives %q", name, value, text, got)
			}
			if got := string(r.Bytes([]byte(text))); got != "("+mark+")" {
				t.Errorf("%s of %q as bytes: %q", name, value, got)
			}
		}
	}
}

func TestInsideBase64(t *testing.T) {
	for _, value := range awkward {
		r := one4(value)
		for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawStdEncoding, base64.URLEncoding, base64.RawURLEncoding} {
			for _, user := range []string{"", "u", "us", "use", "user"} {
				for _, after := range []string{"", "x", "xy", "xyz"} {
					whole := enc.EncodeToString([]byte(user + ":" + value + after))
					got := r.String("Authorization: Basic " + whole)
					if !strings.Contains(got, mark) {
						t.Fatalf("%q in %q is shown: %q", value, user+":"+value+after, got)
					}
					// What is left decodes to what stood around it, at most.
					left, right, _ := strings.Cut(strings.TrimPrefix(got, "Authorization: Basic "), mark)
					if max := (len(user) + 1) * 8 / 6; len(left) > max {
						t.Errorf("%q: %d characters before the mark hold bits of the secret", got, len(left)-max)
					}
					if max := (len(after)*8 + 5) / 6; len(strings.TrimRight(right, "=")) > max {
						t.Errorf("%q: characters after the mark hold bits of the secret", got)
					}
				}
			}
		}
	}
}

func TestSeveralSecrets(t *testing.T) {
	r := New(map[string]string{"SHORT": "abcd", "LONG": "abcdefgh", "OTHER": "ghijkl", "SAME1": "twin-value", "SAME2": "twin-value"})
	tests := []struct{ in, want string }{
		{"abcd", "[redacted:SHORT]"},
		{"abcdefgh", "[redacted:LONG]"},
		{"abcdefg", "[redacted:SHORT]efg"},
		{"abcdabcd", "[redacted:SHORT][redacted:SHORT]"},
		{"abcdabcdefgh-abcd", "[redacted:SHORT][redacted:LONG]-[redacted:SHORT]"},
		{"xabcdefghijklx", "x[redacted:LONG]x"}, // they overlap: hidden together
		{"twin-value", "[redacted:SAME1]"},
		{"nothing here", "nothing here"},
		{"", ""},
		{"abc", "abc"},
		{"ABCD", "ABCD"},
	}
	for _, tt := range tests {
		if got := r.String(tt.in); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.in, got, tt.want)
		}
	}
}

func TestRepeatingSecret(t *testing.T) {
	r := one4("aaaa")
	for n, want := range map[int]string{3: "aaa", 4: mark, 5: mark, 9: mark} {
		if got := r.String(strings.Repeat("a", n)); got != want {
			t.Errorf("%d: %q", n, got)
		}
	}
}

func TestUnfitSecretsAreNamedAndNotUsed(t *testing.T) {
	r := New(map[string]string{"B": "abc", "A": "", "C": "é", "E": "TRUE", "D": "long enough"})
	if got := strings.Join(r.Skipped(), " "); got != "A B C E" {
		t.Error(got)
	}
	if got := r.String("abc é long enough"); got != "abc é [redacted:D]" {
		t.Error(got)
	}
}

func TestNothingToHideCostsNothing(t *testing.T) {
	text, data := strings.Repeat("text ", 1000), []byte(strings.Repeat("text ", 1000))
	var none *Redactor
	for name, r := range map[string]*Redactor{"nil": none, "empty": New(nil), "short": one4("abc"), "absent": one4("absent-secret")} {
		if got := r.String(text); got != text {
			t.Errorf("%s: changed", name)
		}
		if got := r.Bytes(data); &got[0] != &data[0] {
			t.Errorf("%s: copied", name)
		}
		if n := testing.AllocsPerRun(10, func() { _ = r.String(text) }); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
	if none.Skipped() != nil {
		t.Error("nil skips no secret")
	}
}

func TestBrokenEncodings(t *testing.T) {
	r := one4("abcd")
	for _, s := range []string{"%", "%6", "%zz", `\`, `\u`, `\u00`, `\ud83d`, `\ud83d\u`, `\x6`, `\U0000`, "&", "&#", "&#;", "&#x;", "&#x110000;", "&#99999999999;", "&amp", "abc%6", `abc\`, "abc%2", "abc%256", `abc\u{64`, `abc\14`} {
		if got := r.String(s); got != s {
			t.Errorf("%q gives %q", s, got)
		}
	}
}

// unwritable are the characters that some encoder cannot write.
func unwritable(r rune) bool {
	return r == utf8.RuneError || r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff
}

func FuzzRedact(f *testing.F) {
	for _, value := range awkward {
		f.Add("before ", value, " after")
	}
	f.Add("", "aaaa", "a")
	f.Add("%25", "%25%25", "25")
	f.Fuzz(func(t *testing.T, before, value, after string) {
		if Unfit(value) != "" || len(before)+len(value)+len(after) > 4096 {
			return
		}
		r := one4(value)
		for name, encode := range encodings {
			if name != "raw" && strings.ContainsFunc(value, unwritable) {
				continue // the encoder writes something else instead
			}
			got := r.String(before + encode(value) + after)
			if shown := strings.ReplaceAll(got, mark, "\x00"); len(encode(value)) >= MinLength && !strings.Contains(value, "\x00") && strings.Contains(shown, encode(value)) {
				t.Errorf("%s of %q is shown in %q", name, value, got)
			}
			if !strings.Contains(got, mark) {
				t.Errorf("%s of %q in %q: nothing is hidden in %q", name, value, before+encode(value)+after, got)
			}
		}
		if got, want := string(r.Bytes([]byte(before+after))), r.String(before+after); got != want {
			t.Errorf("bytes %q, text %q", got, want)
		}
	})
}

func BenchmarkString(b *testing.B) {
	text := strings.Repeat(`{"name":"selic-diaria","url":"https://api.example.org/dados?x=%20y","motivo":"A fonte respondeu"}`, 1000)
	for _, bench := range []struct {
		name string
		r    *Redactor
	}{{"none", nil}, {"one", one4("sk-live-0123456789abcdef")}, {"ten", New(tenSecrets())}} {
		b.Run(bench.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_ = bench.r.String(text)
			}
		})
	}
}

func tenSecrets() map[string]string {
	values := map[string]string{}
	for i := range 10 {
		values[fmt.Sprint("SECRET_", i)] = fmt.Sprintf("%c-secret-%d", 'a'+i, i)
	}
	return values
}

// What is learnt while others redact is hidden from then on, in every form.
func TestLearnWhileRedacting(t *testing.T) {
	r := New(map[string]string{"FIRST": "alpha-secret"})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			name, value := "LEARNT"+strconv.Itoa(i), "token-"+strconv.Itoa(i)+"/§"
			r.Learn(name, value)
			r.Learn(name, value)
			if got := r.String("a=" + url.QueryEscape(value) + " b=alpha-secret"); got != "a=[redacted:"+name+"] b=[redacted:FIRST]" {
				t.Error(got)
			}
		})
	}
	wg.Wait()
	if got := r.String("token-3/§ token-7/§"); got != "[redacted:LEARNT3] [redacted:LEARNT7]" {
		t.Error(got)
	}
	r.Learn("SHORT", "abc")
	if got := r.String("abc"); got != "abc" {
		t.Error(got)
	}
}
