package expect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// mirror: the block stands in _meta once more, under a key with a namespace.
func (b *block) mirror(meta map[string]json.RawMessage, raw []byte) {
	for key, value := range meta {
		if namespaced().MatchString(key) && sameJSON(value, raw) {
			return
		}
	}
	const path = "$._meta"
	p := path
	b.f.add(Mismatch{Code: "provenance.mirror", Path: &p, Severity: b.p.severity, Want: "the same block under a key with a namespace", Got: plural(len(meta), "key, and not that", "keys, none of them that")})
}

// sameJSON compares two values, whatever the order of their keys.
func sameJSON(a, b []byte) bool {
	x, y := jsontext.Value(bytes.Clone(a)), jsontext.Value(bytes.Clone(b))
	return x.Canonicalize() == nil && y.Canonicalize() == nil && bytes.Equal(x, y)
}

// attribution is the list of the distinct addresses of the block.
func (b *block) attribution(raw json.RawMessage) {
	var list []string
	want := b.urls()
	ok := json.Unmarshal(raw, &list) == nil && raw != nil
	got := slices.Clone(list)
	slices.Sort(got)
	slices.Sort(want)
	if ok && slices.Equal(got, want) {
		return
	}
	path := "$.structuredContent.attribution"
	b.f.add(Mismatch{Code: "provenance.attribution", Path: &path, Severity: b.p.severity, Want: "the distinct source_url: " + strings.Join(want, ", "), Got: showRaw(raw)})
}

// urls are the distinct addresses that the block names.
func (b *block) urls() []string {
	var list []string
	add := func(s string) {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(b.text("source_url"))
	var fields []struct {
		URL       string `json:"url"`
		SourceURL string `json:"source_url"`
	}
	_ = json.Unmarshal(b.all["field_sources"], &fields)
	for _, f := range fields {
		add(f.SourceURL)
		add(f.URL)
	}
	return list
}

// footer: whoever reads only the text learns where the data come from.
func (b *block) footer(text string) {
	cite, url := b.text("citation"), b.text("source_url")
	if cite == "" && url == "" || cite != "" && strings.Contains(text, cite) || url != "" && strings.Contains(text, url) {
		return
	}
	path := "$.content"
	b.f.add(Mismatch{Code: "provenance.footer", Path: &path, Severity: b.p.severity, Want: "a text that names citation or source_url", Got: plural(len(text), "byte", "bytes") + " without them"})
}

// showRaw is a value for a person.
func showRaw(raw []byte) string {
	if raw == nil {
		return "absent"
	}
	return string(raw[:min(len(raw), maxRaw)])
}
