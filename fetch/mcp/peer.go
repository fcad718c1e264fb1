package mcp

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"github.com/fonteviva/fonteviva/fetch"
)

// Config says where a server is and how it is spoken to.
type Config struct {
	URL     string   // of the Streamable HTTP endpoint; "" with a Command
	Command []string // program and arguments, run without a shell
	Env     []string // the command's whole environment, "NAME=value"; see BaseEnv
	Dir     string   // the command's folder; "" for our own
	// Protocol pins a version; "" negotiates the newest that both sides know.
	Protocol string
	Version  string // of this program, told to the server
	// Hide masks what must not be shown in what the command writes for people,
	// before anything of it is cut off; nil hides nothing.
	Hide func([]byte) []byte
}

// Piped reports whether the server is a command.
func (c *Config) Piped() bool { return len(c.Command) > 0 }

// Peer is one server during one run: it has at most one session at a time,
// which all who ask share. It is safe for concurrent use.
type Peer struct {
	cfg Config

	mu      sync.Mutex
	session *session
	opening chan struct{}   // closed when the opening under way has ended; nil without one
	offered string          // the version that the server asked for by refusing ours
	tools   map[string]tool // as last listed; nil before that
	closed  bool

	closing sync.WaitGroup
}

// NewPeer makes a peer; nothing is asked and nothing started.
func NewPeer(cfg Config) *Peer { return &Peer{cfg: cfg} }

// tool is what is remembered of a listed tool.
type tool struct {
	raw        json.RawMessage
	repeatable bool
}

// farewell bounds the polite end of a session.
const farewell = time.Second

// Close ends the session politely, and waits until every session and process
// of this peer is gone, or ctx ends.
func (p *Peer) Close(ctx context.Context) {
	p.mu.Lock()
	s := p.session
	p.session, p.closed = nil, true
	p.mu.Unlock()
	if s != nil {
		p.end(s, true)
	}
	gone := make(chan struct{})
	go func() { p.closing.Wait(); close(gone) }()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

// end closes a session beside whoever asks for it.
func (p *Peer) end(s *session, polite bool) {
	p.closing.Go(func() { s.close(polite) })
}

// drop throws a session away: what failed on it says nothing about a new one.
func (p *Peer) drop(s *session) {
	p.mu.Lock()
	if p.session == s {
		p.session = nil
	}
	p.mu.Unlock()
	p.end(s, false)
}

// take gives the session, opening it where there is none. One caller opens, the
// others wait for it; where it fails, the next one tries.
func (p *Peer) take(ctx context.Context, w *fetch.Wire) (*session, fetch.Reply, error) {
	for {
		p.mu.Lock()
		switch {
		case p.session != nil && !p.session.dead():
			defer p.mu.Unlock()
			p.session.enter()
			return p.session, fetch.Reply{}, nil
		case p.session != nil:
			old := p.session
			p.session = nil
			p.end(old, false)
		}
		if p.opening == nil {
			mine := make(chan struct{})
			p.opening = mine
			p.mu.Unlock()
			s, reply, err := p.open(ctx, w)
			p.opened(s, mine)
			return s, reply, err
		}
		other := p.opening
		p.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, fetch.Reply{}, context.Cause(ctx)
		}
	}
}

func (p *Peer) opened(s *session, mine chan struct{}) {
	p.mu.Lock()
	p.opening = nil
	if s != nil {
		s.enter()
		if p.session = s; p.closed { // the run ended meanwhile
			p.session = nil
			p.end(s, true)
		}
	}
	p.mu.Unlock()
	close(mine)
}

// repeatable reports whether the server says that calling this tool again
// changes nothing.
func (p *Peer) repeatable(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[name].repeatable
}

// toolNamed gives a tool as listed; false where the list has not been asked
// for, or has no such tool.
func (p *Peer) toolNamed(name string) (t tool, listed bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tools[name], p.tools != nil
}

// remember keeps what a tools/list said.
func (p *Peer) remember(list []json.RawMessage) {
	tools := make(map[string]tool, len(list))
	for _, raw := range list {
		var t struct {
			Name        string `json:"name"`
			Annotations struct {
				ReadOnly   bool `json:"readOnlyHint"`
				Idempotent bool `json:"idempotentHint"`
			} `json:"annotations"`
		}
		if json.Unmarshal(raw, &t) == nil {
			tools[t.Name] = tool{raw: raw, repeatable: t.Annotations.ReadOnly || t.Annotations.Idempotent}
		}
	}
	p.mu.Lock()
	p.tools = tools
	p.mu.Unlock()
}
