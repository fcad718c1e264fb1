package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"testing"
)

func TestNextPercent(t *testing.T) {
	for _, c := range []struct {
		live uint64
		want int
	}{
		{0, 100}, {laterRoom / 4, 300}, {laterRoom/2 - 1, 100}, {laterRoom / 2, 100}, {laterRoom, 100}, {10 * laterRoom, 100}, {1 << 20, 6900},
	} {
		if got := nextPercent(c.live); got != c.want {
			t.Errorf("nextPercent(%d) is %d, want %d", c.live, got, c.want)
		}
	}
}

func TestDelayGCRespectsWhatIsSet(t *testing.T) {
	before := debug.SetGCPercent(55)
	defer debug.SetGCPercent(before)
	delayGC()
	if got := debug.SetGCPercent(55); got != 55 {
		t.Errorf("GOGC=55 became %d", got)
	}
	debug.SetGCPercent(usualPercent)
	limit := debug.SetMemoryLimit(1 << 30)
	defer debug.SetMemoryLimit(limit)
	delayGC()
	if got := debug.SetGCPercent(usualPercent); got != usualPercent {
		t.Errorf("with a memory limit GOGC became %d", got)
	}
}

// A collection sets the next one, for as long as the program runs.
func TestPaceGC(t *testing.T) {
	before, limit := debug.SetGCPercent(usualPercent), debug.SetMemoryLimit(math.MaxInt64)
	defer debug.SetGCPercent(before)
	defer debug.SetMemoryLimit(limit)
	delayGC()
	for range 3 {
		debug.SetGCPercent(usualPercent)
		paced := false
		for range 1000 {
			runtime.GC()
			if percent := debug.SetGCPercent(usualPercent); percent != usualPercent {
				paced = true
				break
			}
		}
		if !paced {
			t.Fatal("no collection has set the next one")
		}
	}
}
