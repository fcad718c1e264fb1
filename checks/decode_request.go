package checks

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// requestKeys are the keys of request:.
var requestKeys = source.NewObject("a request",
	probeField{Name: "method", Form: source.Matching(tokenPattern), Doc: "the method, GET where silent", Decode: func(d *probeDraft, n source.Node) { decodeMethod(&d.Request.Method, n) }},
	probeField{Name: "path", Form: source.Matching(targetPattern), Doc: "path and query under the origin's url", Decode: func(d *probeDraft, n source.Node) { decodeTarget(&d.Request.Path, n, "path", d.needs) }},
	probeField{Name: "query", Form: paramsForm, Doc: "parameters added to the query", Decode: func(d *probeDraft, n source.Node) { d.decodeParams(&d.Request.Query, n) }},
	probeField{Name: "headers", Form: headersForm, Doc: "headers of this request", Decode: func(d *probeDraft, n source.Node) {
		decodeHeadersWith(&d.Request.Headers, n, probeHeaders, d.headerNeeds)
	}},
	probeField{Name: "json", Form: source.Any, Doc: "the body, sent as JSON", Decode: decodeJSONBody},
	probeField{Name: "form", Form: paramsForm, Doc: "the body, sent as a form", Decode: decodeFormBody},
	probeField{Name: "body", Form: source.AnyText, Doc: "the body, as text", Decode: decodeTextBody},
	probeField{Name: "file", Form: source.SomeText, Doc: "the body, from a file", Decode: decodeFileBody},
	probeField{Name: "idempotent", Form: source.Flag, Doc: "the request may be sent twice", Decode: func(d *probeDraft, n source.Node) { decodeTrue(&d.Request.Idempotent, n) }},
)

// bodyForms are the keys that give a request its body; one has at most one.
var bodyForms = []string{"json", "form", "body", "file"}

func (d *probeDraft) decodeRequest(n source.Node) {
	d.Request.Method = http.MethodGet
	if !requestKeys.Decode(n, d) {
		return
	}
	pairs, _ := n.Pairs()
	var forms []source.Pair
	for _, p := range pairs {
		if slices.Contains(bodyForms, p.Key) {
			forms = append(forms, p)
		}
	}
	if len(forms) > 1 {
		forms[1].KeyAt.Problem("keep one", "a request has one body, and this one has %s and %s", forms[0].Key, forms[1].Key)
	}
	if m := d.Request.Method; len(forms) > 0 && (m == http.MethodGet || m == http.MethodHead) {
		forms[0].KeyAt.Problem("say which method: is meant, such as POST", "a %s has no body (RFC 9110 §9.3)", m)
	}
}

// headerNeeds takes captures in headers; where credentials stand, the capture
// has to be secret.
func (d *probeDraft) headerNeeds(name string) references {
	if isCredentialHeader(name) || strings.EqualFold(name, "cookie") {
		return d.needsCredential
	}
	return d.needs
}

// decodeMethod reads a method, which is a token whose case counts (RFC 9110
// §9.1).
func decodeMethod(into *string, n source.Node) {
	s, ok := n.String()
	switch {
	case !ok:
	case !isToken(s):
		n.Problem("such as GET, HEAD, POST, PUT, PATCH, DELETE", "%s is not a method", quoted(s))
	case strings.EqualFold(s, http.MethodConnect):
		n.Problem("it asks for a tunnel, not for an answer (RFC 9110 §9.3.6)", "method CONNECT cannot be probed")
	case isStandardMethod(strings.ToUpper(s)) && s != strings.ToUpper(s):
		n.Problem("write "+strings.ToUpper(s), "the case of a method counts (RFC 9110 §9.1)")
	default:
		*into = s
	}
}

func isStandardMethod(s string) bool {
	switch s {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, http.MethodTrace:
		return true
	}
	return false
}

// decodeParams reads parameters in order; a list repeats its name.
func (d *probeDraft) decodeParams(into *[]Param, n source.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	list := make([]Param, 0, len(pairs))
	for _, p := range pairs {
		if !hasNoRef(p.KeyAt) {
			continue
		}
		for _, item := range p.Value.ItemsOrOne() {
			if len(list) == maxParams {
				p.KeyAt.Problem("", "more than %d parameters", maxParams)
				return
			}
			if v, ok := textWith(item, d.needs); ok {
				list = append(list, Param{Name: p.Key, Value: v})
			}
		}
	}
	*into = list
}

const maxParams = 1000
