package checks

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// headerRule says which headers a mapping may not have, by lower-case name,
// and why.
type headerRule map[string]string

const (
	transportHeader = "the connection itself sets it"
	useAuth         = "use auth: {bearer: \"${env.NAME}\"}, basic or header; its values are redacted in every output"
)

// probeHeaders are refused everywhere: those of one connection (RFC 9110
// §7.6.1) and those that frame the message or choose the host.
var probeHeaders = headerRule{
	"connection": transportHeader, "keep-alive": transportHeader, "proxy-connection": transportHeader, "te": transportHeader,
	"trailer": transportHeader, "transfer-encoding": transportHeader, "upgrade": transportHeader, "content-length": transportHeader,
	"proxy-authenticate": transportHeader, "proxy-authorization": "it is for a proxy, never for an origin",
	"host": "the origin's url sets it",
}

// originHeaders are refused in an origin and in defaults.
var originHeaders = func() headerRule {
	rule := headerRule{"user-agent": "use user_agent:"}
	for name, why := range probeHeaders {
		rule[name] = why
	}
	return rule
}()

// decodeHeaders lays declared headers over those that are there: one of the
// same name, whatever its case, is replaced.
func decodeHeaders(into *[]Header, n source.Node, rule headerRule) {
	decodeHeadersWith(into, n, rule, func(string) references { return onlyEnvironment })
}

// decodeHeadersWith also takes the references that note takes for a header.
func decodeHeadersWith(into *[]Header, n source.Node, rule headerRule, note func(name string) references) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	headers := slices.Clone(*into)
	own := len(headers) // what stands before was inherited
	for _, p := range pairs {
		h, ok := decodeHeader(p, rule, note(p.Key))
		if !ok {
			continue
		}
		at := slices.IndexFunc(headers, func(g Header) bool { return strings.EqualFold(g.Name, h.Name) })
		switch {
		case at < 0:
			headers = append(headers, h)
		case at >= own:
			p.KeyAt.Problem("names of headers are the same whatever their case (RFC 9110 §5.1)", "header %s stands here twice", quoted(p.Key))
		default:
			headers[at] = h
		}
	}
	*into = headers
}

func decodeHeader(p source.Pair, rule headerRule, note references) (Header, bool) {
	if !checkHeaderName(p.KeyAt, p.Key, rule) {
		return Header{}, false
	}
	value, ok := headerValue(p.Value, note)
	if !ok {
		return Header{}, false
	}
	if strings.EqualFold(p.Key, "authorization") && slices.ContainsFunc(value.Refs(), isEnv) {
		p.KeyAt.Problem(useAuth, "a credential from the environment does not belong under headers:")
		return Header{}, false
	}
	return Header{Name: p.Key, Value: value}, true
}

// checkHeaderName reports a name that is no token (RFC 9110 §5.1) or that the
// rule refuses.
func checkHeaderName(n source.Node, name string, rule headerRule) bool {
	if !isToken(name) {
		n.Problem("letters, digits and !#$%&'*+-.^_`|~ (RFC 9110 §5.1)", "%s is not the name of a header", quoted(name))
		return false
	}
	if why, refused := rule[strings.ToLower(name)]; refused {
		if isCredentialHeader(name) {
			n = n.Secretly()
		}
		n.Problem(why, "header %s cannot be declared here", name)
		return false
	}
	return true
}

func isCredentialHeader(name string) bool {
	return strings.EqualFold(name, "authorization") || strings.EqualFold(name, "proxy-authorization")
}

func isEnv(r source.Ref) bool { return r.Scope == "env" }

// headerValue reads a value and refuses what would end the header line
// (RFC 9110 §5.5).
func headerValue(n source.Node, note references) (source.Text, bool) {
	t, ok := textWith(n, note)
	if ok && !isFieldValue(t.Raw()) {
		n.Problem("one line, no control characters (RFC 9110 §5.5)", "a header's value cannot hold a line break or a control character")
		return t, false
	}
	return t, ok
}

// isFieldValue tells whether s can be sent as a header's value.
func isFieldValue(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}

func decodeUserAgent(into *source.Text, n source.Node) {
	if _, ok := n.NonEmpty(); !ok {
		return
	}
	v, ok := headerValue(n, onlyEnvironment)
	source.Optional(into, v, ok)
}
