package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

// world is a faulty server, a client and a peer for one of its endpoints.
type world struct {
	t      *testing.T
	origin *faulty.Origin
	fault  string
	client *fetch.Client
	peer   *Peer
	call   fetch.Call
}

// quick is a policy whose clocks a test can wait for.
func quick() fetch.Policy {
	p := fetch.DefaultPolicy()
	p.Timeout, p.Budget, p.Retries = 600*time.Millisecond, 3*time.Second, 0
	p.Backoff = fetch.Backoff{Strategy: fetch.Fixed, Base: time.Millisecond, Max: 2 * time.Second}
	p.MaxBody = 1 << 20
	return p
}

func newWorld(t *testing.T, fault string, change func(*fetch.Config, *Config)) *world {
	t.Helper()
	origin, err := faulty.Start()
	if err != nil {
		t.Fatal(err)
	}
	cfg := fetch.Config{Policy: quick()}
	at := Config{URL: origin.At(fault), Version: "test"}
	if change != nil {
		change(&cfg, &at)
	}
	w := &world{t: t, origin: origin, fault: fault, client: fetch.NewClient(cfg), peer: NewPeer(at)}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 3*time.Second)
		defer cancel()
		w.peer.Close(ctx)
		if ctx.Err() != nil {
			t.Error("the peer did not end in time")
		}
		w.client.CloseIdle()
		origin.Close()
	})
	return w
}

func (w *world) ask(op Op) (*fetch.Answer, *fetch.Error) {
	w.t.Helper()
	a, err := w.client.Do(context.Background(), &fetch.Request{URL: w.peer.cfg.URL, Exchange: w.peer.Ask(op), Call: &w.call})
	if err == nil {
		return a, nil
	}
	var e *fetch.Error
	if !errors.As(err, &e) {
		w.t.Fatalf("%v is no *fetch.Error", err)
	}
	return nil, e
}

func echo(text string) Op {
	args, _ := json.Marshal(map[string]string{"text": text})
	return Op{Verb: Call, Name: "echo", Arguments: args}
}

func count(seen []faulty.Seen, method string) (n int) {
	for _, s := range seen {
		if s.RPC == method || s.Method == method {
			n++
		}
	}
	return n
}
