package jsonpath

import (
	"fmt"
	"strconv"
	"strings"
)

// Location is where a node is. It is only valid while the node is visited.
type Location struct {
	b     []byte
	steps []step
}

// step goes into a member, by its quoted name, or into an element.
type step struct {
	name  span // of the text; empty for an element
	index int
}

func (l *Location) push(s step) { l.steps = append(l.steps, s) }
func (l *Location) pop()        { l.steps = l.steps[:len(l.steps)-1] }

// Normalized is the normalized path of RFC 9535 §2.7: $['data'][0].
func (l *Location) Normalized() string { return l.render(false) }

// String is the normalized path with dots where a name is a plain identifier:
// $.data[0].
func (l *Location) String() string { return l.render(true) }

// Pointer is the place as a JSON Pointer (RFC 6901): /data/0.
func (l *Location) Pointer() string {
	var b strings.Builder
	for _, s := range l.steps {
		b.WriteByte('/')
		if s.name.end == 0 {
			b.WriteString(strconv.Itoa(s.index))
			continue
		}
		name := unquote(unquoted(l.b[s.name.start:s.name.end]))
		b.WriteString(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return b.String()
}

// Element is the short form of an element of the node.
func (l *Location) Element(i int) string {
	return l.String() + "[" + strconv.Itoa(i) + "]"
}

func (l *Location) render(short bool) string {
	var b strings.Builder
	b.WriteByte('$')
	for _, s := range l.steps {
		if s.name.end == 0 {
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
			continue
		}
		name := unquote(unquoted(l.b[s.name.start:s.name.end]))
		if short && isIdentifier(name) {
			b.WriteString("." + name)
			continue
		}
		b.WriteString("['")
		writeNormalName(&b, name)
		b.WriteString("']")
	}
	return b.String()
}

func isIdentifier(name string) bool {
	for i := range len(name) {
		c := name[i]
		letter := c == '_' || (c|0x20 >= 'a' && c|0x20 <= 'z')
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return name != ""
}

var normalEscapes = map[rune]string{'\b': `\b`, '\t': `\t`, '\n': `\n`, '\f': `\f`, '\r': `\r`, '\'': `\'`, '\\': `\\`}

func writeNormalName(b *strings.Builder, name string) {
	for _, r := range name {
		if esc, ok := normalEscapes[r]; ok {
			b.WriteString(esc)
		} else if r < ' ' {
			fmt.Fprintf(b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
}
