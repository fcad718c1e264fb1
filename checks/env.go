package checks

import (
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// EnvError is everything wrong with the environment of the selected probes.
type EnvError struct{ Problems []EnvProblem }

// notSet is the reason of a variable that is not there at all.
const notSet = "is not set"

// EnvProblem is one variable that cannot be used as it is. The value is never
// told.
type EnvProblem struct {
	Name   string          // the variable, or "" when a whole url is meant
	Pos    source.Position // where the declaration first uses it
	Reason string
}

// Error names every variable in its first line, and then each with its place.
func (e *EnvError) Error() string {
	var missing, unfit []string
	for _, p := range e.Problems {
		switch {
		case p.Name == "":
		case p.Reason == notSet:
			missing = append(missing, p.Name)
		default:
			unfit = append(unfit, p.Name)
		}
	}
	var heads []string
	if len(missing) > 0 {
		heads = append(heads, "the environment lacks what the declaration needs: "+strings.Join(missing, ", "))
	}
	if len(unfit) > 0 {
		heads = append(heads, "what the environment holds cannot be used as it is: "+strings.Join(unfit, ", "))
	}
	if len(heads) == 0 {
		heads = append(heads, "what the environment holds makes no address")
	}
	var b strings.Builder
	b.WriteString(strings.Join(heads, "; "))
	for _, p := range e.Problems {
		fmt.Fprintf(&b, "\n%s: ", p.Pos)
		if p.Name != "" {
			b.WriteString(p.Name + " ")
		}
		b.WriteString(p.Reason)
	}
	return b.String()
}

// textUse is where a text with references goes.
type textUse int

const (
	usePlain  textUse = iota // a body: any value will do
	useLine                  // a header or a URL: one line without control characters
	useSecret                // auth: a line, and something to redact
)

// Missing is an *EnvError that names all variables that the selected probes
// and their origins use and that are not set, or cannot be used where they
// stand; nil when there is none. An empty value is allowed outside auth.
func (d *Declaration) Missing(probes []*Probe, lookup func(string) (string, bool)) error {
	e := &envCheck{lookup: lookup, seen: map[string]bool{}, secrets: map[string]bool{}}
	for i := range d.Secrets {
		e.secrets[d.Secrets[i].Name] = true
	}
	origins := map[*Origin]bool{}
	for _, p := range probes {
		if !origins[p.Origin] {
			origins[p.Origin] = true
			e.origin(p.Origin)
		}
		e.request(&p.Request)
		e.certificate(p)
	}
	if d.Connectivity != nil {
		e.proxy(&d.Connectivity.Out, "connectivity")
	}
	if len(e.problems) == 0 {
		return nil
	}
	return &EnvError{Problems: e.problems}
}

type envCheck struct {
	lookup   func(string) (string, bool)
	seen     map[string]bool // variables that were reported
	secrets  map[string]bool // declared under secrets:
	problems []EnvProblem
}

func (e *envCheck) origin(o *Origin) {
	if !o.URL.IsZero() {
		e.base(o, o.URL, "url")
	}
	for _, m := range o.Mirrors {
		e.base(o, m, "mirror")
	}
	if o.Sentinel != nil {
		e.request(&o.Sentinel.Request)
	}
	if o.MCP != nil {
		for _, v := range o.MCP.Env {
			e.text(v.Value, usePlain)
		}
	}
	e.proxy(&o.Out, "origin "+o.Name)
	e.text(o.UserAgent, useLine)
	for _, h := range o.Headers {
		e.text(h.Value, useLine)
	}
	if o.Auth != nil {
		e.text(o.Auth.User, useSecret)
		e.text(o.Auth.Value, useSecret)
	}
}

// base checks an address that could not be checked when the declaration was
// read.
func (e *envCheck) base(o *Origin, t source.Text, what string) {
	before := len(e.problems)
	e.text(t, useLine)
	if len(t.Refs()) == 0 || len(e.problems) > before {
		return
	}
	s, missing := t.Expand(func(r source.Ref) (string, bool) { return e.lookup(r.Name) })
	if reason, hint := checkBaseURL(s); len(missing) == 0 && reason != "" {
		e.problems = append(e.problems, EnvProblem{Pos: t.Pos(),
			Reason: fmt.Sprintf("the %s of origin %s, with its variables, %s: %s", what, o.Name, reason, hint)})
	}
}

// proxy checks a proxy's address and its credentials likewise.
func (e *envCheck) proxy(out *Out, whose string) {
	before := len(e.problems)
	credentials, rest := splitProxy(out.Proxy)
	e.text(rest, useLine)
	e.text(credentials, useSecret)
	if len(out.Proxy.Refs()) == 0 || len(e.problems) > before {
		return
	}
	way := out.Way
	way.Proxy = expander{env: e.lookup}.proxy(out.Proxy)
	if err := way.Check(); err != nil {
		e.problems = append(e.problems, EnvProblem{Pos: out.Proxy.Pos(), Reason: fmt.Sprintf("the proxy of %s, with its variables: %v", whose, err)})
	}
}

func (e *envCheck) request(r *Request) {
	e.text(r.Path, useLine)
	for _, p := range r.Query {
		e.text(p.Value, useLine)
	}
	for _, h := range r.Headers {
		e.text(h.Value, useLine)
	}
	for _, p := range r.Form {
		e.text(p.Value, usePlain)
	}
	e.text(r.Text, usePlain)
}

// text reports each variable of a text once.
func (e *envCheck) text(t source.Text, use textUse) {
	for _, ref := range t.Refs() {
		if !isEnv(ref) || e.seen[ref.Name] {
			continue
		}
		if reason := e.reason(ref.Name, use); reason != "" {
			e.seen[ref.Name] = true
			e.problems = append(e.problems, EnvProblem{Name: ref.Name, Pos: t.Pos(), Reason: reason})
		}
	}
}

func (e *envCheck) reason(name string, use textUse) string {
	v, set := e.lookup(name)
	switch {
	case !set:
		return notSet
	case e.secrets[name] && secret.Unfit(v) != "":
		return secret.Unfit(v) + "; it is named under secrets:"
	case use == usePlain:
		return ""
	case use == useSecret && secret.Unfit(v) != "":
		return secret.Unfit(v) + "; auth: needs a secret"
	case strings.ContainsAny(v, "\r\n"):
		return "holds a line break (is there one at its end?), which a header or a URL cannot carry"
	case !isFieldValue(v):
		return "holds a control character, which a header or a URL cannot carry"
	}
	return ""
}
