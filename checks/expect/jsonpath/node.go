package jsonpath

// Node is one value of an indexed document, for those who walk the whole of it.
type Node struct {
	d *Document
	i uint32
}

// Root is the value of the whole text. It builds the index; the error is that
// of Index.
func (d *Document) Root() (Node, error) {
	err := d.Index()
	return Node{d: d}, err
}

// IsZero reports whether the node stands nowhere.
func (n Node) IsZero() bool { return n.d == nil }

// ID tells the nodes of one document apart.
func (n Node) ID() uint32 { return n.i }

// Value is the node's text.
func (n Node) Value() Value { return n.d.at(n.i) }

// Kind is the node's type.
func (n Node) Kind() Kind { return n.Value().Kind() }

// Members calls visit with every member of an object, without the shadowed
// ones, until it returns false. For anything else it does nothing.
func (n Node) Members(visit func(name Value, value Node) bool) {
	if n.d.first(n.i) == '{' {
		n.d.members(n.i, func(name, value uint32) bool { return visit(n.d.at(name), Node{n.d, value}) })
	}
}

// Elements calls visit with every element of an array until it returns false.
// For anything else it does nothing.
func (n Node) Elements(visit func(i int, element Node) bool) {
	if n.d.first(n.i) == '[' {
		n.d.elements(n.i, func(i int, element uint32) bool { return visit(i, Node{n.d, element}) })
	}
}

// Member is the member of an object that has the name.
func (n Node) Member(name string) (Node, bool) {
	if n.d.first(n.i) != '{' {
		return Node{}, false
	}
	m, ok := n.d.child(n.i, &selector{kind: byName, name: wanted{name: name, replaced: true}})
	return Node{n.d, m}, ok
}

// Element is an element of an array, counted from 0.
func (n Node) Element(i int) (Node, bool) {
	if i < 0 || n.d.first(n.i) != '[' {
		return Node{}, false
	}
	m, ok := n.d.child(n.i, &selector{kind: byIndex, index: i})
	return Node{n.d, m}, ok
}

// Count is the number of members or elements of a container, else 0.
func (n Node) Count() int {
	switch n.d.first(n.i) {
	case '[':
		return n.d.count(n.i)
	case '{':
		total := 0
		n.d.members(n.i, func(uint32, uint32) bool { total++; return true })
		return total
	}
	return 0
}

// Location finds where the node is. It looks for it from the root on, so that
// nobody has to remember the way: for the few nodes that are reported.
func (n Node) Location() *Location { return n.d.locate(n.i) }

// locate finds the place of a value, shadowed or not.
func (d *Document) locate(n uint32) *Location {
	l := &Location{b: d.b}
	for at := uint32(0); at != n; {
		m, i, isObject := at+1, 0, d.first(at) == '{'
		for ; m < d.nodes[at].next; i++ {
			child := m
			if isObject {
				child++
			}
			if n >= child && n < d.nodes[child].next {
				st := step{index: i}
				if isObject {
					st = step{name: span{int(d.nodes[m].start), int(d.nodes[m].end)}}
				}
				l.push(st)
				m = child
				break
			}
			m = d.nodes[child].next
		}
		if m >= d.nodes[at].next {
			return l
		}
		at = m
	}
	return l
}
