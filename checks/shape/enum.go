package shape

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Enum is a sorted set of scalar values, each as its JSON text.
type Enum []string

// beyond gives the values of e that f does not have, however its numbers are
// written: 1.0 is 1.
func (e Enum) beyond(f Enum) Enum {
	return slices.DeleteFunc(slices.Clone(e), func(v string) bool {
		if _, has := slices.BinarySearch(f, v); has {
			return true
		}
		return isNumber(v) && slices.ContainsFunc(f, func(w string) bool { return isNumber(w) && decimal.Compare(v, w) == 0 })
	})
}

func isNumber(text string) bool { return jsontext.Value(text).Kind() == '0' }

// with joins two sets; a nil one adds nothing.
func (e Enum) with(f Enum) Enum {
	if e == nil || f == nil {
		return slices.Clone(append(e, f...))
	}
	out := append(slices.Clone(e), f...)
	slices.Sort(out)
	return slices.Compact(out)
}

// MarshalJSON writes the values as they are.
func (e Enum) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('[')
	for i, v := range e {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(v)
	}
	b.WriteByte(']')
	return b.Bytes(), nil
}

// UnmarshalJSON reads a list of scalar values.
func (e *Enum) UnmarshalJSON(b []byte) error {
	var values []jsontext.Value
	if err := json.Unmarshal(b, &values); err != nil {
		return err
	}
	*e = Enum{}
	for _, v := range values {
		if k := v.Kind(); k == '[' || k == '{' {
			return problem("an enumeration holds single values")
		}
		*e = append(*e, scalar(v))
	}
	slices.Sort(*e)
	if *e = slices.Compact(*e); len(*e) > MaxEnum {
		return problem("an enumeration holds more than %d values", MaxEnum)
	}
	return nil
}

// scalar is the text of a value that has no parts: a string in one form of
// its many, anything else as it came.
func scalar(v jsontext.Value) string {
	if v.Kind() != '"' {
		return string(v)
	}
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return string(v)
	}
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		return strconv.Quote(string(text))
	}
	return string(quoted)
}
