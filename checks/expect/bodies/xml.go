package bodies

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
)

// Limits of one XML document.
const (
	maxXMLDepth = 256
	maxXMLNodes = 4 << 20
)

// XML is a document that XPath selects from. It never changes.
type XML struct{ nodes []xmlNode }

type xmlKind uint8

const (
	xmlRoot xmlKind = iota
	xmlElement
	xmlText
	xmlComment
)

// xmlNode is one node; the places of others are indexes, 0 for none (nothing
// refers to the root but as a parent).
type xmlNode struct {
	kind                            xmlKind
	name                            xml.Name // Space is the namespace's URI
	text                            string   // of text and comments
	attrs                           []xml.Attr
	parent, first, last, prev, next int32
}

// ParseXML parses a well-formed XML document. Entities of its own are refused,
// whatever they expand to. The error is an *Error, or one of the limits.
func ParseXML(body []byte) (*XML, error) {
	p := xmlParser{nodes: make([]xmlNode, 1, len(body)/32+1)}
	d := xml.NewDecoder(bytes.NewReader(body))
	// The fetcher has made UTF-8 of the body, whatever the declaration in it says.
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) && p.at == 0 && p.elements > 0 {
			return &XML{p.nodes}, nil
		}
		reason := p.take(token)
		switch {
		case err != nil:
			reason = xmlReason(err)
		case p.limit != nil:
			return nil, p.limit
		}
		if reason != "" {
			line, _ := d.InputPos()
			return nil, &Error{As: "xml", Line: line, Reason: reason}
		}
	}
}

func xmlReason(err error) string {
	var syntax *xml.SyntaxError
	switch {
	case errors.Is(err, io.EOF):
		return "it has no element, or an element has no end"
	case errors.As(err, &syntax):
		return syntax.Msg[:min(len(syntax.Msg), 120)]
	}
	return "it cannot be read"
}

// xmlParser builds the tree; at is the open node.
type xmlParser struct {
	nodes    []xmlNode
	at       int32
	text     []byte // what the open node's next text is, so far
	depth    int
	elements int
	limit    error // of ours, reached
}

// take adds a token, and says what is wrong with it.
func (p *xmlParser) take(token xml.Token) string {
	if t, ok := token.(xml.CharData); ok {
		if p.at == 0 && len(bytes.TrimSpace(t)) > 0 {
			return "text stands outside of the element"
		}
		if p.at > 0 {
			p.text = append(p.text, t...)
		}
		return ""
	}
	if len(p.text) > 0 {
		p.add(xmlNode{kind: xmlText, text: string(p.text)})
		p.text = p.text[:0]
	}
	switch t := token.(type) {
	case xml.StartElement:
		return p.start(t)
	case xml.EndElement:
		p.at = p.nodes[p.at].parent
		p.depth--
	case xml.Comment:
		p.add(xmlNode{kind: xmlComment, text: string(t)})
	case xml.Directive:
		if bytes.Contains(t, []byte("<!ENTITY")) {
			return "it declares entities"
		}
	}
	return ""
}

func (p *xmlParser) start(t xml.StartElement) string {
	if p.at == 0 {
		if p.elements++; p.elements > 1 {
			return "a second element stands beside the first"
		}
	}
	if p.depth++; p.depth > maxXMLDepth {
		p.limit = limit(ErrDeep, strconv.Itoa(maxXMLDepth)+" levels of XML")
		return ""
	}
	n := xmlNode{kind: xmlElement, name: t.Name}
	for _, a := range t.Attr {
		if a.Name.Space != "xmlns" && (a.Name.Space != "" || a.Name.Local != "xmlns") {
			n.attrs = append(n.attrs, a)
		}
	}
	p.add(n)
	p.at = int32(len(p.nodes) - 1)
	return ""
}

// add makes a node the last child of the open one.
func (p *xmlParser) add(n xmlNode) {
	if len(p.nodes) >= maxXMLNodes {
		p.limit = limit(ErrParts, "4 million nodes of XML")
		return
	}
	open := &p.nodes[p.at]
	id := int32(len(p.nodes))
	n.parent, n.prev = p.at, open.last
	if open.last > 0 {
		p.nodes[open.last].next = id
	} else {
		open.first = id
	}
	open.last = id
	p.nodes = append(p.nodes, n)
}

// value is the string-value of a node (XPath 1.0 §5).
func (x *XML) value(id int32) string {
	n := &x.nodes[id]
	if n.kind == xmlText || n.kind == xmlComment {
		return n.text
	}
	if n.first > 0 && n.first == n.last && x.nodes[n.first].kind == xmlText {
		return x.nodes[n.first].text
	}
	var b strings.Builder
	x.writeText(&b, n.first)
	return b.String()
}

func (x *XML) writeText(b *strings.Builder, id int32) {
	for ; id > 0; id = x.nodes[id].next {
		switch n := &x.nodes[id]; n.kind {
		case xmlText:
			b.WriteString(n.text)
		case xmlElement:
			x.writeText(b, n.first)
		}
	}
}
