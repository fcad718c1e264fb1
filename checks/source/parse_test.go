package source

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// problems gives what is wrong, one line each: place, message and hint.
func problems(t testing.TB, err error) []string {
	t.Helper()
	list := []string{}
	if err == nil {
		return list
	}
	var ps Problems
	if !errors.As(err, &ps) {
		t.Fatalf("%T is no Problems", err)
	}
	for _, p := range ps {
		list = append(list, p.Pos.String()+": "+p.Message+" | "+p.Hint)
	}
	return list
}

func parse(t testing.TB, yaml string) Node {
	t.Helper()
	var c Collector
	n, ok := Parse("f.yaml", []byte(yaml), &c)
	if !ok || c.Len() > 0 {
		t.Fatalf("%q: %v", yaml, c.Err())
	}
	return n
}

func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n")
	for i := 1; i < levels; i++ {
		n, p := string(rune('0'+i)), string(rune('0'+i-1))
		b.WriteString("a" + n + ": &a" + n + " [" + strings.TrimSuffix(strings.Repeat("*a"+p+", ", 10), ", ") + "]\n")
	}
	return b.String()
}

func TestParseRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		data string
		want []string
	}{
		"empty":          {"", []string{"f.yaml: the file is empty | a declaration starts with version: 1"}},
		"only comments":  {"# a\n---\n", []string{"f.yaml: the file is empty | a declaration starts with version: 1"}},
		"UTF-16":         {"\xff\xfea\x00:\x00", []string{"f.yaml:1:1: the file is UTF-16, not UTF-8 | save it as UTF-8"}},
		"UTF-16 BE":      {"\xfe\xff\x00a", []string{"f.yaml:1:1: the file is UTF-16, not UTF-8 | save it as UTF-8"}},
		"Latin-1":        {"a: b\né: \"cora\xe7\xe3o\"\n", []string{"f.yaml:2:9: the file is not UTF-8: byte 0xe7 | save it as UTF-8"}},
		"tab further on": {"a:\n  - b: 1\n\tc: 2\n", []string{"f.yaml:3:1: not valid YAML: found a tab character that violates indentation | YAML is indented with spaces, never with tabs"}},
		"tab":            {"a:\n\tb: 1\n", []string{"f.yaml:2:1: not valid YAML: found character that cannot start any token | YAML is indented with spaces, never with tabs"}},
		"two documents":  {"a: 1\n---\nb: 2\n", []string{"f.yaml:2:1: several YAML documents in one file | put the second document into a file of its own"}},
		"duplicate":      {"a: 1\nb: 2\na: 3\n", []string{`f.yaml:3:1: duplicate key "a" | it stands on line 1 already; remove one`}},
		"duplicate deep": {"a:\n  - {x: 1, \"x\": 2}\n  - {y: 1, y: 2}\n", []string{
			`f.yaml:2:12: duplicate key "x" | it stands on line 2 already; remove one`, `f.yaml:3:12: duplicate key "y" | it stands on line 3 already; remove one`}},
		"mapping as key":    {"? {a: 1}\n: b\n", []string{"f.yaml:1:3: a key must be plain text | "}},
		"own tag":           {"a: !env HOME\n", []string{"f.yaml:1:4: tag !env is not known here | remove the tag"}},
		"alias of itself":   {"a: &a [1, *a]\n", []string{"f.yaml:1:11: alias *a contains itself | "}},
		"merge of itself":   {"a: &a\n  <<: *a\n", []string{"f.yaml:2:7: alias *a contains itself | "}},
		"billion laughs":    {bomb(9), []string{"f.yaml:7:5: aliases expand to more than 4194304 nodes | write out what is meant instead of anchors in anchors"}},
		"deep":              {strings.Repeat("[", 70) + strings.Repeat("]", 70), []string{"f.yaml:1:66: nested deeper than 64 levels | no declaration needs that"}},
		"deeper":            {strings.Repeat("[", 100_000), []string{"f.yaml: not valid YAML: exceeded max depth of 10000 | "}},
		"too many values":   {"[" + strings.Repeat("a,", 1<<20+1) + "]", []string{"f.yaml: the file holds more than 1048576 values | split it into several files; -c takes a folder, and can be repeated"}},
		"unknown anchor":    {"a: *b\n", []string{"f.yaml: not valid YAML: unknown anchor 'b' referenced | "}},
		"broken in a line":  {"a: 1\nb: [1, 2\nc: 3\n", []string{"f.yaml:2:1: not valid YAML: did not find expected ',' or ']' | the mistake is on this line or after it: look at quotes, brackets and indentation"}},
		"text after quotes": {"a: 1\nb: 'x' y\n", []string{"f.yaml:2:1: not valid YAML: did not find expected key | the mistake is on this line or after it: look at quotes, brackets and indentation"}},
		"two colons":        {"a: 1\nb: c: d\n", []string{"f.yaml:2:1: not valid YAML: mapping values are not allowed in this context | a text that holds a colon and a space stands in quotes"}},
		"query in braces":   {"a: 1\nb: {x: 1, get: /c?d=1}\n", []string{`f.yaml:2:1: not valid YAML: did not find expected ',' or '}' | between brackets, a text that holds ? stands in quotes, such as "/path?a=1"`}},
		"quoted query":      {"a: 1\nb: {x: '/c?d=1', y: 1\nc: 2\n", []string{`f.yaml:2:1: not valid YAML: did not find expected ',' or '}' | the mistake is on this line or after it: look at quotes, brackets and indentation`}},
		"path in braces":    {"a: 1\nb: {path: $[*].c}\n", []string{`f.yaml:2:1: not valid YAML: did not find expected alphabetic or numeric character | a text that holds * or & stands in quotes, such as "$[*].a"`}},
		"less indented":     {"\n  a: 1\n b: 2\n", []string{"f.yaml:3:2: not valid YAML: did not find expected <document start> | the mistake is on this line or after it: look at quotes, brackets and indentation"}},
		"null":              {"---\n~\n", []string{"f.yaml: the file is empty | a declaration starts with version: 1"}},
	} {
		var c Collector
		if _, ok := Parse("f.yaml", []byte(tc.data), &c); ok {
			t.Errorf("%s: not refused", name)
		}
		if diff := cmp.Diff(tc.want, problems(t, c.Err())); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	for name, yaml := range map[string]string{
		"BOM":               "\xef\xbb\xbfa: 1\n",
		"CRLF":              "a: 1\r\nb:\r\n  - x\r\n",
		"document markers":  "---\na: 1\n...\n",
		"aliases":           "a: &a {x: 1}\nb: *a\nc: [*a, *a]\n",
		"known tags":        "a: !!str 1\n",
		"64 levels":         strings.Repeat("[", 63) + strings.Repeat("]", 63),
		"some anchors":      bomb(5),
		"alias of a scalar": "a: &a x\nb: [*a, *a]\n",
	} {
		var c Collector
		if _, ok := Parse("f.yaml", []byte(yaml), &c); !ok || c.Err() != nil {
			t.Errorf("%s: %v", name, c.Err())
		}
	}
}

func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	good := filepath.Join(dir, "good.yaml")
	if err := os.WriteFile(good, []byte("a: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var c Collector
	n, ok := ReadFile(good, &c)
	if !ok || n.Pos() != (Position{File: good, Line: 1, Col: 1}) {
		t.Errorf("%v %v", ok, c.Err())
	}
	missing := filepath.Join(dir, "missing.yaml")
	if _, ok := ReadFile(missing, &c); ok {
		t.Error("a file that is not there was read")
	}
	want := []string{missing + ": cannot be read: no such file or directory | check the path given with -c, or the current folder"}
	if diff := cmp.Diff(want, problems(t, c.Err())); diff != "" {
		t.Error(diff)
	}
}

// What is no file is refused before it is opened: a named pipe would wait.
func TestReadFileOfNoFile(t *testing.T) {
	for _, path := range []string{os.DevNull} {
		var c Collector
		if _, ok := ReadFile(path, &c); ok {
			t.Errorf("%s was read", path)
		}
		want := []string{path + ": cannot be read: it is neither a file nor a folder | name a file or a folder, or a pipe to standard input as -c /dev/stdin"}
		if diff := cmp.Diff(want, problems(t, c.Err())); diff != "" {
			t.Error(diff)
		}
	}
}

// 50 MB are refused without being held.
func TestLargeFileCostsLittle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.yaml")
	if err := os.WriteFile(path, bytes.Repeat([]byte("- aaaaaaaaaaaaa\n"), 50<<20/16), 0o600); err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var c Collector
	_, ok := ReadFile(path, &c)
	runtime.ReadMemStats(&after)
	if ok || c.Len() != 1 || problems(t, c.Err())[0] != path+": the file is larger than 16 MiB | split it into several files; -c takes a folder, and can be repeated" {
		t.Errorf("%v %v", ok, c.Err())
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 100<<20 {
		t.Errorf("%d MiB were allocated", used>>20)
	}
}

// What a parser could choke on is over within seconds.
func TestHostileFilesEnd(t *testing.T) {
	for name, data := range map[string]string{
		"quotes": strings.Repeat(`"`, 1<<20), "questions": strings.Repeat("? ", 1<<20), "braces": strings.Repeat("{", 1<<20),
		"ampersands": strings.Repeat("&a ", 1<<18), "stars": strings.Repeat("*", 1<<20), "percent": strings.Repeat("%", 1<<20), "one line": "a: " + strings.Repeat("x", 15<<20),
	} {
		var c Collector
		start := time.Now()
		Parse("f.yaml", []byte(data), &c)
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

func TestProblemString(t *testing.T) {
	var c Collector
	n, ok := Parse("f.yaml", []byte("a: 1\nação: {b: [x, dez]}\r\n"), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := n.Pairs()
	inner, _ := pairs[1].Value.Pairs()
	items, _ := inner[0].Value.Items()
	items[1].Int(1, 9)
	want := "f.yaml:2:15: expected a whole number from 1 to 9, got \"dez\"\n     2 | ação: {b: [x, dez]}\n       |               ^"
	if got := c.Err().Error(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	c.Add(Position{File: "e.yaml"}, "do this", "wrong")
	if got := c.Err().Error(); got != "e.yaml: wrong\n         do this\n"+want+"\n2 problems in the declaration" {
		t.Errorf("got\n%s", got)
	}
}

func TestProblemsAreHarmless(t *testing.T) {
	long := strings.Repeat("x", 200) + "\x1b[31m" + strings.Repeat("é", 5000)
	var c Collector
	n, ok := Parse("f.yaml", []byte(`{a: "\e[31m\u202e`+long[:200]+`", b: `+long[205:]+", c: "+strings.Repeat("y", 5000)+"}"), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := n.Pairs()
	for _, p := range pairs {
		p.Value.Bool()
		p.Value.Problem("\x1b]0;hint\a", "raw \x1b[2J %s", strings.Repeat("m", 2000))
	}
	text := c.Err().Error()
	if strings.ContainsAny(text, "\x1b\a\u202e") {
		t.Errorf("a control character is left: %q", text)
	}
	for line := range strings.Lines(text) {
		if len(line) > 700 {
			t.Errorf("a line of %d bytes", len(line))
		}
	}
	if !strings.Contains(text, "\n       | "+strings.Repeat(" ", 49)+"^") {
		t.Errorf("no caret in the middle of a long line:\n%s", text)
	}
}

func TestProblemsAreCounted(t *testing.T) {
	var c Collector
	n, _ := Parse("f.yaml", []byte("["+strings.Repeat("x,", 250)+"]"), &c)
	items, _ := n.Items()
	for _, item := range items {
		item.Bool()
	}
	got := problems(t, c.Err())
	if len(got) != 101 || c.Len() != 250 || got[100] != "f.yaml: and 150 more problems | " || !strings.HasPrefix(got[0], "f.yaml:1:2:") {
		t.Errorf("%d problems, first %s, last %s", len(got), got[0], got[len(got)-1])
	}
	if text := c.Err().Error(); !strings.HasSuffix(text, "\nf.yaml: and 150 more problems") {
		t.Errorf("ends %q", text[len(text)-60:])
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1\n", bomb(3), "a: &a [*a]", "<<: {a: 1}\nb: *c", "? [a]\n: b", "a: |\n  x\n\ty", "- - - {a: 'b", "\xff\xfe", "a: !!binary x\n---\n", "a: \"\\ud800\"", "%TAG ! x", "&a : *a"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var c Collector
		n, ok := Parse("f.yaml", data, &c)
		if ok == (c.Err() != nil) {
			t.Errorf("ok %v with %v", ok, c.Err())
		}
		if !ok {
			for _, p := range c.problems {
				if p.Pos.File != "f.yaml" || p.Message == "" {
					t.Errorf("%+v", p)
				}
			}
			return
		}
		if len(data) < 2000 {
			n.Value()
			n.Text()
			if c.Err() != nil && c.Err().Error() == "" {
				t.Error("an empty error")
			}
		}
	})
}
