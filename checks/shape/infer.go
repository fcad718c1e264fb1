package shape

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/go-json-experiment/json/jsontext"
)

// Options say how a shape is learnt.
type Options struct {
	// Enums are the places whose values are kept. A place with more than
	// MaxEnum of them is not one of few values: its Enum then ends in one more.
	Enums Paths
	// Like is the shape that the new one will be compared with: an object that
	// it knows by its keys is learnt by its keys, a map as a map. Without it,
	// what an object is is seen from its keys.
	Like *Shape
}

// Errors of Infer beside the context's.
var (
	ErrNotJSON  = errors.New("it is not one JSON value")
	ErrTooLarge = errors.New("it has more places than a shape can hold")
)

// Infer learns the shape of a JSON text in a single pass. Memory is bounded by
// the shape, never by the text.
func Infer(ctx context.Context, text []byte, o Options) (*Shape, error) {
	l := &learner{ctx: ctx, d: jsontext.NewDecoder(bytes.NewBuffer(text), jsontext.AllowDuplicateNames(true))}
	root := &place{enums: o.Enums, like: o.Like}
	if err := l.value(root, 0); err != nil {
		return nil, l.reason(err)
	}
	if _, err := l.d.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, ErrNotJSON
	}
	return root.shape(), nil
}

// learner reads the text once.
type learner struct {
	ctx    context.Context
	d      *jsontext.Decoder
	places int
	work   int // values since the context was asked
	buf    []byte
}

func (l *learner) reason(err error) error {
	if errors.Is(err, ErrTooLarge) || l.ctx.Err() != nil {
		return err
	}
	return ErrNotJSON
}

// value learns the next value of the text.
func (l *learner) value(p *place, depth int) error {
	if l.work++; l.work > 4096 {
		l.work = 0
		if err := l.ctx.Err(); err != nil {
			return err
		}
	}
	kind := l.d.PeekKind()
	container := kind == '{' || kind == '['
	if container && depth < MaxDepth {
		if kind == '{' {
			return l.object(p, depth)
		}
		return l.array(p, depth)
	}
	raw, err := l.d.ReadValue()
	if err != nil {
		return err
	}
	switch kind {
	case '{':
		p.types |= TypeObject
	case '[':
		p.types |= TypeArray
	case '"':
		l.text(p, raw)
	case '0':
		p.types |= number(raw)
	case 'n':
		p.types |= TypeNull
	default:
		p.types |= TypeBoolean
	}
	if !container {
		p.keep(raw)
	}
	return nil
}

// number tells an integer by its text.
func number(raw []byte) Types {
	for _, c := range raw {
		if c == '.' || c|0x20 == 'e' {
			return TypeNumber
		}
	}
	return TypeInteger
}

// text learns a string. Once its place is known to be free text, nothing more
// is looked at.
func (l *learner) text(p *place, raw []byte) {
	if p.types&TypeString == 0 {
		p.types, p.formats = p.types|TypeString, anyFormat
	}
	if p.formats == 0 {
		return
	}
	s := raw[1 : len(raw)-1]
	if bytes.IndexByte(s, '\\') >= 0 {
		var err error
		if l.buf, err = jsontext.AppendUnquote(l.buf[:0], raw); err != nil {
			return
		}
		s = l.buf
	}
	if len(s) == 0 {
		p.empty = true
		return
	}
	p.formats &= formatsOf(s)
}

func (l *learner) array(p *place, depth int) error {
	if _, err := l.d.ReadToken(); err != nil {
		return err
	}
	p.types |= TypeArray
	n := 0
	for ; l.d.PeekKind() != ']'; n++ {
		if p.items == nil {
			if p.items = l.child(p, jsonpath.Step{Elements: true}, itemsOf(p.like)); p.items == nil {
				return ErrTooLarge
			}
		}
		if err := l.value(p.items, depth+1); err != nil {
			return err
		}
	}
	p.length.see(n)
	_, err := l.d.ReadToken()
	return err
}

// child is a place in another; nil when there are too many.
func (l *learner) child(of *place, at jsonpath.Step, like *Shape) *place {
	if l.places++; l.places > MaxPlaces {
		return nil
	}
	return &place{enums: of.enums.into(at), like: like}
}
