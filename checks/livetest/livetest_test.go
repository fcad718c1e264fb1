package livetest

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/recording"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fixtures"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a testing.TB that keeps what is said to it. Unlike a real one it goes
// on after Skip and Fatal.
type fake struct {
	testing.TB
	calls []string
	ctx   context.Context
}

func (f *fake) Helper()                  {}
func (f *fake) Context() context.Context { return f.ctx }
func (f *fake) say(what string, args []any) {
	f.calls = append(f.calls, what+" "+fmt.Sprint(args...))
}
func (f *fake) Log(args ...any)   { f.say("log", args) }
func (f *fake) Error(args ...any) { f.say("error", args) }
func (f *fake) Skip(args ...any)  { f.say("skip", args) }
func (f *fake) Fatal(args ...any) { f.say("fatal", args) }
func (f *fake) Fatalf(format string, args ...any) {
	f.say("fatal", []any{fmt.Sprintf(format, args...)})
}

func ptr[T any](v T) *T { return &v }

func TestReport(t *testing.T) {
	broken := []expect.Mismatch{
		{Code: "json.equals", Path: ptr("$['v']"), Severity: expect.Fail, Want: "1", Got: "2"},
		{Code: "max_duration", Severity: expect.Warn, Want: "at most 1s", Got: "2s"},
	}
	cases := []struct {
		name string
		r    checks.Result
		want []string
	}{
		{"ok", checks.Result{Finding: checks.OK, Asked: true}, nil},
		{"ok with a warning", checks.Result{Finding: checks.OK, Asked: true, Unstable: true, Mismatches: broken[1:]},
			[]string{"log unstable: an earlier trip said otherwise", "log ok, with warnings\nmax_duration: wanted at most 1s, got 2s (warning)"}},
		{"drift", checks.Result{Finding: checks.Drift, Asked: true, Mismatches: broken, Reproduce: ptr("curl https://a.example")},
			[]string{"error drift: the source changed\njson.equals $['v']: wanted 1, got 2\nmax_duration: wanted at most 1s, got 2s (warning)\ncurl https://a.example"}},
		{"respondeu", checks.Result{Finding: checks.Respondeu, Asked: true, Motivo: ptr("recusou"), Rule: ptr("origins.o.answers[0]")},
			[]string{"error respondeu: recusou (origins.o.answers[0])"}},
		{"indisponivel", checks.Result{Finding: checks.Indisponivel, Asked: true, Motivo: ptr("caiu")}, []string{"skip indisponivel: caiu; nothing was measured"}},
		{"behind a breaker", checks.Result{Finding: checks.Indisponivel, Motivo: ptr("disjuntor")}, []string{"skip indisponivel: disjuntor; nothing was measured"}},
		{"ambiguo", checks.Result{Finding: checks.Ambiguo, Asked: true, Motivo: ptr("página")}, []string{"skip ambiguo: página; nothing was measured"}},
		{"alheio", checks.Result{Finding: checks.Alheio, Asked: true, Motivo: ptr("proxy")}, []string{"error alheio: proxy"}},
		{"our own limiter", checks.Result{Finding: checks.Alheio, Motivo: ptr("limite")}, []string{"error alheio: limite"}},
		{"never asked", checks.Result{Finding: checks.Alheio, Motivo: ptr("orçamento"), Detail: ptr(checks.DetailRunBudget)},
			[]string{"skip alheio: orçamento; nothing was asked"}},
		{"a finding of tomorrow", checks.Result{Finding: "novel", Asked: true}, []string{"error novel"}},
		{"hostile text", checks.Result{Finding: checks.Ambiguo, Motivo: ptr("a\x1b[31m\n::error::x ##vso[debug] \u202e" + strings.Repeat("z", maxText))},
			[]string{`skip ambiguo: a\x1b[31m\n::error::x ##vso\[debug] \u202e` + strings.Repeat("z", maxText-32) + "… (cut); nothing was measured"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{}
			Report(f, &c.r)
			if got, want := strings.Join(f.calls, "\n--\n"), strings.Join(c.want, "\n--\n"); got != want {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

// declaration writes one that asks a simulated origin.
func declaration(t *testing.T) string {
	t.Helper()
	o, err := fixtures.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	path := filepath.Join(t.TempDir(), "fonteviva.yaml")
	text := fmt.Sprintf(`version: 1
origins:
  o: {url: "%s${env.BASE}", retries: 0, confirm: {trips: 1}, ambiguous: {trips: 1}}
probes:
  - {name: fine, origin: o, get: /echo, as: json, tags: [a]}
  - {name: drifted, origin: o, get: /m7/wrong, tags: [b], expect: {json: [{path: "$[0].valor", type: string}]}}
  - {name: down, origin: o, get: /m1/pc2/search, tags: [a]}
`, o.URL())
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func base(string) (string, bool) { return "", true }

func TestRun(t *testing.T) {
	path := declaration(t)
	// What is down skips its subtest, and the test as a whole passes.
	Run(t, path, Env(base), Tags("a"), Budget(time.Minute), Parallel(2))
}

func TestResults(t *testing.T) {
	path := declaration(t)
	f := &fake{ctx: t.Context()}
	var findings []string
	for _, r := range results(f, path, Env(base), With(func(o *checks.Options) { o.UserAgent = "livetest/1" })) {
		findings = append(findings, r.Name+" "+string(r.Finding))
	}
	if got, want := strings.Join(findings, ", "), "fine ok, drifted drift, down indisponivel"; got != want || len(f.calls) > 0 {
		t.Errorf("%s, %v; want %s", got, f.calls, want)
	}
	if got := results(f, path, Env(base), Only("f*")); len(got) != 1 || got[0].Name != "fine" {
		t.Errorf("%d results", len(got))
	}
}

// TestReplay records a run and asks again when the origin is gone: the findings
// are the same, what was not recorded is an error, and nothing is dialled.
func TestReplay(t *testing.T) {
	path := declaration(t)
	tape := new(fetch.Tape)
	live := results(&fake{ctx: t.Context()}, path, Env(base), With(func(o *checks.Options) { o.Tape = tape }))
	dir := t.TempDir()
	folder, err := recording.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range live[1:] { // the first is not kept
		if err := folder.Write(r.Name, tape.Take(r.Name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	unasked := With(func(o *checks.Options) {
		o.Transport = func(*checks.Origin) http.RoundTripper { return forbidden{t} }
	})
	f := &fake{ctx: t.Context()}
	again := results(f, path, Env(base), Replay(dir), unasked)
	if len(f.calls) > 0 || len(again) != 3 {
		t.Fatal(f.calls)
	}
	for i, want := range []checks.Finding{checks.Alheio, checks.Drift, checks.Indisponivel} {
		if again[i].Finding != want {
			t.Errorf("%s: %s, want %s", again[i].Name, again[i].Finding, want)
		}
		Report(f, &again[i])
	}
	for i, want := range []string{"error alheio", "error drift", "skip indisponivel"} {
		if !strings.HasPrefix(f.calls[i], want) {
			t.Errorf("%q, want %q", f.calls[i], want)
		}
	}
}

// forbidden is a network that must not be used.
type forbidden struct{ t *testing.T }

func (f forbidden) RoundTrip(r *http.Request) (*http.Response, error) {
	f.t.Errorf("%s was asked", r.URL)
	return nil, http.ErrServerClosed
}

func TestWhatIsWrongFailsAtOnce(t *testing.T) {
	path := declaration(t)
	for _, c := range []struct {
		path string
		opts []Option
		want string
	}{
		{"nowhere.yaml", nil, "no such file"},
		{path, []Option{Only("nobody")}, "no probe is named"},
		{path, []Option{Only("fine"), Tags("!a")}, "nothing was measured"},
		{path, []Option{Env(base), Replay("nowhere")}, "fonteviva record --dir"},
		{path, []Option{Env(base), Replay(t.TempDir())}, "fonteviva record --dir"},
		{path, []Option{Env(func(string) (string, bool) { return "", false })}, "BASE is not set"},
	} {
		f := &fake{ctx: t.Context()}
		if got := results(f, c.path, c.opts...); got != nil || len(f.calls) != 1 || !strings.HasPrefix(f.calls[0], "fatal ") || !strings.Contains(f.calls[0], c.want) {
			t.Errorf("%v, want a fatal %q", f.calls, c.want)
		}
	}
}

func TestTheTestsOwnDeadlineIsTheBudget(t *testing.T) {
	if got := left(&fake{}); got != 0 {
		t.Errorf("%s without a deadline", got)
	}
	if got := left(until{t, time.Now().Add(100 * time.Second)}); got < 80*time.Second || got > 90*time.Second {
		t.Errorf("%s of 100s", got)
	}
	if got := left(until{t, time.Now().Add(-time.Second)}); got != time.Second {
		t.Errorf("%s of nothing", got)
	}
}

type until struct {
	testing.TB
	deadline time.Time
}

func (u until) Deadline() (time.Time, bool) { return u.deadline, true }
