package fetch

import (
	"bytes"
	"cmp"
)

// StandIn names what came in the place of an answer that was asked for as text:
// nothing at all, the page of a guard, of an error, or of a login that a
// redirect led to; "" where the body may be the answer itself. LooksLikeOf is
// evidence about what something else has rejected; this is a reason of its own,
// hence stricter: a page that merely carries a guard's script, or has a form
// for a password, may be the very page that was asked for.
func StandIn(a *Answer) LooksLike {
	looks := LooksLikeOf(a.Status, a.Header, a.FinalURL, a.Body)
	switch looks {
	case LooksEmpty, LooksHTMLErrorPage:
		return looks
	case LooksWAFChallenge:
		if !isGuarding(a.Header) && !hasAll(challengePages, a.Body[:min(len(a.Body), maxEvidence)]) {
			return ""
		}
		return looks
	case LooksLoginPage:
		if a.FinalURL == "" || a.FinalURL == cmp.Or(a.Mirror, a.URL) {
			return ""
		}
		return looks
	}
	return ""
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
