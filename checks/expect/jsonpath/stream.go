package jsonpath

import (
	"context"
	"slices"
)

// streamer evaluates a path of child segments while it scans the text.
type streamer struct {
	b        []byte
	segments []segment
	visit    func(Value, *Location) bool
	at       Location
	tick     ticker
	stopped  bool
}

func (d *Document) stream(ctx context.Context, p *Path, visit func(Value, *Location) bool) error {
	s := &streamer{b: d.b, segments: p.segments, visit: visit, at: Location{b: d.b}, tick: ticker{ctx: ctx}}
	s.value(0, skipSpace(d.b, 0), false)
	return s.tick.err
}

// value applies the segments from seg on to the value at i. It gives the end
// of the value; an unspecified place when the end is not needed, or when the
// selection has stopped.
func (s *streamer) value(seg, i int, needEnd bool) int {
	if seg == len(s.segments) {
		end := skipValue(s.b, i)
		s.stopped = s.tick.stop(end-i) || !s.visit(Value{s.b[i:end]}, &s.at)
		return end
	}
	if i >= len(s.b) {
		return i
	}
	apply := s.member
	switch s.b[i] {
	case '{':
	case '[':
		apply = s.elements
	default:
		return skipValue(s.b, i)
	}
	end := 0
	for _, sel := range s.segments[seg].selectors {
		if s.stopped || s.tick.stop(0) {
			s.stopped = true
			return i
		}
		end = max(end, apply(seg, sel, i, needEnd))
	}
	if end == 0 && needEnd {
		end = skipValue(s.b, i)
	}
	return end
}

// member applies a selector to the object at i; 0 where it did not look for
// the end.
func (s *streamer) member(seg int, sel selector, i int, _ bool) int {
	switch sel.kind {
	case byName:
		return s.named(seg, sel.name, i)
	case byWildcard:
		return members(s.b, i, func(name, value span) bool {
			s.into(seg, step{name: name}, value.start, false)
			return !s.stopped
		})
	}
	return 0
}

// named goes into the last member of the name.
func (s *streamer) named(seg int, want wanted, i int) int {
	name, start := span{}, 0
	c := open(s.b, i)
	for c.more() {
		n := c.name()
		if want.is(s.b[n.start:n.end]) {
			name, start = n, c.i
		}
		c.i = skipValue(s.b, c.i)
	}
	if name.end > 0 {
		s.into(seg, step{name: name}, start, false)
	}
	return c.i
}

// into applies the next segment to a child.
func (s *streamer) into(seg int, st step, i int, needEnd bool) int {
	s.at.push(st)
	end := s.value(seg+1, i, needEnd)
	s.at.pop()
	return end
}

// elements applies a selector to the array at i; 0 where it did not look for
// the end.
func (s *streamer) elements(seg int, sel selector, i int, needEnd bool) int {
	switch {
	case sel.kind == byWildcard:
		return s.forward(seg, slice{step: 1}, i, needEnd)
	case sel.kind == byIndex && sel.index >= 0:
		return s.forward(seg, slice{start: sel.index, end: sel.index + 1, hasEnd: true, step: 1}, i, needEnd)
	case sel.kind == byIndex:
		return s.fromEnd(seg, -sel.index, i)
	case sel.kind == bySlice && sel.slice.step > 0 && sel.slice.start >= 0 && sel.slice.end >= 0:
		return s.forward(seg, sel.slice, i, needEnd)
	case sel.kind == bySlice:
		return s.sliced(seg, sel.slice, i)
	}
	return 0
}

// forward goes into the elements of a slice that needs no length, and leaves
// the array where the slice ends unless its end is needed.
func (s *streamer) forward(seg int, sl slice, i int, needEnd bool) int {
	c := open(s.b, i)
	next := sl.start
	for n := 0; c.more(); n++ {
		past := sl.hasEnd && n >= sl.end
		switch {
		case s.stopped || (past && !needEnd):
			return c.i
		case !past && n == next:
			next += sl.step
			c.i = s.into(seg, step{index: n}, c.i, true)
		default:
			c.i = skipValue(s.b, c.i)
		}
	}
	return c.i
}

// fromEnd goes into the element that is back places before the array's end. It
// remembers as many starts as that.
func (s *streamer) fromEnd(seg, back, i int) int {
	var few [16]int
	ring := few[:0]
	n := 0
	c := open(s.b, i)
	for ; c.more(); n++ {
		if len(ring) < back {
			ring = append(ring, c.i)
		} else {
			ring[n%back] = c.i
		}
		c.i = skipValue(s.b, c.i)
	}
	if n >= back {
		s.into(seg, step{index: n - back}, ring[n%back], false)
	}
	return c.i
}

// sliced goes into the elements of any slice, once it knows all of them.
func (s *streamer) sliced(seg int, sl slice, i int) int {
	var starts []int
	c := open(s.b, i)
	for c.more() {
		if len(starts) == cap(starts) {
			starts = slices.Grow(starts, max(64, len(starts)))
		}
		starts = append(starts, c.i)
		c.i = skipValue(s.b, c.i)
	}
	sl.each(len(starts), func(n int) bool {
		s.into(seg, step{index: n}, starts[n], false)
		return !s.stopped
	})
	return c.i
}
