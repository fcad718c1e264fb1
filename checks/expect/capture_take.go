package expect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/expect/dates"
	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/secret"
)

// maxCaptured bounds a captured value, in bytes: what fits into a header.
const maxCaptured = 8 << 10

// Take gives the value of an answer, which is one line of text, or the mismatch
// that says why there is none. It never quotes the value. The error is the
// context's, or wraps ErrLimit where we do not follow how the value is found.
func (c *Capture) Take(ctx context.Context, o *Observation) (string, *Mismatch, error) {
	value, why, err := c.value(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil:
		return "", nil, ctx.Err()
	case errors.Is(err, bodies.ErrCost), bodies.Ours(err):
		return "", nil, fmt.Errorf("%w: %w", ErrLimit, err)
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
	switch {
	case c.path != nil:
		where = c.path.String()
	case c.xpath != nil:
		where = c.xpath.String()
	}
	return &Mismatch{Code: "capture", Path: &where, Severity: Fail, Want: "a value for the capture " + c.Name, Got: why}
}

func (c *Capture) value(ctx context.Context, o *Observation) (value, why string, err error) {
	switch {
	case c.xpath != nil:
		return c.ofXML(ctx, o)
	case c.path == nil:
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

// ofXML gives the text of the first node, or the value, of an expression.
// Blanks around it are how XML is laid out, and no part of it.
func (c *Capture) ofXML(ctx context.Context, o *Observation) (value, why string, err error) {
	doc, err := o.xml()
	switch {
	case bodies.Ours(err):
		return "", "", err
	case err != nil:
		return "", err.Error(), nil
	}
	found, number := false, true
	err = doc.Select(ctx, c.xpath, func(s bodies.Selected) bool {
		value, found = strings.TrimSpace(s.Text), true
		number = s.Number || s.Bool || !c.xpath.Singular()
		return false
	})
	switch {
	case err != nil:
		return "", "", err
	case !found && doc.Namespace() != "":
		return "", nothingSelected + inNamespace(doc), nil
	case !found:
		return "", nothingSelected, nil
	case !number && slices.Contains(notNumbers, value):
		return "", value + ", which is not a number", nil
	}
	return value, "", nil
}

// notNumbers are what a number of XPath is that cannot be written down, such as
// number() of no node.
var notNumbers = []string{"NaN", "Infinity", "-Infinity", "+Inf", "-Inf"}

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
