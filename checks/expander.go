package checks

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// expander writes out what a declaration says of a request, with what env
// gives for each reference. env knows every name: Missing has made sure.
type expander struct {
	env func(name string) (string, bool)
	// captured knows the captures of other probes; where it is nil, references
	// to them stay as they are written.
	captured func(source.Ref) (string, bool)
}

// value is what a reference expands to; fixed says that it stays as it is
// written.
func (x expander) value(r source.Ref) (v string, ok, fixed bool) {
	switch {
	case isEnv(r):
		v, ok = x.env(r.Name)
		return v, ok, false
	case x.captured == nil:
		return r.String(), true, true
	}
	v, ok = x.captured(r)
	return v, ok, false
}

// request is the request of a probe, but for what its expectations and its
// policy say of it.
func (x expander) request(p *Probe) fetch.Request {
	r := &p.Request
	request := fetch.Request{
		Method: r.Method, URL: x.url(p.Origin.URL, r), Idempotent: r.Idempotent,
		Header: x.headers(*r), Body: x.body(*r), Mirrors: x.mirrors(p.Origin, r), Policy: &p.Policy,
	}
	request.Charset, request.Inspect = p.CSV.Encoding, inspect(p)
	if p.JSON {
		request.Mode = fetch.ModeJSON
	}
	if p.Expect.HasStatus() {
		request.Expect = p.Expect.StatusExpected
	}
	return request
}

// mirrors are the addresses of a request under each mirror's base.
func (x expander) mirrors(o *Origin, r *Request) []string {
	var list []string
	for _, base := range o.Mirrors {
		list = append(list, x.url(base, r))
	}
	return list
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
		v, ok, fixed := x.value(r)
		if escape != nil && !fixed {
			v = escape(v)
		}
		return v, ok
	})
	return s
}

// target expands a declared path; what a reference in its query expands to is
// one value of that query, so it is escaped (RFC 3986 §3.4). A capture in the
// path is one segment (§3.3).
func (x expander) target(t source.Text) string {
	s, _ := t.ExpandAfter(func(r source.Ref, before string) (string, bool) {
		v, ok, fixed := x.value(r)
		switch {
		case fixed:
		case strings.Contains(before, "?"):
			v = url.QueryEscape(v)
		case !isEnv(r):
			v = url.PathEscape(v)
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
