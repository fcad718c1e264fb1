package checks

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/fetch"
	"github.com/fonteviva/fonteviva/fetch/mcp"
)

// peer prepares the server of an MCP origin; nil for any other.
func (b *builder) peer(o *Origin) *mcp.Peer {
	s := o.MCP
	if s == nil {
		return nil
	}
	plan := b.plan
	cfg := mcp.Config{
		Protocol: s.Protocol, Version: plan.opt.Version,
		Hide: func(text []byte) []byte { return plan.redactor.Bytes(text) }, // the redactor is made once all is planned
	}
	if s.Command == nil {
		cfg.URL = b.expand(o.URL)
		return mcp.NewPeer(cfg)
	}
	cfg.Command, cfg.Dir, cfg.Env = s.program(), s.Dir, mcp.BaseEnv(b.plan.opt.Env)
	for _, v := range s.Env {
		cfg.Env = append(cfg.Env, v.Name+"="+b.expand(v.Value))
	}
	return mcp.NewPeer(cfg)
}

// secrets are the variables of ours that the command is handed, as far as their
// values can be told from other text: what it prints of them is hidden.
func (s *MCPServer) secrets(lookup func(string) (string, bool)) (names []string) {
	if s == nil {
		return nil
	}
	for _, v := range s.Env {
		for _, ref := range v.Value.Refs() {
			if value, ok := lookup(ref.Name); ok && ref.Scope == "env" && secret.Unfit(value) == "" {
				names = append(names, ref.Name)
			}
		}
	}
	return names
}

// addMCP plans a probe that asks an MCP server.
func (b *builder) addMCP(pl *planned) {
	pl.peer = b.peerFor(pl.origin)
	pl.request, pl.refs = b.ask(pl.probe, pl.peer), capturesOf(&pl.probe.Request)
	b.planned[pl.probe] = pl
	b.plan.probes = append(b.plan.probes, pl)
}

// ask is the request of a probe that asks an MCP server.
func (x expander) ask(probe *Probe, peer *mcp.Peer) fetch.Request {
	asked := probe.Expect.MCP()
	op := mcp.Op{Verb: probe.MCP.Verb, Name: probe.MCP.Name, Unknown: asked.Unknown, Idempotent: probe.Request.Idempotent}
	if asked.Surface {
		op.Verb = mcp.Surface
	}
	if args := x.body(probe.Request); args != nil {
		op.Arguments = json.RawMessage(args)
	}
	request := fetch.Request{URL: x.expand(probe.Origin.URL), Exchange: peer.Ask(op), Policy: &probe.Policy}
	if c := probe.Origin.MCP.Command; c != nil {
		request.URL = "stdio:" + strings.Join(c, " ")
	}
	if probe.MCP.JSON {
		request.Mode = fetch.ModeJSON
	}
	if asked.IsError {
		request.ExpectRPC = func(r *fetch.RPC) bool { return r != nil && r.IsError }
	}
	return request
}

// peerFor is the server as one probe asks it: over the origin's session, or over
// one of its own where that is recorded or replayed. The numbers of its messages
// then do not depend on what other probes ask meanwhile, and its recording is
// whole.
func (b *builder) peerFor(o *originRun) *mcp.Peer {
	if b.plan.opt.Tape == nil && b.plan.opt.Replay == nil {
		return o.peer
	}
	peer := b.peer(o.origin)
	b.plan.peers = append(b.plan.peers, peer)
	return peer
}

// goodbye is how long the sessions of a run may take to end.
const goodbye = 1500 * time.Millisecond

// closePeers ends every session of the run, and the commands behind them.
func (p *Plan) closePeers() {
	ctx, cancel := context.WithTimeout(context.Background(), goodbye)
	defer cancel()
	var all sync.WaitGroup
	peers := slices.Clone(p.peers)
	for _, o := range p.origins {
		if o.peer != nil {
			peers = append(peers, o.peer)
		}
	}
	for _, peer := range peers {
		all.Go(func() { peer.Close(ctx) })
	}
	all.Wait()
}

// lists are the keys of what a server offers, by the names of a declaration.
var lists = map[string]string{"tools": "tools", "resources": "resources", "prompts": "prompts"}

// observeMCP gives the expectations what an MCP server replied.
func observeMCP(o *expect.Observation, p *Probe, a *fetch.Answer) {
	if a.RPC == nil {
		return
	}
	r := a.RPC
	o.JSON = fetch.ValidJSON(a.Body)
	o.MCP = &expect.MCP{IsError: r.IsError, Text: r.Text, Result: r.Result, Tool: r.Tool, Unknown: r.Unknown}
	if p.MCP.Verb == mcp.List {
		o.List = lists[p.MCP.Name]
	}
}

// mcpMismatches are what is wrong with a reply whatever the probe expects.
func mcpMismatches(p *Probe, a *fetch.Answer) (list []expect.Mismatch) {
	if a.RPC == nil {
		return nil
	}
	if a.RPC.Endless {
		path := p.MCP.Name
		list = append(list, expect.Mismatch{Code: "cursor", Path: &path, Severity: expect.Fail, Want: "pages that come to an end", Got: "a nextCursor that leads back to a page that was seen"})
	}
	for _, n := range a.Notes {
		if n == fetch.NoteStdoutNotClean {
			list = append(list, expect.Mismatch{Code: string(n), Severity: expect.Warn, Want: "messages only on the command's stdout", Got: "lines that are none, which were skipped"})
		}
	}
	return list
}

// reproduceMCP is a command that asks an MCP server the same again: the probe
// itself, because curl keeps no sessions.
func (p *Plan) reproduceMCP(pl *planned) string {
	c := &command{words: []string{"fonteviva", "run"}, hide: p.redactor.String}
	c.add("-c", pl.probe.Pos.File, pl.probe.Name)
	return strings.Join(c.words, " ")
}
