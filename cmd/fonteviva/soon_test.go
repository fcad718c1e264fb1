package main

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fonteviva/fonteviva/checks/history"
	"github.com/fonteviva/fonteviva/report"
)

// Once the reports are out, a signal ends the wait for whoever keeps the
// history busy.
func TestASignalEndsTheWaitForTheHistory(t *testing.T) {
	store, err := history.Open(t.TempDir(), history.Options{})
	if err != nil {
		t.Fatal(err)
	}
	opened := make(chan struct{})
	close(opened)
	k := &keeper{project: history.NamedProject("p"), opened: opened, store: store}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := k.save(ctx, &report.Document{Version: report.Version}); !errors.Is(err, errGivenUp) {
		t.Errorf("got %v", err)
	}
}

func TestSoonEndsAMomentAfterASignal(t *testing.T) {
	for name, before := range map[string]bool{"a signal that comes": false, "a signal that came": true} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := &signals{}
				s.ctx, s.cancel = context.WithCancelCause(context.Background())
				if before {
					s.cancel(errSignal{syscall.SIGTERM})
				}
				ctx, done := s.soon()
				defer done()
				if !before {
					time.Sleep(time.Hour)
					s.cancel(errSignal{syscall.SIGTERM})
				}
				came := time.Now()
				synctest.Wait()
				if ctx.Err() != nil {
					t.Error("it ended at once")
				}
				<-ctx.Done()
				if took := time.Since(came); took != stallLimit {
					t.Errorf("it ended after %s", took)
				}
			})
		})
	}
	s := &signals{}
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	ctx, done := s.soon()
	if ctx.Err() != nil {
		t.Error("without a signal it ended")
	}
	done()
	s.cancel(nil)
}
