package bodies

import (
	"context"

	"github.com/antchfx/xpath"
)

// navigator walks the tree for the XPath library; attr is the attribute of the
// node that it stands on, -1 for the node itself.
type navigator struct {
	doc  *XML
	node int32
	attr int
	*walk
}

// walk is what all navigators of one evaluation share.
type walk struct {
	ctx         context.Context
	steps, most int
}

// step counts one, and ends the evaluation when there have been too many.
func (w *walk) step() {
	if w.steps++; w.steps&0x3ff != 0 {
		return
	}
	if err := w.ctx.Err(); err != nil {
		panic(stop{err})
	}
	if w.steps > w.most {
		panic(stop{ErrCost})
	}
}

func (n *navigator) at() *xmlNode { return &n.doc.nodes[n.node] }

// NodeType, LocalName, Prefix, NamespaceURL and Value describe where it stands.
func (n *navigator) NodeType() xpath.NodeType {
	if n.attr >= 0 {
		return xpath.AttributeNode
	}
	return [...]xpath.NodeType{xpath.RootNode, xpath.ElementNode, xpath.TextNode, xpath.CommentNode}[n.at().kind]
}

func (n *navigator) LocalName() string {
	if n.attr >= 0 {
		return n.at().attrs[n.attr].Name.Local
	}
	return n.at().name.Local
}

// Prefix tells the library, which compares prefixes where an expression has
// none, that a name is of a namespace: a name without a prefix is of none
// (XPath 1.0 §2.3).
func (n *navigator) Prefix() string {
	if n.NamespaceURL() != "" {
		return "ns"
	}
	return ""
}

func (n *navigator) NamespaceURL() string {
	if n.attr >= 0 {
		if space := n.at().attrs[n.attr].Name.Space; space != "xml" {
			return space
		}
		return "http://www.w3.org/XML/1998/namespace"
	}
	return n.at().name.Space
}

func (n *navigator) Value() string {
	n.step()
	if n.attr >= 0 {
		return n.at().attrs[n.attr].Value
	}
	return n.doc.value(n.node)
}

// Copy gives another one at the same place.
func (n *navigator) Copy() xpath.NodeNavigator {
	other := *n
	return &other
}

// The moves report whether there is such a place.

func (n *navigator) MoveToRoot() { n.node, n.attr = 0, -1 }

func (n *navigator) MoveToParent() bool {
	n.step()
	if n.attr >= 0 {
		n.attr = -1
		return true
	}
	if n.node == 0 {
		return false
	}
	n.node = n.at().parent
	return true
}

func (n *navigator) MoveToNextAttribute() bool {
	n.step()
	if n.attr+1 >= len(n.at().attrs) {
		return false
	}
	n.attr++
	return true
}

func (n *navigator) MoveToChild() bool { return n.attr < 0 && n.move(n.at().first) }

func (n *navigator) MoveToFirst() bool {
	if n.attr >= 0 || n.at().prev == 0 {
		return false
	}
	return n.move(n.doc.nodes[n.at().parent].first)
}

func (n *navigator) MoveToNext() bool { return n.attr < 0 && n.move(n.at().next) }

func (n *navigator) MoveToPrevious() bool { return n.attr < 0 && n.move(n.at().prev) }

func (n *navigator) move(to int32) bool {
	n.step()
	if to > 0 {
		n.node = to
	}
	return to > 0
}

// MoveTo goes where another one of the same document stands.
func (n *navigator) MoveTo(other xpath.NodeNavigator) bool {
	o, ok := other.(*navigator)
	if !ok || o.doc != n.doc {
		return false
	}
	n.node, n.attr = o.node, o.attr
	return true
}
