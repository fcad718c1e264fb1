package mcp

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/fonteviva/fonteviva/fetch"
)

// session is an open session, or one that is being opened.
type session struct {
	cs   *sdk.ClientSession
	pipe *pipe // nil over HTTP
	post *post // nil over a pipe
	info json.RawMessage
	via  string // the method that info came by

	mu      sync.Mutex
	users   int
	polite  bool
	dropped bool
}

// enter counts one who uses the session.
func (s *session) enter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.users++
}

// leave lets the session go where it was dropped and nobody uses it any more:
// what spoilt it for one must not cut the others.
func (s *session) leave(p *Peer) {
	s.mu.Lock()
	s.users--
	last := s.users == 0 && s.dropped
	s.mu.Unlock()
	if last {
		p.closing.Go(s.shut)
	}
}

// close ends the session, at once or when its last user has left.
func (s *session) close(polite bool) {
	s.mu.Lock()
	again := s.dropped
	s.dropped, s.polite = true, polite
	busy := s.users > 0
	s.mu.Unlock()
	if !again && !busy {
		s.shut()
	}
}

func (s *session) shut() {
	if s.pipe == nil {
		_ = s.cs.Close() // a refusal to say goodbye is no fault
		return
	}
	// The SDK waits for what it still has to write, and a command that reads
	// nothing would hold it for ever.
	s.pipe.bePolite(s.polite)
	s.pipe.Close()
	_ = s.cs.Close()
}

// dead reports a command that has ended.
func (s *session) dead() bool {
	if s.pipe == nil {
		return false
	}
	select {
	case <-s.pipe.ended:
		return true
	default:
		return false
	}
}

// transport gives the SDK its way to the server.
func (s *session) transport(cfg *Config, w *fetch.Wire) (sdk.Transport, error) {
	if cfg.Piped() {
		proc, err := start(cfg)
		if err != nil {
			return nil, err
		}
		s.pipe = newPipe(proc, w.MaxBody())
		return open{func(context.Context) (sdk.Connection, error) { return newConn(s.pipe, true), nil }}, nil
	}
	s.post = &post{wire: w.Farewell()}
	inner := &sdk.StreamableClientTransport{
		Endpoint: cfg.URL,
		HTTPClient: &http.Client{
			Transport:     s.post,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		// A stream that ended before the reply is taken up again once: that is
		// the protocol's (2025-11-25), and counted like any request.
		MaxRetries:           1,
		DisableStandaloneSSE: true,
		MaxEventSize:         -1, // events bounds them
	}
	return open{func(ctx context.Context) (sdk.Connection, error) {
		c, err := inner.Connect(ctx)
		if err != nil {
			return nil, err
		}
		return newConn(c, false), nil
	}}, nil
}

// open is a transport made of a function.
type open struct {
	connect func(context.Context) (sdk.Connection, error)
}

// Connect opens the connection.
func (o open) Connect(ctx context.Context) (sdk.Connection, error) { return o.connect(ctx) }

// Versions are the protocol's versions that are known, newest first.
func Versions() []string {
	return []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
}

// open opens a session. Where the server refuses our version and names one that
// is known, that one is offered once.
func (p *Peer) open(ctx context.Context, w *fetch.Wire) (*session, fetch.Reply, error) {
	p.mu.Lock()
	version := p.offered
	p.mu.Unlock()
	if p.cfg.Protocol != "" {
		version = p.cfg.Protocol
	}
	s, reply, err := p.connect(ctx, w, version)
	if s != nil || p.cfg.Protocol != "" {
		return s, reply, err
	}
	other := named(&reply, version)
	if other == "" {
		return nil, reply, err
	}
	p.mu.Lock()
	p.offered = other
	p.mu.Unlock()
	return p.connect(ctx, w, other)
}

// patience is how long server/discover may take of an attempt: a server that
// does not know it may say nothing at all. A pinned version leaves nothing to
// try behind it.
func (p *Peer) patience(w *fetch.Wire) time.Duration {
	if p.cfg.Protocol != "" {
		return w.Timeout()
	}
	return min(2*time.Second, w.Timeout()/4)
}

func (p *Peer) connect(ctx context.Context, w *fetch.Wire, version string) (*session, fetch.Reply, error) {
	st := newStep(w)
	st.patience = p.patience(w)
	defer st.end()
	s := &session{}
	if p.cfg.Piped() {
		if err := w.Turn(); err != nil {
			return nil, fetch.Reply{}, err
		}
	}
	transport, err := s.transport(&p.cfg, w)
	if err != nil {
		return nil, notStarted(err), nil
	}
	if s.pipe != nil {
		s.pipe.patience = st.patience
		s.pipe.onBytes(w.Heard)
		defer s.pipe.onBytes(nil)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "fonteviva", Version: p.cfg.Version}, &sdk.ClientOptions{
		Capabilities: &sdk.ClientCapabilities{}, MultiRoundTrip: &sdk.MultiRoundTripOptions{Disabled: true},
	})
	cs, err := p.shake(st.attach(ctx), s, client, transport, version)
	if err == nil {
		s.cs = cs
		return p.settle(s, st)
	}
	reply, err := s.failure(ctx, st, methodInitialize, err)
	if s.pipe != nil && ctx.Err() != nil && s.pipe.prompting() {
		return nil, fetch.Reply{
			Body: s.pipe.words(), Err: context.Cause(ctx),
			Fault: fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseCommand, Detail: fetch.CommandPrompt},
		}, nil
	}
	return nil, reply, err
}

// shake lets the SDK open the session, beside the attempt: its own end of a
// failed one may take longer than the attempt has.
func (p *Peer) shake(ctx context.Context, s *session, client *sdk.Client, t sdk.Transport, version string) (*sdk.ClientSession, error) {
	type opened struct {
		cs  *sdk.ClientSession
		err error
	}
	done := make(chan opened, 1)
	p.closing.Go(func() {
		cs, err := client.Connect(ctx, t, &sdk.ClientSessionOptions{ProtocolVersion: version})
		done <- opened{cs, err}
		if err != nil && s.pipe != nil {
			s.pipe.Close()
		}
	})
	select {
	case o := <-done:
		return o.cs, o.err
	case <-ctx.Done():
		p.closing.Go(func() {
			if s.pipe != nil {
				s.pipe.Close() // what Connect still writes would hold it
			}
			if o := <-done; o.cs != nil {
				s.cs = o.cs
				s.shut()
			}
		})
		return nil, ctx.Err()
	}
}

// settle keeps what an opened session said of itself, and refuses one that does
// not speak the version that is pinned.
func (p *Peer) settle(s *session, st *step) (*session, fetch.Reply, error) {
	version := s.cs.InitializeResult().ProtocolVersion
	if s.post != nil {
		s.post.negotiated(version)
	}
	s.via = methodDiscover
	r := st.reply(methodInitialize)
	if r != nil {
		s.via = methodInitialize
	} else {
		r = st.reply(methodDiscover)
	}
	if r != nil {
		s.info = r.result
	}
	if p.cfg.Protocol != "" && p.cfg.Protocol != version {
		if st.discovered.failed() {
			p.end(s, true)
			return nil, st.discovered.reply(), nil
		}
		reply := fetch.Reply{Response: st.res, Body: s.info, RPC: &fetch.RPC{Method: s.via, Result: s.info, Refusal: fetch.ProtocolVersion}}
		p.end(s, true)
		return nil, reply, nil
	}
	return s, fetch.Reply{}, nil
}
