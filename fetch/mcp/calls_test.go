package mcp

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

func TestToolsThatFail(t *testing.T) {
	x := newWorld(t, "ok", nil)
	_, e := x.ask(Op{Verb: Call, Name: "fails"})
	if e == nil || e.Rule == nil || e.Rule.Means != fetch.MeansRespondeu || e.Detail != fetch.ToolError || e.Kind != "" || !e.RPC.IsError {
		t.Errorf("isError: got %v", e)
	}
	a, err := x.client.Do(context.Background(), &fetch.Request{
		URL: x.peer.cfg.URL, Exchange: x.peer.Ask(Op{Verb: Call, Name: "fails"}), ExpectRPC: func(r *fetch.RPC) bool { return r.IsError },
	})
	if err != nil || string(a.Body) != "the source behind did not answer" {
		t.Errorf("an expected failure: %v", err)
	}
}

func TestRulesReadReplies(t *testing.T) {
	code, yes := int64(-32602), true
	x := newWorld(t, "ok", func(c *fetch.Config, _ *Config) {
		c.Rules = []fetch.Rule{
			{Name: "quota", RPCCode: &code, Means: fetch.MeansIndisponivel},
			{Name: "upstream", IsError: &yes, BodyContains: "source behind", Means: fetch.MeansAmbiguo},
		}
	})
	_, e := x.ask(Op{Verb: Call, Name: "nope"})
	if e == nil || e.Rule == nil || e.Rule.Name != "quota" || e.Kind != fetch.MalformedBody {
		t.Errorf("rpc_code: got %v", e)
	}
	_, e = x.ask(Op{Verb: Call, Name: "fails"})
	if e == nil || e.Rule == nil || e.Rule.Name != "upstream" || e.Kind != fetch.MalformedBody {
		t.Errorf("is_error: got %v", e)
	}
}

func TestOnlyWhatMayBeRepeatedIs(t *testing.T) {
	for tool, want := range map[string]int{"echo": 3, "write": 1} {
		x := newWorld(t, "502", func(c *fetch.Config, _ *Config) { c.Policy.Retries = 2 })
		op := echo("x")
		op.Name = tool
		_, e := x.ask(op)
		if e == nil || len(e.Trip.Attempts) != want || count(x.origin.Seen("502"), "tools/call") != want {
			t.Errorf("%s: %d attempts, want %d", tool, len(e.Trip.Attempts), want)
		}
	}
	x := newWorld(t, "502-once", func(c *fetch.Config, _ *Config) { c.Policy.Retries = 2 })
	if _, e := x.ask(echo("x")); e != nil {
		t.Errorf("a fault that passes: %v", e)
	}
	if got := x.call.Retrieval().Anomalies; !slices.Equal(got, []fetch.Kind{fetch.HTTP5xx}) {
		t.Errorf("anomalies %v", got)
	}
}

func TestUnknownArguments(t *testing.T) {
	for fault, want := range map[string]bool{"ok": false, "unknown-error": false, "drops-unknown": true} {
		x := newWorld(t, fault, nil)
		op := echo("x")
		op.Unknown = true
		a, e := x.ask(op)
		if e != nil || a.RPC.Unknown == nil || *a.RPC.Unknown != want {
			t.Errorf("%s: got %+v %v, want %t", fault, a, e, want)
		}
	}
}

func TestTheRateLimitCountsEveryRequest(t *testing.T) {
	x := newWorld(t, "ok", func(c *fetch.Config, _ *Config) {
		c.RateLimit = &fetch.RateLimit{Max: 2, Window: 300 * time.Millisecond}
	})
	if _, e := x.ask(echo("x")); e != nil {
		t.Fatalf("waiting for our own limit is no timeout of the origin: %v", e)
	}
	seen := x.origin.Seen("ok")
	for i := 2; i < len(seen); i++ {
		if gap := seen[i].At.Sub(seen[i-2].At); gap < 290*time.Millisecond {
			t.Errorf("three requests within %s", gap)
		}
	}
}

func TestOneSlowCallDoesNotCutAnother(t *testing.T) {
	x := newWorld(t, "hung-header", nil)
	if _, e := x.ask(Op{Verb: Ping}); e != nil {
		t.Fatal(e)
	}
	done := make(chan *fetch.Error)
	go func() { _, e := x.ask(echo("x")); done <- e }()
	for range 20 {
		if _, e := x.ask(Op{Verb: List, Name: "tools"}); e != nil {
			t.Errorf("beside a call that hangs: %v", e)
		}
	}
	if e := <-done; e.Kind != fetch.Timeout {
		t.Errorf("the call that hangs: %v", e)
	}
}

func TestACallerCancels(t *testing.T) {
	x := newWorld(t, "hung-header", nil)
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err := x.client.Do(ctx, &fetch.Request{URL: x.peer.cfg.URL, Exchange: x.peer.Ask(echo("x"))})
	var e *fetch.Error
	if !errors.As(err, &e) || e.Kind != fetch.Aborted || e.Detail != fetch.Cancelled {
		t.Errorf("got %v", err)
	}
}
