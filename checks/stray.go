package checks

import (
	"strings"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// stray says which bound secret the captures of a request would take to a host
// that is not listed for it, in any form that is ever hidden; "" when none. An
// origin that reflects a secret cannot have it carried elsewhere by that.
func (p *Plan) stray(pl *planned, values map[source.Ref]string) string {
	to := p.reaches[pl.probe.Origin]
	if len(to) == 0 {
		return ""
	}
	for i := range p.decl.Secrets {
		s := &p.decl.Secrets[i]
		host, forbidden := s.forbidden(to)
		if !forbidden {
			continue
		}
		value, _ := p.opt.Env(s.Name)
		alone := secret.New(map[string]string{s.Name: value})
		for _, ref := range pl.refs {
			// A recording holds the mask in place of the secret.
			v := values[ref]
			if alone.String(v) != v || p.opt.Replay != nil && strings.Contains(v, "[redacted:"+s.Name+"]") {
				return "o valor " + ref.Name + " que a sonda " + ref.Scope + " deu contém o segredo " + s.Name + ", que não pode ir para " + host
			}
		}
	}
	return ""
}

// forbidden gives the first of some places that may not know a secret.
func (s *Secret) forbidden(to []destination) (host string, forbidden bool) {
	if !s.Bound {
		return "", false
	}
	for _, d := range to {
		switch {
		case d.url == nil || d.url.Host == "":
			return "um lugar que não é um host", true
		case !s.mayGoTo(d.url):
			return d.url.Host, true
		}
	}
	return "", false
}
