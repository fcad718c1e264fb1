package source

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"

	"go.yaml.in/yaml/v3"
)

// A declaration that is long is one long list of probes, and its parser, which
// works on one core, would take a quarter of the time of a run of ten thousand
// probes before the first of them is asked. The list is therefore cut where an
// entry begins, the parts are parsed side by side, and what stands around the
// list is parsed without it.
//
// The tree is the one of the whole document. An entry begins at a line that has
// the list's own indentation and a dash: of what YAML lets a line be, only the
// inside of quotes or of brackets can look so too, and a part that ends there
// has no end of its own and is not valid. Brackets around the whole document,
// which can hold no such list, are left around the rest. Whatever is not valid
// (an alias of an anchor in another part, too) is parsed again as a whole, which
// also says what is wrong in the words and at the place of the whole.

// partSize is how many bytes are worth a part of their own.
const partSize = 32 << 10

// list is a block sequence that is the value of a key at the top of a document.
type list struct {
	key        int // the line of the key, from 1
	line       int // the line of the first entry
	start, end int // its bytes
	lines      int // how many lines it takes
	indent     int
	cuts       []cut // where further parts begin
}

// cut is the beginning of a part.
type cut struct{ at, line int }

// inParts parses the document with its longest list in parts; nil where it has
// no long one, or where anything is not as it should be.
func (f *File) inParts() *yaml.Node {
	if runtime.GOMAXPROCS(0) < 2 || len(f.data) < 2*partSize {
		return nil
	}
	return parseInParts(f.data, partSize)
}

func parseInParts(data []byte, size int) *yaml.Node {
	l, ok := longestList(data, size)
	if !ok {
		return nil
	}
	return l.parse(data)
}

// parse parses the parts side by side; nil where one of them is not valid.
func (l *list) parse(data []byte) *yaml.Node {
	parts := make([]*yaml.Node, len(l.cuts)+1)
	var root *yaml.Node
	var wg sync.WaitGroup
	beside := func(parse func()) {
		wg.Go(func() {
			// A panic of the parser is left to the parsing of the whole, whose
			// caller can catch it: here it would end the program.
			defer func() { _ = recover() }()
			parse()
		})
	}
	beside(func() { root = l.parseRest(data) })
	for i := range parts {
		beside(func() { parts[i] = l.parsePart(data, i) })
	}
	wg.Wait()
	return l.join(root, parts)
}

// join puts the list into its place; nil where a part is missing.
func (l *list) join(root *yaml.Node, parts []*yaml.Node) *yaml.Node {
	if root == nil || root.Kind != yaml.MappingNode || root.Style&yaml.FlowStyle != 0 || l.isSpanned(root) {
		return nil
	}
	whole := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq", Line: l.line, Column: l.indent + 1}
	for _, p := range parts {
		if p == nil {
			return nil
		}
		whole.Content = append(whole.Content, p.Content...)
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Line == l.key && key.Column == 1 {
			if value := root.Content[i+1]; value.Kind != yaml.ScalarNode || value.Value != "" || value.Style != 0 || value.Anchor != "" {
				return nil
			}
			root.Content[i+1] = whole
			return root
		}
	}
	return nil
}

// isSpanned reports an alias behind the list of an anchor in front of it, whose
// name the list may have given to something else since.
func (l *list) isSpanned(y *yaml.Node) bool {
	if y.Kind == yaml.AliasNode && y.Line > l.line && y.Alias.Line < l.line {
		return true
	}
	return slices.ContainsFunc(y.Content, l.isSpanned)
}

// parsePart parses one part of the list.
func (l *list) parsePart(data []byte, i int) *yaml.Node {
	begin, end := cut{l.start, l.line}, l.end
	if i > 0 {
		begin = l.cuts[i-1]
	}
	if i < len(l.cuts) {
		end = l.cuts[i].at
	}
	part := single(data[begin.at:end])
	if part == nil || part.Kind != yaml.SequenceNode || part.Style != 0 || part.Line != 1 || part.Column != l.indent+1 {
		return nil
	}
	moveDown(part, 0, begin.line-1)
	return part
}

// parseRest parses what stands around the list.
func (l *list) parseRest(data []byte) *yaml.Node {
	root := single(bytes.Join([][]byte{data[:l.start], data[l.end:]}, nil))
	if root != nil {
		moveDown(root, l.line-1, l.lines)
	}
	return root
}

// single parses a text that is one document.
func single(text []byte) *yaml.Node {
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	if dec.Decode(&doc) != nil || len(doc.Content) == 0 || !errors.Is(dec.Decode(&second), io.EOF) {
		return nil
	}
	return doc.Content[0]
}

// moveDown adds lines to the place of every node that stands after a line.
func moveDown(y *yaml.Node, after, lines int) {
	if y.Line > after {
		y.Line += lines
	}
	for _, child := range y.Content {
		moveDown(child, after, lines)
	}
}

// longestList finds the longest list at the top of a document, and whether it
// is long enough for two parts.
func longestList(data []byte, size int) (longest list, ok bool) {
	// Of YAML's line breaks (YAML 1.1 §5.4) only this one is counted here.
	if bytes.IndexByte(data, '\r') >= 0 || bytes.Contains(data, []byte("\u0085")) || bytes.Contains(data, []byte("\u2028")) || bytes.Contains(data, []byte("\u2029")) {
		return list{}, false
	}
	var l list
	take := func() {
		if l.end-l.start > longest.end-longest.start {
			longest = l
		}
		l = list{}
	}
	for at, line := 0, 1; at < len(data); line++ {
		text, _, _ := bytes.Cut(data[at:], []byte("\n"))
		next := min(at+len(text)+1, len(data))
		switch kind, indent := look(text, &l); kind {
		case top:
			if text[0] == '%' {
				return list{}, false // a directive holds for every part
			}
			take()
			if opensList(text) {
				l = list{key: line}
			}
		case entry:
			l.enter(cut{at, line}, indent, size)
			l.extend(next, line)
		case inside:
			l.extend(next, line)
		}
		at = next
	}
	take()
	return longest, len(longest.cuts) > 0
}

// What a line is to the search for lists.
type lineKind int

const (
	blank  lineKind = iota // nothing, or a comment that stands before the list
	top                    // the beginning of something else at the top
	entry                  // the beginning of an entry
	inside                 // more of an entry
)

// look tells what a line is to the list that is open.
func look(text []byte, l *list) (kind lineKind, indent int) {
	rest := bytes.TrimLeft(text, " ")
	indent = len(text) - len(rest)
	open := l.start < l.end
	switch dash := len(rest) > 0 && rest[0] == '-' && (len(rest) == 1 || rest[1] == ' '); {
	case l.key > 0 && dash && (!open || indent == l.indent):
		return entry, indent
	case indent == 0 && len(rest) > 0 && rest[0] != '#':
		return top, 0
	case open:
		return inside, indent
	case len(rest) == 0 || rest[0] == '#':
		return blank, indent
	}
	// The value of the key is no list.
	l.key = 0
	return blank, indent
}

// opensList reports whether a line is a key that has its value below.
func opensList(text []byte) bool {
	if i := bytes.Index(text, []byte(" #")); i >= 0 {
		text = text[:i]
	}
	text = bytes.TrimRight(text, " ")
	return len(text) > 1 && text[len(text)-1] == ':'
}

// enter takes the beginning of an entry for the first or, where the last part
// is long enough, for that of another part.
func (l *list) enter(c cut, indent, size int) {
	if l.end == 0 {
		l.start, l.end, l.line, l.indent = c.at, c.at, c.line, indent
		return
	}
	begin := l.start
	if n := len(l.cuts); n > 0 {
		begin = l.cuts[n-1].at
	}
	if c.at-begin >= size {
		l.cuts = append(l.cuts, c)
	}
}

// extend lets the list end after a line.
func (l *list) extend(end, line int) {
	l.end, l.lines = end, line-l.line+1
}
