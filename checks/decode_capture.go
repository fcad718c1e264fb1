package checks

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

// maxCaptures bounds what one probe gives to others.
const maxCaptures = 100

var captureName = source.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// decodeCaptures reads capture:, values by name.
func decodeCaptures(d *probeDraft, n source.Node) {
	pairs, ok := n.Pairs()
	if !ok {
		return
	}
	if len(pairs) == 0 || len(pairs) > maxCaptures {
		n.Problem(`such as {last: {path: "$[-1].data"}}`, "expected from 1 to %d captures, got %d", maxCaptures, len(pairs))
		return
	}
	for _, p := range pairs {
		if len(p.Key) > maxName || !captureName().MatchString(p.Key) {
			p.KeyAt.Problem("letters, digits and low lines; no digit first", "%s is not the name of a capture", quoted(p.Key))
		}
		d.Captures = append(d.Captures, expect.DecodeCapture(p.Key, p.Value))
	}
	d.capture = n
}

// use is a place where a request needs a capture of another probe.
type use struct {
	probe      *Probe
	ref        source.Ref
	at         source.Node
	credential bool // it stands where credentials do
}

// references takes note of a reference that is none to the environment, or
// reports it.
type references func(n source.Node, r source.Ref) bool

// needs notes captures that this probe's request uses; they are looked up once
// all probes are read.
func (d *probeDraft) needs(n source.Node, r source.Ref) bool { return d.need(n, r, false) }

// needsCredential is needs for a header that identifies us.
func (d *probeDraft) needsCredential(n source.Node, r source.Ref) bool { return d.need(n, r, true) }

func (d *probeDraft) need(n source.Node, r source.Ref, credential bool) bool {
	switch {
	case isEach(r):
		n.Problem("add each: to the probe, a list of values", "%s has no value: the probe has no each", r)
		return false
	case strings.HasPrefix(r.Scope, requestScope):
		n.Problem("it is for comparing an answer with what was asked for", "%s can be used under expect: only", r)
		return false
	}
	d.l.uses = append(d.l.uses, use{probe: d.Probe, ref: r, at: n, credential: credential})
	return true
}

// settleNeeds finds the probe and the capture of every use, and refuses circles.
func (l *loader) settleNeeds() {
	closing := map[[2]*Probe]source.Node{} // where one probe first needs another
	for _, u := range l.uses {
		need := l.probes[strings.ToLower(u.ref.Scope)]
		if need == nil || need.Name != u.ref.Scope {
			l.unknownNeed(u)
			continue
		}
		i := slices.IndexFunc(need.Captures, func(c *expect.Capture) bool { return c.Name == u.ref.Name })
		switch {
		case i < 0:
			u.at.Problem(source.DidYouMean(u.ref.Name, captureNames(need)), "probe %s captures no %s; it stands at %s", quoted(need.Name), quoted(u.ref.Name), need.Pos)
			continue
		case u.credential && !need.Captures[i].Secret:
			u.at.Problem("add secret: true to the capture, and it is hidden in every output", "%s identifies us, and its capture is not secret", u.ref)
		}
		if !slices.Contains(u.probe.Needs, need) {
			u.probe.Needs = append(u.probe.Needs, need)
			closing[[2]*Probe{u.probe, need}] = u.at
		}
	}
	l.settlePredicates()
	c := circles{closing: closing, state: map[*Probe]int{}}
	for _, p := range l.d.Probes {
		c.visit(p)
	}
}

// settlePredicates holds what predicates read of captures against what there
// will be: each under its probe's name and, where no other has the same, under its
// own.
func (l *loader) settlePredicates() {
	refs := map[*Probe][]source.Ref{}
	for _, u := range l.uses {
		if !slices.Contains(refs[u.probe], u.ref) {
			refs[u.probe] = append(refs[u.probe], u.ref)
		}
	}
	for _, p := range l.d.Probes {
		if p.Expect == nil { // the probe has been refused before it was read
			continue
		}
		var known []string
		for _, ref := range refs[p] {
			other := func(r source.Ref) bool { return r.Name == ref.Name && r.Scope != ref.Scope }
			if !slices.ContainsFunc(refs[p], other) {
				known = append(known, ref.Name)
			}
			known = append(known, ref.Scope)
		}
		p.Expect.CheckCaptures(known)
	}
}

func (l *loader) unknownNeed(u use) {
	if l.broken {
		return // it may stand in a file that could not be read
	}
	var names []string
	for _, p := range l.d.Probes {
		if len(p.Captures) > 0 {
			names = append(names, p.Name)
		}
	}
	u.at.Problem(source.DidYouMean(u.ref.Scope, names), "%s: no probe is named %s", u.ref, quoted(u.ref.Scope))
}

func captureNames(p *Probe) (names []string) {
	for _, c := range p.Captures {
		names = append(names, c.Name)
	}
	return names
}

// circles looks for probes that need themselves, through others or not.
type circles struct {
	closing map[[2]*Probe]source.Node
	state   map[*Probe]int // 1 while its needs are looked at, 2 afterwards
	path    []*Probe
}

func (c *circles) visit(p *Probe) {
	if c.state[p] == 2 || len(p.Needs) == 0 {
		return
	}
	c.state[p] = 1
	c.path = append(c.path, p)
	for _, need := range p.Needs {
		if c.state[need] != 1 {
			c.visit(need)
			continue
		}
		var words strings.Builder
		for _, q := range c.path[slices.Index(c.path, need):] {
			words.WriteString(q.Name + " needs ")
		}
		c.closing[[2]*Probe{p, need}].Problem("let one of them do without the other", "the needs go round in a circle: %s%s", words.String(), need.Name)
	}
	c.path = c.path[:len(c.path)-1]
	c.state[p] = 2
}
