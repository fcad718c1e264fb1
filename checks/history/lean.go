package history

import (
	"bytes"
	"encoding"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A result has some sixty members, of which a usual one has a third. What is
// kept of it leaves out the others: encoding/json reads the same value back
// from a third of the text, which takes a third of the time to write.

// encoder appends a value as JSON.
type encoder func(b []byte, v reflect.Value) ([]byte, error)

var (
	timeType   = reflect.TypeFor[time.Time]()
	marshalers = []reflect.Type{reflect.TypeFor[json.Marshaler](), reflect.TypeFor[encoding.TextMarshaler]()}
)

// leaner makes encoders, one for each type: what finds out about a type costs
// more than writing some values of it.
type leaner map[reflect.Type]encoder

// leanEncoder makes the encoder of a type: members that are zero are left out.
func leanEncoder(t reflect.Type) encoder { return leaner{}.of(t) }

func (l leaner) of(t reflect.Type) encoder {
	e, ok := l[t]
	if !ok {
		e = l.make(t)
		l[t] = e
	}
	return e
}

func (l leaner) make(t reflect.Type) encoder {
	if t.Kind() == reflect.Pointer {
		return leanPointer(l.of(t.Elem()))
	}
	if t == timeType {
		return leanTime
	}
	if t.PkgPath() != "" { // only a named type has methods
		for _, m := range marshalers {
			if t.Implements(m) || reflect.PointerTo(t).Implements(m) {
				return plainJSON
			}
		}
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) ([]byte, error) { return appendText(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendBool(b, v.Bool()), nil }
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) ([]byte, error) { return strconv.AppendInt(b, v.Int(), 10), nil }
	case reflect.Slice:
		if t.Elem().Kind() != reflect.Uint8 {
			return leanSlice(l.of(t.Elem()))
		}
	case reflect.Struct:
		// Most structs of a result are not there in a usual one.
		made := sync.OnceValue(func() encoder { return leanStruct(t) })
		return func(b []byte, v reflect.Value) ([]byte, error) { return made()(b, v) }
	}
	return plainJSON
}

func leanTime(b []byte, v reflect.Value) ([]byte, error) {
	text, err := v.Addr().Interface().(*time.Time).AppendText(append(b, '"')) // in a pointer or a slice all is addressable
	return append(text, '"'), err
}

func leanPointer(elem encoder) encoder {
	return func(b []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		return elem(b, v.Elem())
	}
}

func leanSlice(elem encoder) encoder {
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		if v.IsNil() {
			return append(b, "null"...), nil
		}
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = elem(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
}

// leanStruct knows the tags that the kept types have: a plain name, or "-". A struct
// that embeds another, or whose tags say more, is left to encoding/json.
func leanStruct(t reflect.Type) encoder {
	type member struct {
		index int
		name  string // with what stands around it
		kind  reflect.Kind
		write encoder
	}
	members, l := make([]member, 0, t.NumField()), leaner{}
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		switch {
		case f.Anonymous || strings.ContainsRune(tag, ','):
			return plainJSON
		case f.IsExported() && tag != "-":
			if tag == "" {
				tag = f.Name
			}
			members = append(members, member{i, `"` + tag + `":`, f.Type.Kind(), l.of(f.Type)})
		}
	}
	return func(b []byte, v reflect.Value) (_ []byte, err error) {
		begin := len(b)
		for i := range members {
			m := &members[i]
			f := v.Field(m.index)
			switch m.kind { // the kinds that nearly all members have are quicker asked here
			case reflect.Pointer, reflect.Slice:
				if f.IsNil() {
					continue
				}
			case reflect.String:
				if f.Len() == 0 {
					continue
				}
			default:
				if f.IsZero() {
					continue
				}
			}
			b = append(append(b, ','), m.name...)
			if b, err = m.write(b, f); err != nil {
				return nil, err
			}
		}
		if len(b) == begin {
			b = append(b, ',')
		}
		b[begin] = '{'
		return append(b, '}'), nil
	}
}

// appendText quotes a text. Nearly every one needs nothing else.
func appendText(b []byte, s string) ([]byte, error) {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			return plainJSON(b, reflect.ValueOf(s))
		}
	}
	b = append(append(b, '"'), s...)
	return append(b, '"'), nil
}

// plainJSON leaves a value to encoding/json.
func plainJSON(b []byte, v reflect.Value) ([]byte, error) {
	if v.CanAddr() {
		v = v.Addr() // a method of the pointer is found as well
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v.Interface()); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimSuffix(text.Bytes(), []byte("\n"))...), nil
}
