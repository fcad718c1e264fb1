package bodies

import (
	"cmp"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/antchfx/xpath"
)

// XPath is a compiled XPath 1.0 expression. It never changes.
type XPath struct {
	text       string
	namespaces map[string]string
	nodes      bool
}

// ParseXPath compiles an expression; namespaces are the URIs of its prefixes.
func ParseXPath(text string, namespaces map[string]string) (x *XPath, err error) {
	x = &XPath{text: text, namespaces: maps.Clone(namespaces)}
	if x.namespaces == nil {
		x.namespaces = map[string]string{}
	}
	x.namespaces["xml"] = "http://www.w3.org/XML/1998/namespace"
	// The library ignores what follows an expression; in brackets it cannot.
	if _, err := (&XPath{text: "(" + text + ")", namespaces: x.namespaces}).compile(); err != nil {
		return nil, err
	}
	expr, err := x.compile()
	if err != nil {
		return nil, err
	}
	// What an expression gives does not depend on the document.
	result, err := (&XML{nodes: make([]xmlNode, 1)}).run(context.Background(), maxSteps, expr, func(Selected) bool { return true })
	x.nodes = result
	if err != nil && !errors.Is(err, errEvaluation) {
		return nil, err
	}
	return x, nil
}

// compile makes the library's expression; it keeps state, and serves one
// evaluation. The library panics on some wrong expressions.
func (x *XPath) compile() (expr *xpath.Expr, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%v", p)
		}
	}()
	return xpath.CompileWithNS(x.text, x.namespaces)
}

// String is the expression as it was written.
func (x *XPath) String() string { return x.text }

// Singular reports whether the expression gives one value, such as count(//a),
// rather than nodes.
func (x *XPath) Singular() bool { return !x.nodes }

// Selected is what an expression gives: a node, or a value.
type Selected struct {
	Text   string // the string-value of a node, or a string
	Number bool   // Text is a number
	Bool   bool   // Text is true or false
	doc    *XML
	node   int32
	attr   int
}

var errEvaluation = errors.New("the expression cannot be evaluated")

// ErrCost is our own limit: an expression looks at too much.
var ErrCost = errors.New("the expression costs more than 20 million steps")

const maxSteps = 20_000_000

// Select calls visit with what the expression gives, in the order of the
// document, until it returns false. The error is the context's, ErrCost, or
// says that the expression fits no such document.
func (x *XML) Select(ctx context.Context, path *XPath, visit func(Selected) bool) error {
	return x.selectWithin(ctx, maxSteps, path, visit)
}

func (x *XML) selectWithin(ctx context.Context, steps int, path *XPath, visit func(Selected) bool) error {
	expr, err := path.compile()
	if err != nil {
		return err
	}
	_, err = x.run(ctx, steps, expr, visit)
	return err
}

// stop is what a walk that has to end panics with: the library knows no
// context.
type stop struct{ err error }

func (x *XML) run(ctx context.Context, steps int, expr *xpath.Expr, visit func(Selected) bool) (nodes bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case stop:
			err = p.err
		default:
			err = fmt.Errorf("%w: %v", errEvaluation, p)
		}
	}()
	nav := &navigator{doc: x, attr: -1, walk: &walk{ctx: ctx, most: steps}}
	switch result := expr.Evaluate(nav).(type) {
	case bool:
		visit(Selected{Text: strconv.FormatBool(result), Bool: true})
	case float64:
		visit(Selected{Text: formatNumber(result), Number: !math.IsNaN(result) && !math.IsInf(result, 0)})
	case string:
		visit(Selected{Text: result})
	case *xpath.NodeIterator:
		x.inOrder(result, visit)
		return true, nil
	}
	return false, nil
}

// inOrder visits nodes in the order of the document, each once: the library
// gives the parts of a union one after the other, and some axes backwards.
func (x *XML) inOrder(nodes *xpath.NodeIterator, visit func(Selected) bool) {
	var list []Selected
	for nodes.MoveNext() {
		at := nodes.Current().(*navigator)
		list = append(list, Selected{doc: x, node: at.node, attr: at.attr})
	}
	slices.SortFunc(list, func(a, b Selected) int { return cmp.Or(cmp.Compare(a.node, b.node), cmp.Compare(a.attr, b.attr)) })
	for _, s := range slices.CompactFunc(list, func(a, b Selected) bool { return a.node == b.node && a.attr == b.attr }) {
		s.Text = x.value(s.node)
		if s.attr >= 0 {
			s.Text = x.nodes[s.node].attrs[s.attr].Value
		}
		if !visit(s) {
			return
		}
	}
}

func formatNumber(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// Path is where a selected node is: /feed/entry[2]/@id. It is "" for a value.
func (s Selected) Path() string {
	if s.doc == nil {
		return ""
	}
	var parts []string
	if s.attr >= 0 {
		parts = append(parts, "/@"+s.doc.nodes[s.node].attrs[s.attr].Name.Local)
	}
	for id := s.node; id > 0; id = s.doc.nodes[id].parent {
		parts = append(parts, s.doc.step(id))
	}
	if len(parts) == 0 {
		return "/"
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

// step names a node among its siblings; its number is left out where it is the
// only one of its name.
func (x *XML) step(id int32) string {
	n := &x.nodes[id]
	name := map[xmlKind]string{xmlText: "text()", xmlComment: "comment()"}[n.kind]
	if n.kind == xmlElement {
		name = n.name.Local
	}
	same := func(other int32) bool {
		return x.nodes[other].kind == n.kind && x.nodes[other].name.Local == n.name.Local
	}
	number, alone := 1, true
	for other := n.prev; other > 0; other = x.nodes[other].prev {
		if same(other) {
			number, alone = number+1, false
		}
	}
	for other := n.next; other > 0 && alone; other = x.nodes[other].next {
		alone = !same(other)
	}
	if alone {
		return "/" + name
	}
	return "/" + name + "[" + strconv.Itoa(number) + "]"
}

// Namespace is that of the document's element; "" for none.
func (x *XML) Namespace() string { return x.element().Space }

// IsPage reports whether the document is a page, which HTML that is well-formed
// is too: what a portal shows people in the place of data.
func (x *XML) IsPage() bool { return strings.EqualFold(x.element().Local, "html") }

// element is the name of the document's element.
func (x *XML) element() xml.Name {
	for i := range x.nodes {
		if x.nodes[i].kind == xmlElement {
			return x.nodes[i].name
		}
	}
	return xml.Name{}
}
