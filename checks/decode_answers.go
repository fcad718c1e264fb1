package checks

import (
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

const (
	maxRules   = 100 // of one origin: each is read on every answer
	maxMatched = 20  // header fields of one rule
)

// decodeAnswers reads answers:, the list of what an origin's answers mean.
func decodeAnswers(o *Origin, n source.Node) {
	items, ok := n.Items()
	if !ok {
		return
	}
	if len(items) > maxRules {
		n.Problem("", "an origin has at most %d answer rules, this one has %d", maxRules, len(items))
		return
	}
	for i, item := range items {
		rule := fetch.Rule{Name: fmt.Sprintf("origins.%s.answers[%d]", o.Name, i)}
		if ruleKeys.Decode(item, &rule) {
			checkRule(item, &rule)
		}
		o.Answers = append(o.Answers, rule)
	}
}

var ruleKeys = source.NewObject("an answer rule",
	source.Field[fetch.Rule]{Name: "status", Form: expect.StatusForm, Doc: "a number, a class (2xx) or a list of them", Decode: func(r *fetch.Rule, n source.Node) { r.Status = expect.Statuses(n) }},
	source.Field[fetch.Rule]{Name: "path", Form: source.Matching(`^[/*][^?#]*$`), Doc: "of the URL asked: * within a segment, ** over several", Decode: decodeGlob},
	source.Field[fetch.Rule]{Name: "header", Form: source.NamedMap(1, tokenPattern, source.Either(source.AnyText, source.Some(ruleHeaderKeys.Form))), Doc: "response headers: the text, or matchers", Decode: decodeRuleHeader},
	source.Field[fetch.Rule]{Name: "json", Form: source.JSONPath, Doc: "an RFC 9535 path that selects something", Decode: decodeRuleJSON},
	source.Field[fetch.Rule]{Name: "body_contains", Form: source.SomeText, Doc: "text in the body", Decode: func(r *fetch.Rule, n source.Node) { decodeNonEmpty(&r.BodyContains, n) }},
	source.Field[fetch.Rule]{Name: "body_matches", Form: source.RegexpText, Doc: "a regular expression (RE2) on the body", Decode: func(r *fetch.Rule, n source.Node) {
		v, ok := n.Regexp()
		source.Optional(&r.BodyMatches, v, ok)
	}},
	source.Field[fetch.Rule]{Name: "body_is", Form: source.OneOf(fetch.BodyIsHTML, fetch.BodyIsXML, fetch.BodyIsJSON, fetch.BodyIsEmpty), Doc: "html, xml, json or empty", Decode: func(r *fetch.Rule, n source.Node) {
		v, ok := n.Enum(fetch.BodyIsHTML, fetch.BodyIsXML, fetch.BodyIsJSON, fetch.BodyIsEmpty)
		source.Optional(&r.BodyIs, v, ok)
	}},
	source.Field[fetch.Rule]{Name: "rpc_code", Form: source.AtMost(-1<<31, 1<<31-1, `^-?[0-9]+$`), Doc: "the code of a JSON-RPC error", Decode: decodeRPCCode},
	source.Field[fetch.Rule]{Name: "is_error", Form: source.Flag, Doc: "whether an MCP tool says that it failed", Decode: decodeRuleIsError},
	source.Field[fetch.Rule]{Name: "means", Form: source.OneOf(meanings...), Doc: "a verdict, ok, drift or absent", Required: true, Decode: func(r *fetch.Rule, n source.Node) {
		v, ok := n.Enum(meanings...)
		source.Optional(&r.Means, fetch.Means(v), ok)
	}},
	source.Field[fetch.Rule]{Name: "retry", Form: source.Flag, Doc: "try again within the trip", Decode: func(r *fetch.Rule, n source.Node) {
		if v, ok := n.Bool(); ok {
			r.Retry = &v
		}
	}},
)

var meanings = func() (words []string) {
	for _, m := range fetch.MeansList() {
		words = append(words, string(m))
	}
	return words
}()

// checkRule reports a rule that is about every answer, or about none.
func checkRule(n source.Node, r *fetch.Rule) {
	pairs, _ := n.Pairs()
	asks := false
	for _, p := range pairs {
		asks = asks || p.Key != "means" && p.Key != "retry"
	}
	switch {
	case !asks:
		n.Problem("add status, path, header, json, body_contains, body_matches or body_is", "an answer rule that asks for nothing is about every answer")
	case r.Retry != nil && *r.Retry && r.Means.IsAnswer():
		n.Problem("remove retry:", "means: %s ends the trip, nothing is tried again", r.Means)
	case r.JSON != nil && r.BodyIs != "" && r.BodyIs != fetch.BodyIsJSON:
		n.Problem("remove one of them", "body_is: %s contradicts json:, which selects nothing in it", r.BodyIs)
	}
}

func decodeGlob(r *fetch.Rule, n source.Node) {
	s, ok := n.NonEmpty()
	if !ok || !hasNoRef(n) {
		return
	}
	if s[0] != '/' && s[0] != '*' {
		n.Problem("it is the whole path of the URL, the origin's own included; ** stands for any part of it", "path %s starts with neither / nor *", quoted(s))
		return
	}
	if strings.ContainsAny(s, "?#") {
		n.Problem("a rule's path has no query", "path %s holds %s", quoted(s), quoted(s[strings.IndexAny(s, "?#"):][:1]))
		return
	}
	r.Path = s
}

func decodeNonEmpty(into *string, n source.Node) {
	if s, ok := n.NonEmpty(); ok {
		*into = s
	}
}

func decodeRuleJSON(r *fetch.Rule, n source.Node) {
	selects := expect.Selects(n)
	if selects == nil {
		return
	}
	r.JSON = func(body []byte) bool { return fetch.ValidJSON(body) && selects(body) }
}

var ruleHeaderKeys = source.NewObject("a header of an answer rule",
	source.Field[fetch.HeaderMatch]{Name: "equals", Form: source.AnyText, Doc: "the value", Decode: func(m *fetch.HeaderMatch, n source.Node) {
		if s, ok := n.String(); ok {
			m.Equals = &s
		}
	}},
	source.Field[fetch.HeaderMatch]{Name: "matches", Form: source.RegexpText, Doc: "a regular expression (RE2) on the value", Decode: func(m *fetch.HeaderMatch, n source.Node) {
		v, ok := n.Regexp()
		source.Optional(&m.Matches, v, ok)
	}},
	source.Field[fetch.HeaderMatch]{Name: "exists", Form: source.Flag, Doc: "false: the header must not be there", Decode: func(m *fetch.HeaderMatch, n source.Node) {
		if v, ok := n.Bool(); ok {
			m.Exists = &v
		}
	}},
)

// decodeRuleHeader reads {name: value} or {name: {equals, matches, exists}}.
func decodeRuleHeader(r *fetch.Rule, n source.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	if len(pairs) == 0 || len(pairs) > maxMatched {
		n.Problem("such as {cf-mitigated: challenge}", "expected from 1 to %d header fields, got %d", maxMatched, len(pairs))
		return
	}
	for _, p := range pairs {
		m := fetch.HeaderMatch{Name: p.Key}
		if !checkHeaderName(p.KeyAt, p.Key, nil) {
			continue
		}
		if p.Value.IsMapping() {
			ruleHeaderKeys.Decode(p.Value, &m)
			if m.Exists != nil && !*m.Exists && (m.Equals != nil || m.Matches != nil) {
				p.Value.Problem("remove one of them", "exists: false contradicts a value: what is not there has none")
			}
		} else if s, ok := p.Value.String(); ok {
			m.Equals = &s
		}
		r.Header = append(r.Header, m)
	}
}
