package cel

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata"

	"github.com/google/go-cmp/cmp"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

var env = Env{"body": Dyn, "status": Int, "headers": StringMap, "duration": Duration, "captures": DynMap}

const answer = `{"total": 2, "big": 653247040368672768, "price": 5.5, "one": 1.0, "text": "5.0700", "nome": "São Paulo", "nil": null, "ok": true,
 "at": "2026-08-31T10:00:00-03:00", "list": [{"valor": "0.04", "n": 1}, {"valor": "0.05", "n": 2}, {"n": 3}], "nested": {"a": {"b": [1, 2, 3]}}, "empty": [], "a b": 7}`

func variables(t testing.TB) map[string]any {
	t.Helper()
	root, err := jsonpath.NewDocument([]byte(answer)).Root()
	if err != nil {
		t.Fatal(err)
	}
	return map[string]any{"body": root, "status": 200, "duration": 1500 * time.Millisecond,
		"headers": Strings(map[string]string{"content-type": "application/json"}), "captures": Values(map[string]any{"last": "31/08/2026"})}
}

// judged is true, false and why, or the error.
func judged(t testing.TB, text string) string {
	t.Helper()
	p, err := Compile(text, env)
	if err != nil {
		return "refused: " + err.Error()
	}
	r, err := p.Eval(context.Background(), variables(t), nil)
	if err != nil {
		return "error: " + err.Error()
	}
	if r.Holds {
		return "true"
	}
	return "false: " + r.Why
}

// holds are predicates that are true of the answer, in this implementation;
// those of holdsHere are not compared with the reference.
var holds = []string{
	`true`, `!false`, `status == 200`, `status in [200, 404]`, `status >= 200 && status < 300`, `status != 404 || 1 / 0 > 0`,
	`1 / 0 > 0 || true`, `!(1 / 0 > 0 && false)`, `false ? 1 / 0 > 0 : true`,
	`1 + 2 * 3 == 7`, `(1 + 2) * 3 == 9`, `7 / 2 == 3`, `-7 / 2 == -3`, `-7 % 3 == -1`, `7u / 2u == 3u`, `1.5 + 1.5 == 3.0`, `2.0 * 3.0 == 6.0`, `- 3 == 0 - 3`,
	`-9223372036854775808 < 0`, `0x10 == 16`, `0xFFu == 255u`, `1e3 == 1000.0`, `.5 == 0.5`, `1 < 1.5`, `2u > 1`, `5.0 >= 5`,
	`'a' < 'b'`, `"a" + 'b' == "ab"`, `"\u00e9" == 'é'`, `"\x41\101\n" == "AA\n"`, `r"\d" == "\\d"`, `'''a
b''' == "a\nb"`, `b"\xff" != b"a"`, `b"abc" == bytes("abc")`, `"a\"b" == 'a"b'`,
	`size("São") == 3`, `"São".size() == 3`, `size(b"\xc3\xa3") == 2`, `size([1, 2]) == 2`, `size({"a": 1}) == 1`, `[1, 2] + [3] == [1, 2, 3]`, `[1, 2][1] == 2`,
	`{"a": 1}["a"] == 1`, `{"a": 1}.a == 1`, `has({"a": 1}.a)`, `!has({"a": 1}.b)`, `"a" in {"a": 1}`, `2 in [1, 2]`, `!("x" in ["y"])`, `{1: 2}[1] == 2`, `{"a": 1, "b": [2]} == {"b": [2], "a": 1}`,
	`"abc".contains("b") && "abc".startsWith("a") && "abc".endsWith("c")`, `"abc".matches("^a.c$")`, `matches("abc", "b")`,
	`[1, 2, 3].all(x, x > 0)`, `[1, 2, 3].exists(x, x == 2)`, `[1, 2, 3].exists_one(x, x == 2)`, `[1, 2].map(x, x * 2) == [2, 4]`, `[1, 2, 3].filter(x, x > 1) == [2, 3]`, `[1, 2, 3].map(x, x > 1, x * 2) == [4, 6]`,
	`{"a": 1, "b": 2}.all(k, k in ["a", "b"])`, `[1, 0].exists(x, 1 / x == 1)`, `![0, 2].all(x, 1 / x > 0)`, `[].all(x, false)`, `![].exists(x, true)`, `[[1], [2, 3]].exists(x, x.exists(y, y == 3))`, `[1].all(x, [2].all(x, x == 2))`,
	`int("42") == 42`, `int(2.9) == 2`, `int(-2.9) == -2`, `uint("5") == 5u`, `uint(5) == 5u`, `double("0.04") > 0.0`, `double(2) == 2.0`, `string(5) == "5"`, `string(true) == "true"`, `string(5.5) == "5.5"`, `bool("true")`, `string(b"a") == "a"`,
	`type(1) == int`, `type("") == string`, `type(1.0) == double`, `type(null) == null_type`, `type([]) == list`, `type({}) == map`, `type(1u) == uint`, `type(true) == bool`, `type(b"") == bytes`, `type(int) == type`,
	`timestamp("2026-08-31T10:00:00Z") < timestamp("2026-08-31T10:00:01Z")`, `timestamp("2026-08-31T10:00:00Z") + duration("1h") == timestamp("2026-08-31T11:00:00Z")`,
	`timestamp("2026-08-31T10:00:00Z") - timestamp("2026-08-31T09:00:00Z") == duration("60m")`, `timestamp("2026-08-31T10:00:00Z").getFullYear() == 2026`, `timestamp("2026-08-31T10:00:00Z").getMonth() == 7`,
	`timestamp("2026-08-31T10:00:00Z").getDate() == 31`, `timestamp("2026-08-31T10:00:00Z").getDayOfMonth() == 30`, `timestamp("2026-08-31T10:00:00Z").getDayOfWeek() == 1`, `timestamp("2026-08-31T01:00:00Z").getHours("America/Sao_Paulo") == 22`,
	`timestamp("2026-08-31T01:00:00Z").getHours("-03:00") == 22`, `timestamp("2026-01-01T00:00:00Z").getDayOfYear() == 0`, `int(timestamp("1970-01-01T00:01:00Z")) == 60`, `duration("1h30m").getMinutes() == 90`, `duration("1s") + duration("1s") == duration("2s")`,
	`duration("1.5s").getMilliseconds() == 1500`, `string(duration("90s")) == "90s"`, `string(timestamp("2026-08-31T10:00:00Z")) == "2026-08-31T10:00:00Z"`,
	`duration < duration("2s")`, `headers["content-type"] == "application/json"`, `"content-type" in headers`, `!("etag" in headers)`, `captures.last == "31/08/2026"`, `has(captures.last)`,
	`has(body.total)`, `!has(body.missing)`, `has(body.nested.a)`, `body["a b"] == 7`, `body.nil == null`, `body.ok`, `body.ok == true`, `body.nome.startsWith("São")`, `size(body.nome) == 9`, `size(body.list) == 3`, `body.list[2].n == 3`, `body.nested.a.b == [1, 2, 3]`,
	`body.list.exists(x, has(x.valor) && double(x.valor) > 0.04)`, `body.list.filter(x, has(x.valor)).all(x, double(x.valor) > 0.0)`, `2 in body.nested.a.b`, `"total" in body`, `body.all(k, size(k) > 0)`, `timestamp(body.at).getHours() == 13`,
	`body.list.map(x, x.n) == [1, 2, 3]`, `body.text != body.nome`, `body.nested == {"a": {"b": [1, 2, 3]}}`, `dyn(body.total) == 2`, `size(body.empty) == 0 // nothing`, `body.text == "5.0700" ? body.ok : false`,
}

var holdsHere = []string{
	// The reference refuses these when it compiles them.
	`1 == 1.0`, `1u == 1`,
	// Numbers of an answer are what the other operand is, and keep their digits.
	`body.total + 1 == 3`, `body.total + 1.5 == 3.5`, `body.price * 2 == 11.0`, `body.price * 2.0 == 11`, `body.total / body.total == 1`, `body.one + 1 == 2`, `body.total * 2u == 4u`, `-body.price < 0`, `body.price == 5.50`,
	`body.big == 653247040368672768`, `body.big != 653247040368672769`, `body.list[body.total].n == 3`, `body.nested.a.b[0] + body.nested.a.b[1] == 3`, `type(body.total) == int`, `type(body.price) == double`, `string(body.big) == "653247040368672768"`,
	`body.nome.lowerAscii() == "são paulo"`, `body.nome.upperAscii() == "SãO PAULO"`, `" x ".trim() == "x"`,
	`{"a": 1}.all(k, k == "a")`, `0.1 + 0.2 > 0.3`, `[1, 2].all(x, x in body.nested.a.b)`, `{body.total: "x"}[2] == "x"`, `int(body.price) == 5`,
}

func TestHolds(t *testing.T) {
	for _, list := range [][]string{holds, holdsHere} {
		for _, text := range list {
			if got := judged(t, text); got != "true" {
				t.Errorf("%s\n  %s", text, got)
			}
		}
	}
}

func TestWhy(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{`status == 404`, "false: status = 200"},
		{`status == 200 && size(body.list) > 5`, "false: size(body.list) = 3"},
		{`status == 404 || body.total > 5`, "false: status = 200; body.total = 2"},
		{`!body.ok`, "false: body.ok = true"},
		{`body.list.all(x, x.n < 2)`, `false: x = {"valor": "0.05", "n": 2}; x.n = 2`},
		{`body.list.exists(x, x.n > 5)`, "false: body.list.exists(x, x.n > 5): 0 of 3"},
		{`has(body.missing.x)`, "false: no such key: \"missing\""},
		{`has(body.nested.x)`, `false: body.nested = {"a": {"b": [1, 2, 3]}}`},
		{`body.nome.startsWith("Rio")`, `false: body.nome = "São Paulo"`},
		{`body.total + 1 > 5`, "false: body.total + 1 = 3"},
		{`status == 404 ? true : body.nil == 1`, "false: status = 200; body.nil = null"},
		{`body.missing > 1`, `false: no such key: "missing"`},
		{`body.list[9].n == 1`, "false: there is no element 9 in a list of 3"},
		{`body.list[0].valor > 0.0`, "false: there is no string > double"},
		{`body.list.all(x, double(x.valor) > 0.0)`, `false: no such key: "valor"`},
		{`body.nome`, `false: it gives "São Paulo", which is neither true nor false`},
		{`body.nome && true`, "false: a string is neither true nor false"},
		{`1 / body.nested.a.b[0] == 0`, "false: body.nested.a.b[0] = 1"},
		{`1 / (body.total - 2) == 0`, "false: division by zero"},
		{`9223372036854775807 + body.total > 0`, "false: the result does not fit"},
		{`int(body.nome) == 1`, `false: "São Paulo" is not an int`},
		{`body.nome.matches(body.text + "(")`, `false: not a regular expression: "5.0700("`},
		{`duration > duration("2s")`, "false: duration = 1.5s"},
		{`headers.etag == ""`, `false: no such key: "etag"`},
		{`captures.first == ""`, `false: no such key: "first"`},
		{`body.map(k, size(k) > 99)[0]`, "false: body.map(k, size(k) > 99)[0] = false"},
	} {
		if diff := cmp.Diff(tc.want, judged(t, tc.text)); diff != "" {
			t.Errorf("%s\n%s", tc.text, diff)
		}
	}
}

func TestAt(t *testing.T) {
	p, err := Compile(`body.list.all(x, x.n < 3)`, env)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Eval(context.Background(), variables(t), nil)
	if err != nil || r.Holds || r.At.IsZero() || r.At.Location().String() != "$.list[2]" {
		t.Errorf("%+v %v", r, err)
	}
}

func TestRefused(t *testing.T) {
	for _, tc := range []struct{ text, want, hint string }{
		{``, "the expression ends too early at character 1", ""},
		{`status ==`, "the expression ends too early at character 10", ""},
		{`status = 200`, "'=' is not part of an expression at character 8", "the operators are ==, && and ||"},
		{`é == 1`, "'é' is not part of an expression at character 1", ""},
		{`body.x == "a`, "a string has no end at character 11", ""},
		{`"\q" == ""`, "there is no such escape at character 2", `write \\ for a backslash, or r"…" for a string without escapes`},
		{`(status == 200`, "the expression ends too early at character 15", "expected )"},
		{`status == 200)`, `")" is not expected at character 14`, ""},
		{`stat == 200`, "there is no stat at character 1", "known here: body, captures, duration, headers, status"},
		{`body.all(x, y > 1)`, "there is no y at character 13", "known here: body, captures, duration, headers, status"},
		{`status == "200"`, "int == string is always the same at character 1", "both sides have to be of one type"},
		{`headers.etag == 1`, "string == int is always the same at character 1", "both sides have to be of one type"},
		{`status + "a" == ""`, "int + string cannot be at character 1", "it is int + int, uint + uint, double + double, string + string, bytes + bytes, timestamp + duration, duration + timestamp, duration + duration, …"},
		{`status`, "a predicate is true or false, and this is an int at character 1", "compare it with something"},
		{`size(status) > 1`, "size(int) cannot be at character 1", "it is size(string), size(bytes), size(list), size(map), string.size(), bytes.size(), list.size(), map.size()"},
		{`len(body) > 1`, "there is no function len at character 1", ""},
		{`body.nome.matches("(")`, "not a regular expression at character 19", "the syntax is RE2: no look-around, no back-references"},
		{`status.x == 1`, "an int has no fields at character 1", ""},
		{`status.all(x, x > 1)`, "all goes over lists and maps, not over an int at character 1", ""},
		{`[1].all(x, x)`, "all needs true or false, not an int at character 12", ""},
		{`[1].all(1, true)`, `"1" is not expected at character 9`, "such as all(x, x > 0)"},
		{`[1].all(x)`, `")" is not expected at character 10`, "such as all(x, x > 0)"},
		{`has(body)`, "has takes a field at character 1", "such as has(body.data)"},
		{`99999999999999999999 > 1`, "99999999999999999999 is not a number that fits at character 1", ""},
		{`9223372036854775808 > 1`, "9223372036854775808 is not a number that fits at character 1", ""},
		{`1a > 1`, "a number is followed by a letter at character 1", ""},
		{`{1.5: 2} == {}`, "a double cannot be the key of a map at character 2", ""},
		{strings.Repeat("(", 100) + "1", "the expression is nested deeper than 64 levels at character 65", ""},
		{strings.Repeat("!", 100) + "true", "the expression is nested deeper than 64 levels at character 65", ""},
		{strings.Repeat(" ", maxLength+1), "the expression is longer than 16 KiB at character 1", ""},
	} {
		_, err := Compile(tc.text, env)
		var bad *SyntaxError
		if !errors.As(err, &bad) {
			t.Errorf("%.60s: %v", tc.text, err)
			continue
		}
		if bad.Error() != tc.want || bad.Hint != tc.hint {
			t.Errorf("%.60s\n  %s | %s", tc.text, bad, bad.Hint)
		}
	}
}

func TestEvaluationIsBounded(t *testing.T) {
	body := "[" + strings.Repeat("1,", 9_999) + "1]"
	root, err := jsonpath.NewDocument([]byte(body)).Root()
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"body": root}
	for _, text := range []string{
		`body.all(x, body.all(y, x + y > 0))`,
		`body.map(x, body.map(y, body.map(z, z))).size() == 1`,
		`body.all(x, x in body && body[9999] == 1)`,
	} {
		p, err := Compile(text, env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.evalWithin(context.Background(), maxCost/50, vars, nil); !errors.Is(err, ErrCost) {
			t.Errorf("%s: %v", text, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := p.Eval(ctx, vars, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", text, err)
		}
	}
	p, err := Compile(`[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22].map(x, body.nome).size() > 0 && "a" + "a" == "aa"`, env)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := p.Eval(context.Background(), variables(t), nil); err != nil || !r.Holds {
		t.Error(r, err)
	}
}

func TestSecretsAreHiddenBeforeValuesAreShortened(t *testing.T) {
	const secret = "tok/en-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789"
	hide := func(s string) string { return strings.ReplaceAll(s, secret, "[masked]") }
	root, err := jsonpath.NewDocument([]byte(`{"v":"` + secret + `","padded":"` + strings.Repeat("x", 60) + secret + `","list":["` + secret + `"]}`)).Root()
	if err != nil {
		t.Fatal(err)
	}
	vars := map[string]any{"body": root}
	for _, text := range []string{
		`body.v == "x"`, `body.padded == "x"`, `body.list == ["x"]`, `body == 1`, `body.list.all(x, x == "y")`, `body.list.map(x, x) == ["x"]`,
		`int(body.v) == 1`, `uint(body.v) == 1u`, `double(body.padded) > 1.0`, `bool(body.v)`, `body[body.v] == 1`, `"a".matches("(" + body.v)`,
		`timestamp(body.v) < timestamp(body.v)`, `duration(body.padded) < duration("1s")`, `{body.v: 1, body.v: 2} == {}`,
		`timestamp("2026-01-01T00:00:00Z").getHours(body.v) == 1`, `body.v`, `body.v + "x" == body.padded`,
	} {
		p, err := Compile(text, env)
		if err != nil {
			t.Fatal(text, err)
		}
		r, err := p.Eval(context.Background(), vars, hide)
		if err != nil || r.Holds || r.Why == "" {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
		if strings.Contains(r.Why, "tok/en") || !strings.Contains(r.Why, "[masked]") {
			t.Errorf("%s: the secret is shown: %s", text, r.Why)
		}
	}
}

func TestUses(t *testing.T) {
	p, err := Compile(`status == 200 && [1].all(body, body > 0)`, env)
	if err != nil {
		t.Fatal(err)
	}
	if !p.Uses("status") || p.Uses("body") || p.Uses("headers") {
		t.Error("wrong variables")
	}
}

// FuzzEval holds that no expression breaks the compiler or the evaluation, and
// that a false one says why.
func FuzzEval(f *testing.F) {
	for _, list := range [][]string{holds, holdsHere} {
		for _, text := range list {
			f.Add(text)
		}
	}
	vars := variables(f)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Compile(text, env)
		if err != nil {
			return
		}
		r, err := p.Eval(context.Background(), vars, nil)
		if err == nil && !r.Holds && r.Why == "" && strings.Contains(text, "body") {
			t.Logf("%s is false without a reason", text)
		}
	})
}

func BenchmarkAll(b *testing.B) {
	body := []byte{'['}
	for i := range 100_000 {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"id":%d,"data":"%02d/01/2026","valor":"%d.%02d"}`, i, i%28+1, i, i%100)
	}
	body = append(body, ']')
	p, err := Compile(`body.all(x, double(x.valor) >= 0.0 && x.id >= 0)`, env)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		root, err := jsonpath.NewDocument(body).Root()
		if err != nil {
			b.Fatal(err)
		}
		if r, err := p.Eval(context.Background(), map[string]any{"body": root}, nil); err != nil || !r.Holds {
			b.Fatal(r, err)
		}
	}
}
