package report

import (
	"strings"
	"testing"
)

func TestInert(t *testing.T) {
	cases := map[string]string{
		"plain ção 日本語 🎉":         "plain ção 日本語 🎉",
		"\x1b[31m":                `\x1b[31m`,
		"\x1b]8;;u\x07":           `\x1b]8;;u\x07`,
		"\u009b2J":                `\x9b2J`,
		"a\x9bb":                  "a\uFFFDb",
		"\x00\x7f":                `\x00\x7f`,
		"a\r\nb\tc":               `a\r\nb\tc`,
		"\u202egnp":               `\u202egnp`,
		"\u2066x\u2069\u200e":     `\u2066x\u2069\u200e`,
		"a\u200bb\ufeffc\u00add":  `a\u200bb\ufeffc\xadd`,
		"\u2028\u2029":            `\u2028\u2029`,
		"\ufffe\U000e0041":        `\ufffe\U000e0041`,
		"x ##[add-mask]":          `x ##\[add-mask]`,
		"###[group] #[":           `###\[group] #[`,
		"##vso[task.x]y":          `##vso\[task.x]y`,
		"###a-b_C.9[ #vso[ ##é[":  `###a-b_C.9\[ #vso[ ##é[`,
		"::error::":               "::error::",
		"e\u0301":                 "e\u0301",
		strings.Repeat("é", 2050): strings.Repeat("é", 2048) + "… (cut)",
		"\u2029":                  `\u2029`,
	}
	for in, want := range cases {
		if got := Inert(in, 0); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := Inert("日本語", 4); got != "日… (cut)" {
		t.Errorf("cut: %q", got)
	}
}

func TestGuardLine(t *testing.T) {
	for in, want := range map[string]string{"::error::x": `\::error::x`, "  ::x::": `  \::x::`, "a ::x::": "a ::x::", ": :": ": :", "": ""} {
		if got := GuardLine(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
}

func TestXML(t *testing.T) {
	for in, want := range map[string]string{
		"a<b>&\"c\"": "a&lt;b&gt;&amp;&quot;c&quot;", "]]>": "]]&gt;", "\x00\x1b": "\uFFFD\uFFFD", "\ufffe": "\uFFFD", "\xff": "\uFFFD", "a\nb\tc\r": "a&#10;b&#9;c&#13;", "é 🎉": "é 🎉",
	} {
		if got := string(appendXML(nil, in, true)); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := string(appendXML(nil, "a\nb\tc", false)); got != "a\nb\tc" {
		t.Errorf("text: %q", got)
	}
}

func TestMarkdown(t *testing.T) {
	for in, want := range map[string]string{
		"a|b`c":      "a&#124;b&#96;c",
		"@org/team":  "&#64;<!-- -->org&#47;team",
		"#1":         "&#35;<!-- -->1",
		"- item":     "&#45; item",
		"x-y, z; 1":  "x-y, z; 1",
		"<b>*":       "&#60;b&#62;&#42;",
		"line\nnext": "line&#92;nnext",
	} {
		if got := markdown(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

func TestJSONString(t *testing.T) {
	for in, want := range map[string]string{
		"a\"\\/": `"a\"\\/"`, "\n\r\t\b": `"\n\r\t\u0008"`, "</script>": `"\u003c/script\u003e"`, "\u009b\x7f\u202e": `"\u009b\u007f\u202e"`,
		"x ##[y": `"x ##\u005by"`, "##vso[y": `"##vso\u005by"`, "[]": `"[]"`, "\xff": `"` + "\uFFFD" + `"`, "\U000e0041": `"\udb40\udc41"`, "é🎉": `"é🎉"`,
	} {
		if got := string(appendString(nil, in)); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func TestWrapAndColumns(t *testing.T) {
	if got := columns("日本e\u0301🎉"); got != 7 {
		t.Errorf("%d columns", got)
	}
	if got := pad("日本", 6); got != "日本  " {
		t.Errorf("%q", got)
	}
	for _, line := range wrap("some words that are 日本語日本語日本語日本語日本語日本語 and averyveryverylongwordwithoutanyspaceinit end", 20) {
		if columns(line) > 20 {
			t.Errorf("%d columns: %q", columns(line), line)
		}
	}
	if got := strings.Join(wrap("aaaa bbbb cccc dddd eeee ffff", 20), "/"); got != "aaaa bbbb cccc dddd/eeee ffff" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(wrap("waited for a long 206 B and 12 ms, 1 min 3 s", 20), "/"); got != "waited for a long/206 B and 12 ms,/1 min 3 s" {
		t.Errorf("%q", got)
	}
	if got := strings.Join(wrapWords("status 404 · https://api.example/a/long/path?of=one", 20, false), "/"); got != "status 404 ·/https://api.example/a/long/path?of=one" {
		t.Errorf("%q", got)
	}
	for ms, want := range map[int64]string{0: "0 ms", 999: "999 ms", 1000: "1.0 s", 59_949: "59.9 s", 61_000: "1 min 1 s"} {
		if got := millis(ms); got != want {
			t.Errorf("%d: %s", ms, got)
		}
	}
	for n, want := range map[int]string{7: "7", 1234: "1 234", 1234567: "1 234 567"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}

func TestRelative(t *testing.T) {
	for _, c := range [][3]string{
		{"/w/repo/a/b.yaml", "/w/repo", "a/b.yaml"}, {"/w/other.yaml", "/w/repo", "/w/other.yaml"}, {"a/../b.yaml", "/w", "b.yaml"}, {"/w/x.yaml", "", "/w/x.yaml"},
		{"/w/repo/..x.yaml", "/w/repo", "..x.yaml"},
	} {
		if got := relative(c[0], c[1]); got != c[2] {
			t.Errorf("%s in %s: %s", c[0], c[1], got)
		}
	}
}
