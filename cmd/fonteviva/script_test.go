package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/fonteviva/fonteviva/fixtures"
)

func TestMain(m *testing.M) {
	testscript.Main(apart{m}, map[string]func(){"fonteviva": main})
}

// apart runs the tests apart from what their caller has set for the program, and
// from the history of the caller's own runs.
type apart struct{ *testing.M }

func (a apart) Run() int {
	ofTests := []string{"FONTEVIVA_NPM", "FONTEVIVA_NO_SKIP", "FONTEVIVA_SUITES"}
	for _, entry := range os.Environ() {
		if name, _, _ := strings.Cut(entry, "="); strings.HasPrefix(name, "FONTEVIVA_") && !slices.Contains(ofTests, name) {
			os.Unsetenv(name) //nolint:errcheck // it is there
		}
	}
	state, err := os.MkdirTemp("", "fonteviva-state-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(state)          //nolint:errcheck // a temporary folder
	os.Setenv("XDG_STATE_HOME", state) //nolint:errcheck // the name is one
	return a.M.Run()
}

// TestScripts runs every command line of testdata/script in a process of its
// own, each script against a simulated origin of its own whose addresses are
// in $FONTEVIVA_DEMO_ORIGIN and its like.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			origin, err := fixtures.Start()
			if err != nil {
				return err
			}
			env.Defer(func() { origin.Close() }) //nolint:errcheck // the script has ended
			env.Values["origin"] = origin
			for name, value := range origin.DemoEnv() {
				env.Setenv(name, value)
			}
			env.Setenv("LANG", "C")
			env.Setenv("TAKEN", strings.TrimPrefix(origin.URL(), "http://"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":     exits,
			"interrupt": interrupt,
			"hits":      hits,
			"cmpday":    compareDay,
			"gone":      gone,
			"stories":   stories,
			"past":      past,
		},
	})
}

// exits CODE ARGS… runs fonteviva and demands the exit code. Its output goes to
// the files out and err, and its input comes from the file in, where there is
// one.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS…")
	}
	cmd := command(ts, args[1:])
	if in, err := os.Open(ts.MkAbs("in")); err == nil {
		defer in.Close()
		cmd.Stdin = in
	}
	_ = cmd.Run() // the exit code says it all
	demand(ts, cmd, args[0])
}

// command prepares fonteviva with its output going to files.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, "fonteviva"); path == "" && isFile(p) {
			path = p
		}
	}
	cmd := exec.Command(path, args...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "LANG", "NO_COLOR", "TERM", "GITHUB_STEP_SUMMARY", "GOCOVERDIR", "XDG_STATE_HOME"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	for name := range ts.Value("origin").(*fixtures.Origin).DemoEnv() {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	for _, name := range strings.Fields(ts.Getenv("PASS")) {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	out, err := os.Create(ts.MkAbs("out"))
	ts.Check(err)
	errs, err := os.Create(ts.MkAbs("err"))
	ts.Check(err)
	ts.Defer(func() { out.Close(); errs.Close() })
	cmd.Stdout, cmd.Stderr = out, errs
	return cmd
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

func demand(ts *testscript.TestScript, cmd *exec.Cmd, code string) {
	want, err := strconv.Atoi(code)
	ts.Check(err)
	if got := cmd.ProcessState.ExitCode(); got != want {
		ts.Fatalf("exit code %d, want %d\nstdout:\n%s\nstderr:\n%s", got, want, ts.ReadFile("out"), ts.ReadFile("err"))
	}
}

// interrupt SIGNAL CODE PATH ARGS… runs fonteviva, sends the signal once the
// origin has been asked for PATH, and demands the exit code within a second.
func interrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: interrupt SIGNAL CODE PATH ARGS…")
	}
	sig := map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[args[0]]
	origin := ts.Value("origin").(*fixtures.Origin)
	cmd, before := command(ts, args[3:]), origin.Hits(args[2])
	ts.Check(cmd.Start())
	for deadline := time.Now().Add(20 * time.Second); origin.Hits(args[2]) == before; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			cmd.Process.Kill() //nolint:errcheck // it is being given up
			ts.Fatalf("%s was never asked", args[2])
		}
	}
	ts.Check(cmd.Process.Signal(sig))
	start := time.Now()
	_ = cmd.Wait() // the exit code says it all
	if took := time.Since(start); took > time.Second {
		ts.Fatalf("it took %s to end, want at most 1s", took)
	}
	demand(ts, cmd, args[1])
}

// hits PATH N demands that the origin was asked for PATH exactly N times.
func hits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hits PATH N")
	}
	origin := ts.Value("origin").(*fixtures.Origin)
	if got := fmt.Sprint(origin.Hits(args[0])); got != args[1] {
		ts.Fatalf("%s was asked %s times, want %s", args[0], got, args[1])
	}
}

// compareDay FILE WANT demands that a recorded file is the wanted one, in which
// DAY stands for today.
func compareDay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpday FILE WANT")
	}
	day := regexp.MustCompile(`"accepted_at": "[0-9-]{10}"`)
	got := day.ReplaceAllString(ts.ReadFile(args[0]), `"accepted_at": "DAY"`)
	if want := ts.ReadFile(args[1]); got != want {
		ts.Fatalf("%s is not %s:\n%s", args[0], args[1], got)
	}
}
