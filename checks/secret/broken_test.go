package secret

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
)

// broken puts sep after every n characters.
func broken(s string, n int, sep string) string {
	var b strings.Builder
	for i := 0; i < len(s); i += n {
		if i > 0 {
			b.WriteString(sep)
		}
		b.WriteString(s[i:min(i+n, len(s))])
	}
	return b.String()
}

// What a mail, a certificate or a dump breaks into lines and groups is found
// wherever it was broken.
func TestBrokenUp(t *testing.T) {
	separators := map[string][]string{
		"base64": {"\n", "\r\n", " ", "\n    ", "\n\t", `\n`, `\r\n`, `\\n`, "%0A", "%0d%0a", "&#10;", `\u000a`},
		"hex":    {" ", ":", "-", ", ", "\n", " \n  ", `\n`, ", 0x", " 0X", "%20", "%3A"},
		"text":   {"\n", "\r\n", "\n    ", `\n`, `\r\n`, "%0A"},
	}
	for _, value := range append(awkward, strings.Repeat("0123456789abcdef/", 20)) {
		r := one4(value)
		for _, sep := range separators["base64"] {
			for _, enc := range []*base64.Encoding{base64.StdEncoding, base64.RawURLEncoding} {
				for _, around := range []string{"", "u", "us"} {
					for _, width := range []int{3, 4, 10, 64, 76} {
						text := broken(enc.EncodeToString([]byte(around+value+around)), width, sep)
						want := (len(around)*8+5)/6 + 1
						got := r.String("(" + text + ")")
						left, right, found := strings.Cut(got, mark)
						for _, rest := range []string{left, right} {
							rest = strings.Trim(strings.ReplaceAll(strings.Trim(rest, "()="), sep, ""), "=")
							if !found || len(rest) > want {
								t.Fatalf("base64 of %q, %d characters and %q: %q gives %q", around+value+around, width, sep, text, got)
							}
						}
					}
				}
			}
		}
		for _, sep := range separators["hex"] {
			for _, digits := range []string{hex.EncodeToString([]byte(value)), fmt.Sprintf("%X", value)} {
				if got := r.String("(" + broken(digits, 2, sep) + ")"); got != "("+mark+")" {
					t.Errorf("digits of %q with %q: %q", value, sep, got)
				}
				if got := r.String("(" + broken(digits, 8, sep) + ")"); got != "("+mark+")" {
					t.Errorf("groups of digits of %q with %q: %q", value, sep, got)
				}
			}
		}
		for _, sep := range separators["text"] {
			if got := r.String("(" + broken(value, 3, sep) + ")"); strings.ContainsAny(value, `\%&`) == false && got != "("+mark+")" {
				t.Errorf("%q with %q: %q", value, sep, got)
			}
		}
	}
}

// Nothing but what breaks a text up may stand in it.
func TestOtherTextIsNotBrokenUp(t *testing.T) {
	r := one4("hunter2")
	for _, text := range []string{
		"hunt er2", "hun, ter2", "hunt-er2", "hunter\n.2", "hunter\n", "hunt" + strings.Repeat("\n", maxGap+1) + "er2",
		"aHVudGV.yMg", "aHVudGV, yMg==", "6 8756e74657232", "68.75.6e.74.65.72.32", "68, 75, 6e, 74",
	} {
		if got := r.String(text); got != text {
			t.Errorf("%q gives %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"the token hunter2 is wrong":      "the token " + mark + " is wrong",
		"aHVudGVyMg== is wrong":           mark + " is wrong",
		"aHVudGVyMg is wrong":             mark + " is wrong",
		"68 75 6e 74 65 72 32, 31, 30":    mark + ", 31, 30",
		"hunter2\nand the next line":      mark + "\nand the next line",
		"hunter2&amp;x":                   mark + "&amp;x",
		"YWFh\nCg== of another one\nline": "YWFh\nCg== of another one\nline",
	} {
		if got := r.String(text); got != want {
			t.Errorf("%q gives %q, want %q", text, got, want)
		}
	}
}

// Encodings may lie in each other, in any order, and change from one character
// to the next.
func TestEncodedTwice(t *testing.T) {
	percent := func(s string) string { return percentAll(s, "%%%02x") }
	twice := map[string]func(string) string{
		"query in query":            func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
		"path, three times":         func(s string) string { return url.PathEscape(url.PathEscape(url.PathEscape(s))) },
		"percent in percent":        func(s string) string { return percent(percent(s)) },
		"html in html":              func(s string) string { return html.EscapeString(html.EscapeString(s)) },
		"references in html":        func(s string) string { return html.EscapeString(referenceAll(s, "&#%d;")) },
		"percent in references":     func(s string) string { return referenceAll(percent(s), "&#x%x;") },
		"percent in json":           func(s string) string { return strings.ReplaceAll(percent(s), "%", `\u0025`) },
		"json in percent":           func(s string) string { return percent(inJSON(s)) },
		"html in json in json":      func(s string) string { return inJSON(inJSON(html.EscapeString(s))) },
		"references, no semicolon":  func(s string) string { return strings.ReplaceAll(referenceAll(s, "&#%d;"), ";&", "&") },
		"references, leading zeros": func(s string) string { return referenceAll(s, "&#X%08X;") },
		"braces":                    func(s string) string { return referenceAll(s, `\u{%x}`) },
		"octal":                     func(s string) string { return percentAll(s, `\%03o`) },
		"mixed case": func(s string) string {
			var b strings.Builder
			for i, c := range []byte(s) {
				fmt.Fprintf(&b, []string{"%%%02x", "%%%02X", `\x%02x`, "&#%d;", `\u{%02X}`}[i%5], c)
			}
			return b.String()
		},
		"digits of mixed case": func(s string) string {
			digits := []byte(hex.EncodeToString([]byte(s)))
			for i := range digits {
				if i%3 == 0 {
					digits[i] = strings.ToUpper(string(digits[i]))[0]
				}
			}
			return string(digits)
		},
	}
	for _, value := range awkward {
		r := one4(value)
		for name, encode := range twice {
			if name == "mixed case" && strings.ContainsFunc(value, func(c rune) bool { return c > '~' }) {
				continue // a reference to each byte of a character is none to the character
			}
			if got := r.String("(" + encode(value) + ")"); got != "("+mark+")" {
				t.Errorf("%s of %q: %q gives %q", name, value, encode(value), got)
			}
		}
	}
}

// FuzzBroken breaks forms up anywhere.
func FuzzBroken(f *testing.F) {
	f.Add("hunter2-and-more", 3, "before ", " after")
	f.Add("\n\n\n\n", 1, "", "")
	f.Add("a\nb c", 2, "\n", "x")
	f.Fuzz(func(t *testing.T, value string, width int, before, after string) {
		if Unfit(value) != "" || width < 1 || len(value)+len(before)+len(after) > 512 {
			return
		}
		r := one4(value)
		for _, text := range []string{
			broken(base64.StdEncoding.EncodeToString([]byte(value)), width, "\r\n "),
			broken(hex.EncodeToString([]byte(value)), 2*width, ":"),
		} {
			if got := r.String(before + text + after); !strings.Contains(got, mark) {
				t.Errorf("%q in %q is shown: %q", value, text, got)
			}
		}
	})
}

// What a hostile text costs is bounded for each of its bytes.
func BenchmarkHostile(b *testing.B) {
	for who, r := range map[string]*Redactor{
		"one":  one4("sk-live-0123456789abcdef"),
		"ten":  New(tenSecrets()),
		"same": New(map[string]string{"A": "aaaaaaaaaaaaaaaa", "B": "&&&&&&&&&&&&", "C": `\\\\`}),
	} {
		for name, unit := range map[string]string{
			"backslashes": `\`, "references": "&#38;#", "percent": "%25", "a": "a", "nested": "&#38;#97;", "lines": "a\n", "spaces": "a\n          ", "json": `{\"a\":\"b\"}`,
			"almost": "sk-live-\n0123456789\nabcde\n",
		} {
			text := strings.Repeat(unit, 1<<14/len(unit))
			b.Run(who+"/"+name, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					_ = r.String(text)
				}
			})
		}
	}
}
