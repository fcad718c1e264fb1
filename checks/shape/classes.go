package shape

import (
	"fmt"
	"strings"
)

func (w *walk) newKey(now *Key) {
	w.add("new_key", Additive, "absent", describe(&now.Shape, now.Optional))
}

func (w *walk) keyGone(was *Key) {
	if !was.Optional {
		w.add("key_gone", Breaking, describe(&was.Shape, false), "absent")
	}
}

func (w *walk) optional(was, now bool) {
	if now && !was {
		w.add("key_optional", Breaking, "in every object", "missing from some")
	}
}

// more tells about new keys of which there are more than are kept.
func (w *walk) more(was, now bool) {
	if was != now {
		w.add("new_key", Additive, "none", "more than can be shown")
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

func (w *walk) types(was, now Types) {
	added := now.beyond(was)
	switch {
	case added == 0:
	case was == TypeNull:
		w.add("new_type", Additive, was.String(), now.String())
	case changedType(was, now):
		w.add("type", Breaking, was.String(), now.String())
	default:
		if added&TypeNumber != 0 {
			w.add("number", Additive, TypeInteger.String(), TypeNumber.String())
		}
		if added&TypeNull != 0 {
			w.add("null", Breaking, was.String(), now.String())
		}
	}
}

func (w *walk) formats(was, now *Shape) {
	common := was.Formats & now.Formats
	switch {
	case was.Types&now.Types&TypeString == 0, was.Formats == 0, was.Formats == anyFormat:
	case now.Formats == anyFormat:
		if !was.Empty {
			w.add("empty_text", Additive, was.Formats.String(), "empty text alone")
		}
	case common == 0:
		w.add("format", Breaking, was.Formats.String(), now.Formats.String())
	case was.Formats&^common&FormatDigits != 0:
		w.add("number", Additive, was.Formats.String(), common.String())
	}
}

func (w *walk) emptyText(was, now *Shape) {
	if now.Empty && !was.Empty && was.Types&TypeString != 0 && was.Formats != 0 && was.Formats != anyFormat && was.Formats&now.Formats != 0 {
		w.add("empty_text", Additive, was.Formats.String(), "empty text at times")
	}
}

// shownValues is how many new values a difference names.
const shownValues = 5

func (w *walk) enum(was, now Enum) {
	added := now.beyond(was)
	switch {
	case now == nil:
	case was == nil:
		w.add("new_enum", Additive, "any value", plural(len(now), "value"))
	case len(added) > 0:
		more := ""
		if len(added) > shownValues {
			more = fmt.Sprintf(" and %d more", len(added)-shownValues)
		}
		w.add("enum", Breaking, "one of "+plural(len(was), "value"), strings.Join(added[:min(len(added), shownValues)], ", ")+more)
	}
}

func (w *walk) isMap(was, now *Object) {
	if was.Map {
		w.add("map", Breaking, "a map of any keys", plural(len(now.Keys), "key"))
		return
	}
	class := Breaking
	if len(was.Keys) == 0 {
		class = Additive
	}
	w.add("map", class, plural(len(was.Keys), "key"), "a map of many keys")
}

// names tells that a map whose names were all of one kind has words among them:
// what reads the names as dates or numbers reads them no more.
func (w *walk) names(was, now *Object) {
	if was.Map && now.Map && was.Data && !now.Data {
		w.add("map", Breaking, "a map keyed by dates, numbers or identifiers", "words among its keys")
	}
}

// unseen tells about elements, or values of a map, of which one side has seen
// none. Where none was always possible, none now is no difference.
func (w *walk) unseen(was, now *Shape, recorded Length) {
	switch {
	case was == nil && now != nil:
		w.add("new_items", Additive, "always empty", "of "+now.Types.String())
	case was != nil && now == nil && recorded.Min > 0:
		w.add("empty", Additive, "never empty", "empty, so that nothing in it can be compared")
	}
}

func (w *walk) lengths(was, now Length) {
	if w.rules.Bounds && (now.Min < was.Min || now.Max > was.Max) {
		w.add("length", Breaking, was.String(), now.String())
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
