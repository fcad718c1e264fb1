package shape

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// maker makes shapes as they can be learnt or read: without the fields that a
// shape's types leave no room for.
type maker struct {
	*rand.Rand
	formats []Formats // to choose from
}

var (
	// overlapping are formats of which one can be part of another.
	overlapping = []Formats{0, anyFormat, implied | FormatDigits, implied, FormatNumber, FormatDayFirst, FormatDayFirst | FormatMonthFirst, FormatURL}
	// apart are formats of which none is part of another.
	apart = []Formats{0, implied | FormatDigits, FormatDayFirst, FormatURL}
)

func (m maker) oneIn(n int) bool { return m.IntN(n) == 0 }

func (m maker) shape(depth int) *Shape {
	s := &Shape{}
	for range 1 + m.IntN(3) {
		s.Types = s.Types.with(1 << m.IntN(7))
	}
	if depth > 0 && !m.oneIn(4) { // most of a shape is in others
		s.Types |= []Types{TypeArray, TypeObject}[m.IntN(2)]
	}
	if s.Types&TypeString != 0 {
		m.text(s)
	}
	if m.oneIn(3) {
		s.Enum = m.enum()
	}
	if s.Types&TypeObject != 0 {
		s.Object = m.object(depth)
	}
	if s.Types&TypeArray != 0 {
		s.Array = m.array(depth)
	}
	return s
}

func (m maker) text(s *Shape) {
	s.Formats = m.formats[m.IntN(len(m.formats))]
	s.Empty = s.Formats != 0 && s.Formats != anyFormat && m.oneIn(2)
}

func (m maker) enum() Enum {
	var e Enum
	for _, v := range []string{`"a"`, `"b"`, `"c"`, `"d"`, `"e"`, `"f"`, `"g"`, `1`, `null`} {
		if m.oneIn(2) {
			e = append(e, v)
		}
	}
	slices.Sort(e)
	return e
}

func (m maker) object(depth int) *Object {
	if m.oneIn(3) {
		return &Object{Map: true, Values: m.inside(depth), Size: m.length(), Data: m.oneIn(2)}
	}
	o := &Object{Keys: map[string]*Key{}, More: m.oneIn(20)}
	for range m.IntN(6) {
		if s := m.inside(depth); s != nil {
			o.Keys[names[m.IntN(len(names))]] = &Key{Optional: m.oneIn(2), Shape: *s}
		}
	}
	return o
}

func (m maker) array(depth int) *Array { return &Array{Length: m.length(), Items: m.inside(depth)} }

// inside is what something holds; nil where it was empty.
func (m maker) inside(depth int) *Shape {
	if depth == 0 || m.oneIn(4) {
		return nil
	}
	return m.shape(depth - 1)
}

func (m maker) length() Length {
	n := m.IntN(3)
	return Length{n, n + m.IntN(3)}
}

// changed is a copy of a shape that is otherwise at a few of its places.
func (m maker) changed(s *Shape) *Shape {
	c := s.clone()
	for range m.IntN(4) {
		list := places(c)
		changes[m.IntN(len(changes))](m, list[m.IntN(len(list))])
	}
	return c
}

// places are a shape and all that are in it.
func places(s *Shape) []*Shape {
	if s == nil {
		return nil
	}
	list := append([]*Shape{s}, places(itemsOf(s))...)
	if s.Object == nil {
		return list
	}
	list = append(list, places(s.Object.Values)...)
	for _, name := range slices.Sorted(maps.Keys(s.Object.Keys)) {
		list = append(list, places(&s.Object.Keys[name].Shape)...)
	}
	return list
}

// changes are what can become of one place.
var changes = []func(m maker, s *Shape){
	func(m maker, s *Shape) { *s = *m.shape(2) },
	func(_ maker, s *Shape) { s.Types = s.Types.with(TypeNull) },
	func(_ maker, s *Shape) { s.Types = s.Types.with(TypeNumber) },
	func(m maker, s *Shape) { s.Enum = m.enum() },
	func(m maker, s *Shape) {
		if s.Types&TypeString != 0 {
			m.text(s)
		}
	},
	func(m maker, s *Shape) {
		if s.Object != nil {
			s.Object = m.object(2)
		}
	},
	func(m maker, s *Shape) {
		if s.Object != nil {
			for _, k := range s.Object.Keys {
				k.Optional = !k.Optional
			}
		}
	},
	func(m maker, s *Shape) {
		if s.Object != nil && !s.Object.Map {
			s.Object.Keys[names[m.IntN(len(names))]] = &Key{Shape: *m.shape(1)}
		}
	},
	func(m maker, s *Shape) {
		if s.Object != nil && s.Object.Map {
			s.Object.Size = m.length()
		}
	},
	func(m maker, s *Shape) {
		if s.Array != nil {
			s.Array.Length = m.length()
		}
	},
	func(m maker, s *Shape) {
		if s.Array != nil {
			s.Array.Items = m.inside(2)
		}
	},
}
