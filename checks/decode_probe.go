package checks

import (
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// probeDraft is a probe while it is read: keys whose meaning depends on
// another key wait in their nodes.
type probeDraft struct {
	*Probe
	l    *loader
	file *declared

	name, origin, get, request, as     source.Node
	mcp                                source.Node
	csv, capture, emptyWhen, next      source.Node
	variant                            *variant // where each: made this probe
	expect                             source.Node
	timeout, retries, backoff, retryOn source.Node
}

type probeField = source.Field[probeDraft]

// probeKeys are the keys of a probe.
var probeKeys = source.NewObject("a probe", slices.Concat([]probeField{
	{Name: "name", Form: source.Matching(namePattern), Doc: "what it is called everywhere", Required: true, Decode: func(d *probeDraft, n source.Node) { d.name = n }},
	{Name: "title", Form: source.AnyText, Doc: "free text for people", Decode: decodeTitle},
	{Name: "origin", Form: source.AnyText, Doc: "the origin it asks", Required: true, Decode: func(d *probeDraft, n source.Node) { d.origin = n }},
	{Name: "get", Form: source.Matching(targetPattern), Doc: "path and query of a GET", Decode: func(d *probeDraft, n source.Node) { d.get = n }},
	{Name: "request", Form: requestForm, Doc: "any other request", Decode: func(d *probeDraft, n source.Node) { d.request = n }},
	{Name: "idempotent", Form: source.Flag, Doc: "the request may be sent twice", Decode: func(d *probeDraft, n source.Node) { decodeTrue(&d.Request.Idempotent, n) }},
	{Name: "as", Form: source.OneOf(expect.Modes...), Doc: "what the body is: json, csv, ndjson, xml or text", Decode: func(d *probeDraft, n source.Node) { d.as = n }},
	{Name: "tags", Form: source.OneOrList(0, tagForm), Doc: "words to select it by", Decode: decodeTags},
	{Name: "timeout", Form: source.TimeFrom(shortest), Doc: "cap of one attempt", Decode: func(d *probeDraft, n source.Node) { d.timeout = n }},
	{Name: "retries", Form: source.Whole(0, maxRetries), Doc: "attempts beyond the first", Decode: func(d *probeDraft, n source.Node) { d.retries = n }},
	{Name: "backoff", Form: backoffKeys.Form, Doc: "the wait before a retry", Decode: func(d *probeDraft, n source.Node) { d.backoff = n }},
	{Name: "retry_on", Form: retryOnForm, Doc: "kinds and status codes that are retried", Decode: func(d *probeDraft, n source.Node) { d.retryOn = n }},
	{Name: "max_unmeasured", Form: source.TimeFrom(time.Second), Doc: "longest time it may go unmeasured", Decode: func(d *probeDraft, n source.Node) { decodeDuration(&d.MaxUnmeasured, n, time.Second) }},
	{Name: "empty", Form: source.OneOf(string(EmptyOK), string(EmptyWarn), string(EmptyFail)), Doc: "ok, warn or fail, when the answer is legitimately empty", Decode: func(d *probeDraft, n source.Node) {
		v, ok := n.Enum(string(EmptyOK), string(EmptyWarn), string(EmptyFail))
		source.Optional(&d.Empty, Empty(v), ok)
	}},
	{Name: "share", Form: source.Flag, Doc: "share the trip of an identical GET", Decode: func(d *probeDraft, n source.Node) {
		v, ok := n.Bool()
		source.Optional(&d.Share, v, ok)
	}},
	{Name: "expect", Form: expect.Form, Doc: "what must hold of the answer", Decode: func(d *probeDraft, n source.Node) { d.expect = n }},
	{Name: "capture", Form: source.NamedMap(1, envPattern, expect.CaptureForm), Doc: "values for other probes, by name", Decode: decodeCaptures},
	{Name: "each", Form: source.List(1, source.Either(eachValueForm, source.NamedMap(1, envPattern, eachValueForm))), Doc: "a list of values: one probe for each, called NAME-VALUE", Decode: func(*probeDraft, source.Node) {}},
	{Name: "next", Form: source.With(nextKeys.Form, source.ExactlyOne("path", "link")), Doc: "where the next page of the answer is", Decode: decodeNext},
	{Name: "mcp", Form: mcpForm, Doc: "a question to a Model Context Protocol server", Decode: func(d *probeDraft, n source.Node) { d.mcp = n }},
	{Name: "empty_when", Form: expect.EmptyForm, Doc: "what an answer without data looks like", Decode: func(d *probeDraft, n source.Node) {
		d.emptyWhen, d.EmptyWhen = n, expect.DecodeEmptyWhen(n)
	}},
	{Name: "max_empty", Form: source.TimeFrom(time.Second), Doc: "longest time that every answer may be empty", Decode: func(d *probeDraft, n source.Node) { decodeDuration(&d.MaxEmpty, n, time.Second) }},
	{Name: "csv", Form: expect.CSVForm, Doc: "how CSV is written", Decode: func(d *probeDraft, n source.Node) { d.csv, d.CSV = n, expect.DecodeCSV(n) }},
	{Name: "charset", Doc: "what the bytes of the answer are"},
	{Name: "tls", Doc: "the certificate's contract"},
	{Name: "vantages", Doc: "the ways out to the origin"},
},
	elsewhere("it belongs to the origin; a probe changes timeout, retries, backoff and retry_on for itself",
		"url", "auth", "user_agent", "budget", "honor_retry_after", "redirects", "max_body", "max_in_flight", "ambiguous", "confirm"),
	elsewhere(noMute, "mute"),
	elsewhere("write it under request:", "method", "path", "query", "headers", "form", "file"),
	elsewhere("write it under expect:", "status", "content_type", "json", "body", "max_duration", "schema", "shape", "fresh", "cel", "xpath"),
)...)

// elsewhere makes the rows of keys that belong to another mapping.
func elsewhere(hint string, names ...string) []probeField {
	fields := make([]probeField, len(names))
	for i, name := range names {
		fields[i] = probeField{Name: name, Elsewhere: hint}
	}
	return fields
}

// decodeProbes decodes one file's probes: list.
func (l *loader) decodeProbes(f *declared) {
	if f.probes.IsZero() {
		return
	}
	items, ok := f.probes.Items()
	if !ok || l.decodeApart(f, items) {
		return
	}
	list := make([]Probe, len(items))
	l.d.Probes = slices.Grow(l.d.Probes, len(items))
	for i, item := range items {
		matrix := variants(item)
		if matrix == nil {
			l.decodeProbe(f, &list[i], item, nil)
			continue
		}
		values := &source.Substitution{Escape: eachInURL}
		before := l.c.Len()
		for _, v := range matrix {
			l.decodeProbe(f, new(Probe), v.apply(values, item), v)
			if l.c.Len() > before {
				// The others would repeat it; their names are then not known.
				l.broken = true
				break
			}
		}
	}
}

// decodeProbe decodes one probe, with the value of a matrix or without.
func (l *loader) decodeProbe(f *declared, p *Probe, n source.Node, v *variant) {
	*p = Probe{Pos: n.Pos(), Share: true, Empty: EmptyWarn}
	d := &l.draft
	*d = probeDraft{Probe: p, l: l, file: f, variant: v}
	if probeKeys.Decode(n, d) {
		d.settle(n)
	}
	l.d.Probes = append(l.d.Probes, p)
}

// settle decodes what had to wait and checks what holds between keys.
func (d *probeDraft) settle(n source.Node) {
	d.settleName()
	d.settleOrigin()
	d.settleRequest(n)
	d.checkNext()
	d.settlePolicy()
	d.Expect = silent
	if !d.expect.IsZero() {
		d.Expect = expect.Decode(d.asked(d.expect), d.files())
	}
	d.settleMode()
	d.settleMCP()
	d.settleWire()
}

// files are what this declaration's expectations may name.
func (d *probeDraft) files() *expect.Files {
	if d.file.files == nil && d.file.dir != "" {
		d.file.files = expect.NewFiles(func(name string) ([]byte, error) {
			if !filepath.IsLocal(name) {
				return nil, errOutside
			}
			return d.l.bodies.get(d.file.dir, name)
		})
		d.file.files.Recording = d.l.opt.Recording
	}
	if d.file.files != nil {
		d.file.files.Probe = d.Name
	}
	return d.file.files
}

// silent is what a probe without expect: expects.
var silent = expect.Decode(source.Node{}, nil)

func (d *probeDraft) settleName() {
	if d.name.IsZero() {
		return
	}
	s, ok := d.name.String()
	if !ok || !checkName(d.name, s, "a probe's name") {
		return
	}
	if d.variant != nil {
		d.Matrix = s
		suffix := nameOf(d.variant.suffix)
		if suffix == "" {
			d.variant.at.Problem("name it: {name: …, value: …}, and use ${each.value}", "nothing of %s can stand in a probe's name", quoted(d.variant.suffix))
			return
		}
		if s += "-" + suffix; !checkName(d.variant.at, s, "a probe's name") {
			return
		}
	}
	if len(d.Captures) > 0 && (s == "env" || s == source.Each || strings.HasPrefix(s, requestScope)) {
		d.name.Problem("call it otherwise", "a probe named %s cannot be referred to: %s has a meaning of its own", quoted(s), quoted("${"+s+".…}"))
	}
	key := strings.ToLower(s)
	if prior, ok := d.l.probes[key]; ok {
		if d.variant != nil {
			d.variant.at.Problem("its name comes from name: of a value, or else from its first", "each: makes probe %s twice%s; the first one is at %s", quoted(s), twinNote(s, prior.Name), prior.Pos)
			return
		}
		d.name.Problem("the first one is at "+prior.Pos.String(), "probe %s is declared twice%s", quoted(s), twinNote(s, prior.Name))
		return
	}
	d.Name = s
	d.l.probes[key] = d.Probe
}

func (d *probeDraft) settleOrigin() {
	if d.origin.IsZero() {
		return
	}
	s, ok := d.origin.String()
	if !ok {
		return
	}
	if o := d.l.origins[strings.ToLower(s)]; o != nil && o.Name == s {
		d.Origin = o
		return
	}
	// The origin may stand in a file that could not be read, or under a key that
	// is reported as unknown; where none is declared, one probe says so for all.
	if d.l.broken || d.l.originsMisspelt() || len(d.l.originNames) == 0 && len(d.l.d.Probes) > 0 {
		return
	}
	hint := "declare it under origins:"
	if len(d.l.originNames) > 0 {
		hint = source.DidYouMean(s, d.l.originNames)
	}
	d.origin.Problem(hint, "origin %s is not declared", quoted(s))
}

func (d *probeDraft) settleRequest(n source.Node) {
	switch r := &d.Request; {
	case !d.mcp.IsZero() && d.get.IsZero() && d.request.IsZero():
		d.decodeMCP(d.mcp)
	case !d.mcp.IsZero():
		n.Problem("keep one", "a probe has exactly one of get, request and mcp")
	case d.get.IsZero() == d.request.IsZero():
		n.Problem("get: /path is short for request: {path: /path}", "a probe has exactly one of get and request")
	case !d.get.IsZero():
		r.Method = http.MethodGet
		decodeTarget(&r.Path, d.get, "get", d.needs)
	default:
		d.decodeRequest(d.request)
	}
}

// settlePolicy lays this probe's own keys over its origin's policy.
func (d *probeDraft) settlePolicy() {
	d.Policy = fetch.DefaultPolicy()
	if d.Origin != nil {
		d.Policy = d.Origin.Policy
		if d.MaxUnmeasured == 0 {
			d.MaxUnmeasured = d.Origin.MaxUnmeasured
		}
	}
	if !d.timeout.IsZero() {
		decodeDuration(&d.Policy.Timeout, d.timeout, shortest)
	}
	if !d.retries.IsZero() {
		decodeInt(&d.Policy.Retries, d.retries, 0, maxRetries)
	}
	if !d.backoff.IsZero() {
		backoffKeys.Decode(d.backoff, &d.Policy.Backoff)
	}
	if !d.retryOn.IsZero() {
		decodeRetryOn(&d.Policy.RetryOn, d.retryOn)
	}
}

func decodeTitle(d *probeDraft, n source.Node) {
	if hasNoRef(n) {
		s, ok := n.String()
		source.Optional(&d.Title, s, ok)
	}
}

func decodeTags(d *probeDraft, n source.Node) {
	for _, item := range n.ItemsOrOne() {
		s, ok := item.String()
		if !ok || !checkName(item, s, "a tag") {
			continue
		}
		if slices.Contains(d.Tags, s) {
			item.Problem("", "tag %s stands here twice", quoted(s))
			continue
		}
		d.Tags = append(d.Tags, s)
	}
}

// decodeTrue sets into where the node says true; it never unsets what another
// place said.
func decodeTrue(into *bool, n source.Node) {
	if v, ok := n.Bool(); ok && v {
		*into = true
	}
}
