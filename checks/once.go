package checks

import (
	"context"
	"sync"
)

// once does something at most once in a run, whoever asks first, and lets the
// others wait for it. Its waits are on a channel, so that they end with the
// run and stand still with synctest's clock.
type once struct {
	mu    sync.Mutex
	begun bool
	done  chan struct{}
}

func newOnce() *once { return &once{done: make(chan struct{})} }

// do calls act unless somebody has; it returns when act has ended, true, or
// when ctx has, false.
func (o *once) do(ctx context.Context, act func()) bool {
	o.mu.Lock()
	first := !o.begun
	o.begun = true
	o.mu.Unlock()
	if first {
		defer close(o.done)
		act()
		return true
	}
	select {
	case <-o.done:
		return true
	case <-ctx.Done():
		return false
	}
}
