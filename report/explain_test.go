package report

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/fetch"
)

func TestExplainKnowsEveryWord(t *testing.T) {
	var words []string
	words = append(words, names(checks.Findings())...)
	words = append(words, names(fetch.Kinds())...)
	words = append(words, names(Dispositions())...)
	words = append(words, "unstable", "persistent", "flaky", "absent")
	for _, code := range []int{ExitOK, ExitContract, ExitUsage, ExitOwn, ExitAmbiguous, ExitUnmeasured, ExitOutput, ExitTemporary, ExitInterrupt, ExitTerminate} {
		words = append(words, strconv.Itoa(code), "exit "+strconv.Itoa(code))
	}
	for _, w := range words {
		for _, lang := range []Lang{EN, PT} {
			text, err := Explain(w, lang)
			if err != nil || !strings.HasPrefix(text, strings.TrimPrefix(w, "exit ")+" (") {
				t.Errorf("%s: %q, %v", w, text, err)
			}
		}
	}
}

func TestTopicsAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, topic := range Topics() {
		if key := topic.Group.EN + " " + topic.Word; seen[key] {
			t.Errorf("%s stands twice", key)
		} else {
			seen[key] = true
		}
		for _, text := range []Text{topic.Group, topic.Means, topic.Do} {
			if text.EN == "" || text.PT == "" || text.EN == text.PT {
				t.Errorf("%s: %+v", topic.Word, text)
			}
		}
	}
}

func TestExplainSuggests(t *testing.T) {
	for word, want := range map[string]string{"indisponível": "indisponivel", "timout": "timeout", "exit 751": "75", "jsn.matches": "json"} {
		if _, err := Explain(word, EN); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", word, err)
		}
	}
	if _, err := Explain("zzzzzzzzzzzzzzzz", EN); err == nil || !strings.HasSuffix(err.Error(), "fonteviva explain, without a word, lists what is known") {
		t.Error(err)
	}
}

func TestExplainListsItsWords(t *testing.T) {
	for _, lang := range []Lang{EN, PT} {
		list := strings.Fields(ExplainWords(lang))
		for _, word := range TopicWords() {
			if !slices.Contains(list, word) {
				t.Errorf("%s is not listed", word)
			}
		}
		if n := strings.Count(ExplainWords(lang), groupLooks.In(lang)+"\n"); n != 1 {
			t.Errorf("a group is there %d times", n)
		}
	}
}

func TestParseLang(t *testing.T) {
	for _, s := range []string{"en", "pt-BR"} {
		if l, err := ParseLang(s); err != nil || string(l) != s {
			t.Errorf("%s: %v", s, err)
		}
	}
	if _, err := ParseLang("pt"); err == nil || !strings.Contains(err.Error(), "pt-BR") {
		t.Error(err)
	}
}
