package jsonpath

import (
	"bytes"
	"context"
	"maps"
	"slices"
)

// Duplicates calls visit with the place of every name that comes again in its
// object, once for each time but the last, until it returns false. A text
// without any is only scanned; it ends with the context's error when that ends
// first.
func (d *Document) Duplicates(ctx context.Context, visit func(at *Location) bool) error {
	if !d.ready.Load() {
		again, err := repeats(ctx, d.b)
		if err != nil || !again {
			return err
		}
	}
	if err := d.Index(); err != nil {
		return err
	}
	for _, n := range slices.Sorted(maps.Keys(d.hidden)) {
		if !visit(d.locate(n + 1)) {
			break
		}
	}
	return ctx.Err()
}

// object is one that is open while a text is scanned.
type object struct {
	first   int  // its first name, among those of all open objects
	isArray bool // it is none
}

// repeats reports whether a name comes twice in an object.
func repeats(ctx context.Context, b []byte) (bool, error) {
	var names []span
	var open []object
	tick := ticker{ctx: ctx}
	value := true // the next string is no name
	for i := 0; i < len(b); {
		switch c := b[i]; c {
		case '{', '[':
			open = append(open, object{first: len(names), isArray: c == '['})
			value = c == '['
		case '}', ']':
			if tick.stop(1) {
				return false, tick.err
			}
			if len(open) == 0 {
				return false, nil
			}
			first := open[len(open)-1].first
			if twice(b, names[first:]) {
				return true, nil
			}
			names, open = names[:first], open[:len(open)-1]
		case ':':
			value = true
		case ',':
			value = len(open) > 0 && open[len(open)-1].isArray
		case '"':
			end := skipString(b, i)
			if !value {
				names = append(names, span{i, end})
			}
			i = end
			continue
		}
		i++
	}
	return false, nil
}

// twice reports whether a name is there again. Names without escapes are the
// same when their bytes are.
func twice(b []byte, names []span) bool {
	again, escaped := false, false
	for _, n := range names {
		escaped = escaped || bytes.IndexByte(b[n.start:n.end], '\\') >= 0
	}
	if escaped || len(names) > 16 {
		shadowed(b, names, func(int) { again = true })
		return again
	}
	for i, n := range names {
		for _, later := range names[i+1:] {
			if bytes.Equal(b[n.start:n.end], b[later.start:later.end]) {
				return true
			}
		}
	}
	return false
}
