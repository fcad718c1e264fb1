package checks

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// declared is one file, its blocks not decoded yet.
type declared struct {
	name string
	dir  string // of relative files; "" when there is none
	root source.Node

	files *expect.Files // what expectations name; nil until one does
	reads []string      // the files of certificates and keys

	settings, defaults, origins, probes, formats, profiles, connectivity, secrets, known source.Node
}

// fileKeys is the top level of a declaration.
var fileKeys = source.NewObject("a declaration",
	source.Field[declared]{Name: "version", Form: source.OneOf("1"), Doc: "the version of this grammar, 1", Required: true, Decode: func(_ *declared, n source.Node) { checkVersion(n) }},
	source.Field[declared]{Name: "settings", Form: source.Block("settings"), Doc: "what flags and FONTEVIVA_* say, unless they say otherwise", Decode: func(f *declared, n source.Node) { f.settings = n }},
	source.Field[declared]{Name: "defaults", Form: defaultsKeys.Form, Doc: "what every origin starts from", Decode: func(f *declared, n source.Node) { f.defaults = n }},
	source.Field[declared]{Name: "origins", Form: source.NamedMap(0, namePattern, originForm), Doc: "the live sources, by name", Decode: func(f *declared, n source.Node) { f.origins = n }},
	source.Field[declared]{Name: "probes", Form: source.List(0, source.InMatrix(probeForm)), Doc: "the contracts, a list", Decode: func(f *declared, n source.Node) { f.probes = n }},
	source.Field[declared]{Name: "formats", Form: source.Block("formats"), Doc: "policy of each format", Decode: func(f *declared, n source.Node) { f.formats = n }},
	source.Field[declared]{Name: "profiles", Form: source.Block("profiles"), Doc: "changes to the profiles", Decode: func(f *declared, n source.Node) { f.profiles = n }},
	source.Field[declared]{Name: "secrets", Form: source.NamedMap(0, envPattern, source.Either(source.Null, secretKeys.Form)), Doc: "variables that no output shows, and the hosts they may go to", Decode: func(f *declared, n source.Node) { f.secrets = n }},
	source.Field[declared]{Name: "known_failures", Form: source.List(0, source.With(knownKeys.Form, knownRule)), Doc: "failures that are known, with an end", Decode: func(f *declared, n source.Node) { f.known = n }},
	source.Field[declared]{Name: "mute", Elsewhere: noMute},
	source.Field[declared]{Name: "connectivity", Form: source.OneOrList(1, source.Matching(`^[Hh][Tt][Tt][Pp][Ss]?://[^/]|^[^/\s]+:[0-9]+$`)), Doc: "a control target that tells our own outage, or several, of which one that answers is enough", Decode: func(f *declared, n source.Node) { f.connectivity = n }},
	source.Field[declared]{Name: "vantages", Doc: "the ways out to the origins"},
)

func checkVersion(n source.Node) {
	if v, ok := n.String(); ok && v != "1" {
		n.Problem("write version: 1", "version %s is not known; this fonteviva reads version 1", quoted(v))
	}
}

// settings takes the settings:, formats: and profiles: blocks; their words
// belong to other rooms.
func (l *loader) settings() {
	var first source.Node
	for _, f := range l.files {
		if f.settings.IsZero() {
			continue
		}
		if l.onlyOnce("settings", &first, f.settings) {
			l.d.Settings = l.raw(f.settings, "settings")
		}
	}
	for _, f := range l.files {
		l.d.Formats = l.merge(l.d.Formats, f.formats, "formats")
		l.d.Profiles = l.merge(l.d.Profiles, f.profiles, "profiles")
	}
}

// onlyOnce reports a block that two files have.
func (l *loader) onlyOnce(block string, first *source.Node, n source.Node) bool {
	if first.IsZero() {
		*first = n
		return true
	}
	n.Problem("the first one is at "+first.Pos().String(), "%s: is declared in two files", block)
	return false
}

// merge appends one file's block to what the files before it said.
func (l *loader) merge(have []Raw, block source.Node, what string) []Raw {
	if block.IsZero() {
		return have
	}
	for _, r := range l.raw(block, what) {
		if prior, ok := findRaw(have, r.Key); ok {
			r.KeyNode.Problem("it stands at "+prior.KeyNode.Pos().String()+" already", "%s in %s: is declared in two files", quoted(r.Key), what)
			continue
		}
		have = append(have, r)
	}
	return have
}

func findRaw(list []Raw, key string) (Raw, bool) {
	for _, r := range list {
		if r.Key == key {
			return r, true
		}
	}
	return Raw{}, false
}

// defaults decodes the defaults: block over the program's own policy.
func (l *loader) defaults() {
	policy := fetch.DefaultPolicy()
	if l.opt.Network != nil {
		policy = l.opt.Network(l.d.Settings)
	}
	breaker := fetch.DefaultBreaker()
	l.base = Origin{
		Policy: policy, Breaker: &breaker,
		Ambiguous: Retrip{Trips: 2, Wait: defaultAmbiguousWait}, Confirm: Retrip{Trips: 2, Wait: defaultConfirmWait},
	}
	var first source.Node
	for _, f := range l.files {
		if f.defaults.IsZero() || !l.onlyOnce("defaults", &first, f.defaults) {
			continue
		}
		l.base.file = f
		defaultsKeys.Decode(f.defaults, &l.base)
	}
}

// decodeOrigins decodes one file's origins: block.
func (l *loader) decodeOrigins(f *declared) {
	if f.origins.IsZero() {
		return
	}
	pairs, _ := f.origins.Pairs()
	for _, p := range pairs {
		if !checkName(p.KeyAt, p.Key, "an origin's name") {
			continue
		}
		key := strings.ToLower(p.Key)
		if prior, ok := l.origins[key]; ok {
			p.KeyAt.Problem("the first one is at "+prior.Pos.String(), "origin %s is declared twice%s", quoted(p.Key), twinNote(p.Key, prior.Name))
			continue
		}
		o := l.base
		o.Name, o.Pos, o.file = p.Key, p.KeyAt.Pos(), f
		l.origins[key], l.originNames = &o, append(l.originNames, p.Key)
		l.d.Origins = append(l.d.Origins, &o)
		if originKeys.Decode(p.Value, &o) {
			settleServer(&o, p.Value)
		}
		o.file = nil
	}
}

// originsMisspelt reports whether a file has an unknown key that origins: was
// meant with.
func (l *loader) originsMisspelt() bool {
	return slices.ContainsFunc(l.files, func(f *declared) bool {
		if !f.origins.IsZero() || !f.root.IsMapping() {
			return false
		}
		pairs, _ := f.root.Pairs()
		return slices.ContainsFunc(pairs, func(p source.Pair) bool { return source.Suggest(p.Key, []string{"origins"}) != "" })
	})
}

func twinNote(name, prior string) string {
	if name == prior {
		return ""
	}
	return ": " + quoted(prior) + " differs in its case only"
}
