package expect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/dates"
	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Capture is one value of an answer that other probes use in their requests.
type Capture struct {
	Name   string
	Secret bool // it is hidden in every output

	header string         // of header:
	path   *jsonpath.Path // of path:
	by     *jsonpath.Path // of max_by: and min_by:, relative to a node of path
	least  bool           // min_by
	layout *dates.Layout  // of what by selects; nil for numbers and text
	take   *jsonpath.Path // relative to the chosen node; nil for the node itself
}

// captureDraft is a capture while it is read.
type captureDraft struct {
	Capture
	maxBy, minBy, layoutAt, takeAt source.Node
}

type captureField = source.Field[captureDraft]

var captureTable = source.NewObject("a capture",
	captureField{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path; the first node that it selects", Decode: func(d *captureDraft, n source.Node) { d.path = readPath(n) }},
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
	case has["path"] == has["header"]:
		n.Problem(`such as {path: "$[0].id"} or {header: ETag}`, "a capture has exactly one of path and header")
	case has["max_by"] && has["min_by"]:
		d.minBy.Problem("remove one of them", "a capture has max_by or min_by, not both")
	case has["header"] && (chooses || has["take"]):
		n.Problem("remove header:, or what chooses a node", "max_by, min_by and take choose among the nodes of a path")
	case has["take"] && !chooses:
		d.takeAt.Problem("write the whole path under path:", "take: belongs to max_by: or min_by:")
	case has["layout"] && !chooses:
		d.layoutAt.Problem("", "layout: belongs to max_by: or min_by:")
	}
	d.least = !d.minBy.IsZero()
	if d.by = readRelative(d.maxBy); d.least {
		d.by = readRelative(d.minBy)
	}
	d.take = readRelative(d.takeAt)
	if d.layoutAt.IsZero() {
		return
	}
	text, ok := d.layoutAt.NonEmpty()
	if !ok {
		return
	}
	layout, err := dates.Parse(text)
	if bad, wrong := errors.AsType[*dates.LayoutError](err); wrong {
		d.layoutAt.Problem(bad.Hint, "%q is not a layout: %s", text, bad.Message)
		return
	}
	d.layout = layout
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

// NeedsJSON reports whether the value is read from the body.
func (c *Capture) NeedsJSON() bool { return c.path != nil }

// maxCaptured bounds a captured value, in bytes: what fits into a header.
const maxCaptured = 8 << 10

// Take gives the value of an answer, which is one line of text, or the mismatch
// that says why there is none. It never quotes the value. The error is the
// context's.
func (c *Capture) Take(ctx context.Context, o *Observation) (string, *Mismatch, error) {
	value, why, err := c.value(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", nil, ctx.Err()
	case err != nil:
		why = err.Error() // the text cannot be searched
	case why != "":
	case value == "":
		why = "an empty text"
	case len(value) > maxCaptured:
		why = fmt.Sprintf("a text of %d bytes, more than %d", len(value), maxCaptured)
	case !utf8.ValidString(value) || strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7f }):
		why = "a text with a line break or a control character, which no request can carry in its headers"
	default:
		return value, nil, nil
	}
	return "", c.mismatch(why), nil
}

// Unfit is the mismatch of a secret that cannot be hidden, nil where it can.
func (c *Capture) Unfit(value string) *Mismatch {
	why := secret.Unfit(value)
	if why == "" {
		return nil
	}
	return c.mismatch("a secret that " + why)
}

func (c *Capture) mismatch(why string) *Mismatch {
	where := c.header
	if c.path != nil {
		where = c.path.String()
	}
	return &Mismatch{Code: "capture", Path: &where, Severity: Fail, Want: "a value for the capture " + c.Name, Got: why}
}

func (c *Capture) value(ctx context.Context, o *Observation) (value, why string, err error) {
	if c.path == nil {
		if values := o.Header.Values(c.header); len(values) > 0 {
			return values[0], "", nil
		}
		return "", "nothing: the answer has no such header", nil
	}
	if !o.JSON {
		return "", describeBody(o), nil
	}
	doc, _ := o.json(Fail, &findings{})
	node, why, err := c.choose(ctx, doc)
	if why != "" || err != nil {
		return "", why, err
	}
	if c.take != nil {
		taken, found, err := first(ctx, node, c.take)
		if err != nil || !found {
			return "", "a node in which " + relative(c.take) + " selects nothing", err
		}
		node = taken
	}
	switch node.Kind() {
	case jsonpath.String:
		return node.Text(), "", nil
	case jsonpath.Number, jsonpath.Boolean:
		return string(node.Raw()), "", nil
	case jsonpath.Null:
		return "", "null", nil
	}
	return "", "an " + node.Kind().String() + ", which is not one value", nil
}

// relative writes a path as it is declared, from a node.
func relative(p *jsonpath.Path) string { return "@" + strings.TrimPrefix(p.String(), "$") }

// first is the first node that a path selects in a value.
func first(ctx context.Context, v jsonpath.Value, p *jsonpath.Path) (node jsonpath.Value, found bool, err error) {
	err = jsonpath.NewDocument(v.Raw()).Select(ctx, p, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		node, found = v, true
		return false
	})
	return node, found, err
}

// choose picks the node: the first one, or the one that ranks first.
func (c *Capture) choose(ctx context.Context, doc *jsonpath.Document) (best jsonpath.Value, why string, err error) {
	nodes := 0
	var rank ranking
	failed := doc.Select(ctx, c.path, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		if nodes++; c.by == nil {
			best = v
			return false
		}
		by, found, e := first(ctx, v, c.by)
		if e != nil {
			err = e
			return false
		}
		if found && rank.better(c, by) {
			best = v
		}
		return !rank.mixed
	})
	switch {
	case err != nil || failed != nil:
		return best, "", cmp.Or(err, failed)
	case nodes == 0:
		return best, nothingSelected, nil
	case rank.mixed:
		return best, "numbers and texts at " + relative(c.by) + ", which have no common order", nil
	case c.by != nil && !rank.any && c.layout != nil:
		return best, "no date as " + c.layout.String() + " at " + relative(c.by), nil
	case c.by != nil && !rank.any:
		return best, "no number or text at " + relative(c.by), nil
	}
	return best, "", nil
}

// ranking is the best value so far: a date, a number or a text.
type ranking struct {
	any    bool
	mixed  bool
	date   dates.Date
	number bool
	text   string // a number's digits, or the text
}

// better reports whether v comes before all values so far, and keeps it then.
// What is no value of the kind that is compared does not take part.
func (r *ranking) better(c *Capture, v jsonpath.Value) bool {
	next := ranking{any: true, number: v.Kind() == jsonpath.Number}
	switch v.Kind() {
	case jsonpath.String:
		next.text = v.Text()
	case jsonpath.Number:
		next.text = string(v.Raw())
	default:
		return false
	}
	order := 0
	if c.layout != nil {
		date, ok := c.layout.Read(next.text, time.UTC)
		if !ok {
			return false
		}
		next.date = date
		order = date.At.Compare(r.date.At)
	} else if r.any && r.number != next.number {
		r.mixed = true
		return false
	} else if next.number {
		order = decimalOrder(next.text, r.text)
	} else {
		order = strings.Compare(next.text, r.text)
	}
	if r.any && (order <= 0 && !c.least || order >= 0 && c.least) {
		return false
	}
	*r = next
	return true
}

func decimalOrder(a, b string) int {
	if b == "" {
		return 0
	}
	return decimal.Compare(a, b)
}
