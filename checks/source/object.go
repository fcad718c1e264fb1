package source

import (
	"slices"
	"strconv"
)

// Field is one key of a mapping: its name, what it is for, and how it is read
// into the target.
type Field[T any] struct {
	Name     string
	Doc      string // one line; documentation and the editor schema read it
	Required bool
	Form     Form                      // what the value may be; the editor schema is made of it
	Decode   func(into *T, value Node) // nil: the key is known but not built yet, and is refused by name
	// Elsewhere says where a key belongs that people write here by mistake; it
	// has no Decode and is refused with this hint.
	Elsewhere string
}

// Object is the table of a mapping's keys; it is built once and read by any
// number of goroutines.
type Object[T any] struct {
	what   string
	fields []Field[T]
}

// NewObject makes the table; what names the mapping in messages, such as "a
// probe".
func NewObject[T any](what string, fields ...Field[T]) *Object[T] {
	return &Object[T]{what: what, fields: fields}
}

// index finds a key, -1 for none. Tables are short, and made at every start of
// the program: an index of each would cost more than it saves.
func (o *Object[T]) index(key string) int {
	for i := range o.fields {
		if o.fields[i].Name == key {
			return i
		}
	}
	return -1
}

// names are the keys that are built.
func (o *Object[T]) names() []string {
	var names []string
	for _, f := range o.fields {
		if f.Decode != nil {
			names = append(names, f.Name)
		}
	}
	return names
}

// Fields gives the table, in order.
func (o *Object[T]) Fields() []Field[T] { return slices.Clone(o.fields) }

// Decode reads a mapping key by key, and reports unknown keys with the nearest
// known one, keys that are not built yet, and required ones that are missing.
// It returns false when the node is no mapping.
func (o *Object[T]) Decode(n Node, into *T) bool {
	pairs, ok := n.each()
	if !ok {
		return false
	}
	var seen uint64
	for p := range pairs {
		i := o.index(p.Key)
		if i < 0 {
			p.KeyAt.Problem(DidYouMean(p.Key, o.names()), "unknown key %s in %s", strconv.Quote(p.Key), o.what)
			continue
		}
		seen |= 1 << i
		if hint := o.fields[i].Elsewhere; hint != "" {
			p.KeyAt.Problem(hint, "key %s does not belong in %s", strconv.Quote(p.Key), o.what)
			continue
		}
		if o.fields[i].Decode == nil {
			p.KeyAt.Problem("remove it, or use a version of fonteviva that knows it", "key %s is not built yet in this version", strconv.Quote(p.Key))
			continue
		}
		o.fields[i].Decode(into, p.Value)
	}
	for i := range o.fields {
		if f := &o.fields[i]; f.Required && seen&(1<<i) == 0 {
			n.Problem("add "+f.Name+": "+f.Doc, "%s has no key %s", o.what, strconv.Quote(f.Name))
		}
	}
	return true
}

// Optional reads a scalar with read and stores it where it was well formed; it
// keeps field tables to one line a key.
func Optional[V any](dst *V, v V, ok bool) {
	if ok {
		*dst = v
	}
}
