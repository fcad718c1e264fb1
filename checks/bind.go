package checks

import (
	"net/url"
	"strings"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// bindSecrets reports every place of the declaration from which a secret would
// go to a host that its hosts: do not list. Without a lookup, addresses that
// hold references are left for later. With one, a text also carries a secret
// whose value stands in it under another name; live says that the network is
// asked then. It gives where the requests of each origin go; nil where no secret
// is bound.
func (d *Declaration) bindSecrets(probes []*Probe, lookup func(string) (string, bool), live bool, problems *source.Collector) map[*Origin][]destination {
	b := &binder{lookup: lookup, live: live, problems: problems, said: map[leak]bool{}, forms: map[string]*secret.Redactor{}}
	for i := range d.Secrets {
		if d.Secrets[i].Bound {
			b.bound = append(b.bound, &d.Secrets[i])
			b.learn(d.Secrets[i].Name)
		}
	}
	if len(b.bound) == 0 {
		return nil
	}
	seen := map[*Origin][]destination{}
	for _, p := range probes {
		if p.Origin == nil {
			continue // what is wrong with it is said elsewhere
		}
		to, known := seen[p.Origin]
		if !known {
			to = b.origin(p.Origin)
			seen[p.Origin] = to
		}
		b.request(&p.Request, to)
	}
	if d.Connectivity != nil {
		b.proxy(&d.Connectivity.Out)
	}
	return seen
}

type binder struct {
	bound    []*Secret
	lookup   func(string) (string, bool) // nil while the declaration is read
	live     bool                        // the network is asked, through the environment's proxy where it names one
	problems *source.Collector
	said     map[leak]bool
	forms    map[string]*secret.Redactor // by secret: every form that it is hidden in
}

func (b *binder) learn(name string) {
	if b.lookup == nil {
		return
	}
	if value, ok := b.lookup(name); ok {
		b.forms[name] = secret.New(map[string]string{name: value})
	}
}

// holds reports whether a written text holds a secret, as it is or encoded.
func (b *binder) holds(written, name string) bool { return b.forms[name].String(written) != written }

// destination is where a text goes: an address, or nil where only the run will
// tell.
type destination struct {
	what string // "the origin sgs"
	url  *url.URL
}

// leak is one problem, told once.
type leak struct {
	name string
	pos  source.Position
	host string
}

// origin checks what goes to an origin with every request, and gives where the
// requests go.
func (b *binder) origin(o *Origin) []destination {
	var all []destination
	for i, base := range append([]source.Text{o.URL}, o.Mirrors...) {
		what := "origin " + o.Name
		if i > 0 {
			what = "a mirror of " + what
		}
		to := b.destination(what, base)
		to = append(to, b.between(o, to)...)
		b.text(base, to)
		all = append(all, to...)
	}
	b.text(o.UserAgent, all)
	for _, h := range o.Headers {
		b.text(h.Value, all)
	}
	if o.Auth != nil {
		b.text(o.Auth.User, all)
		b.text(o.Auth.Value, all)
	}
	if o.Sentinel != nil {
		b.request(&o.Sentinel.Request, all)
	}
	if o.MCP != nil {
		for _, v := range o.MCP.Env {
			b.text(v.Value, []destination{{"the command of origin " + o.Name, nil}})
		}
	}
	b.proxy(&o.Out)
	return all
}

func (b *binder) proxy(out *Out) {
	if out.Proxy.IsZero() || out.Proxy.Raw() == "none" {
		return
	}
	_, address := splitProxy(out.Proxy)
	b.text(out.Proxy, b.destination("a proxy", address))
}

// between is the proxy that reads what goes to an address: TLS would hide it,
// plain HTTP does not. The environment's proxy is the run's own matter: nothing
// is known of it while the declaration is read.
func (b *binder) between(o *Origin, to []destination) (all []destination) {
	way := o.Out.Way
	switch {
	case !o.Out.Proxy.IsZero():
		_, address := splitProxy(o.Out.Proxy)
		if b.lookup == nil && len(address.Refs()) > 0 {
			return nil
		}
		way.Proxy, _ = b.expand(address)
	case !b.live:
		return nil
	}
	for _, d := range to {
		if d.url == nil || d.url.Scheme != "http" {
			continue
		}
		// One that cannot be used is told elsewhere, and nothing goes through it.
		if proxy, err := way.ProxyFor(d.url); err == nil && proxy != nil {
			all = append(all, destination{"the proxy before " + d.what, proxy})
		}
	}
	return all
}

// destination resolves an address; none where that has to wait.
func (b *binder) destination(what string, base source.Text) []destination {
	if b.lookup == nil && len(base.Refs()) > 0 {
		return nil
	}
	s, missing := b.expand(base)
	u, err := url.Parse(s)
	if err != nil || len(missing) > 0 {
		u = nil
	}
	return []destination{{what, u}}
}

func (b *binder) expand(t source.Text) (string, []source.Ref) {
	return t.Expand(func(r source.Ref) (string, bool) {
		if r.Scope != "env" || b.lookup == nil {
			return "", false
		}
		return b.lookup(r.Name)
	})
}

func (b *binder) request(r *Request, to []destination) {
	b.text(r.Path, to)
	b.text(r.Text, to)
	for _, p := range r.Query {
		b.text(p.Value, to)
	}
	for _, h := range r.Headers {
		b.text(h.Value, to)
	}
	for _, p := range r.Form {
		b.text(p.Value, to)
	}
	if len(r.Body) == 0 || b.lookup == nil {
		return
	}
	body := string(r.Body)
	for _, s := range b.bound {
		if b.holds(body, s.Name) {
			b.tell(r.FileAt, s, to)
		}
	}
}

// text checks one text against everywhere that it goes.
func (b *binder) text(t source.Text, to []destination) {
	for _, s := range b.bound {
		if b.carries(t, s.Name) {
			b.tell(t.Pos(), s, to)
		}
	}
}

// tell reports a secret at a place of the declaration for everywhere that it may
// not go to from there.
func (b *binder) tell(at source.Position, s *Secret, to []destination) {
	for _, d := range to {
		if d.url == nil || !s.mayGoTo(d.url) {
			b.report(at, s, d)
		}
	}
}

// carries reports whether a text names a secret, or holds its value under
// another name or in another form.
func (b *binder) carries(t source.Text, name string) bool {
	for _, ref := range t.Refs() {
		if ref == (source.Ref{Scope: "env", Name: name}) {
			return true
		}
	}
	if b.lookup == nil || t.IsZero() {
		return false
	}
	written, _ := b.expand(t)
	return b.holds(written, name)
}

// report tells of a leak. The host is quoted only where no variable is part of
// it: it could be the secret itself.
func (b *binder) report(at source.Position, s *Secret, d destination) {
	where := ", whose host only the run would tell"
	if d.url != nil {
		where = " at " + quoted(d.url.Host)
	}
	if b.lookup != nil {
		for _, other := range b.bound {
			if b.holds(where, other.Name) {
				where = ", whose host is a secret itself"
			}
		}
	}
	l := leak{s.Name, at, where}
	if b.said[l] {
		return
	}
	b.said[l] = true
	hosts := "nowhere"
	if len(s.Hosts) > 0 {
		hosts = "to " + strings.Join(s.Hosts, ", ") + " only"
	}
	b.problems.Add(at, "secrets: at "+s.Pos.String()+" lets it go "+hosts,
		"secret %s would be sent to %s%s", s.Name, d.what, where)
}
