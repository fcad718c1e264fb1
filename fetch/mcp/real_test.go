//go:build unix

package mcp

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// installed gives the path of a program in $FONTEVIVA_NPM, a folder with
// node_modules in it.
func installed(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(os.Getenv("FONTEVIVA_NPM"), "node_modules", ".bin", name)
	_, err := os.Stat(path)
	if os.Getenv("FONTEVIVA_NPM") != "" && err == nil {
		return path
	}
	if os.Getenv("FONTEVIVA_NO_SKIP") != "" {
		t.Fatalf("%s is not in FONTEVIVA_NPM (%s)", name, path)
	}
	t.Skipf("nothing was measured: %s is not in FONTEVIVA_NPM, a folder where npm installed it", name)
	return ""
}

// everything starts server-everything on a free port, and gives its address.
func everything(t *testing.T) string {
	t.Helper()
	script := installed(t, "mcp-server-everything")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := exec.Command("node", script, "streamableHttp")
	cmd.Env = append(os.Environ(), "PORT="+strconv.Itoa(port))
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
	})
	address := "127.0.0.1:" + strconv.Itoa(port)
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			return "http://" + address + "/mcp"
		}
	}
	t.Fatal("server-everything does not listen")
	return ""
}

// real is a peer of a server that is not ours.
func real(t *testing.T, at Config) *world {
	t.Helper()
	return newWorld(t, "ok", func(f *fetch.Config, c *Config) {
		*c = at
		f.Policy.Timeout, f.Policy.Budget = 10*time.Second, 20*time.Second
	})
}

func TestServerEverything(t *testing.T) {
	script := installed(t, "mcp-server-everything")
	stdio := Config{Command: []string{"node", script, "stdio"}, Env: append(BaseEnv(os.LookupEnv), "SHOWN=yes")}
	for name, at := range map[string]Config{"stdio": stdio, "http": {URL: everything(t)}} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("FONTEVIVA_TEST_SECRET", "hunter2hunter2")
			w := real(t, at)
			a, e := w.ask(Op{Verb: Call, Name: "echo", Arguments: []byte(`{"message":"olá"}`)})
			if e != nil || a.RPC.Text != "Echo: olá" || len(a.Notes) != 0 {
				t.Fatalf("echo: %v", e)
			}
			a, e = w.ask(Op{Verb: Call, Name: "get-structured-content", Arguments: []byte(`{"location":"New York"}`)})
			if e != nil || !strings.Contains(string(a.Body), `"temperature"`) || !strings.Contains(string(a.RPC.Tool), "outputSchema") {
				t.Errorf("structured content: %v", e)
			}
			a, e = w.ask(Op{Verb: Surface})
			if e != nil || !strings.Contains(string(a.Body), `"prompts":[{`) {
				t.Errorf("surface: %v", e)
			}
			a, e = w.ask(Op{Verb: Call, Name: "get-env"})
			if e != nil || name == "stdio" && (strings.Contains(a.RPC.Text, "hunter2") || !strings.Contains(a.RPC.Text, "SHOWN")) {
				t.Errorf("the environment of the command: %v", e)
			}
			hang := Op{Verb: Call, Name: "trigger-long-running-operation", Arguments: []byte(`{"duration":60,"steps":2}`)}
			policy := quick()
			began := time.Now()
			_, err := w.client.Do(context.Background(), &fetch.Request{URL: w.peer.cfg.URL, Exchange: w.peer.Ask(hang), Policy: &policy})
			var fe *fetch.Error
			if took := time.Since(began); !errors.As(err, &fe) || fe.Kind != fetch.Timeout || took > 900*time.Millisecond {
				t.Errorf("a tool that hangs: %v after %s", err, took)
			}
			if _, e := w.ask(Op{Verb: Ping}); e != nil {
				t.Errorf("after it: %v", e)
			}
		})
	}
}

func TestAStaleSessionOfServerEverything(t *testing.T) {
	w := real(t, Config{URL: everything(t)})
	if _, e := w.ask(Op{Verb: Ping}); e != nil {
		t.Fatal(e)
	}
	// Somebody ends our session behind our back, as a restart would.
	req, err := http.NewRequest(http.MethodDelete, w.peer.cfg.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set(headerSession, w.peer.session.cs.ID())
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	a, e := w.ask(Op{Verb: Ping})
	if e != nil || !slices.Contains(a.Notes, fetch.NoteSessionRenewed) {
		t.Errorf("got %v", e)
	}
}

func TestServersOverPipes(t *testing.T) {
	for name, tc := range map[string]struct {
		op   Op
		want string
	}{
		"mcp-server-memory":              {Op{Verb: Call, Name: "read_graph"}, `"entities"`},
		"mcp-server-sequential-thinking": {Op{Verb: Call, Name: "sequentialthinking", Arguments: []byte(`{"thought":"x","nextThoughtNeeded":false,"thoughtNumber":1,"totalThoughts":1}`)}, `"thoughtNumber"`},
	} {
		w := real(t, Config{Command: []string{"node", installed(t, name)}, Env: append(BaseEnv(os.LookupEnv), "MEMORY_FILE_PATH="+filepath.Join(t.TempDir(), "memory.jsonl"))})
		if a, e := w.ask(tc.op); e != nil || !strings.Contains(string(a.Body), tc.want) {
			t.Errorf("%s: %v", name, e)
		}
	}
}

// TestOverhead holds our layers to a tenth of what the SDK's own client takes
// for the same calls to the same server. The two are asked in turn, call by
// call, and their medians are compared, so that what else the machine does falls
// on both; and one quiet round of several is enough, since no noise can hide in
// every round a cost that is ours.
func TestOverhead(t *testing.T) {
	url := everything(t)
	const calls, rounds = 200, 10
	args := []byte(`{"message":"x"}`)
	ctx := context.Background()
	w := real(t, Config{URL: url, Protocol: "2025-11-25"})
	own := &http.Transport{}
	defer own.CloseIdleConnections()
	bare, err := sdk.NewClient(&sdk.Implementation{Name: "bare"}, nil).Connect(ctx,
		&sdk.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: own}, DisableStandaloneSSE: true}, &sdk.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer bare.Close()
	timed := func(call func() error) time.Duration {
		began := time.Now()
		if err := call(); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	ask := w.peer.Ask(Op{Verb: Call, Name: "echo", Arguments: args})
	for range rounds {
		var ours, theirs []time.Duration
		for range calls {
			theirs = append(theirs, timed(func() error {
				_, err := bare.CallTool(ctx, &sdk.CallToolParams{Name: "echo", Arguments: map[string]string{"message": "x"}})
				return err
			}))
			ours = append(ours, timed(func() error {
				_, err := w.client.Do(ctx, &fetch.Request{URL: url, Exchange: ask})
				return err
			}))
		}
		slices.Sort(ours)
		slices.Sort(theirs)
		through, plain := ours[calls/2], theirs[calls/2]
		t.Logf("%d calls: a median of %s bare, %s through a trip (%+.1f %%)", calls, plain, through, 100*(float64(through)/float64(plain)-1))
		if float64(through) <= 1.10*float64(plain) {
			return
		}
	}
	t.Errorf("in each of %d rounds, a trip took more than a tenth longer than the SDK's own client", rounds)
}
