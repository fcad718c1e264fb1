package expect

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// xpathExpectation is the xpath: key: a list of assertions, or {namespaces,
// assertions}.
type xpathExpectation []*assertion

// xpathDraft is xpath: while it is read.
type xpathDraft struct {
	namespaces map[string]string
	assertions source.Node
}

var xpathTable = source.NewObject("xpath",
	source.Field[xpathDraft]{Name: "namespaces", Form: namespacesForm, Doc: "the URI of each prefix", Decode: func(d *xpathDraft, n source.Node) { d.namespaces = readNamespaces(n) }},
	source.Field[xpathDraft]{Name: "assertions", Form: xpathListForm, Doc: "a list of paths and matchers", Required: true,
		Decode: func(d *xpathDraft, n source.Node) { d.assertions = n }},
)

// readNamespaces reads the URIs of prefixes; a zero node has none.
func readNamespaces(n source.Node) map[string]string {
	if n.IsZero() {
		return nil
	}
	pairs, _ := n.Pairs()
	spaces := make(map[string]string, len(pairs))
	for _, p := range pairs {
		uri, ok := p.Value.NonEmpty()
		if p.Key == "" || p.Key == "xml" || strings.ContainsAny(p.Key, ": ") {
			p.KeyAt.Problem("such as atom: http://www.w3.org/2005/Atom", "%s cannot be a prefix", strconv.Quote(p.Key))
		} else if ok {
			spaces[p.Key] = uri
		}
	}
	return spaces
}

func decodeXPath(s *Spec, n source.Node) {
	s.xml = true
	d := xpathDraft{assertions: n}
	if n.IsMapping() {
		d.assertions = source.Node{}
		xpathTable.Decode(n, &d)
	}
	if d.assertions.IsZero() {
		return
	}
	items, ok := d.assertions.Items()
	if !ok {
		return
	}
	if len(items) == 0 {
		d.assertions.Problem(`such as - {path: "//entry", length: {min: 1}}`, "the list of assertions is empty")
	}
	table := d.assertionTable()
	var list xpathExpectation
	for _, item := range items {
		list = append(list, decodeAssertion(table, item))
	}
	s.add(list)
}

const prefixHint = "XPath 1.0; prefixes are declared: xpath: {namespaces: {atom: http://…}, assertions: […]}"

// assertionTable is the table of the assertions, whose paths use the declared
// prefixes.
func (d *xpathDraft) assertionTable() *source.Object[assertion] {
	return source.NewObject("an xpath assertion", assertionFields(source.Field[assertion]{
		Name: "path", Form: source.SomeText, Doc: "an XPath 1.0 expression, such as //entry/@id", Required: true,
		Decode: func(a *assertion, n source.Node) { a.xpath = readXPath(n, d.namespaces, prefixHint) }})...)
}

// readXPath reads an expression; hint says where its prefixes are declared.
func readXPath(n source.Node, namespaces map[string]string, hint string) *bodies.XPath {
	text, ok := n.NonEmpty()
	if !ok {
		return nil
	}
	path, err := bodies.ParseXPath(text, namespaces)
	if err != nil {
		n.Problem(hint, "%s is not an XPath expression: %v", strconv.Quote(text), err)
	}
	return path
}

func (list xpathExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	doc, err := o.xml()
	if err != nil {
		m := Mismatch{Code: "xpath", Severity: jsonExpectation(list).severity(), Want: "one XML document", Got: err.Error()}
		if bodies.Ours(err) {
			f.short(m, err)
		} else {
			f.add(m)
		}
		return
	}
	for _, a := range list {
		before := len(f.list)
		if err := a.evaluate(a.selectXML(ctx, doc), f); err != nil {
			if ctx.Err() != nil {
				return
			}
			path := a.xpath.String()
			m := Mismatch{Code: "xpath", Path: &path, Severity: a.severity, Want: "an answer that the expression can judge", Got: err.Error()}
			if errors.Is(err, bodies.ErrCost) {
				f.short(m, err)
			} else {
				f.add(m)
			}
		}
		f.explainNamespace(doc, before)
	}
}

// explainNamespace says why a path without prefixes selects nothing of a
// document that is in a namespace: the usual mistake.
func (f *findings) explainNamespace(doc *bodies.XML, from int) {
	for i, m := range f.list[from:] {
		if strings.HasPrefix(m.Got, nothingSelected) && doc.Namespace() != "" {
			f.list[from+i].Got = f.text(m.Got + inNamespace(doc))
		}
	}
}

func inNamespace(doc *bodies.XML) string {
	return "; the document is of the namespace " + doc.Namespace()
}

// xml is the body as XML, parsed once for all who evaluate it.
func (o *Observation) xml() (*bodies.XML, error) {
	o.xmlOnce.Do(func() { o.xmlDoc, o.xmlErr = bodies.ParseXML(o.Body) })
	return o.xmlDoc, o.xmlErr
}

// selectXML gives the nodes of an XML document: their text as a JSON string,
// and as a number where it is one.
func (a *assertion) selectXML(ctx context.Context, doc *bodies.XML) selection {
	return func(visit func(v, number jsonpath.Value, at place)) error {
		return doc.Select(ctx, a.xpath, func(s bodies.Selected) bool {
			number, isNumber := jsonpath.ParseNumber(strings.TrimSpace(s.Text))
			v := jsonpath.NewString(s.Text)
			switch {
			case s.Number && isNumber:
				v = number
			case s.Bool:
				v = jsonpath.NewBool(s.Text == "true")
				number = v
			case !isNumber:
				number = v
			}
			visit(v, number, xmlPlace{s, a})
			return true
		})
	}
}

// xmlPlace is where a node of an XML document is.
type xmlPlace struct {
	node bodies.Selected
	a    *assertion
}

// String is a path to the node, or, for a value, the expression.
func (p xmlPlace) String() string {
	if path := p.node.Path(); path != "" {
		return path
	}
	return p.a.xpath.String()
}

// Element is never asked for: nothing in XML is a list in itself.
func (p xmlPlace) Element(int) string { return p.String() }
