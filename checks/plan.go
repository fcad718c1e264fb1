package checks

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// Options are what a run needs beside its declaration. The zero value runs on
// real time, over the network, one probe at a time and without a budget.
type Options struct {
	Parallel int           // probes at a time over all origins; below 1 means 1
	Budget   time.Duration // of the whole run; 0 means none
	Env      func(name string) (string, bool)
	// UserAgent is sent where a declaration names none; "" means fetch's own.
	UserAgent string
	Observe   func(Event) // told what happens, from several goroutines; may be nil

	// The rest is for tests.
	Clock     fetch.Clock
	Rand      func() float64
	TraceSeed []byte                                 // 16 bytes or more; nil draws one
	Transport func(origin *Origin) http.RoundTripper // nil, or a nil transport: the network
}

// Event is one step of a run, for showing progress.
type Event struct {
	Kind  EventKind
	Probe string
	Wait  time.Duration // with EventRetrip: the pause before the next trip
	// Result is there with EventDone; it is the run's own and must not be
	// changed or kept.
	Result *Result
}

// EventKind is what an Event tells.
type EventKind int

// The events.
const (
	EventStart  EventKind = iota // a probe begins its first trip
	EventRetrip                  // a probe waits for another trip
	EventDone                    // a probe has its result
)

// Plan is a selection of probes, ready to run: every reference expanded, every
// request built, identical GETs joined.
type Plan struct {
	opt      Options
	probes   []*planned
	origins  []*originRun
	redactor *secret.Redactor
}

// planned is one selected probe.
type planned struct {
	index   int
	probe   *Probe
	origin  *originRun
	request fetch.Request
	trace   string
	shared  *planned // the owner of the trip that this probe is judged on
}

// originRun is what a run holds for one origin.
type originRun struct {
	origin *Origin
	base   string
	client *fetch.Client
	lane   *lane
}

// job is one trip to be made, and the probes that are judged on it, the owner
// first.
type job struct {
	origin *originRun
	probes []*planned
}

// NewPlan expands references and builds every request. Its error names all
// environment variables that are missing, or every address that is none, with
// their places; nothing has been asked of the network then.
func NewPlan(d *Declaration, probes []*Probe, opt Options) (*Plan, error) {
	if opt.Env == nil {
		opt.Env = func(string) (string, bool) { return "", false }
	}
	if err := d.Missing(probes, opt.Env); err != nil {
		return nil, err
	}
	p := &Plan{opt: opt}
	b := &builder{plan: p, origins: map[*Origin]*originRun{}, owners: map[shareKey][]*planned{}, secrets: map[string]string{}}
	var problems source.Collector
	for i, probe := range probes {
		b.add(i, probe, &problems)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	p.redactor = secret.New(b.secrets)
	return p, nil
}

// builder carries what planning one probe leaves for the next.
type builder struct {
	plan    *Plan
	origins map[*Origin]*originRun
	owners  map[shareKey][]*planned
	secrets map[string]string
}

// shareKey is what makes two GETs identical.
type shareKey struct {
	origin  *Origin
	url     string
	headers string
	policy  fetch.Policy
	json    bool
}

func (b *builder) add(index int, probe *Probe, problems *source.Collector) {
	o := b.origin(probe.Origin)
	pl := &planned{index: index, probe: probe, origin: o}
	target := b.withQuery(joinURL(o.base, b.target(probe.Request.Path)), probe.Request.Query)
	if err := checkURL(target); err != nil {
		problems.Add(probe.Pos, "check url: of the origin, get: of the probe, and the variables in them", "probe %s has no usable address: %v", probe.Name, err)
		return
	}
	pl.request = fetch.Request{
		Method: probe.Request.Method, URL: target, Idempotent: probe.Request.Idempotent,
		Header: b.headers(probe.Request), Body: b.body(probe.Request),
	}
	if probe.JSON {
		pl.request.Mode = fetch.ModeJSON
	}
	if probe.Expect.HasStatus() {
		pl.request.Expect = probe.Expect.StatusExpected
	}
	pl.request.Policy = &probe.Policy
	b.share(pl)
	b.plan.probes = append(b.plan.probes, pl)
}

// share joins a probe to the first one that makes the identical GET.
func (b *builder) share(pl *planned) {
	r := &pl.request
	if !pl.probe.Share || (r.Method != "" && r.Method != http.MethodGet) || len(r.Body) > 0 {
		return
	}
	key := shareKey{origin: pl.probe.Origin, url: r.URL, headers: headerKey(r.Header), policy: pl.probe.Policy, json: pl.probe.JSON}
	for _, owner := range b.owners[key] {
		if sameStatuses(owner.probe, pl.probe) {
			pl.shared = owner
			return
		}
	}
	b.owners[key] = append(b.owners[key], pl)
}

// sameStatuses reports whether two probes take the same statuses for answers.
func sameStatuses(a, b *Probe) bool {
	if !a.Expect.HasStatus() && !b.Expect.HasStatus() {
		return true
	}
	for status := 300; status < 1000; status++ {
		expectsA := a.Expect.HasStatus() && a.Expect.StatusExpected(status)
		expectsB := b.Expect.HasStatus() && b.Expect.StatusExpected(status)
		if expectsA != expectsB {
			return false
		}
	}
	return true
}

func headerKey(h http.Header) string {
	if len(h) == 0 {
		return ""
	}
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.Sort(names)
	var s strings.Builder
	for _, name := range names {
		fmt.Fprintf(&s, "%s\x00%q\x00", name, h[name])
	}
	return s.String()
}

// origin prepares an origin once.
func (b *builder) origin(o *Origin) *originRun {
	if run := b.origins[o]; run != nil {
		return run
	}
	run := &originRun{origin: o, base: b.expand(o.URL), lane: &lane{max: o.Policy.MaxInFlight}}
	agent := b.expand(o.UserAgent)
	if agent == "" {
		agent = b.plan.opt.UserAgent
	}
	cfg := fetch.Config{
		Name: o.Name, Policy: o.Policy, UserAgent: agent, Header: b.originHeaders(o),
		Clock: b.plan.opt.Clock, Rand: b.plan.opt.Rand,
	}
	if b.plan.opt.Transport != nil {
		cfg.Transport = b.plan.opt.Transport(o)
	}
	run.client = fetch.NewClient(cfg)
	b.origins[o] = run
	b.plan.origins = append(b.plan.origins, run)
	return run
}

// originHeaders are the declared headers of an origin with its credentials.
func (b *builder) originHeaders(o *Origin) http.Header {
	h := http.Header{}
	for _, d := range o.Headers {
		h.Add(d.Name, b.expand(d.Value))
	}
	if a := o.Auth; a != nil {
		b.secret(a.User)
		b.secret(a.Value)
		value := b.expand(a.Value)
		switch a.Scheme {
		case "bearer":
			h.Set("Authorization", "Bearer "+value)
		case "basic":
			r := http.Request{Header: http.Header{}}
			r.SetBasicAuth(b.expand(a.User), value)
			h.Set("Authorization", r.Header.Get("Authorization"))
		default:
			h.Set(a.Name, value)
		}
	}
	return h
}

// secret remembers the values of a text that identify us, for redaction.
func (b *builder) secret(t source.Text) {
	for _, ref := range t.Refs() {
		if v, ok := b.plan.opt.Env(ref.Name); ok {
			b.secrets[ref.Name] = v
		}
	}
}

func (b *builder) headers(r Request) http.Header {
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
		h.Add(d.Name, b.expand(d.Value))
	}
	return h
}

func (b *builder) body(r Request) []byte {
	switch {
	case len(r.Form) > 0:
		return []byte(b.encode(r.Form))
	case r.Body != nil:
		return r.Body
	case !r.Text.IsZero():
		if r.Type == jsonType {
			return []byte(b.expandWith(r.Text, jsonEscape))
		}
		return []byte(b.expand(r.Text))
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

func (b *builder) withQuery(target string, params []Param) string {
	if len(params) == 0 {
		return target
	}
	sep := "?"
	if strings.Contains(target, "?") {
		sep = "&"
	}
	return target + sep + b.encode(params)
}

// encode writes parameters in the declared order
// (application/x-www-form-urlencoded).
func (b *builder) encode(params []Param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = url.QueryEscape(p.Name) + "=" + url.QueryEscape(b.expand(p.Value))
	}
	return strings.Join(parts, "&")
}

// expand replaces references; Missing has made sure that all are known.
func (b *builder) expand(t source.Text) string { return b.expandWith(t, nil) }

func (b *builder) expandWith(t source.Text, escape func(string) string) string {
	s, _ := t.Expand(func(r source.Ref) (string, bool) {
		v, ok := b.plan.opt.Env(r.Name)
		if escape != nil {
			v = escape(v)
		}
		return v, ok
	})
	return s
}

// target expands a declared path; what a reference in its query expands to is
// one value of that query, so it is escaped (RFC 3986 §3.4).
func (b *builder) target(t source.Text) string {
	s, _ := t.ExpandAfter(func(r source.Ref, before string) (string, bool) {
		v, ok := b.plan.opt.Env(r.Name)
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

// checkURL says what is wrong with an expanded address, and never quotes it: it
// may hold a credential.
func checkURL(s string) error {
	path, query, _ := strings.Cut(s, "?")
	if reason, hint := checkBaseURL(path); reason != "" {
		return fmt.Errorf("it %s; %s", reason, hint)
	}
	if strings.ContainsFunc(query, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' }) {
		return errors.New("its query holds a space, a control character or a fragment; write them percent-encoded")
	}
	return nil
}
