package checks

import (
	"net/url"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/fonteviva/fonteviva/checks/source"
)

const (
	maxEach      = 1000 // values of one matrix
	maxEachNames = 20   // names of one value
	// requestScope begins the references to what this probe asks for.
	requestScope = "request."
	requestQuery = requestScope + "query"
)

func isEach(r source.Ref) bool {
	return r.Scope == source.Each || r.Scope == "" && r.Name == source.Each
}

// variant is one value of a matrix.
type variant struct {
	suffix string // of the probe's name
	at     source.Node
	one    source.Node            // of ${each}; zero where the value is a mapping
	named  map[string]source.Node // of ${each.NAME}
}

// variants reads each: of a probe; none where it has none, or a wrong one.
func variants(probe source.Node) []*variant {
	n := probe.Member("each")
	if n.IsZero() {
		return nil
	}
	items, ok := n.Items()
	if !ok {
		return nil
	}
	if len(items) == 0 || len(items) > maxEach {
		n.Problem("such as [11, 433, 4189], or [{code: 11, name: selic}]", "expected from 1 to %d values, got %d", maxEach, len(items))
		return nil
	}
	var list []*variant
	for _, item := range items {
		if v := readVariant(item); v != nil {
			list = append(list, v)
		}
	}
	return list
}

func readVariant(item source.Node) *variant {
	v := &variant{at: item}
	if !item.IsMapping() {
		if !isPlainValue(item) {
			return nil
		}
		v.one = item
		v.suffix, _ = item.String()
		return v
	}
	pairs, _ := item.Pairs()
	if len(pairs) == 0 || len(pairs) > maxEachNames {
		item.Problem("such as {code: 11, name: selic}", "expected from 1 to %d named values, got %d", maxEachNames, len(pairs))
		return nil
	}
	v.named = map[string]source.Node{}
	for i, p := range pairs {
		if !captureName().MatchString(p.Key) {
			p.KeyAt.Problem("letters, digits and low lines; no digit first", "%s cannot be used in ${each.NAME}", quoted(p.Key))
		}
		if !isPlainValue(p.Value) {
			return nil
		}
		v.named[p.Key] = p.Value
		if i == 0 || p.Key == "name" {
			v.suffix, _ = p.Value.String()
		}
	}
	return v
}

// isPlainValue reports what cannot be put in the place of a reference: it must
// be one value, and make no reference of its own.
func isPlainValue(n source.Node) bool {
	s, ok := n.String()
	if ok && (strings.Contains(s, "${") || strings.HasSuffix(s, "$")) {
		n.Problem("write the reference where the value is used", "a value of each: holds no reference, and ends with no $")
		return false
	}
	return ok
}

// apply puts the values into a probe.
func (v *variant) apply(s *source.Substitution, probe source.Node) source.Node {
	s.Value = func(r source.Ref, at source.Node) (source.Node, bool) {
		if !isEach(r) {
			return source.Node{}, false
		}
		value := v.one
		if r.Scope == source.Each {
			value = v.named[r.Name]
		}
		if value.IsZero() {
			at.Problem("the value is at "+v.at.Pos().String(), "%s has no value there", r)
		}
		return value, true
	}
	return s.Apply(probe)
}

// eachInURL are the places where a value becomes a part of an address.
var eachInURL = map[string]func(before, value string) string{"get": escapeTarget, "request.path": escapeTarget}

// escapeTarget writes a value into a path, whose slashes stay, or as one value
// of a query (RFC 3986 §3.3, §3.4).
func escapeTarget(before, value string) string {
	if strings.Contains(before, "?") {
		return url.QueryEscape(value)
	}
	segments := strings.Split(value, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	return strings.Join(segments, "/")
}

// nameOf is a value as it can stand in a probe's name: without accents, with a
// hyphen for every run of other characters.
func nameOf(value string) string {
	var b strings.Builder
	gap := false
	for _, r := range norm.NFD.String(value) {
		switch {
		case unicode.Is(unicode.Mn, r):
		case r < unicode.MaxASCII && (isAlphanumeric(byte(r)) || r == '.' || r == '_' || r == '-'):
			if gap {
				b.WriteByte('-')
			}
			b.WriteRune(r)
			gap = false
		default:
			gap = true
		}
	}
	return b.String()
}

// asked gives what expectations compare with of the request: ${request.query.NAME}.
// It is known while the declaration is read, so that it may hold no reference
// to what is not.
func (d *probeDraft) asked(n source.Node) source.Node {
	s := &source.Substitution{Literals: true, Value: func(r source.Ref, at source.Node) (source.Node, bool) {
		if r.Scope != requestQuery {
			at.Problem("${request.query.NAME} is a parameter of this probe's query; a literal ${ is written $${", "%s is not known under expect:", r)
			return source.Node{}, true
		}
		value, reason := d.queryValue(r.Name)
		if reason != "" {
			at.Problem("name a parameter whose value is written out in get: or request:", "%s has no value: %s", r, reason)
			return source.Node{}, true
		}
		return at.WithText(value), true
	}}
	return s.Apply(n)
}

// queryValue is the first value of a parameter of the query.
func (d *probeDraft) queryValue(name string) (value, reason string) {
	_, query, _ := strings.Cut(d.Request.Path.Raw(), "?")
	for pair := range strings.SplitSeq(query, "&") {
		key, raw, _ := strings.Cut(pair, "=")
		if decoded, err := url.QueryUnescape(key); err != nil || decoded != name {
			continue
		}
		t, _ := source.ParseText(raw, d.Request.Path.Pos())
		return literalOf(t, url.QueryUnescape)
	}
	for _, p := range d.Request.Query {
		if p.Name == name {
			return literalOf(p.Value, func(s string) (string, error) { return s, nil })
		}
	}
	return "", "the query has no such parameter"
}

func literalOf(t source.Text, decode func(string) (string, error)) (value, reason string) {
	if len(t.Refs()) > 0 {
		return "", "the parameter is known only when the probe runs"
	}
	s, _ := t.Expand(noRefs)
	value, err := decode(s)
	if err != nil {
		return "", "the parameter is not percent-encoded"
	}
	return value, ""
}
