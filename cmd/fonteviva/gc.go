package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// firstCollection is the heap at which the first garbage collection comes.
const firstCollection = 64 << 20

// delayGC keeps the collector away from a short run: from its usual beginning,
// at 4 MiB, it would run dozens of times while a declaration is read, and most
// runs end before they have 64 MiB of garbage. The first collection puts the
// usual pace back. Whoever has set GOGC or GOMEMLIMIT keeps what they set.
func delayGC() {
	percent, limit := debug.SetGCPercent(-1), debug.SetMemoryLimit(firstCollection)
	if percent != 100 || limit != math.MaxInt64 {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
		return
	}
	// Nothing refers to the canary, so the first collection frees it. It holds a
	// pointer because what holds none may share its memory with others.
	type canary struct{ _ *byte }
	runtime.AddCleanup(&canary{}, func(struct{}) {
		debug.SetGCPercent(percent)
		debug.SetMemoryLimit(limit)
	}, struct{}{})
}
