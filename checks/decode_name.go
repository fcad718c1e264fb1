package checks

import (
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

const maxName = 100

func quoted(s string) string { return strconv.Quote(s) }

// IsName tells whether s is a name: it starts with a letter or a digit, goes on
// with letters, digits, dots, low lines and hyphens, and has at most 100
// characters. Names reach file names, metrics and command lines unescaped.
func IsName(s string) bool {
	if s == "" || len(s) > maxName || !isAlphanumeric(s[0]) {
		return false
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; !isAlphanumeric(c) && c != '.' && c != '_' && c != '-' {
			return false
		}
	}
	return true
}

func isAlphanumeric(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// checkName reports a name that breaks the grammar.
func checkName(n source.Node, s, what string) bool {
	if IsName(s) {
		return true
	}
	if !hasNoRef(n) {
		return false
	}
	if len(s) > maxName {
		n.Problem("", "%s has at most %d characters, this one has %d", what, maxName, len(s))
		return false
	}
	n.Problem("letters A-Z a-z, digits, dots, low lines and hyphens; a letter or a digit first", "%s is not %s", quoted(s), what)
	return false
}

// isToken tells whether s is a token (RFC 9110 §5.6.2), as methods and the
// names of headers are.
func isToken(s string) bool {
	for i := range len(s) {
		if !tokenBytes[s[i]] {
			return false
		}
	}
	return s != ""
}

var tokenBytes = func() (set [256]bool) {
	for c := range 128 {
		set[c] = isAlphanumeric(byte(c))
	}
	for _, c := range "!#$%&'*+-.^_`|~" {
		set[c] = true
	}
	return set
}()

// hasNoRef reports a reference where none is expanded.
func hasNoRef(n source.Node) bool {
	if !n.IsScalar() || n.IsNull() {
		return true
	}
	if s, _ := n.String(); strings.Contains(s, "${") {
		n.Problem("references are expanded in url, user_agent, headers, auth, get and request only; those to each: in all of its probe", "a reference is not expanded here")
		return false
	}
	return true
}

// text reads text that may hold ${env.NAME}.
func text(n source.Node) (source.Text, bool) { return textWith(n, onlyEnvironment) }

func onlyEnvironment(n source.Node, r source.Ref) bool {
	n.Problem("only the environment can be used here: ${env.NAME}", "%s can be used in a probe's get and request only", r)
	return false
}

// textWith reads text that may also hold what note takes.
func textWith(n source.Node, note references) (source.Text, bool) {
	t, ok := n.Text()
	if !ok {
		return t, false
	}
	for _, ref := range t.Refs() {
		if ref.Scope != "env" && !note(n, ref) {
			return t, false
		}
	}
	return t, true
}
