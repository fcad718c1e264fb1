package checks

import (
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/fonteviva/fonteviva/checks/source"
)

// decodeBaseURL reads an origin's url.
func decodeBaseURL(o *Origin, n source.Node) {
	v, ok := baseURL(n, "url")
	source.Optional(&o.URL, v, ok)
}

// baseURL reads an address that probes start from. One that holds references
// is checked once they are known (Declaration.Missing).
func baseURL(n source.Node, what string) (source.Text, bool) {
	t, ok := text(n)
	if !ok || len(t.Refs()) > 0 {
		return t, ok
	}
	s, _ := t.Expand(noRefs)
	if reason, hint := checkBaseURL(s); reason != "" {
		if strings.Contains(s, "@") {
			n = n.Secretly() // the line may show a password
		}
		n.Problem(hint, "%s %s", what, reason)
	}
	return t, true
}

func noRefs(source.Ref) (string, bool) { return "", true }

// checkBaseURL says what is wrong with an origin's address and what to do, and
// never quotes it: "" means that nothing is wrong.
func checkBaseURL(s string) (reason, hint string) {
	const example = "such as https://api.example.org/v1"
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f || s[i] == '\\' {
			return "holds a space, a backslash or a control character", "write it percent-encoded"
		}
	}
	u, err := url.Parse(s)
	if err != nil {
		return "cannot be read as a URL", example
	}
	switch scheme := strings.ToLower(u.Scheme); {
	case scheme != "http" && scheme != "https" || u.Opaque != "":
		return "must be absolute, with http:// or https://", example
	case u.User != nil:
		return "must not hold a user or a password", useAuth
	case u.Hostname() == "":
		return "has no host", example
	case u.RawQuery != "" || u.ForceQuery:
		return "must not have a query", "write the query in get:, or in request: {query: {}}"
	case strings.Contains(s, "#"):
		return "must not have a fragment", "a fragment is never sent; remove it"
	case !validPort(u):
		return "has a port that is not between 1 and 65535", example
	}
	return "", ""
}

func validPort(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.Atoi(u.Port())
	return err == nil && n >= 1 && n <= 65535
}

// decodeTarget reads what get: or path: asks for under the origin's url.
func decodeTarget(into *source.Text, n source.Node, key string, note references) {
	t, ok := textWith(n, note)
	if !ok {
		return
	}
	if reason, hint := checkTarget(t.Raw()); reason != "" {
		n.Problem(hint, "%s %s", key, reason)
		return
	}
	// What follows the check is ASCII on the wire (RFC 3986 §2.1), however the
	// declaration writes it.
	*into, _ = source.ParseText(escapeNonASCII(t.Raw()), t.Pos())
}

func escapeNonASCII(s string) string {
	first := strings.IndexFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
	if first < 0 {
		return s
	}
	b := []byte(s[:first])
	for i := first; i < len(s); i++ {
		if s[i] < utf8.RuneSelf {
			b = append(b, s[i])
		} else {
			b = fmt.Appendf(b, "%%%02X", s[i])
		}
	}
	return string(b)
}

// checkTarget says what is wrong with a path and query, "" for nothing.
func checkTarget(s string) (reason, hint string) {
	switch {
	case s == "":
		return "", ""
	case strings.Contains(s, "://") && !strings.HasPrefix(s, "/") && isAlphanumeric(s[0]):
		return "holds a whole URL", "the address belongs to an origin: origins: {NAME: {url: https://host}}; here stands what comes after it, such as /path"
	case s[0] != '/':
		return "must start with /", "it is put after the origin's url, with one slash between them"
	}
	for i := range len(s) {
		switch c := s[i]; {
		case c == '#':
			return "must not have a fragment", "a fragment is never sent; write %23 where the character is meant"
		case c == ' ':
			return "holds a space", "write %20"
		case c < ' ' || c == 0x7f:
			return "holds a control character", "write it percent-encoded, such as %0A"
		case c == '%' && !isEscape(s[i:]):
			return "holds a % that starts no percent-encoding", "write %25 where the character is meant"
		}
	}
	return "", ""
}

// isEscape tells whether s starts with a percent-encoding (RFC 3986 §2.1).
func isEscape(s string) bool { return len(s) > 2 && isHex(s[1]) && isHex(s[2]) }

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
