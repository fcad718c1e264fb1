package source

// Apart gives cursors on the same nodes whose problems go to a collector of
// their own, so that a part of a long list can be decoded beside the others;
// rejoin lets what is found later go to the document's collector again.
func Apart(items []Node, c *Collector) (apart []Node, rejoin func()) {
	copies := map[*File]*File{}
	apart = make([]Node, len(items))
	for i, n := range items {
		f := copies[n.f]
		if f == nil {
			f = new(*n.f)
			f.c = c
			copies[n.f] = f
		}
		apart[i] = Node{y: n.y, f: f}
	}
	return apart, func() {
		for from, f := range copies {
			f.c = from.c
		}
	}
}
