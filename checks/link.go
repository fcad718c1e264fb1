package checks

import (
	"net/url"
	"strings"
)

// linkState is what Link headers say about a relation.
type linkState int

const (
	linkNone       linkState = iota // they were read, and none is of the relation
	linkFound                       // one is
	linkUnreadable                  // none of what could be read is, and some could not be read
)

// linkTo finds the target of the first link of a relation in the Link headers
// (RFC 8288 §3) of the answer that came from an address. A link whose anchor
// makes it one of another resource is none of the answer's.
func linkTo(headers []string, rel, from string) (string, linkState) {
	state := linkNone
	for _, h := range headers {
		for rest := h; rest != ""; {
			var l link
			if l, rest = readLink(rest); l.broken {
				state = linkUnreadable
			}
			if l.is(rel) && l.of(from) {
				return l.target, linkFound
			}
		}
	}
	return "", state
}

// link is one link-value.
type link struct {
	target string
	params map[string]string
	broken bool // it, or what stands before it, is no link-value
}

// is reports whether the link is of a relation. A relation is known by its name
// whatever its case (RFC 8288 §3.3).
func (l *link) is(rel string) bool {
	for _, word := range strings.Fields(l.params["rel"]) {
		if strings.EqualFold(word, rel) {
			return true
		}
	}
	return false
}

// of reports whether the link is one of the answer's own resource, which is what
// it is of without an anchor (RFC 8288 §3.2).
func (l *link) of(from string) bool {
	anchor, anchored := l.params["anchor"]
	if !anchored {
		return true
	}
	base, err := url.Parse(from)
	ref, bad := url.Parse(anchor)
	if err != nil || bad != nil {
		return false
	}
	base.Fragment, base.RawFragment = "", ""
	return ref.Fragment == "" && base.ResolveReference(ref).String() == base.String()
}

// readLink reads one link-value and gives what follows its comma. Empty ones are
// passed over (RFC 9110 §5.6.1). Of a parameter that comes twice the first counts
// (RFC 8288 §3.3).
func readLink(s string) (l link, rest string) {
	before, s, found := strings.Cut(s, "<")
	l.broken = strings.Trim(before, " \t,") != ""
	if !found {
		return l, ""
	}
	target, s, found := strings.Cut(s, ">")
	if !found {
		l.broken = true
		return l, ""
	}
	l.target, l.params = target, map[string]string{}
	for s != "" {
		s = strings.TrimLeft(s, " \t;")
		if rest, isEnd := strings.CutPrefix(s, ","); isEnd {
			return l.checked(), rest
		}
		s = l.readParam(s)
	}
	return l.checked(), ""
}

// readParam reads one parameter and gives what follows it.
func (l *link) readParam(s string) string {
	end := strings.IndexAny(s, "=;,<")
	if end < 0 {
		end = len(s)
	}
	name, value := strings.ToLower(strings.TrimSpace(s[:end])), ""
	s = s[end:]
	if strings.HasPrefix(s, "=") {
		var whole bool
		value, s, whole = readValue(strings.TrimLeft(s[1:], " \t"))
		l.broken = l.broken || !whole
	}
	l.broken = l.broken || strings.ContainsAny(name, " \t\"") || strings.HasPrefix(s, "<")
	if strings.HasPrefix(s, "<") { // a comma is missing: the next link begins here
		s = "," + s
	}
	if _, again := l.params[name]; !again && name != "" {
		l.params[name] = value
	}
	return s
}

// checked notes a link without a relation, which it must have (RFC 8288 §3.3),
// and relations that no relation type can be: those begin with a letter, names
// and URIs alike.
func (l link) checked() link {
	words := strings.Fields(l.params["rel"])
	_, reverse := l.params["rev"]
	l.broken = l.broken || len(words) == 0 && !reverse
	for _, word := range words {
		c := word[0] | 0x20
		l.broken = l.broken || c < 'a' || c > 'z'
	}
	return l
}

// readValue reads a token or a quoted string (RFC 9110 §5.6.4), and says whether
// it was there and whole.
func readValue(s string) (value, rest string, whole bool) {
	if !strings.HasPrefix(s, `"`) {
		end := strings.IndexAny(s, ";, \t")
		if end < 0 {
			end = len(s)
		}
		return s[:end], s[end:], end > 0
	}
	var b strings.Builder
	for i := 1; i < len(s); i++ {
		switch {
		case s[i] == '"':
			return b.String(), s[i+1:], true
		case s[i] == '\\' && i+1 < len(s):
			i++
		}
		b.WriteByte(s[i])
	}
	return b.String(), "", false
}
