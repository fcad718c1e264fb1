package report

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/fonteviva/fonteviva/checks"
	"github.com/fonteviva/fonteviva/checks/source"
)

// CheckDeclaration reports what is wrong in the formats: and profiles: blocks
// of a declaration, each word at its place.
func CheckDeclaration(d *checks.Declaration, c *source.Collector) {
	readDeclared(d, func(n source.Node, hint, format string, args ...any) {
		if n.IsZero() {
			c.Add(source.Position{}, hint, format, args...)
			return
		}
		n.Problem(hint, format, args...)
	})
}

// sink takes one problem at a place of the declaration.
type sink func(n source.Node, hint, format string, args ...any)

// collectInto is a sink that gathers in c whatever collector the nodes were
// read with.
func collectInto(c *source.Collector) sink {
	return func(n source.Node, hint, format string, args ...any) {
		pos := source.Position{}
		if !n.IsZero() {
			pos = n.Pos()
		}
		c.Add(pos, hint, format, args...)
	}
}

// declared is what a declaration says about the policy.
type declared struct {
	formats  []override
	profiles []declaredProfile // in order, each after those that it extends is resolved
}

type override struct {
	format      string
	finding     checks.Finding
	disposition Disposition
	from        string
}

type declaredProfile struct {
	Profile
	extends source.Node
}

func readDeclared(d *checks.Declaration, report sink) *declared {
	out := &declared{}
	if d == nil {
		return out
	}
	for name, cells := range readFormats(d.Formats, report) {
		for f, cell := range cells {
			out.formats = append(out.formats, override{name, f, cell.d, "formats: " + cell.at})
		}
	}
	for _, raw := range d.Profiles {
		out.readProfile(raw, report)
	}
	out.checkExtends(report)
	return out
}

// profileKeys reads each key of a declared profile.
var profileKeys = []struct {
	name string
	read func(p *declaredProfile, raw checks.Raw, report sink)
}{
	{"extends", func(p *declaredProfile, raw checks.Raw, report sink) {
		if strings.TrimSpace(raw.Value) == "" {
			report(raw.Node, "such as extends: smoke", "extends takes the name of a profile")
		}
		p.Extends, p.extends = raw.Value, raw.Node
	}},
	{"on", func(p *declaredProfile, raw checks.Raw, report sink) { p.On = plainCells(readCells(raw, report)) }},
	{"formats", func(p *declaredProfile, raw checks.Raw, report sink) {
		p.Formats = map[string]map[checks.Finding]Disposition{}
		if !isMapping(raw) {
			report(raw.Node, "such as {junit: {indisponivel: fail}}", "formats takes a mapping of formats to their cells")
			return
		}
		for name, cells := range readFormats(raw.Children, report) {
			p.Formats[name] = plainCells(cells)
		}
	}},
	{"budget", func(p *declaredProfile, raw checks.Raw, report sink) { p.Budget = readDuration(raw, report) }},
	{"min_measured", func(p *declaredProfile, raw checks.Raw, report sink) {
		t, err := ParseThreshold(raw.Value)
		if err != nil {
			report(raw.Node, "", "%v", err)
			return
		}
		p.MinMeasured = &t
	}},
	{"wait", func(p *declaredProfile, raw checks.Raw, report sink) { p.Wait = readDuration(raw, report) }},
	{"max_unmeasured", func(p *declaredProfile, raw checks.Raw, report sink) { p.MaxUnmeasured = readDuration(raw, report) }},
}

func readDuration(raw checks.Raw, report sink) time.Duration {
	d, err := source.ParseDuration(raw.Value)
	if err == nil && d <= 0 {
		err = fmt.Errorf("%s must be longer than 0", raw.Key)
	}
	if err != nil {
		report(raw.Node, "", "%v", err)
		return 0
	}
	return d
}

func (d *declared) readProfile(raw checks.Raw, report sink) {
	if builtIn(raw.Key) != nil {
		report(raw.KeyNode, "give yours another name, and extends: "+raw.Key, "profile %s is built in", strconv.Quote(raw.Key))
		return
	}
	p := declaredProfile{Profile: Profile{Name: raw.Key, For: Text{"declared", "declarado"}}}
	if !isMapping(raw) && (raw.Node.IsZero() || !raw.Node.IsNull()) {
		report(raw.Node, "such as {extends: smoke, on: {ambiguo: fail}}", "profile %s takes a mapping", strconv.Quote(raw.Key))
	}
	for _, child := range raw.Children {
		p.readKey(child, report)
	}
	d.profiles = append(d.profiles, p)
}

func (p *declaredProfile) readKey(raw checks.Raw, report sink) {
	var known []string
	for _, k := range profileKeys {
		if k.name == raw.Key {
			k.read(p, raw, report)
			return
		}
		known = append(known, k.name)
	}
	report(raw.KeyNode, source.DidYouMean(raw.Key, known), "unknown key %s in a profile", strconv.Quote(raw.Key))
}

func builtIn(name string) *Profile {
	for _, p := range Profiles() {
		if p.Name == name {
			return &p
		}
	}
	return nil
}

func (d *declared) named(name string) *declaredProfile {
	for i := range d.profiles {
		if d.profiles[i].Name == name {
			return &d.profiles[i]
		}
	}
	return nil
}

func (d *declared) profileNames() []string {
	var out []string
	for _, p := range Profiles() {
		out = append(out, p.Name)
	}
	for _, p := range d.profiles {
		out = append(out, p.Name)
	}
	return out
}

// ProfileNames lists the built-in profiles and those of a declaration.
func ProfileNames(d *checks.Declaration) []string {
	return readDeclared(d, func(source.Node, string, string, ...any) {}).profileNames()
}

// checkExtends reports parents that do not exist and profiles that extend
// themselves, over however many steps.
func (d *declared) checkExtends(report sink) {
	for i := range d.profiles {
		p := &d.profiles[i]
		if p.Extends == "" {
			continue
		}
		if builtIn(p.Extends) == nil && d.named(p.Extends) == nil {
			report(p.extends, source.DidYouMean(p.Extends, d.profileNames()), "unknown profile %s", strconv.Quote(p.Extends))
			continue
		}
		step := p
		for range d.profiles {
			if step = d.named(step.Extends); step == nil || step.Name == p.Name {
				break
			}
		}
		if step != nil {
			report(p.extends, "a chain of extends must end at a built-in profile, or at one that extends nothing", "profile %s extends itself", strconv.Quote(p.Name))
		}
	}
}

// profile resolves a profile over everything it extends. The chains were
// checked before.
func (d *declared) profile(name string) (Profile, error) {
	if name == "" {
		name = DefaultProfile
	}
	if p := builtIn(name); p != nil {
		return *p, nil
	}
	p := d.named(name)
	if p == nil {
		return Profile{}, fmt.Errorf("unknown profile %s: %s", strconv.Quote(name), source.DidYouMean(name, d.profileNames()))
	}
	if p.Extends == "" {
		return p.Profile, nil
	}
	parent, err := d.profile(p.Extends)
	if err != nil {
		return Profile{}, err
	}
	return p.over(parent), nil
}
