//go:build unix

package mcp

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

// commanded is a peer whose command is this test binary, with a habit.
func commanded(t *testing.T, habit string, change func(*fetch.Config, *Config)) *world {
	t.Helper()
	return newWorld(t, "ok", func(f *fetch.Config, c *Config) {
		c.URL = ""
		c.Command = []string{os.Args[0]}
		c.Env = append(BaseEnv(os.LookupEnv), faulty.AskVariable+"="+habit)
		f.Policy.Timeout, f.Policy.Budget = 20*time.Second, 30*time.Second // no answer of a busy machine is late
		if change != nil {
			change(f, c)
		}
	})
}

func TestACommand(t *testing.T) {
	w := commanded(t, "ok", nil)
	a, e := w.ask(echo("olá"))
	if e != nil {
		t.Fatal(e)
	}
	if string(a.Body) != "Echo: olá" || a.Status != 0 || len(a.Notes) != 0 || a.Trip.Attempts[0].Requests != 3 {
		t.Errorf("got %q, %+v", a.Body, a)
	}
	if _, e := w.ask(Op{Verb: Surface}); e != nil {
		t.Error(e)
	}
}

func TestStdoutThatIsNotClean(t *testing.T) {
	for _, habit := range []string{"banner", "json-log", "partial", "stderr-flood"} {
		w := commanded(t, habit, nil)
		a, e := w.ask(echo("x"))
		if e != nil {
			t.Errorf("%s: %v", habit, e)
			continue
		}
		if noted, want := slices.Contains(a.Notes, fetch.NoteStdoutNotClean), habit != "stderr-flood"; noted != want {
			t.Errorf("%s: noted %t, want %t", habit, noted, want)
		}
	}
}

func TestCommandsThatFail(t *testing.T) {
	for habit, want := range map[string]struct {
		kind   fetch.Kind
		detail fetch.Detail
		cause  fetch.Cause
		says   string
		within time.Duration
	}{
		"no-result":     {fetch.MalformedBody, fetch.NotRPC, "", "", 900 * time.Millisecond},
		"bare-result":   {fetch.MalformedBody, fetch.NotRPC, "", "{}", 900 * time.Millisecond},
		"error-text":    {fetch.MalformedBody, fetch.NotRPC, "", `"error":"no"`, 900 * time.Millisecond},
		"error-code":    {fetch.MalformedBody, fetch.NotRPC, "", `"E1"`, 900 * time.Millisecond},
		"no-version":    {fetch.MalformedBody, fetch.NotRPC, "", "content", 900 * time.Millisecond},
		"is-error-text": {fetch.MalformedBody, fetch.NotRPC, "", "isError", 900 * time.Millisecond},
		"null-id":       {fetch.MalformedBody, fetch.NotRPC, "", "-32700", 700 * time.Millisecond},
		"text-id":       {fetch.MalformedBody, fetch.WrongReply, "", "content", 700 * time.Millisecond},
		"deep":          {fetch.Aborted, "", fetch.CauseMaxDepth, "", 900 * time.Millisecond},
		"chatter":       {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"asks":          {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"modern-slow":   {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"exit3":         {fetch.Network, fetch.ProcessExited, "", "Dynamic require", 900 * time.Millisecond},
		"exit127":       {fetch.Aborted, fetch.CommandFailed, fetch.CauseCommand, "nope", 900 * time.Millisecond},
		"dies":          {fetch.Network, fetch.ProcessExited, "", "out of memory", 900 * time.Millisecond},
		"silence":       {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"deaf":          {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"ignores-term":  {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"hangs":         {fetch.Timeout, fetch.HeaderTimeout, "", "", 700 * time.Millisecond},
		"prompt":        {fetch.Aborted, fetch.CommandPrompt, fetch.CauseCommand, "Ok to proceed? (y)", 700 * time.Millisecond},
		"long-line":     {fetch.Aborted, "", fetch.CauseMaxBody, "", 900 * time.Millisecond},
	} {
		t.Run(habit, func(t *testing.T) {
			w := commanded(t, habit, func(c *fetch.Config, _ *Config) {
				if want.within == 700*time.Millisecond {
					c.Policy.Timeout = 600 * time.Millisecond
				}
			})
			began := time.Now()
			a, e := w.ask(echo("x"))
			if e == nil {
				t.Fatalf("an answer: %s", a.Body)
			}
			w.peer.Close(context.Background())
			if took := time.Since(began); want.within == 700*time.Millisecond && took > 600*time.Millisecond+want.within {
				t.Errorf("it took %s until everything was gone", took)
			}
			if e.Kind != want.kind || e.Detail != want.detail || e.Cause != want.cause {
				t.Errorf("got %q %q %q, want %+v", e.Kind, e.Detail, e.Cause, want)
			}
			if !strings.Contains(string(e.Body), want.says) {
				t.Errorf("its last words are %q", e.Body)
			}
		})
	}
}

func TestACommandThatCannotStart(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range []string{"no-such-program-at-all", filepath.Join(folder, "gone"), plain, folder} {
		w := commanded(t, "ok", func(_ *fetch.Config, c *Config) { c.Command = []string{command} })
		_, e := w.ask(Op{Verb: Ping})
		if e == nil || e.Kind != fetch.Aborted || e.Cause != fetch.CauseCommand || e.Detail != fetch.CommandFailed {
			t.Errorf("%s: got %v", command, e)
		}
	}
}

func TestNoChildOutlivesASession(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	w := commanded(t, "grandchild", func(_ *fetch.Config, c *Config) { c.Env = append(c.Env, "FAULTY_PIDFILE="+file) })
	if _, e := w.ask(echo("x")); e != nil {
		t.Fatal(e)
	}
	w.peer.Close(context.Background())
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	for range 100 {
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			return
		}
		if state, _ := os.ReadFile("/proc/" + string(text) + "/stat"); strings.Contains(string(state), ") Z ") {
			return // ended; whoever adopted it has not taken notice yet
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("the grandchild lives on")
	_ = syscall.Kill(pid, syscall.SIGKILL)
}

func TestTheEnvironmentIsShort(t *testing.T) {
	t.Setenv("FONTEVIVA_TEST_SECRET", "hunter2")
	w := commanded(t, "ok", func(_ *fetch.Config, c *Config) { c.Env = append(c.Env, "DECLARED=yes") })
	a, e := w.ask(Op{Verb: Call, Name: "env"})
	if e != nil {
		t.Fatal(e)
	}
	if strings.Contains(string(a.Body), "hunter2") || !strings.Contains(string(a.Body), "DECLARED=yes") || !strings.Contains(string(a.Body), "PATH=") {
		t.Errorf("the command sees\n%s", a.Body)
	}
}

func TestACommandIsStartedAgain(t *testing.T) {
	w := commanded(t, "dies", nil)
	for range 2 {
		if _, e := w.ask(Op{Verb: Ping}); e != nil {
			t.Fatal(e)
		}
		if _, e := w.ask(echo("x")); e == nil || e.Detail != fetch.ProcessExited {
			t.Fatalf("got %v", e)
		}
	}
}
