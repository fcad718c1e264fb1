package shape

import (
	"fmt"
	"strings"

	gocmp "github.com/google/go-cmp/cmp"
)

func (r *reporter) key(was, now *Key) {
	switch {
	case was == nil:
		r.add("new_key", Additive, "absent", describe(&now.Shape, now.Optional))
	case !was.Optional:
		r.add("key_gone", Breaking, describe(&was.Shape, false), "absent")
	}
}

// changedType reports whether the types changed otherwise than by being wider:
// null beside them, numbers beside integers, or anything where null was all
// that was known.
func changedType(was, now Types) bool {
	return was != TypeNull && now.beyond(was)&^(TypeNull|widened(was)) != 0
}

func widened(was Types) Types {
	if was&TypeInteger != 0 {
		return TypeNumber
	}
	return 0
}

func (r *reporter) types(was, now Types) {
	added := now.beyond(was)
	switch {
	case added == 0:
	case was == TypeNull:
		r.add("new_type", Additive, was.String(), now.String())
	case changedType(was, now):
		r.add("type", Breaking, was.String(), now.String())
	default:
		if added&TypeNumber != 0 {
			r.add("number", Additive, TypeInteger.String(), TypeNumber.String())
		}
		if added&TypeNull != 0 {
			r.add("null", Breaking, was.String(), now.String())
		}
	}
}

func (r *reporter) formats(was, now Shape) {
	common := was.Formats & now.Formats
	switch {
	case was.Types&now.Types&TypeString == 0, was.Formats == 0, was.Formats == anyFormat:
	case now.Formats == anyFormat:
		if !was.Empty {
			r.add("empty_text", Additive, was.Formats.String(), "empty text alone")
		}
	case common == 0:
		r.add("format", Breaking, was.Formats.String(), now.Formats.String())
	case was.Formats&^common&FormatDigits != 0:
		r.add("number", Additive, was.Formats.String(), common.String())
	}
}

func (r *reporter) emptyText(was, now Shape) {
	if now.Empty && was.Types&TypeString != 0 && was.Formats != 0 && was.Formats != anyFormat && was.Formats&now.Formats != 0 {
		r.add("empty_text", Additive, was.Formats.String(), "empty text at times")
	}
}

// shownValues is how many new values a difference names.
const shownValues = 5

func (r *reporter) enum(was, now Enum) {
	added := now.beyond(was)
	switch {
	case now == nil:
	case was == nil:
		r.add("new_enum", Additive, "any value", plural(len(now), "value"))
	case len(added) > 0:
		more := ""
		if len(added) > shownValues {
			more = fmt.Sprintf(" and %d more", len(added)-shownValues)
		}
		r.add("enum", Breaking, "one of "+plural(len(was), "value"), strings.Join(added[:min(len(added), shownValues)], ", ")+more)
	}
}

func (r *reporter) isMap(was, now Object) {
	if was.Map {
		r.add("map", Breaking, "a map of any keys", plural(len(now.Keys), "key"))
		return
	}
	class := Breaking
	if len(was.Keys) == 0 {
		class = Additive
	}
	r.add("map", class, plural(len(was.Keys), "key"), "a map of many keys")
}

// contents tells about elements where one side has seen none.
func (r *reporter) contents(field gocmp.PathStep, was Length) {
	before, after := both[*Shape](field)
	switch {
	case before == nil && after != nil:
		r.add("new_items", Additive, "always empty", "of "+after.Types.String())
	case after == nil && was.Min > 0:
		r.add("empty", Additive, "never empty", "empty, so that nothing in it can be compared")
	}
}

func (r *reporter) lengths(field, _ gocmp.PathStep) {
	was, now := both[Length](field)
	if r.rules.Bounds && (now.Min < was.Min || now.Max > was.Max) {
		r.add("length", Breaking, was.String(), now.String())
	}
}

// String is a length for a person: "1 to 20 elements".
func (l Length) String() string {
	if l.Min == l.Max {
		return plural(l.Min, "element")
	}
	return fmt.Sprintf("%d to %d elements", l.Min, l.Max)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// describe is a shape in a few words: "string (DD/MM/YYYY) or null, optional".
func describe(s *Shape, optional bool) string {
	text := s.Types.String()
	if s.Types&TypeString != 0 && s.Formats != 0 {
		text = strings.Replace(text, "string", "string ("+s.Formats.String()+")", 1)
	}
	if optional {
		text += ", optional"
	}
	return text
}
