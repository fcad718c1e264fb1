package expect

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// headersExpectation is the headers: mapping, in declared order.
type headersExpectation []headerRules

type headerRules struct {
	name string // as declared
	textRules
}

var headerTable = source.NewObject("a header's expectation", append(textFields(),
	source.Field[textRules]{Name: "exists", Form: source.Flag, Doc: "whether the header must be there", Decode: func(t *textRules, n source.Node) {
		if v, ok := n.Bool(); ok {
			t.exists = &v
		}
	}},
	source.Field[textRules]{Name: "optional", Form: source.Flag, Doc: "true: an absent header is fine",
		Decode: func(t *textRules, n source.Node) { v, ok := n.Bool(); source.Optional(&t.optional, v, ok) }},
)...)

// headerName is a token of RFC 9110 §5.6.2.
var headerName = source.Pattern("^[-!#$%&'*+.^_`|~0-9A-Za-z]+$")

func decodeHeaders(s *Spec, n source.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	if len(pairs) == 0 {
		n.Problem("such as headers: {etag: {exists: true}}", "headers names no header")
	}
	var e headersExpectation
	seen := map[string]bool{}
	for _, p := range pairs {
		if !headerName().MatchString(p.Key) {
			p.KeyAt.Problem("", "%s is not a header's name", strconv.Quote(p.Key))
		}
		if key := http.CanonicalHeaderKey(p.Key); seen[key] {
			p.KeyAt.Problem("header names are the same whatever their case; remove one", "header %s is named twice", strconv.Quote(p.Key))
		} else {
			seen[key] = true
		}
		e = append(e, decodeHeader(p))
	}
	s.add(e)
}

// decodeHeader reads the text that a header must be, or a mapping of matchers.
func decodeHeader(p source.Pair) headerRules {
	h := headerRules{name: p.Key, textRules: textRules{severity: Fail}}
	if !p.Value.IsMapping() {
		h.one("equals", p.Value, equalsText)
		return h
	}
	headerTable.Decode(p.Value, &h.textRules)
	const hint = "remove one of them"
	if h.exists != nil && !*h.exists && len(h.rules) > 0 {
		p.Value.Problem(hint, "exists: false contradicts %s: what is not there has no value", h.rules[0].key)
	}
	if h.exists != nil && h.optional {
		p.Value.Problem(hint, "exists: %t contradicts optional: true", *h.exists)
	}
	return h
}

func (e headersExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	for _, h := range e {
		h.evaluateOne(o.Header.Values(h.name), f)
	}
}

// evaluateOne judges one header; several lines of it are one list (RFC 9110
// §5.3).
func (h headerRules) evaluateOne(lines []string, f *findings) {
	report := func(key, want, got string) {
		name := h.name
		f.add(Mismatch{Code: "headers." + key, Path: &name, Severity: h.severity, Want: want, Got: got})
	}
	value := []byte(strings.Join(lines, ", "))
	wanted := h.exists == nil || *h.exists
	switch {
	case len(lines) > 0 && !wanted:
		report("exists", "no such header", quoteText(value))
		return
	case len(lines) > 0:
	case !wanted || h.optional:
		return
	case h.exists != nil || len(h.rules) == 0:
		report("exists", "the header", "no such header")
		return
	default:
		report(h.rules[0].key, h.rules[0].want, "no such header")
		return
	}
	for _, r := range h.rules {
		if !r.holds(value) {
			report(r.key, r.want, r.got(value))
		}
	}
}
