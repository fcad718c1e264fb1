package shape

// Shape is what is known of the values at one place of an answer. Its types
// are closed: all that is known is in exported fields, and Compare has a word
// for each.
type Shape struct {
	Types   Types   // never 0
	Formats Formats // of the strings; 0 for free text, and where there are none
	Empty   bool    // strings that follow a format are empty at times
	Enum    Enum    // the values, where they were asked for; nil elsewhere
	Object  *Object // not nil where Types has TypeObject
	Array   *Array  // not nil where Types has TypeArray
}

// Object is what is known of the objects at one place: their keys, or, where
// they are used as maps, what all values have in common.
type Object struct {
	Map    bool
	Keys   map[string]*Key // nil for a map
	Values *Shape          // of a map; nil where every one was empty
	Size   Length          // of a map
	// Data says of a map that every name was a date, a number or an identifier,
	// so that a word among them is something new.
	Data bool
	// More says that an answer had more new keys than are kept. It is never so
	// in a file.
	More bool
}

// Key is one key of an object.
type Key struct {
	Optional bool // some of the objects lack it
	Shape    Shape
}

// Array is what is known of the arrays at one place.
type Array struct {
	Length Length
	Items  *Shape // nil where every array was empty
}

// Length is the least and the most elements that were seen. It is information:
// a comparison looks at it only when it is asked to.
type Length struct{ Min, Max int }

// Limits of what is learnt. What is deeper is known by its types alone; what
// has more keys is a map; what has more places is no shape.
const (
	MaxDepth  = 64
	MaxKeys   = 256
	MaxPlaces = 10_000
	MaxEnum   = 64
	maxName   = 200 // bytes of a key; what is longer is data, and its object a map
)

// clone is a deep copy.
func (s *Shape) clone() *Shape {
	if s == nil {
		return nil
	}
	c := *s
	if s.Object != nil {
		o := *s.Object
		o.Values = o.Values.clone()
		if o.Keys != nil {
			o.Keys = make(map[string]*Key, len(s.Object.Keys))
			for name, k := range s.Object.Keys {
				o.Keys[name] = k.clone()
			}
		}
		c.Object = &o
	}
	if s.Array != nil {
		c.Array = &Array{Length: s.Array.Length, Items: s.Array.Items.clone()}
	}
	return &c
}

func (k *Key) clone() *Key { return &Key{Optional: k.Optional, Shape: *k.Shape.clone()} }
