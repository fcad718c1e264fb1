package expect

import (
	"bytes"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// addText adds a matcher that only a string can satisfy.
func (a *assertion) addText(key, want string, holds func(text []byte) bool) {
	a.addNode(key, want, func(v jsonpath.Value) bool {
		return v.Kind() == jsonpath.String && holds(v.Bytes())
	}, notText)
}

// notText names the type where that is what is wrong.
func notText(v jsonpath.Value) string {
	if v.Kind() == jsonpath.String {
		return show(v)
	}
	return typed(v)
}

func decodeMatches(a *assertion, n source.Node) {
	if re, ok := n.Regexp(); ok {
		a.addText("matches", re.String(), re.Match)
	}
}

func decodeStartsWith(a *assertion, n source.Node) {
	if prefix, ok := n.String(); ok {
		a.addText("starts_with", "a string that begins "+showWanted(prefix), func(text []byte) bool {
			return bytes.HasPrefix(text, []byte(prefix))
		})
	}
}

func decodeContains(a *assertion, n source.Node) {
	want, ok := n.Value()
	if !ok {
		return
	}
	part, isText := want.(string)
	a.addNode("contains", "a string or an array with "+showWanted(want)+" in it", func(v jsonpath.Value) bool {
		switch v.Kind() {
		case jsonpath.String:
			return isText && bytes.Contains(v.Bytes(), []byte(part))
		case jsonpath.Array:
			found := false
			v.Elements(func(_ int, e jsonpath.Value) bool { found = e.Equal(want); return !found })
			return found
		}
		return false
	}, func(v jsonpath.Value) string {
		switch {
		case v.Kind() == jsonpath.String && !isText:
			return typed(v) + "; quote the wanted part to look for text"
		case v.Kind() == jsonpath.String, v.Kind() == jsonpath.Array:
			return show(v)
		}
		return typed(v)
	})
}
