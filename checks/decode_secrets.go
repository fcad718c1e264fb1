package checks

import (
	"net"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/idna"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Secret is a variable of the environment whose value no output shows.
type Secret struct {
	Name  string
	Pos   source.Position
	Bound bool     // it goes to Hosts only; false: wherever it is declared to go
	Hosts []string // host or host:port, lower-case, as the wire writes them
}

// mayGoTo reports whether a secret may be sent to an address's host and port.
func (s *Secret) mayGoTo(u *url.URL) bool {
	host := hostName(u.Hostname())
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return slices.Contains(s.Hosts, host) || slices.Contains(s.Hosts, net.JoinHostPort(host, port))
}

// hostName is a host as it is compared: what the wire says of it (RFC 5891),
// without the root's dot.
func hostName(s string) string {
	s = strings.TrimSuffix(strings.ToLower(s), ".")
	if ascii, err := idna.Lookup.ToASCII(s); err == nil {
		return ascii
	}
	return s
}

var secretKeys = source.NewObject("a secret",
	source.Field[Secret]{Name: "hosts", Form: source.List(0, source.SomeText), Doc: "the only hosts that may know it, a list of host or host:port", Decode: decodeHosts},
)

func decodeHosts(s *Secret, n source.Node) {
	items, ok := n.Items()
	if !ok {
		return
	}
	s.Bound = true
	for _, item := range items {
		text, ok := item.NonEmpty()
		if !ok || !hasNoRef(item) {
			continue
		}
		host, ok := bindingHost(text)
		if !ok {
			item.Problem("such as api.example.org or api.example.org:8443, one an entry; there are no patterns", "%s is not a host", quoted(text))
			continue
		}
		s.Hosts = append(s.Hosts, host)
	}
}

// bindingHost reads host or host:port.
func bindingHost(s string) (string, bool) {
	if ip := net.ParseIP(strings.Trim(s, "[]")); ip != nil {
		return strings.Trim(strings.ToLower(s), "[]"), true
	}
	u, err := url.Parse("https://" + s)
	if err != nil || !strings.EqualFold(u.Host, s) || u.Hostname() == "" || strings.ContainsAny(s, "*,%_ \t\\") || !validPort(u) {
		return "", false
	}
	if u.Port() != "" {
		return net.JoinHostPort(hostName(u.Hostname()), u.Port()), true
	}
	return hostName(u.Hostname()), true
}

// secrets decodes every file's secrets: block.
func (l *loader) secrets() {
	for _, f := range l.files {
		if f.secrets.IsZero() {
			continue
		}
		pairs, _ := f.secrets.Pairs()
		for _, p := range pairs {
			s := Secret{Name: p.Key, Pos: p.KeyAt.Pos()}
			if !isVariable(p.Key) {
				p.KeyAt.Problem("a secret is named by its variable, such as API_TOKEN: {hosts: [api.example.org]}; its value never stands in a declaration",
					"%s is not the name of a variable of the environment", quoted(p.Key))
				continue
			}
			if i := slices.IndexFunc(l.d.Secrets, func(o Secret) bool { return o.Name == s.Name }); i >= 0 {
				p.KeyAt.Problem("the first one is at "+l.d.Secrets[i].Pos.String(), "secret %s is declared twice", s.Name)
				continue
			}
			if !p.Value.IsNull() {
				secretKeys.Decode(p.Value, &s)
			}
			l.d.Secrets = append(l.d.Secrets, s)
		}
	}
}

func isVariable(s string) bool {
	t, bad := source.ParseText("${env."+s+"}", source.Position{})
	return bad == "" && len(t.Refs()) == 1 && t.Refs()[0] == source.Ref{Scope: "env", Name: s}
}

// Redactor hides every secret of a declaration: what auth: and proxies name,
// those of the environment, too, and what stands under secrets:, wherever it is
// used.
func (d *Declaration) Redactor(lookup func(string) (string, bool)) *secret.Redactor {
	values := map[string]string{}
	learn := func(name string) {
		if v, ok := lookup(name); ok && name != "" {
			values[name] = v
		}
	}
	learnText := func(t source.Text) {
		for _, ref := range t.Refs() {
			if ref.Scope == "env" {
				learn(ref.Name)
			}
		}
	}
	for _, s := range d.Secrets {
		learn(s.Name)
	}
	for _, o := range d.Origins {
		if o.Auth != nil {
			learnText(o.Auth.User)
			learnText(o.Auth.Value)
		}
		credentials, _ := splitProxy(o.Out.Proxy)
		learnText(credentials)
		for _, name := range o.MCP.secrets(lookup) {
			learn(name)
		}
	}
	if d.Connectivity != nil {
		credentials, _ := splitProxy(d.Connectivity.Out.Proxy)
		learnText(credentials)
	}
	r := secret.New(values)
	HideProxies(r, lookup)
	for _, o := range d.Origins {
		hideDeclaredProxy(r, o.Out.Proxy, lookup)
	}
	if d.Connectivity != nil {
		hideDeclaredProxy(r, d.Connectivity.Out.Proxy, lookup)
	}
	return r
}
