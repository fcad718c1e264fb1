package main

import (
	"context"
	"errors"
	"io"
	"os"
	"os/signal"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fonteviva/fonteviva/report"
)

// How long a write may make no progress once a signal has come, and how often
// that is looked at.
const (
	stallLimit = 400 * time.Millisecond
	stallEvery = 50 * time.Millisecond
)

// signals turns an interrupting signal into the end of the process: at once
// where nothing has to be finished, by the end of a context where something
// does (see hold), and at once again with the second signal or when what has to
// be finished cannot be written.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	ch     chan os.Signal
	heeded chan struct{} // closed once signals come to ch
	quit   chan struct{}
	held   atomic.Int32

	mu      sync.Mutex
	writers []*watchedWriter
}

// errSignal is the cause of a context that a signal has ended.
type errSignal struct{ sig syscall.Signal }

func (e errSignal) Error() string { return "signal: " + e.sig.String() }

func newSignals() *signals {
	s := &signals{ch: make(chan os.Signal, 2), heeded: make(chan struct{}), quit: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	// The first Notify of a process starts a thread, and there is enough to do
	// beside that. Until it is done, a signal ends the process as it ends any
	// other.
	go func() {
		signal.Notify(s.ch, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
		close(s.heeded)
		s.watch()
	}()
	return s
}

// hold says that a signal is answered by whoever looks at the context, until
// release: a run reports what was done, a server closes. Everything else, such
// as waiting for a report on a pipe, has nothing to finish.
func (s *signals) hold() (release func()) {
	<-s.heeded
	s.held.Add(1)
	return func() { s.held.Add(-1) }
}

func (s *signals) watch() {
	var sig syscall.Signal
	select {
	case got := <-s.ch:
		sig, _ = got.(syscall.Signal)
	case <-s.quit:
		return
	}
	if sig == syscall.SIGHUP {
		sig = syscall.SIGTERM // the table of exit codes knows two interruptions
	}
	s.cancel(errSignal{sig})
	if s.held.Load() == 0 {
		os.Exit(exitOf(sig))
	}
	came, tick := time.Now(), time.NewTicker(stallEvery)
	defer tick.Stop()
	for {
		select {
		case again := <-s.ch:
			sig, _ = again.(syscall.Signal)
			os.Exit(exitOf(sig))
		case <-tick.C:
			if s.stalled(came) {
				os.Exit(exitOf(sig))
			}
		case <-s.quit:
			return
		}
	}
}

func (s *signals) stop() {
	<-s.heeded
	// Beside the end of the process, which does not need it: a thread answers for
	// each signal.
	go signal.Stop(s.ch)
	close(s.quit)
	s.cancel(nil)
}

// soon is a context for what waits for others once the reports are out: it ends
// a moment after a signal, also one that came before.
func (s *signals) soon() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := context.AfterFunc(s.ctx, func() { time.AfterFunc(stallLimit, cancel) })
	return ctx, func() { stop(); cancel() }
}

// received is the signal that ended the context, 0 for none.
func (s *signals) received() syscall.Signal {
	var e errSignal
	if errors.As(context.Cause(s.ctx), &e) {
		return e.sig
	}
	return 0
}

func exitOf(sig syscall.Signal) int {
	if sig == syscall.SIGINT {
		return report.ExitInterrupt
	}
	return report.ExitTerminate
}

// watchedWriter knows since when a write to it goes on: a pipe that nobody
// reads keeps it for ever.
type watchedWriter struct {
	w     io.Writer
	since atomic.Pointer[time.Time] // nil between writes
	lost  atomic.Pointer[error]     // the first that a write gave
}

// watched wraps a writer that may block.
func (s *signals) watched(w io.Writer) *watchedWriter {
	watched := &watchedWriter{w: w}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writers = append(s.writers, watched)
	return watched
}

// Write writes through.
func (w *watchedWriter) Write(p []byte) (int, error) {
	now := time.Now()
	if w.since.CompareAndSwap(nil, &now) {
		defer w.since.Store(nil)
	}
	n, err := w.w.Write(p)
	if err != nil {
		w.lost.CompareAndSwap(nil, &err)
	}
	return n, err
}

// failure is what the first write that failed gave. A reader that has gone away
// has what it wanted.
func (w *watchedWriter) failure() error {
	if err := w.lost.Load(); err != nil && !errors.Is(*err, syscall.EPIPE) {
		return *err
	}
	return nil
}

// stalled reports whether a write has gone on for too long since then.
func (s *signals) stalled(then time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.writers {
		since := w.since.Load()
		if since == nil {
			continue
		}
		if since.Before(then) {
			since = &then
		}
		if time.Since(*since) > stallLimit {
			return true
		}
	}
	return false
}
