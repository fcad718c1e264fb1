package fetch

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

// ErrNoRecording is the end of a request that no recording answers.
var ErrNoRecording = errors.New("there is no recording of this request")

// Replay serves recorded answers in place of the network. A request is
// answered by what its asker (WithTake) recorded for the same method, URL and
// body, else by the first other recording that has it, in order; the last
// answer repeats. Every asker has a clock of its own, which begins when its
// recording did: recorded durations pass on it, and nobody sleeps. A Replay is
// safe for concurrent use.
type Replay struct {
	own map[string]map[question][]*Recorded
	all map[question][]*Recorded

	mu      sync.Mutex
	now     time.Time // where a recording does not say
	players map[string]*player
}

// question is what requests are matched by.
type question struct{ method, url, sum string }

// NewReplay makes a Replay of recordings by name.
func NewReplay(recordings map[string][]Recorded) *Replay {
	r := &Replay{
		own: map[string]map[question][]*Recorded{}, all: map[question][]*Recorded{},
		now: time.Now().UTC(), players: map[string]*player{},
	}
	for _, name := range slices.Sorted(maps.Keys(recordings)) {
		mine := map[question][]*Recorded{}
		for i := range recordings[name] {
			x := &recordings[name][i]
			q := question{x.Method, x.URL, x.Sum}
			mine[q] = append(mine[q], x)
		}
		r.own[name] = mine
		for q, list := range mine {
			if r.all[q] == nil && slices.ContainsFunc(list, func(x *Recorded) bool { return x.Unanswered == "" }) {
				r.all[q] = list
			}
		}
		if first := recordings[name]; len(first) > 0 {
			r.players[name] = &player{replay: r, name: name, now: first[0].At.Add(-first[0].TTFB - first[0].Reading), at: map[question]*reel{}}
		}
	}
	return r
}

// Clock is the time that the asker of that name lives by.
func (r *Replay) Clock(name string) Clock { return r.player(name).clock() }

func (r *Replay) player(name string) *player {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.players[name] == nil {
		r.players[name] = &player{replay: r, name: name, now: r.now, at: map[question]*reel{}}
	}
	return r.players[name]
}

// player is how far one asker has come.
type player struct {
	replay *Replay
	name   string

	mu   sync.Mutex
	now  time.Time
	at   map[question]*reel
	last *Recorded // the latest that was served
}

// reel is what answers one question, and how much of it was served.
type reel struct {
	list   []*Recorded
	next   int
	repeat *Recorded // served again when the list has ended; nil for nothing
}

// forth gives the next answer, and whether it was not served before. What was
// not answered at the time is passed over, and is no answer to repeat.
func (l *reel) forth() (x *Recorded, next int, fresh bool) {
	x, next = l.repeat, l.next
	for ; next < len(l.list); next++ {
		if x = nil; l.list[next].Unanswered == "" {
			return l.list[next], next + 1, true
		}
	}
	return x, next, false
}

func (p *player) reel(q question) *reel {
	if p.at[q] == nil {
		list := p.replay.own[p.name][q]
		if list == nil {
			list = p.replay.all[q]
		}
		p.at[q] = &reel{list: list}
	}
	return p.at[q]
}

// ahead reports whether there is an answer, and whether it is one that was not
// served before.
func (p *player) ahead(q question) (any, fresh bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, _, fresh := p.reel(q).forth()
	return x != nil, fresh
}

func (p *player) serve(q question) *Recorded {
	p.mu.Lock()
	defer p.mu.Unlock()
	l := p.reel(q)
	x, next, _ := l.forth()
	l.next, l.repeat = next, x
	if x != nil {
		p.last, p.now = x, p.now.Add(x.TTFB)
	}
	return x
}

func (p *player) pass(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = p.now.Add(max(0, d))
}

func (p *player) served() *Recorded {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// clock passes by what is recorded and waited, never by itself.
func (p *player) clock() Clock {
	return Clock{
		Now: func() time.Time {
			p.mu.Lock()
			defer p.mu.Unlock()
			return p.now
		},
		Sleep: func(ctx context.Context, d time.Duration) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			p.pass(d)
			return nil
		},
	}
}

// playback is the transport of a player.
type playback struct {
	*player
	hide func(string) string
}

// RoundTrip gives the recorded answer. Nothing is ever dialled.
func (p playback) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Context().Err() != nil {
		return nil, context.Cause(r.Context())
	}
	x := p.serve(question{r.Method, p.hide(r.URL.String()), sumOf(bodyOf(r), p.hide)})
	if x == nil {
		return nil, ErrNoRecording
	}
	res := &http.Response{
		Status: http.StatusText(x.Status), StatusCode: x.Status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: x.Answered.Clone(), Body: &played{x: x, p: p.player}, ContentLength: int64(len(x.Body)), Request: r,
	}
	if res.Header == nil {
		res.Header = http.Header{}
	}
	if len(x.Coding) > 0 {
		res.Header["Content-Encoding"], res.Uncompressed = slices.Clone(x.Coding), true
	}
	if x.Partial {
		res.ContentLength = -1
	}
	return res, nil
}

// played is a recorded body. One that was not recorded to its end breaks off.
type played struct {
	x    *Recorded
	p    *player
	at   int
	over bool
}

// Read gives the next bytes; with the last of them the time passes that reading
// took.
func (b *played) Read(into []byte) (int, error) {
	n := copy(into, b.x.Body[b.at:])
	b.at += n
	if b.at < len(b.x.Body) {
		return n, nil
	}
	if !b.over {
		b.over = true
		b.p.pass(b.x.Reading)
	}
	if b.x.Partial {
		return n, ErrNoRecording
	}
	return n, io.EOF
}

// Close has nothing to free.
func (b *played) Close() error { return nil }
