package main

import (
	"math"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
)

// heapRoom is the heap that this program fills before the garbage collector has
// to work, in bytes: what reading a declaration of ten thousand probes takes.
const heapRoom = 80 << 20

// usualPercent is the collector's pace when nobody sets one: a collection
// whenever the heap has doubled (GOGC=100).
const usualPercent = 100

// delayGC keeps the collector away from a short run. From its usual beginning,
// at 4 MiB, it would run dozens of times while a declaration is read, and most
// runs end before they have that much garbage; a run that is longer uses the
// memory again that it has already taken. Whoever has set GOGC or GOMEMLIMIT
// keeps what they set.
func delayGC() {
	limit := debug.SetMemoryLimit(-1)
	// The collector begins at 4 MiB for each hundred percent.
	if percent := debug.SetGCPercent(usualPercent * heapRoom >> 22); percent != usualPercent || limit != math.MaxInt64 {
		debug.SetGCPercent(percent)
		return
	}
	paceGC()
}

// canary is freed by every collection, since nothing refers to it. It holds a
// pointer because what holds none may share its memory with others.
type canary struct{ _ *byte }

// paceGC lets the collection that comes set the one after it.
func paceGC() {
	runtime.AddCleanup(&canary{}, func(struct{}) {
		live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(live)
		debug.SetGCPercent(nextPercent(live[0].Value.Uint64()))
		paceGC()
	}, struct{}{})
}

// nextPercent is by how much the heap may grow from what a collection has left,
// in percent: up to the room that it has already had, and as usual where that
// is no longer twice as much.
func nextPercent(live uint64) int {
	if live == 0 || live >= heapRoom/2 {
		return usualPercent
	}
	return int(usualPercent * (heapRoom - live) / live)
}
