package main

import (
	"math"
	"runtime"
	"runtime/debug"
)

// heapRoom is the heap that this program fills before the garbage collector has
// to work, in bytes: what reading a declaration of ten thousand probes takes.
const heapRoom = 80 << 20

// laterRoom is the heap at which later collections begin: a run goes on
// allocating while they work.
const laterRoom = heapRoom / 8 * 7

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
	const first = usualPercent * heapRoom >> 22
	if percent := debug.SetGCPercent(first); percent != usualPercent || limit != math.MaxInt64 {
		debug.SetGCPercent(percent)
		return
	}
	paceGC(first)
}

// canary is freed by every collection, since nothing refers to it. It holds a
// pointer because what holds none may share its memory with others.
type canary struct{ _ *byte }

// paceGC lets the collection that comes set the one after it; percent is how the
// heap may grow now.
func paceGC(percent int) {
	runtime.AddCleanup(&canary{}, func(struct{}) {
		var m runtime.MemStats // runtime/metrics would cost every start
		runtime.ReadMemStats(&m)
		next := nextPercent(m.NextGC * usualPercent / uint64(usualPercent+percent))
		debug.SetGCPercent(next)
		paceGC(next)
	}, struct{}{})
}

// nextPercent is by how much the heap may grow from what a collection has left,
// in percent: up to the room that it has already had, and as usual where that
// is no longer twice as much.
func nextPercent(live uint64) int {
	if live == 0 || live >= laterRoom/2 {
		return usualPercent
	}
	return int(usualPercent * (laterRoom - live) / live)
}

// manyProbes is how many probes make the tree of their declaration most of the
// room.
const manyProbes = 5000

// dropTree collects the tree that a long declaration was read from, before the
// run takes memory of its own beside it.
func dropTree(probes int) {
	if probes >= manyProbes {
		runtime.GC()
	}
}
