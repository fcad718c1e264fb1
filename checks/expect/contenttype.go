package expect

import (
	"context"
	"mime"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// contentType holds the media types that are fine.
type contentType struct {
	allowed []mediaType
	want    string
}

type mediaType struct {
	name   string            // lower case
	params map[string]string // names in lower case
}

func decodeContentType(s *Spec, n source.Node) {
	e := &contentType{}
	items := n.ItemsOrOne()
	if len(items) == 0 {
		n.Problem("such as application/json", "the list of media types is empty")
	}
	var words []string
	for _, item := range items {
		word, ok := item.String()
		if !ok {
			continue
		}
		name, params, err := mime.ParseMediaType(word)
		if err != nil || !strings.Contains(name, "/") {
			item.Problem("write type/subtype, such as application/json or text/csv; charset=utf-8", "%s is not a media type", strconv.Quote(word))
			continue
		}
		e.allowed = append(e.allowed, mediaType{name, params})
		words = append(words, word)
	}
	e.want = strings.Join(words, ", ")
	if len(words) > 1 {
		e.want = "one of " + e.want
	}
	s.add(e)
}

func (e *contentType) evaluate(_ context.Context, o *Observation, f *findings) {
	value := o.Header.Get("Content-Type")
	got := lenientMediaType(value)
	for _, want := range e.allowed {
		if want.includes(got) {
			return
		}
	}
	if value == "" {
		value = "no Content-Type"
	}
	f.add(Mismatch{Code: "content_type", Severity: Fail, Want: e.want, Got: value})
}

// lenientMediaType reads what an origin sends: parameters that are not well
// formed are dropped, and the type stands.
func lenientMediaType(value string) mediaType {
	name, params, err := mime.ParseMediaType(value)
	if err != nil {
		name, _, _ = strings.Cut(value, ";")
		return mediaType{name: strings.ToLower(strings.TrimSpace(name))}
	}
	return mediaType{name, params}
}

// includes reports whether got is this type with at least its parameters. Their
// values are compared whatever their case, as charset's are (RFC 9110 §8.3.2).
func (m mediaType) includes(got mediaType) bool {
	if m.name != got.name {
		return false
	}
	for name, value := range m.params {
		other, has := got.params[name]
		if !has || !strings.EqualFold(value, other) {
			return false
		}
	}
	return true
}
