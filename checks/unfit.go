package checks

import (
	"net/url"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// unfit says which capture a request cannot take where it stands, "" when it
// can take all. Everything else is escaped for its place: in a query, a form and
// JSON a value is one value whatever it holds, in a path it is one segment; a
// captured value is one line, so that a header takes it as it is. No escaping
// saves a path from a segment that is a dot or two (RFC 3986 §3.3, §5.2.4; a
// percent-encoded dot is a dot, §2.3), which would lead out of what the
// declaration asks for.
func (x expander) unfit(pl *planned) string {
	if ref, is := x.strays(pl.probe.Request.Path); is {
		return "o valor " + ref.Name + " que a sonda " + ref.Scope + " deu (com . ou .. por segmento) levaria o caminho para fora do que é declarado"
	}
	return ""
}

// strays finds a capture in the path of a target that makes, with what stands
// around it, a segment which is no name.
func (x expander) strays(t source.Text) (source.Ref, bool) {
	type piece struct {
		ref      source.Ref
		from, to int
	}
	var pieces []piece
	text, _ := t.ExpandAfter(func(r source.Ref, before string) (string, bool) {
		v, ok, fixed := x.value(r)
		if !isEnv(r) && !fixed && !strings.Contains(before, "?") {
			v = url.PathEscape(v)
			pieces = append(pieces, piece{r, len(before), len(before) + len(v)})
		}
		return v, ok
	})
	for _, p := range pieces {
		from := strings.LastIndexByte(text[:p.from], '/') + 1
		to := len(text)
		if end := strings.IndexAny(text[p.to:], "/?"); end >= 0 {
			to = p.to + end
		}
		if isNoName(text[from:to]) {
			return p.ref, true
		}
	}
	return source.Ref{}, false
}

// isNoName reports a segment that holds, as a server may read it, a step within
// the tree: servers decode what is escaped before they take . and .. away, some
// of them twice, and take a backslash for a slash.
func isNoName(segment string) bool {
	for range 3 {
		for _, part := range strings.FieldsFunc(segment, func(r rune) bool { return r == '/' || r == '\\' }) {
			if part == "." || part == ".." {
				return true
			}
		}
		decoded, err := url.PathUnescape(segment)
		if err != nil || decoded == segment {
			return false
		}
		segment = decoded
	}
	return false
}
