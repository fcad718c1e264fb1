package checks

import "github.com/fonteviva/fonteviva/checks/source"

// maxRaw bounds the entries of one block that other rooms read: aliases in
// aliases can make a small file a large tree.
const maxRaw = 10_000

// raw reads a block whose keys another room knows.
func (l *loader) raw(n source.Node, what string) []Raw {
	left := maxRaw
	children := rawChildren(n, &left)
	if left < 0 {
		n.Problem("write out what is meant instead of aliases", "%s: holds more than %d entries", what, maxRaw)
		return nil
	}
	return children
}

func rawChildren(n source.Node, left *int) []Raw {
	pairs, ok := n.Pairs()
	if !ok {
		return nil
	}
	list := make([]Raw, 0, len(pairs))
	for _, p := range pairs {
		r := Raw{Key: p.Key, Node: p.Value, KeyNode: p.KeyAt}
		r.fill(left)
		if *left < 0 {
			return nil
		}
		list = append(list, r)
	}
	return list
}

// fill reads the value: a scalar as it is written, null as "", the items of a
// list as children without a key.
func (r *Raw) fill(left *int) {
	if *left--; *left < 0 {
		return
	}
	switch {
	case r.Node.IsMapping():
		r.Children = rawChildren(r.Node, left)
	case r.Node.IsList():
		items, _ := r.Node.Items()
		for _, item := range items {
			child := Raw{Node: item, KeyNode: r.KeyNode}
			child.fill(left)
			if *left < 0 {
				return
			}
			r.Children = append(r.Children, child)
		}
	case !r.Node.IsNull():
		r.Value, _ = r.Node.String()
	}
}
