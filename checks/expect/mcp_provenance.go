package expect

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/source"
)

// provenance is provenance:, the block by which an answer says where its data
// come from (contract v1).
type provenance struct {
	version  string
	detailed bool
	severity Severity
}

// The keys of the block, in order. From v1.1 on retrieval stands behind the
// canonical ones.
var (
	conciseKeys  = []string{"source", "source_url", "data_vintage", "retrieved_at", "citation", "license"}
	detailedKeys = []string{
		"contract_version", "source", "dataset", "dimension_key", "data_vintage", "retrieved_at", "source_url", "api_version",
		"license", "citation", "notices", "derived", "derivation_note", "served_from_cache", "field_sources",
	}
	// anomalies is the closed vocabulary of retrieval.anomalies.
	anomalies = []string{"timeout", "network", "rate_limited", "http_5xx", "http_4xx", "malformed_body"}

	contractVersion = source.Pattern(`^1(\.\d+)?$`)
	// whole is a time in ISO 8601 to the second, with its zone.
	whole      = source.Pattern(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)$`)
	namespaced = source.Pattern(`^[A-Za-z0-9.-]+/[A-Za-z0-9._-]+$`)
)

var provenanceTable = source.NewObject("provenance",
	source.Field[provenance]{Name: "version", Form: source.OneOf("1", "1.0", "1.1", "1.2"), Doc: "of the contract: 1, 1.1 or 1.2", Required: true, Decode: func(p *provenance, n source.Node) {
		s, ok := n.String()
		if ok && s != "1" && s != "1.0" && s != "1.1" && s != "1.2" {
			n.Problem("1, 1.1 and 1.2 are", "version %s of the contract is not known", strconv.Quote(s))
		}
		p.version = s
	}},
	source.Field[provenance]{Name: "mode", Form: source.OneOf("concise", "detailed"), Doc: "concise or detailed", Required: true, Decode: func(p *provenance, n source.Node) {
		v, _ := n.Enum("concise", "detailed")
		p.detailed = v == "detailed"
	}},
	source.Field[provenance]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn", Decode: func(p *provenance, n source.Node) { decodeSeverity(&p.severity, n) }},
)

func decodeProvenance(s *Spec, n source.Node) {
	p := &provenance{severity: Fail}
	if provenanceTable.Decode(n, p) {
		keepFirst(&s.asks().Call, "provenance")
		s.add(p)
	}
}

// member is one key of an object, in its order.
type member struct {
	key   string
	value json.RawMessage
}

// members reads an object; false for anything else.
func members(raw []byte) (list []member, ok bool) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return nil, false
	}
	for d.PeekKind() != '}' {
		name, err := d.ReadToken()
		if err != nil {
			return nil, false
		}
		key := name.String()
		value, err := d.ReadValue()
		if err != nil {
			return nil, false
		}
		list = append(list, member{key, bytes.Clone(value)})
	}
	return list, true
}

// block is the provenance of one answer while it is judged.
type block struct {
	p   *provenance
	f   *findings
	all map[string]json.RawMessage
}

func (b *block) say(part, want, got string) {
	path := "$.structuredContent.provenance"
	if part != "" {
		path += "." + part
	}
	b.f.add(Mismatch{Code: "provenance", Path: &path, Severity: b.p.severity, Want: want, Got: got})
}

func (p *provenance) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.MCP == nil || o.MCP.IsError {
		return
	}
	b := &block{p: p, f: f, all: map[string]json.RawMessage{}}
	var result struct {
		Content map[string]json.RawMessage `json:"structuredContent"`
		Meta    map[string]json.RawMessage `json:"_meta"`
	}
	_ = json.Unmarshal(o.MCP.Result, &result)
	raw := result.Content["provenance"]
	list, ok := members(raw)
	if !ok {
		b.say("", "the provenance block", showRaw(raw))
		return
	}
	for _, m := range list {
		b.all[m.key] = m.value
	}
	b.keys(list)
	b.texts(list)
	b.times()
	b.license()
	if p.detailed {
		b.contract()
		b.derived()
		b.fieldSources()
		b.retrieval()
	}
	b.mirror(result.Meta, raw)
	b.attribution(result.Content["attribution"])
	b.footer(o.MCP.Text)
}

// keys holds the block to exactly its keys, in order: what is absent is null.
func (b *block) keys(list []member) {
	want := conciseKeys
	if b.p.detailed {
		want = slices.Clone(detailedKeys)
		if b.from(1) {
			want = append(want, "retrieval")
		}
	}
	got := make([]string, len(list))
	for i, m := range list {
		got[i] = m.key
	}
	if !slices.Equal(got, want) {
		b.say("", "the keys "+strings.Join(want, ", "), strings.Join(got, ", "))
	}
}

// from reports whether the block is of version 1.minor or later: what is
// declared, or what the block says where only the major is declared.
func (b *block) from(minor int) bool {
	version := b.p.version
	if version == "1" {
		version = b.text("contract_version")
	}
	_, after, _ := strings.Cut(version, ".")
	n, err := strconv.Atoi(after)
	return err == nil && n >= minor
}

// text is a member that is a text, "" for any other.
func (b *block) text(key string) string {
	var s string
	_ = json.Unmarshal(b.all[key], &s)
	return s
}

func (b *block) isNull(key string) bool { return string(b.all[key]) == "null" }

// texts holds who is named to be named in words, and what is absent to be null,
// which an empty text is not.
func (b *block) texts(list []member) {
	for _, m := range list {
		switch m.key {
		case "source", "source_url", "citation":
			if !b.isNull(m.key) && strings.TrimSpace(b.text(m.key)) == "" {
				b.say(m.key, "a text, or null", showRaw(m.value))
			}
		case "dataset", "dimension_key", "data_vintage", "api_version":
			if string(m.value) == `""` {
				b.say(m.key, "a value, or null", showRaw(m.value))
			}
		}
	}
}

// times: the form is the contract's, and the day and the hour have to exist.
func (b *block) times() {
	raw, there := b.all["retrieved_at"]
	if !there || b.isNull("retrieved_at") {
		return
	}
	at := b.text("retrieved_at")
	if _, err := time.Parse(time.RFC3339, at); err != nil || !whole().MatchString(at) {
		b.say("retrieved_at", "a time in ISO 8601, without milliseconds, or null", showRaw(raw))
	}
}

// license is null, or an object with an id or a name.
func (b *block) license() {
	raw, there := b.all["license"]
	if !there || b.isNull("license") {
		return
	}
	var license struct {
		ID   *string `json:"id"`
		Name *string `json:"name"`
	}
	if json.Unmarshal(raw, &license) != nil || filled(license.ID) == "" && filled(license.Name) == "" {
		b.say("license", "an object with id or name, or null", showRaw(raw))
	}
}

func filled(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func (b *block) contract() {
	got := b.text("contract_version")
	if !contractVersion().MatchString(got) || b.p.version != "1" && got != b.p.version {
		b.say("contract_version", b.p.version, showRaw(b.all["contract_version"]))
	}
}

// derived: what was computed says how.
func (b *block) derived() {
	var derived bool
	if raw, there := b.all["derived"]; there && json.Unmarshal(raw, &derived) != nil {
		b.say("derived", "true or false", showRaw(raw))
	}
	if derived && strings.TrimSpace(b.text("derivation_note")) == "" {
		b.say("derivation_note", "a text, because derived is true", showRaw(b.all["derivation_note"]))
	}
	var cached bool
	if raw, there := b.all["served_from_cache"]; there && !b.isNull("served_from_cache") && json.Unmarshal(raw, &cached) != nil {
		b.say("served_from_cache", "true, false or null", showRaw(raw))
	}
}

// fieldSources, from v1.2 on, say of each whether it came from a cache.
func (b *block) fieldSources() {
	raw, there := b.all["field_sources"]
	if !there || b.isNull("field_sources") {
		return
	}
	var list []map[string]json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		b.say("field_sources", "a list of objects, or null", showRaw(raw))
		return
	}
	for i, one := range list {
		var cached bool
		value, has := one["served_from_cache"]
		if b.from(2) && (!has || json.Unmarshal(value, &cached) != nil) {
			b.say("field_sources["+strconv.Itoa(i)+"].served_from_cache", "true or false", showRaw(value))
		}
	}
}
