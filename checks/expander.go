package checks

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/source"
)

// expander writes out what a declaration says of a request, with what env
// gives for each reference. env knows every name: Missing has made sure.
type expander struct {
	env func(name string) (string, bool)
}

// url is the address of a request under an origin's (or a mirror's) base.
func (x expander) url(base source.Text, r *Request) string {
	return x.withQuery(joinURL(x.expand(base), x.target(r.Path)), r.Query)
}

// originHeaders are the declared headers of an origin with its credentials.
func (x expander) originHeaders(o *Origin) http.Header {
	h := http.Header{}
	for _, d := range o.Headers {
		h.Add(d.Name, x.expand(d.Value))
	}
	if a := o.Auth; a != nil {
		value := x.expand(a.Value)
		switch a.Scheme {
		case "bearer":
			h.Set("Authorization", "Bearer "+value)
		case "basic":
			r := http.Request{Header: http.Header{}}
			r.SetBasicAuth(x.expand(a.User), value)
			h.Set("Authorization", r.Header.Get("Authorization"))
		default:
			h.Set(a.Name, value)
		}
	}
	return h
}

func (x expander) headers(r Request) http.Header {
	if len(r.Headers) == 0 && r.Type == "" {
		return nil
	}
	h := http.Header{}
	if r.Type != "" {
		h.Set("Content-Type", r.Type)
	}
	for i, d := range r.Headers {
		// A declared name replaces what the body implies, and may be repeated.
		if i == 0 || !slices.ContainsFunc(r.Headers[:i], func(e Header) bool { return strings.EqualFold(e.Name, d.Name) }) {
			h.Del(d.Name)
		}
		h.Add(d.Name, x.expand(d.Value))
	}
	return h
}

func (x expander) body(r Request) []byte {
	switch {
	case len(r.Form) > 0:
		return []byte(x.encode(r.Form))
	case r.Body != nil:
		return r.Body
	case !r.Text.IsZero():
		if r.Type == jsonType {
			return []byte(x.expandWith(r.Text, jsonEscape))
		}
		return []byte(x.expand(r.Text))
	}
	return nil
}

// jsonType is the content type that json: implies. References in such a body
// stand inside JSON strings, so what they expand to is escaped.
const jsonType = "application/json"

func jsonEscape(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, s) // what is not UTF-8 becomes U+FFFD
	return string(quoted[1 : len(quoted)-1])
}

func (x expander) withQuery(target string, params []Param) string {
	if len(params) == 0 {
		return target
	}
	sep := "?"
	if strings.Contains(target, "?") {
		sep = "&"
	}
	return target + sep + x.encode(params)
}

// encode writes parameters in the declared order
// (application/x-www-form-urlencoded).
func (x expander) encode(params []Param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(x.expand(p.Value))
	}
	return strings.Join(parts, "&")
}

// expand replaces references; Missing has made sure that all are known.
func (x expander) expand(t source.Text) string { return x.expandWith(t, nil) }

func (x expander) expandWith(t source.Text, escape func(string) string) string {
	s, _ := t.Expand(func(r source.Ref) (string, bool) {
		v, ok := x.env(r.Name)
		if escape != nil {
			v = escape(v)
		}
		return v, ok
	})
	return s
}

// target expands a declared path; what a reference in its query expands to is
// one value of that query, so it is escaped (RFC 3986 §3.4).
func (x expander) target(t source.Text) string {
	s, _ := t.ExpandAfter(func(r source.Ref, before string) (string, bool) {
		v, ok := x.env(r.Name)
		if strings.Contains(before, "?") {
			v = url.QueryEscape(v)
		}
		return v, ok
	})
	return s
}

// joinURL puts path behind base with exactly one slash between, keeping the
// base's own path.
func joinURL(base, path string) string {
	if path == "" || path[0] == '?' {
		return base + path
	}
	return strings.TrimSuffix(base, "/") + "/" + strings.TrimPrefix(path, "/")
}
