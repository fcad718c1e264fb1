package jsonpath

import "context"

// Fits reports whether a document still has the form that a path is meant for,
// wherever the path selects nothing of it: the way ends at a node that empty
// calls empty, at an array that is too short, at a search that finds nothing,
// or at an object without the member that the path ends with. A member that is
// missing in the middle of the path, and a value that is no object or array
// where the path goes on, do not fit. The error is the context's.
func (d *Document) Fits(ctx context.Context, p *Path, empty func(Value) bool) (bool, error) {
	if err := d.Index(); err != nil {
		return false, err
	}
	w := &walker{doc: d, shared: &shared{tick: ticker{ctx: ctx}}}
	fits := true
	for i := range p.segments {
		seg, last := p.segments[i:i+1], i == len(p.segments)-1
		w.nodes(&query{segments: p.segments[:i]}, 0, func(n uint32) bool {
			selects := false
			w.nodes(&query{relative: true, segments: seg}, n, func(uint32) bool { selects = true; return false })
			fits = selects || empty(d.at(n)) || seg[0].mayMiss(d.at(n).Kind(), last)
			return fits
		})
		if !fits || w.tick.err != nil {
			break
		}
	}
	return fits, w.tick.err
}

// mayMiss reports whether a segment that selects nothing of a node of a kind,
// which is not empty, says no more than that there is no data.
func (s segment) mayMiss(k Kind, last bool) bool {
	if s.descendant {
		return last && (k == Object || k == Array)
	}
	for _, sel := range s.selectors {
		switch sel.kind {
		case byName:
			if last && k == Object {
				return true
			}
		case byIndex, bySlice:
			if k == Array {
				return true
			}
		case byFilter:
			if k == Object || k == Array {
				return true
			}
		}
	}
	return false
}
