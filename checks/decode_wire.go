package checks

import (
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

const useHTTPS = "write https://, or take tls: out"

// settleWire refuses what can never hold of an answer because of what it comes
// over: left to the run, our own mistake would read as drift.
func (d *probeDraft) settleWire() {
	if d.Origin == nil || d.expect.IsZero() || !d.expect.IsMapping() {
		return
	}
	if s := d.Origin.MCP; s != nil && len(s.Command) > 0 {
		for _, key := range []string{"status", "headers", "content_type", "tls"} {
			if n := d.expect.Member(key); !n.IsZero() {
				n.Problem("remove it", "%s: is about HTTP, and origin %s is the pipes of a command", key, quoted(d.Origin.Name))
			}
		}
		return
	}
	if !d.Expect.NeedsTLS() {
		return
	}
	if plainHTTP(d.Origin.URL.Raw()) {
		d.expect.Member("tls").Problem(useHTTPS, "the url of origin %s is http://, which has no certificate", quoted(d.Origin.Name))
		return
	}
	for _, m := range d.Origin.Mirrors {
		if plainHTTP(m.Raw()) {
			d.expect.Member("tls").Problem(useHTTPS, "a mirror of origin %s is http://, which has no certificate", quoted(d.Origin.Name))
			return
		}
	}
}

// plainHTTP reports whether an address is asked without TLS. One whose scheme
// comes from the environment is looked at once that is known.
func plainHTTP(address string) bool {
	const scheme = "http://"
	return len(address) >= len(scheme) && strings.EqualFold(address[:len(scheme)], scheme)
}

// certificate is settleWire's check of addresses that the environment completes.
func (e *envCheck) certificate(p *Probe) {
	if !p.Expect.NeedsTLS() {
		return
	}
	for _, t := range append([]source.Text{p.Origin.URL}, p.Origin.Mirrors...) {
		s, missing := t.Expand(func(r source.Ref) (string, bool) { return e.lookup(r.Name) })
		if len(t.Refs()) > 0 && len(missing) == 0 && plainHTTP(s) {
			e.problems = append(e.problems, EnvProblem{Pos: t.Pos(),
				Reason: "with its variables, an address of origin " + p.Origin.Name + " is http://, which has no certificate, and probe " + p.Name + " expects tls: " + useHTTPS})
			return
		}
	}
}
