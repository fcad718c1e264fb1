package source

import (
	"reflect"
	"testing"
	"time"
)

func TestText(t *testing.T) {
	env := func(r Ref) (string, bool) {
		v, ok := map[Ref]string{
			{"env", "A"}: "1", {"env", "B_2"}: "${env.A}", {"selic-diaria", "last"}: "01/02", {"a.b", "c"}: "dotted", {"env", "EMPTY"}: "",
		}[r]
		return v, ok
	}
	for _, tc := range []struct {
		text, want string
		refs       int
		missing    []Ref
	}{
		{"plain $ {x} $x", "plain $ {x} $x", 0, nil},
		{"", "", 0, nil},
		{"${env.A}", "1", 1, nil},
		{"x${env.A}y${env.A}z", "x1y1z", 1, nil},
		{"${env.A}${env.B_2}", "1${env.A}", 2, nil},
		{"$${env.A}", "${env.A}", 0, nil},
		{"a$${b}c${env.A}", "a${b}c1", 1, nil},
		{"${env.A}$${", "1${", 1, nil},
		{"$$${env.A}", "$${env.A}", 0, nil},
		{"d=${selic-diaria.last}", "d=01/02", 1, nil},
		{"${a.b.c}", "dotted", 1, nil},
		{"[${env.EMPTY}]", "[]", 1, nil},
		{"${env.X}/${p.y}", "/", 2, []Ref{{"env", "X"}, {"p", "y"}}},
	} {
		text, bad := ParseText(tc.text, Position{File: "f", Line: 1, Col: 2})
		if bad != "" {
			t.Errorf("%q: %q is refused", tc.text, bad)
			continue
		}
		got, missing := text.Expand(env)
		if got != tc.want || !reflect.DeepEqual(missing, tc.missing) || len(text.Refs()) != tc.refs || text.Raw() != tc.text || text.Pos().Col != 2 {
			t.Errorf("%q: %q, refs %v, missing %v", tc.text, got, text.Refs(), missing)
		}
	}
	for in, bad := range map[string]string{
		"a${": "${", "${}": "${}", "x ${A} y": "${A}", "${env.}": "${env.}", "${env.1}": "${env.1}", "${env.a-b}": "${env.a-b}", "${env.A": "${env.A",
		"${-x.y}": "${-x.y}", "${a. b}": "${a. b}", "${env.A} ${ env.A}": "${ env.A}", "${a.b:-c}": "${a.b:-c}",
	} {
		if _, got := ParseText(in, Position{}); got != bad {
			t.Errorf("%q: %q, want %q", in, got, bad)
		}
	}
	if l := Literal("${env.A}"); l.Refs() != nil || l.IsZero() {
		t.Error("a literal has references")
	}
	if !(Text{}).IsZero() {
		t.Error("no text is a text")
	}
}

func TestExpandAfterSeesWhatWasWritten(t *testing.T) {
	text, _ := ParseText("/p?a=${env.A}&b=${env.B}", Position{})
	var seen []string
	got, missing := text.ExpandAfter(func(r Ref, before string) (string, bool) {
		seen = append(seen, before)
		return r.String(), true
	})
	if got != "/p?a=${env.A}&b=${env.B}" || missing != nil || !reflect.DeepEqual(seen, []string{"/p?a=", "/p?a=${env.A}&b="}) {
		t.Errorf("%q %v %q", got, missing, seen)
	}
}

func TestTextProblem(t *testing.T) {
	var c Collector
	n, ok := Parse("f.yaml", []byte("a: x${HOME}\n"), &c)
	if !ok {
		t.Fatal(c.Err())
	}
	pairs, _ := n.Pairs()
	if _, ok := pairs[0].Value.Text(); ok {
		t.Error("accepted")
	}
	want := `f.yaml:1:4: "${HOME}" is not a reference | write ${env.NAME}, ${probe.capture}, or $${ for a literal ${`
	if got := problems(t, c.Err()); len(got) != 1 || got[0] != want {
		t.Errorf("%q", got)
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"a${env.A}b", "$${", "$$${x.y}", "${", "${a.b}${a.b}$"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		text, bad := ParseText(s, Position{})
		if bad != "" {
			return
		}
		// A reference that expands to itself gives the text back, but for the
		// escapes.
		got, missing := text.Expand(func(r Ref) (string, bool) { return r.String(), true })
		if missing != nil || len(got) > len(s) {
			t.Errorf("%q: %q, %v", s, got, missing)
		}
	})
}

func TestDurations(t *testing.T) {
	const day = 24 * time.Hour
	for in, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "1ns": 1, "1us": time.Microsecond, "1µs": time.Microsecond, "1μs": time.Microsecond, "1.5s": 1500 * time.Millisecond,
		".5s": 500 * time.Millisecond, "1.s": time.Second, "2h45m": 165 * time.Minute, "1d12h": 36 * time.Hour, "2w": 14 * day, "100w": 700 * day, "1m1ms": time.Minute + time.Millisecond,
	} {
		if got, err := ParseDuration(in); err != nil || got != want {
			t.Errorf("%s: %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "1", "s", "-1s", "+1s", "1 s", "1s ", "1S", "1M", "1y", "300y", "1e3s", "106752d", "99999999999999999999s", ".s", "1..5s", "0x1s"} {
		if got, err := ParseDuration(in); err == nil {
			t.Errorf("%q: %v", in, got)
		}
	}
	for d, want := range map[time.Duration]string{
		0: "0s", time.Second: "1s", 1500 * time.Millisecond: "1.5s", time.Minute: "1m", 90 * time.Minute: "1h30m", time.Hour: "1h", day: "1d", 14 * day: "14d", 36 * time.Hour: "36h",
		time.Hour + time.Second: "1h0m1s",
	} {
		if got := FormatDuration(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
		if back, err := ParseDuration(FormatDuration(d)); err != nil || back != d {
			t.Errorf("%v comes back as %v, %v", d, back, err)
		}
	}
}

// What Go's grammar reads without a sign is read, and as the same duration.
func FuzzDuration(f *testing.F) {
	for _, s := range []string{"1h2m3.5s", "0", ".5s", "1d", "9223372036s"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := time.ParseDuration(s)
		if err != nil || s[0] == '-' || s[0] == '+' || want > 24*time.Hour {
			return
		}
		got, err := ParseDuration(s)
		if diff := got - want; err != nil || diff < -1 || diff > 1 {
			t.Errorf("%q: %v, %v; Go says %v", s, got, err, want)
		}
	})
}

func TestSizes(t *testing.T) {
	for in, want := range map[string]int64{
		"0": 0, "512": 512, "512B": 512, "10kB": 10_000, "10KB": 10_000, "1.5MiB": 3 << 19, "2 MB": 2_000_000, "1GiB": 1 << 30, "1gb": 1_000_000_000, "32mib": 32 << 20,
	} {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("%s: %d, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "MiB", "-1", "1TB", "1e3", "1,5MB", "0x10", "10 Mi B", "99999999999999999999", "9999999999GiB", "1MiB/s"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("%q: %d", in, got)
		}
	}
}

func TestSuggest(t *testing.T) {
	words := []string{"timeout", "retries", "retry_on", "headers", "user_agent", "url"}
	for in, want := range map[string]string{
		"timout": "timeout", "Timeout": "timeout", "itmeout": "timeout", "retires": "retries", "retry-on": "retry_on", "header": "headers", "useragent": "user_agent",
		"ulr": "url", "x": "", "completely_other": "", "": "",
	} {
		if got := Suggest(in, words); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := DidYouMean("zzzzzz", words); got != "known here: timeout, retries, retry_on, headers, user_agent, url" {
		t.Error(got)
	}
	if got := DidYouMean("timout", words); got != `did you mean "timeout"?` {
		t.Error(got)
	}
	if got := DidYouMean("x", nil); got != "" {
		t.Error(got)
	}
}
