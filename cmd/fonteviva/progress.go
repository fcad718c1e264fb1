package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/report"
)

// progress tells a person how far a run is: one line that is drawn over itself
// on a terminal, a plain line now and then elsewhere. It writes to stderr, so
// that stdout stays the report.
type progress struct {
	app   *app
	total int
	lang  report.Lang
	every time.Duration

	mu      sync.Mutex
	done    map[string]bool // those that were done at least once: whether the last time was not ok
	failed  int             // of done
	retrips map[string]bool // probes that wait for another trip
	running []string        // those that began and are not done, the oldest first
	drawn   bool

	quit chan struct{}
	over sync.WaitGroup
}

// Intervals of the two ways to show progress.
const (
	redrawEvery = 100 * time.Millisecond
	lineEvery   = 10 * time.Second
)

// newProgress starts to show; nothing is shown under a quiet profile.
func (a *app) newProgress(l *loaded, total int) *progress {
	p := &progress{app: a, total: total, lang: l.config.language(), every: lineEvery, done: map[string]bool{}, retrips: map[string]bool{}, quit: make(chan struct{})}
	if a.errTTY {
		p.every = redrawEvery
	}
	if !l.policy.Profile.Quiet {
		p.over.Add(1)
		go p.loop()
	}
	return p
}

func (p *progress) observe(e checks.Event) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.Kind {
	case checks.EventStart:
		p.running = append(p.running, e.Probe)
	case checks.EventRetrip:
		p.retrips[e.Probe] = true
	case checks.EventDone:
		if p.done[e.Probe] { // in an earlier round
			p.failed--
		}
		p.done[e.Probe] = e.Result.Finding != checks.OK
		delete(p.retrips, e.Probe)
		if i := slices.Index(p.running, e.Probe); i >= 0 {
			p.running = slices.Delete(p.running, i, i+1)
		}
		if p.done[e.Probe] {
			p.failed++
		}
	}
}

func (p *progress) loop() {
	defer p.over.Done()
	tick := time.NewTicker(p.every)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			p.show()
		case <-p.quit:
			return
		}
	}
}

func (p *progress) show() {
	p.mu.Lock()
	line := p.line()
	p.drawn = p.app.errTTY
	p.mu.Unlock()
	if p.app.errTTY {
		if runes := []rune(line); p.app.width > 1 && len(runes) >= p.app.width {
			line = string(runes[:p.app.width-1])
		}
		fmt.Fprintf(p.app.err, "\r\x1b[2K%s", line)
		return
	}
	fmt.Fprintln(p.app.err, line)
}

// line says how many are done, how many of those are not ok, how many wait for
// another trip, and which one has been running for longest.
func (p *progress) line() string {
	words := [4]string{"fonteviva: %d of %s", ", %d not ok", ", %d waiting for another trip", ", now %s"}
	probes := plural(p.total, "probe", "probes")
	if p.lang == report.PT {
		words = [4]string{"fonteviva: %d de %s", ", %d sem ok", ", %d à espera de outra viagem", ", agora %s"}
		probes = plural(p.total, "sonda", "sondas")
	}
	var b strings.Builder
	fmt.Fprintf(&b, words[0], len(p.done), probes)
	if p.failed > 0 {
		fmt.Fprintf(&b, words[1], p.failed)
	}
	if len(p.retrips) > 0 {
		fmt.Fprintf(&b, words[2], len(p.retrips))
	}
	if len(p.running) > 0 {
		fmt.Fprintf(&b, words[3], p.running[p.longest()])
	}
	return b.String()
}

// longest is the running probe that began first, of those that do not wait for
// another trip where there are such.
func (p *progress) longest() int {
	return max(0, slices.IndexFunc(p.running, func(name string) bool { return !p.retrips[name] }))
}

// stop ends the show and clears its line.
func (p *progress) stop() {
	close(p.quit)
	p.over.Wait()
	if p.drawn {
		fmt.Fprint(p.app.err, "\r\x1b[2K")
	}
}
