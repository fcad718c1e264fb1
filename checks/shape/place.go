package shape

import (
	"slices"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/go-json-experiment/json/jsontext"
)

// place gathers what the values at one place have been so far.
type place struct {
	types   Types
	formats Formats // of the strings, all of them so far
	empty   bool
	enum    map[string]struct{}

	objects  int
	fields   []*field          // in the order of the text
	byName   map[string]*field // nil while there are few
	isMap    bool
	words    bool // a name of the map was no date, number or identifier
	values   *place
	absorbed *Shape // what its keys held before it was a map
	size     span
	more     bool

	items  *place
	length span

	enums Paths
	like  *Shape
}

// field is one key while it is learnt.
type field struct {
	raw   []byte // the name with its quotes, as it came
	name  string
	count int // the objects that have it
	last  int // the object that had it last
	place *place
}

// span is a length while it is learnt.
type span struct {
	Length
	seen bool
}

func (s *span) see(n int) {
	if !s.seen {
		s.Length, s.seen = Length{n, n}, true
	}
	s.Min, s.Max = min(s.Min, n), max(s.Max, n)
}

// keep adds a value to the few that were asked for.
func (p *place) keep(raw jsontext.Value) {
	if p.enums == nil || !p.enums.end() || len(p.enum) > MaxEnum {
		return
	}
	if p.enum == nil {
		p.enum = map[string]struct{}{}
	}
	p.enum[scalar(raw)] = struct{}{}
}

// object learns an object key by key.
func (l *learner) object(p *place, depth int) error {
	if _, err := l.d.ReadToken(); err != nil {
		return err
	}
	p.types |= TypeObject
	if p.objects++; p.objects == 1 {
		p.isMap = p.like != nil && p.like.Object != nil && p.like.Object.Map
	}
	n, data := 0, true
	for ; l.d.PeekKind() != '}'; n++ {
		raw, err := l.d.ReadValue()
		if err != nil {
			return err
		}
		into, err := l.member(p, raw, n, &data)
		if err != nil {
			return err
		}
		if into == nil {
			err = l.d.SkipValue()
		} else {
			err = l.value(into, depth+1)
		}
		if err != nil {
			return err
		}
	}
	p.size.see(n)
	if n > 0 && data && !p.known() {
		if err := l.collapse(p); err != nil {
			return err
		}
	}
	_, err := l.d.ReadToken()
	return err
}

// known reports whether the shape that this one will be compared with says
// which keys the objects have.
func (p *place) known() bool {
	return p.like != nil && p.like.Object != nil && !p.like.Object.Map && len(p.like.Object.Keys) > 0
}

// member gives the place of a member's value; nil for one that is not kept.
// It clears data where the name is a word.
func (l *learner) member(p *place, raw []byte, n int, data *bool) (*place, error) {
	if p.isMap {
		return l.mapMember(p, raw)
	}
	f := p.find(raw, n)
	if f == nil {
		name, err := jsontext.AppendUnquote(nil, raw)
		if err != nil {
			return nil, err
		}
		if p.full(name) {
			p.more = true
			return nil, nil
		}
		if len(p.fields) >= MaxKeys && !p.known() || len(name) > maxName {
			if err := l.collapse(p); err != nil {
				return nil, err
			}
			return l.mapMember(p, raw)
		}
		if f, err = l.field(p, raw, string(name)); err != nil {
			return nil, err
		}
	}
	if *data && !structured([]byte(f.name)) {
		*data = false
	}
	if f.last != p.objects {
		f.last, f.count = p.objects, f.count+1
	}
	return f.place, nil
}

// full reports whether a name that was not known is one too many: beyond the
// known ones there is place for as many new.
func (p *place) full(name []byte) bool {
	if !p.known() {
		return false
	}
	return p.like.Object.Keys[string(name)] == nil && (len(p.fields) >= MaxKeys+len(p.like.Object.Keys) || len(name) > maxName)
}

// find looks a name up: most objects have their keys in the order of the one
// before.
func (p *place) find(raw []byte, n int) *field {
	if n < len(p.fields) && string(p.fields[n].raw) == string(raw) {
		return p.fields[n]
	}
	if p.byName != nil {
		if f, ok := p.byName[string(raw)]; ok {
			return f
		}
	} else {
		for _, f := range p.fields {
			if string(f.raw) == string(raw) {
				return f
			}
		}
	}
	if slices.Contains(raw, '\\') || p.escaped() {
		name, err := jsontext.AppendUnquote(nil, raw)
		if i := slices.IndexFunc(p.fields, func(f *field) bool { return f.name == string(name) }); err == nil && i >= 0 {
			return p.fields[i]
		}
	}
	return nil
}

// escaped reports whether a name is known in a form with escapes.
func (p *place) escaped() bool {
	return slices.ContainsFunc(p.fields, func(f *field) bool { return len(f.raw) != len(f.name)+2 })
}

const fewFields = 12

func (l *learner) field(p *place, raw []byte, name string) (*field, error) {
	var like *Shape
	if k := keyOf(p.like, name); k != nil {
		like = &k.Shape
	}
	child := l.child(p, jsonpath.Step{Names: []string{name}}, like)
	if child == nil {
		return nil, ErrTooLarge
	}
	f := &field{raw: slices.Clone(raw), name: name, place: child}
	p.fields = append(p.fields, f)
	if len(p.fields) > fewFields {
		if p.byName == nil {
			p.byName = map[string]*field{}
			for _, g := range p.fields {
				p.byName[string(g.raw)] = g
			}
		}
		p.byName[string(raw)] = f
	}
	return f, nil
}

// mapMember gives the place of a map's value, and looks at its name until one was
// a word.
func (l *learner) mapMember(p *place, raw []byte) (*place, error) {
	if !p.words {
		name, err := jsontext.AppendUnquote(l.buf[:0], raw)
		if err != nil {
			return nil, err
		}
		l.buf, p.words = name, !structured(name)
	}
	return l.mapValue(p)
}

// mapValue is the one place of all values of a map.
func (l *learner) mapValue(p *place) (*place, error) {
	if p.values == nil {
		var like *Shape
		if p.like != nil && p.like.Object != nil {
			like = p.like.Object.Values
		}
		if p.values = l.child(p, jsonpath.Step{Any: true}, like); p.values == nil {
			return nil, ErrTooLarge
		}
	}
	return p.values, nil
}

// collapse makes a map of an object: what its keys were known to hold becomes
// what its values hold.
func (l *learner) collapse(p *place) error {
	for _, f := range p.fields {
		p.absorbed = Merge(p.absorbed, f.place.shape())
		p.words = p.words || !structured([]byte(f.name))
	}
	p.fields, p.byName, p.isMap = nil, nil, true
	return l.ctx.Err()
}

// shape is what was learnt; nil where nothing was.
func (p *place) shape() *Shape {
	if p == nil || p.types == 0 {
		return nil
	}
	s := &Shape{Types: p.types.with(0), Formats: p.formats, Empty: p.empty && p.formats != 0 && p.formats != anyFormat}
	for v := range p.enum {
		s.Enum = append(s.Enum, v)
	}
	slices.Sort(s.Enum)
	if p.types&TypeArray != 0 {
		s.Array = &Array{Length: p.length.Length, Items: p.items.shape()}
	}
	if p.types&TypeObject != 0 {
		s.Object = p.object()
	}
	return s
}

func (p *place) object() *Object {
	if p.isMap {
		return &Object{Map: true, Size: p.size.Length, Values: Merge(p.absorbed, p.values.shape()), Data: !p.words}
	}
	o := &Object{Keys: make(map[string]*Key, len(p.fields)), More: p.more}
	for _, f := range p.fields {
		o.Keys[f.name] = &Key{Optional: f.count < p.objects, Shape: *f.place.shape()}
	}
	return o
}

// itemsOf is the shape of the elements, where one is known.
func itemsOf(s *Shape) *Shape {
	if s == nil || s.Array == nil {
		return nil
	}
	return s.Array.Items
}

func keyOf(s *Shape, name string) *Key {
	if s == nil || s.Object == nil {
		return nil
	}
	return s.Object.Keys[name]
}
