package jsonpath

// node is one value of the text, or one name. Nodes stand in document order:
// the first child of a container comes right after it, the value of a member
// right after its name.
type node struct {
	start, end uint32
	next       uint32 // the node after this one and all that is in it
}

func (d *Document) at(n uint32) Value {
	return Value{d.b[d.nodes[n].start:d.nodes[n].end]}
}

// first is a node's first byte, 0 for a text that has none.
func (d *Document) first(n uint32) byte {
	if d.nodes[n].start == d.nodes[n].end {
		return 0
	}
	return d.b[d.nodes[n].start]
}

// build makes the nodes in one pass.
func (d *Document) build() {
	d.nodes = make([]node, 0, len(d.b)/8+1)
	var open []uint32
	for i := skipSpace(d.b, 0); i < len(d.b); {
		start := i
		switch d.b[i] {
		case ' ', '\n', '\t', '\r', ',', ':':
			i++
			continue
		case '{', '[':
			open = append(open, uint32(len(d.nodes)))
			i++
		case '}', ']':
			i++
			if len(open) > 0 {
				d.close(open[len(open)-1], i)
				open = open[:len(open)-1]
			}
			continue
		default:
			i = skipValue(d.b, i)
		}
		d.nodes = append(d.nodes, node{start: uint32(start), end: uint32(i), next: uint32(len(d.nodes) + 1)})
	}
	for _, n := range open {
		d.close(n, len(d.b))
	}
	if len(d.nodes) == 0 {
		d.nodes = append(d.nodes, node{next: 1})
	}
}

// close ends a container and finds the names that come again in it.
func (d *Document) close(n uint32, end int) {
	d.nodes[n].end, d.nodes[n].next = uint32(end), uint32(len(d.nodes))
	if d.b[d.nodes[n].start] != '{' {
		return
	}
	var few [16]span
	var fewAt [16]uint32
	names, at := few[:0], fewAt[:0]
	for m := n + 1; m+1 < d.nodes[n].next; m = d.nodes[m+1].next {
		names, at = append(names, span{int(d.nodes[m].start), int(d.nodes[m].end)}), append(at, m)
	}
	shadowed(d.b, names, func(i int) {
		if d.hidden == nil {
			d.hidden = map[uint32]bool{}
		}
		d.hidden[at[i]] = true
	})
}

// members calls visit with the nodes of every member of an object, without the
// shadowed ones, until it returns false.
func (d *Document) members(n uint32, visit func(name, value uint32) bool) {
	for m := n + 1; m+1 < d.nodes[n].next; m = d.nodes[m+1].next {
		if (d.hidden == nil || !d.hidden[m]) && !visit(m, m+1) {
			return
		}
	}
}

// elements calls visit with every element of an array until it returns false.
func (d *Document) elements(n uint32, visit func(i int, element uint32) bool) {
	i := 0
	for m := n + 1; m < d.nodes[n].next; m = d.nodes[m].next {
		if !visit(i, m) {
			return
		}
		i++
	}
}

// count is the number of elements of an array.
func (d *Document) count(n uint32) int {
	total := 0
	for m := n + 1; m < d.nodes[n].next; m = d.nodes[m].next {
		total++
	}
	return total
}

// child gives the node that a name or an index selects in a node.
func (d *Document) child(n uint32, sel *selector) (found uint32, ok bool) {
	switch {
	case sel.kind == byName && d.first(n) == '{':
		d.members(n, func(name, value uint32) bool {
			if sel.name.is(d.at(name).raw) {
				found, ok = value, true
			}
			return !ok
		})
	case sel.kind == byIndex && d.first(n) == '[':
		want := sel.index
		if want < 0 {
			want += d.count(n)
		}
		d.elements(n, func(i int, element uint32) bool {
			if i == want {
				found, ok = element, true
			}
			return i < want
		})
	}
	return found, ok
}
