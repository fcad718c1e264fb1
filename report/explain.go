package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// Topic is one word that Explain knows.
type Topic struct {
	Word  string
	Group Text // what kind of word it is
	Means Text
	Do    Text
}

// Explain says what a word of a report or an exit code means and what to do
// about it; one that means several things is told with all of them. The code of
// a mismatch, such as json.matches, is told by what stands before its first
// point. An unknown word is an error with the nearest known one. "exit 75" is
// 75.
func Explain(word string, lang Lang) (string, error) {
	key := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(word), "exit "))
	topics := Topics()
	text := explain(topics, lang, func(t *Topic) bool { return t.Word == key })
	family, _, isCode := strings.Cut(key, ".")
	if text == "" && isCode {
		text = explain(topics, lang, func(t *Topic) bool { return t.Word == family && t.Group == groupCode })
	}
	if text == "" {
		near := source.Suggest(key, TopicWords())
		if near == "" && isCode {
			near = source.Suggest(family, TopicWords())
		}
		hint := "fonteviva explain, without a word, lists what is known"
		if near != "" {
			hint = "did you mean " + strconv.Quote(near) + "?"
		}
		return "", fmt.Errorf("nothing is known about %s\n  %s", strconv.Quote(word), hint)
	}
	return text, nil
}

// explain writes the topics that are meant.
func explain(topics []Topic, lang Lang, meant func(*Topic) bool) string {
	var b strings.Builder
	for i := range topics {
		t := &topics[i]
		if !meant(t) {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s (%s)\n", t.Word, t.Group.In(lang))
		for _, part := range []string{t.Means.In(lang), Text{"What to do: ", "O que fazer: "}.In(lang) + t.Do.In(lang)} {
			for _, line := range wrap(part, 76) {
				b.WriteString("  " + line + "\n")
			}
		}
	}
	return b.String()
}

// ExplainWords lists every word that Explain knows, by what kind of word it is.
func ExplainWords(lang Lang) string {
	var b strings.Builder
	topics := Topics()
	for len(topics) > 0 {
		group := topics[0].Group
		var words []string
		topics = slices.DeleteFunc(topics, func(t Topic) bool {
			if t.Group == group {
				words = append(words, t.Word)
			}
			return t.Group == group
		})
		fmt.Fprintf(&b, "%s\n", group.In(lang))
		for _, line := range wrap(strings.Join(words, " "), 76) {
			b.WriteString("  " + line + "\n")
		}
	}
	return b.String()
}

// TopicWords lists every word that Explain knows, each once, for completion.
func TopicWords() []string {
	var out []string
	for _, t := range Topics() {
		if !slices.Contains(out, t.Word) {
			out = append(out, t.Word)
		}
	}
	return out
}
