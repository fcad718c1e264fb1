package fetch

import (
	"bytes"
	"cmp"
	"regexp"
)

// StandIn names what came in the place of an answer whose body may be anything:
// nothing at all, the page of a guard, of an error or of a login, a fault in
// XML; "" where the body may be the answer itself. LooksLikeOf is evidence about
// what something else has rejected; this is a reason of its own, hence stricter:
// a page that merely carries a guard's script, or has a form for a password
// beside what it is about, may be the very page that was asked for.
func StandIn(a *Answer) LooksLike {
	looks := LooksLikeOf(a.Status, a.Header, a.FinalURL, a.Body)
	head := a.Body[:min(len(a.Body), maxEvidence)]
	switch looks {
	case LooksEmpty, LooksHTMLErrorPage, LooksXMLFault:
		return looks
	case LooksWAFChallenge:
		if isGuarding(a.Header) || hasAll(challengePages, head) {
			return looks
		}
	case LooksLoginPage:
		moved := a.FinalURL != "" && a.FinalURL != cmp.Or(a.Mirror, a.URL)
		if moved || isHeaded(head, loginWords()) {
			return looks
		}
	}
	return ""
}

var loginWords = lazy(`(?i)\b(?:log ?in|log-in|sign ?in|sign-in|logon|entrar|acess[oe]|autentica\S*)\b`)

// isHeaded reports whether one of the first headings of a page has a word.
func isHeaded(page []byte, words *regexp.Regexp) bool {
	for _, m := range heading().FindAllSubmatch(page, 4) {
		if words.Match(m[1]) {
			return true
		}
	}
	return false
}

// hasAll reports whether all the texts of one of the rows stand in a body.
func hasAll(rows [][][]byte, body []byte) bool {
	for _, parts := range rows {
		all := true
		for _, p := range parts {
			all = all && bytes.Contains(body, p)
		}
		if all {
			return true
		}
	}
	return false
}
