package mcp

import (
	"bytes"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/fonteviva/fonteviva/fetch"
)

// pipe speaks with a command: one message a line. What is no message is left
// out and counted: many servers write a banner or a log where only messages
// belong.
type pipe struct {
	proc  *process
	limit int64
	in    chan jsonrpc.Message
	done  chan struct{} // closed by Close
	ended chan struct{} // closed when nothing more will come

	patience time.Duration // how long server/discover may take; 0: for ever

	writing chan struct{} // holds one while somebody writes
	closing sync.Once
	polite  bool

	mu     sync.Mutex
	noise  int
	tired  bool       // server/discover was not waited for any longer
	deaf   bool       // it takes nothing more
	large  bool       // a line was longer than we take
	last   []byte     // of what was read, where it has no end of line
	spoke  time.Time  // when something was read last
	died   *ExitError // how it ended by itself
	hearer func(int)
}

func newPipe(proc *process, limit int64) *pipe {
	p := &pipe{
		proc: proc, limit: limit, in: make(chan jsonrpc.Message, 16), done: make(chan struct{}), ended: make(chan struct{}),
		writing: make(chan struct{}, 1),
	}
	go p.listen()
	return p
}

// SessionID is empty: a process is its own session.
func (p *pipe) SessionID() string { return "" }

// Read gives the next message.
func (p *pipe) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case m := <-p.in:
		return m, nil
	default:
	}
	select {
	case m := <-p.in:
		return m, nil
	case <-p.ended:
		select {
		case m := <-p.in:
			return m, nil
		default:
			return nil, io.EOF
		}
	case <-p.done:
		return nil, io.EOF
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Write sends a message. A command that does not read its stdin cannot hold the
// caller.
func (p *pipe) Write(ctx context.Context, m jsonrpc.Message) error {
	if cancels(m) {
		return nil
	}
	if req, ok := m.(*jsonrpc.Request); ok && req.Method == methodDiscover && p.patience > 0 {
		p.expect(req.ID)
	}
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	select {
	case p.writing <- struct{}{}:
		defer func() { <-p.writing }()
	case <-ctx.Done():
		return ctx.Err()
	case <-p.done:
		return io.ErrClosedPipe
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	stop := context.AfterFunc(ctx, func() { _ = p.proc.stdin.SetWriteDeadline(time.Unix(1, 0)) })
	defer stop()
	_, err = p.proc.stdin.Write(append(data, '\n'))
	switch {
	case err != nil && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		p.note(func() { p.deaf = true })
	}
	return err
}

// Close ends the command.
func (p *pipe) Close() error {
	p.closing.Do(func() {
		close(p.done)
		p.mu.Lock()
		polite := p.polite
		p.mu.Unlock()
		p.proc.close(polite)
	})
	return nil
}

func (p *pipe) bePolite(polite bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.polite = polite
}

// expect answers server/discover itself where the command does not: one that
// does not know it may say nothing.
func (p *pipe) expect(id jsonrpc.ID) {
	time.AfterFunc(p.patience, func() {
		select {
		case p.in <- &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound}}:
			p.note(func() { p.tired = true })
		case <-p.done:
		case <-p.ended:
		}
	})
}

// impatient reports a server/discover that was answered here.
func (p *pipe) impatient() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.tired
}

// onBytes says who wants to know how much came.
func (p *pipe) onBytes(f func(int)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.hearer = f
}

func (p *pipe) listen() {
	defer close(p.ended)
	defer p.bury()
	chunk := make([]byte, 64<<10)
	var line []byte
	for {
		n, err := p.proc.stdout.Read(chunk)
		rest := chunk[:n]
		for {
			head, tail, whole := bytes.Cut(rest, []byte("\n"))
			line = append(line, head...)
			if int64(len(line)) > p.limit {
				p.note(func() { p.large = true })
				return
			}
			if !whole {
				break
			}
			if !p.deliver(line) {
				return
			}
			line, rest = line[:0], tail
		}
		p.note(func() { p.last, p.spoke = bytes.Clone(line[max(0, len(line)-maxStderr):]), time.Now() })
		if err != nil {
			return
		}
	}
}

// bury notes how the command ended by itself, before anybody makes an end of it.
func (p *pipe) bury() {
	select {
	case <-p.done:
		return
	default:
	}
	p.proc.goneWithin(2 * lastWords)
	exit := p.proc.exited()
	p.note(func() { p.died = exit })
}

func (p *pipe) note(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// deliver hands on the messages of a line; false when nobody takes them.
func (p *pipe) deliver(line []byte) bool {
	line = bytes.TrimSpace(line)
	if len(line) == 0 {
		return true
	}
	list, clean := messages(line)
	p.mu.Lock()
	if !clean {
		p.noise++
	}
	hear := p.hearer
	p.mu.Unlock()
	for _, m := range list {
		if hear != nil {
			hear(len(line))
		}
		select {
		case p.in <- m:
		case <-p.done:
			return false
		}
	}
	return true
}

// over reports a command that takes nothing more, or says nothing more. How
// one that takes nothing more ends is waited for, because that tells why.
func (p *pipe) over() bool {
	p.mu.Lock()
	deaf := p.deaf
	p.mu.Unlock()
	wait := time.Duration(0)
	if deaf {
		wait = 3 * lastWords
	}
	select {
	case <-p.ended:
		return true
	case <-time.After(wait):
		return deaf
	}
}

// noisy reports whether lines were left out.
func (p *pipe) noisy() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.noise > 0
}

var errLong = errors.New("the command wrote a line that is longer than we take")

// fault says why nothing more will come, in the terms of an attempt.
func (p *pipe) fault(handshake bool) (fetch.Fault, []byte, error) {
	p.mu.Lock()
	large, exit := p.large, p.died
	p.mu.Unlock()
	stderr := p.proc.stderr.last()
	if large {
		return fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxBody}, nil, errLong
	}
	if exit == nil {
		return fetch.Fault{Kind: fetch.Network, Outcome: fetch.OutcomeRetryable, Detail: fetch.ConnectionClosed}, stderr, io.EOF
	}
	if handshake && (exit.Code == notFound || exit.Code == notRunnable) {
		return fetch.Fault{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseCommand, Detail: fetch.CommandFailed}, stderr, exit
	}
	return fetch.Fault{Kind: fetch.Network, Outcome: fetch.OutcomeRetryable, Detail: fetch.ProcessExited}, stderr, exit
}

// The statuses by which a shell, or env, says that it could not run what it was
// told to.
const (
	notRunnable = 126
	notFound    = 127
)
