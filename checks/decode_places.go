package checks

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

const (
	maxMirrors      = 10
	maxTargets      = 4
	maxTraceHeaders = 5
)

// Sentinel is an origin's known-good request.
type Sentinel struct {
	Request Request
	JSON    bool
	Pos     source.Position
	said    bool // as: was declared
}

// Connectivity are the control targets that tell our own outage.
type Connectivity struct {
	Targets []string // each host:port, or an http or https URL; at least one
	Out     Out      // the way that defaults: declare
}

var sentinelKeys = source.NewObject("sentinel",
	source.Field[Sentinel]{Name: "get", Form: source.Matching(targetPattern), Doc: "path and query of a GET", Required: true, Decode: func(s *Sentinel, n source.Node) { decodeTarget(&s.Request.Path, n, "get", onlyEnvironment) }},
	source.Field[Sentinel]{Name: "as", Form: source.OneOf("json", "text"), Doc: "json or text", Decode: func(s *Sentinel, n source.Node) {
		var v string
		v, s.said = n.Enum("json", "text")
		s.JSON = v == "json"
	}},
)

// decodeSentinel reads a path, or {get, as}.
func decodeSentinel(o *Origin, n source.Node) {
	s := &Sentinel{Pos: n.Pos()}
	s.Request.Method = "GET"
	if n.IsMapping() {
		sentinelKeys.Decode(n, s)
	} else if _, ok := n.NonEmpty(); ok {
		decodeTarget(&s.Request.Path, n, "sentinel", onlyEnvironment)
	}
	o.Sentinel = s
}

// settleSentinels decides what a sentinel has to be that does not say so: JSON
// where a probe of its origin reads JSON, so that a page with 200 is not taken
// for health.
func (l *loader) settleSentinels() {
	for _, p := range l.d.Probes {
		if p.Origin != nil && p.Origin.Sentinel != nil && !p.Origin.Sentinel.said {
			p.Origin.Sentinel.JSON = p.Origin.Sentinel.JSON || p.JSON
		}
	}
}

// decodeMirrors reads base addresses, each as url: is read.
func decodeMirrors(o *Origin, n source.Node) {
	items, ok := n.Items()
	if !ok {
		return
	}
	if len(items) > maxMirrors {
		n.Problem("", "an origin has at most %d mirrors, this one has %d", maxMirrors, len(items))
		return
	}
	for _, item := range items {
		t, ok := baseURL(item, "mirror")
		if !ok {
			continue
		}
		same := func(m source.Text) bool { return m.Raw() == t.Raw() }
		if slices.ContainsFunc(o.Mirrors, same) {
			item.Problem("", "mirror %s stands here twice", quoted(t.Raw()))
			continue
		}
		o.Mirrors = append(o.Mirrors, t)
	}
}

// decodeTraceHeader reads the names of the headers that carry trace codes.
func decodeTraceHeader(o *Origin, n source.Node) {
	items := n.ItemsOrOne()
	if len(items) > maxTraceHeaders {
		n.Problem("", "at most %d headers carry trace codes", maxTraceHeaders)
		return
	}
	var names []string
	for _, item := range items {
		s, ok := item.String()
		switch {
		case !ok || !checkHeaderName(item, s, traceRule):
		case slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, s) }):
			item.Problem("", "header %s stands here twice", quoted(s))
		default:
			names = append(names, s)
		}
	}
	o.TraceHeaders = names
}

// traceRule keeps trace codes out of the headers that mean something else.
var traceRule = func() headerRule {
	rule := headerRule{}
	for name, why := range originHeaders {
		rule[name] = why
	}
	for _, name := range []string{"authorization", "cookie", "accept", "accept-encoding", "accept-language", "content-type", "content-encoding", "referer", "range", "origin"} {
		rule[name] = "write traceparent, or a header of your own such as X-Request-Id"
	}
	return rule
}()

// connectivity decodes the top level's control target, or several.
func (l *loader) connectivity() {
	var first source.Node
	for _, f := range l.files {
		if f.connectivity.IsZero() || !l.onlyOnce("connectivity", &first, f.connectivity) {
			continue
		}
		if targets := decodeTargets(f.connectivity); len(targets) > 0 {
			l.d.Connectivity = &Connectivity{Targets: targets, Out: l.base.Out}
		}
	}
}

// decodeTargets reads one control target or a list, and says what is wrong with
// any of them.
func decodeTargets(n source.Node) (targets []string) {
	items := n.ItemsOrOne()
	switch {
	case n.IsList() && len(items) == 0:
		n.Problem("leave it out to ask none", "connectivity has no target")
	case len(items) > maxTargets:
		n.Problem("", "at most %d control targets are asked, these are %d", maxTargets, len(items))
		return nil
	}
	for _, item := range items {
		s, ok := item.NonEmpty()
		if !ok || !hasNoRef(item) {
			continue
		}
		if err := fetch.CheckTarget(s); err != nil {
			item.Problem("such as one.one.one.one:443, or https://www.example.org/", "connectivity: %v", err)
			continue
		}
		if slices.Contains(targets, s) {
			item.Problem("", "target %s stands here twice", quoted(s))
			continue
		}
		targets = append(targets, s)
	}
	return targets
}

func decodeCharset(o *Origin, n source.Node) {
	s, ok := n.NonEmpty()
	if !ok || !hasNoRef(n) {
		return
	}
	if err := fetch.CheckCharset(s); err != nil {
		n.Problem("such as utf-8, iso-8859-1 or windows-1252", "charset: %v", err)
		return
	}
	o.Charset = s
}
