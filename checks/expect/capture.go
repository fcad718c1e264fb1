package expect

import (
	"errors"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/expect/dates"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Capture is one value of an answer that other probes use in their requests.
type Capture struct {
	Name   string
	Secret bool // it is hidden in every output

	header string         // of header:
	path   *jsonpath.Path // of path:
	xpath  *bodies.XPath  // of xpath:
	by     *jsonpath.Path // of max_by: and min_by:, relative to a node of path
	least  bool           // min_by
	layout *dates.Layout  // of what by selects; nil for numbers and text
	take   *jsonpath.Path // relative to the chosen node; nil for the node itself
}

// captureDraft is a capture while it is read.
type captureDraft struct {
	Capture
	xpathAt, spacesAt              source.Node
	maxBy, minBy, layoutAt, takeAt source.Node
}

type captureField = source.Field[captureDraft]

var captureTable = source.NewObject("a capture",
	captureField{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path; the first node that it selects", Decode: func(d *captureDraft, n source.Node) { d.path = readPath(n) }},
	captureField{Name: "xpath", Form: source.SomeText, Doc: "an XPath 1.0 expression, such as //item/@id; the first node that it selects, or its value", Decode: func(d *captureDraft, n source.Node) { d.xpathAt = n }},
	captureField{Name: "namespaces", Form: namespacesForm, Doc: "the URI of each prefix in xpath", Decode: func(d *captureDraft, n source.Node) { d.spacesAt = n }},
	captureField{Name: "header", Form: source.SomeText, Doc: "the name of a response header", Decode: func(d *captureDraft, n source.Node) {
		v, ok := n.NonEmpty()
		source.Optional(&d.header, v, ok)
	}},
	captureField{Name: "max_by", Form: nodePathForm, Doc: "choose the node whose value here is the greatest: a path from the node, such as @.data", Decode: func(d *captureDraft, n source.Node) { d.maxBy = n }},
	captureField{Name: "min_by", Form: nodePathForm, Doc: "choose the node whose value here is the least", Decode: func(d *captureDraft, n source.Node) { d.minBy = n }},
	captureField{Name: "layout", Form: source.SomeText, Doc: "how the dates of max_by or min_by are written, such as DD/MM/YYYY", Decode: func(d *captureDraft, n source.Node) { d.layoutAt = n }},
	captureField{Name: "take", Form: nodePathForm, Doc: "what of the chosen node is captured: a path from it, such as @.id", Decode: func(d *captureDraft, n source.Node) { d.takeAt = n }},
	captureField{Name: "secret", Form: source.Flag, Doc: "true: the value is hidden in every output", Decode: func(d *captureDraft, n source.Node) {
		v, ok := n.Bool()
		source.Optional(&d.Secret, v, ok)
	}},
)

// DecodeCapture reads one capture. Its problems are reported; what it gives is
// not to be used then.
func DecodeCapture(name string, n source.Node) *Capture {
	d := &captureDraft{Capture: Capture{Name: name}}
	if !captureTable.Decode(n, d) {
		return &d.Capture
	}
	d.settle(n)
	return &d.Capture
}

func (d *captureDraft) settle(n source.Node) {
	pairs, _ := n.Pairs()
	has := map[string]bool{}
	for _, p := range pairs {
		has[p.Key] = true
	}
	chooses := has["max_by"] || has["min_by"]
	switch {
	case count(has["path"], has["xpath"], has["header"]) != 1:
		n.Problem(`such as {path: "$[0].id"}, {xpath: //item/@id} or {header: ETag}`, "a capture has exactly one of path, xpath and header")
	case has["namespaces"] && !has["xpath"]:
		d.spacesAt.Problem("", "namespaces: belongs to xpath:")
	case has["xpath"] && (chooses || has["take"]):
		n.Problem("choose within the expression, such as //item[@type='a'][last()]/@id", "max_by, min_by and take choose among the nodes of a JSON path")
	case has["max_by"] && has["min_by"]:
		d.minBy.Problem("remove one of them", "a capture has max_by or min_by, not both")
	case has["header"] && (chooses || has["take"]):
		n.Problem("remove header:, or what chooses a node", "max_by, min_by and take choose among the nodes of a path")
	case has["take"] && !chooses:
		d.takeAt.Problem("write the whole path under path:", "take: belongs to max_by: or min_by:")
	case has["layout"] && !chooses:
		d.layoutAt.Problem("", "layout: belongs to max_by: or min_by:")
	}
	if !d.xpathAt.IsZero() {
		d.xpath = readXPath(d.xpathAt, readNamespaces(d.spacesAt), `XPath 1.0; prefixes are declared beside it: namespaces: {atom: http://…}`)
	}
	d.least = !d.minBy.IsZero()
	if d.by = readRelative(d.maxBy); d.least {
		d.by = readRelative(d.minBy)
	}
	d.take = readRelative(d.takeAt)
	d.layout = readLayout(d.layoutAt)
}

// readLayout reads how dates are written; a zero node is no layout.
func readLayout(n source.Node) *dates.Layout {
	if n.IsZero() {
		return nil
	}
	text, ok := n.NonEmpty()
	if !ok {
		return nil
	}
	layout, err := dates.Parse(text)
	if bad, wrong := errors.AsType[*dates.LayoutError](err); wrong {
		n.Problem(bad.Hint, "%q is not a layout: %s", text, bad.Message)
		return nil
	}
	return layout
}

// count is how many of them are there.
func count(there ...bool) (n int) {
	for _, is := range there {
		if is {
			n++
		}
	}
	return n
}

// readRelative reads a path from a chosen node, which is written @ as in a
// filter, or $; a zero node is no path.
func readRelative(n source.Node) *jsonpath.Path {
	if n.IsZero() {
		return nil
	}
	text, ok := n.NonEmpty()
	if !ok {
		return nil
	}
	rest, isNode := strings.CutPrefix(text, "@")
	if isNode {
		text = "$" + rest
	}
	path, err := jsonpath.Parse(text)
	if bad, isSyntax := errors.AsType[*jsonpath.SyntaxError](err); isSyntax {
		n.Problem("a path from the chosen node, such as @.data", "%q is not a path from a node: %v", text, bad)
		return nil
	}
	return path
}

// NeedsJSON reports whether the value is read from the body as JSON.
func (c *Capture) NeedsJSON() bool { return c.path != nil }

// NeedsXML reports whether the value is read from the body as XML.
func (c *Capture) NeedsXML() bool { return c.xpath != nil }
