package report

import (
	"fmt"
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

// Explain says what a finding, a verdict, a kind, a detail, a disposition or an
// exit code means and what to do about it. An unknown word is an error with the nearest
// known one. "exit 75" is 75.
func Explain(word string, lang Lang) (string, error) {
	key := strings.TrimSpace(strings.TrimPrefix(strings.ToLower(word), "exit "))
	var b strings.Builder
	for _, t := range Topics() {
		if t.Word != key {
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
	if b.Len() == 0 {
		return "", fmt.Errorf("nothing is known about %s: %s", strconv.Quote(word), source.DidYouMean(word, TopicWords()))
	}
	return b.String(), nil
}

// TopicWords lists every word that Explain knows, for completion.
func TopicWords() []string {
	var out []string
	for _, t := range Topics() {
		out = append(out, t.Word)
	}
	return out
}
