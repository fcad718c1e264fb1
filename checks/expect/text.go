package expect

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// textRule is one matcher on a text: the body, or a header's value.
type textRule struct {
	key   string
	want  string // for a person
	holds func(text []byte) bool
	got   func(text []byte) string // what is wrong with a text that does not match
}

// textRules are the matchers of one text, in declared order.
type textRules struct {
	rules    []textRule
	severity Severity
	optional bool  // headers only
	exists   *bool // headers only
}

func (t *textRules) add(r textRule) { t.rules = append(t.rules, r) }

// textFields are the keys that every text has.
func textFields() []source.Field[textRules] {
	type field = source.Field[textRules]
	return []field{
		{Name: "equals", Form: source.AnyText, Doc: "the whole text", Decode: func(t *textRules, n source.Node) { t.one("equals", n, equalsText) }},
		{Name: "not_equals", Form: source.AnyText, Doc: "what the whole text must not be", Decode: func(t *textRules, n source.Node) { t.one("not_equals", n, notEqualsText) }},
		{Name: "in", Form: source.OneOrList(1, source.AnyText), Doc: "a list of which the whole text must be one", Decode: decodeTextIn},
		{Name: "contains", Form: source.OneOrList(1, source.SomeText), Doc: "a part, or a list of parts that must all be there", Decode: func(t *textRules, n source.Node) { t.each("contains", n, containsText) }},
		{Name: "not_contains", Form: source.OneOrList(1, source.SomeText), Doc: "a part, or a list of parts none of which may be there", Decode: func(t *textRules, n source.Node) { t.each("not_contains", n, notContainsText) }},
		{Name: "starts_with", Form: source.AnyText, Doc: "how the text begins", Decode: func(t *textRules, n source.Node) { t.one("starts_with", n, startsWithText) }},
		{Name: "matches", Form: source.OneOrList(1, source.RegexpText), Doc: "a regular expression that matches somewhere (RE2 syntax), or a list of them", Decode: func(t *textRules, n source.Node) { t.patterns("matches", n, matchesText) }},
		{Name: "not_matches", Form: source.OneOrList(1, source.RegexpText), Doc: "a regular expression that matches nowhere, or a list of them", Decode: func(t *textRules, n source.Node) { t.patterns("not_matches", n, notMatchesText) }},
		{Name: "severity", Form: severityForm, Doc: "fail (default) or warn", Decode: func(t *textRules, n source.Node) { decodeSeverity(&t.severity, n) }},
	}
}

// one reads a matcher of one text.
func (t *textRules) one(key string, n source.Node, make func(string) textRule) {
	if s, ok := n.String(); ok {
		r := make(s)
		r.key = key
		t.add(r)
	}
}

// each reads a matcher of one text or several: each is a rule of its own.
func (t *textRules) each(key string, n source.Node, make func(string) textRule) {
	items := n.ItemsOrOne()
	if len(items) == 0 {
		n.Problem("name at least one text", "the list is empty")
	}
	for _, item := range items {
		if s, ok := item.NonEmpty(); ok {
			r := make(s)
			r.key = key
			t.add(r)
		}
	}
}

func (t *textRules) patterns(key string, n source.Node, make func(*regexp.Regexp) textRule) {
	items := n.ItemsOrOne()
	if len(items) == 0 {
		n.Problem("name at least one pattern", "the list is empty")
	}
	for _, item := range items {
		if re, ok := item.Regexp(); ok {
			r := make(re)
			r.key = key
			t.add(r)
		}
	}
}

func decodeTextIn(t *textRules, n source.Node) {
	list, ok := n.Strings()
	if len(list) == 0 {
		n.Problem("name at least one text", "the list is empty")
	}
	if ok {
		t.add(textRule{key: "in", want: "one of " + showWanted(list), got: quoteText,
			holds: func(text []byte) bool { return slices.Contains(list, string(text)) }})
	}
}

// quoteText shows the beginning of a text.
func quoteText(text []byte) string {
	return showWanted(string(text[:min(len(text), maxRaw)]))
}

func equalsText(want string) textRule {
	return textRule{want: showWanted(want), got: quoteText,
		holds: func(text []byte) bool { return string(text) == want }}
}

func notEqualsText(unwanted string) textRule {
	return textRule{want: "anything but " + showWanted(unwanted), got: quoteText,
		holds: func(text []byte) bool { return string(text) != unwanted }}
}

func containsText(part string) textRule {
	return textRule{want: "a text with " + showWanted(part) + " in it", got: quoteText,
		holds: func(text []byte) bool { return bytes.Contains(text, []byte(part)) }}
}

func notContainsText(part string) textRule {
	return textRule{want: "no " + showWanted(part),
		holds: func(text []byte) bool { return !bytes.Contains(text, []byte(part)) },
		got: func(text []byte) string {
			return fmt.Sprintf("%s at byte %d", showWanted(part), bytes.Index(text, []byte(part)))
		}}
}

func startsWithText(prefix string) textRule {
	return textRule{want: "a text that begins " + showWanted(prefix), got: quoteText,
		holds: func(text []byte) bool { return bytes.HasPrefix(text, []byte(prefix)) }}
}

func matchesText(re *regexp.Regexp) textRule {
	return textRule{want: "a match of " + re.String(), got: quoteText, holds: re.Match}
}

func notMatchesText(re *regexp.Regexp) textRule {
	return textRule{want: "no match of " + re.String(),
		holds: func(text []byte) bool { return !re.Match(text) },
		got: func(text []byte) string {
			at := re.FindIndex(text)
			return quoteText(text[at[0]:at[1]]) + " at byte " + strconv.Itoa(at[0])
		}}
}
