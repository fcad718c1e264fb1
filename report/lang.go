package report

import (
	"fmt"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// Lang is the language of what a person reads. The motivo of a result is pt-BR
// in every language.
type Lang string

// The languages.
const (
	EN Lang = "en"
	PT Lang = "pt-BR"
)

// ParseLang reads a language's name.
func ParseLang(s string) (Lang, error) {
	switch l := Lang(s); l {
	case EN, PT:
		return l, nil
	}
	return "", fmt.Errorf("unknown language %s: %s", strconv.Quote(s), source.DidYouMean(s, []string{string(EN), string(PT)}))
}

// Text is one sentence in both languages.
type Text struct{ EN, PT string }

// In gives the sentence in a language; English where the language is not
// pt-BR.
func (t Text) In(l Lang) string {
	if l == PT {
		return t.PT
	}
	return t.EN
}

// textf fills both languages of a pattern with the same arguments.
func textf(en, pt string, args ...any) Text {
	return Text{EN: fmt.Sprintf(en, args...), PT: fmt.Sprintf(pt, args...)}
}
