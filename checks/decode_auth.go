package checks

import (
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

var authKeys = source.NewObject("auth",
	source.Field[Auth]{Name: "bearer", Form: credentialForm, Doc: "a token (RFC 6750)", Decode: func(a *Auth, n source.Node) {
		a.Scheme = "bearer"
		credential(&a.Value, n)
	}},
	source.Field[Auth]{Name: "basic", Form: source.Either(source.Matching(`^(\$\{env\.[A-Za-z_][A-Za-z0-9_]*\})+:(\$\{env\.[A-Za-z_][A-Za-z0-9_]*\})+$`), basicKeys.Form), Doc: "a user and a password (RFC 7617)", Decode: decodeBasic},
	source.Field[Auth]{Name: "header", Form: authHeaderKeys.Form, Doc: "a header of the origin's own", Decode: decodeAuthHeader},
)

var basicKeys = source.NewObject("auth.basic",
	source.Field[Auth]{Name: "user", Form: credentialForm, Doc: "the user, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		credential(&a.User, n)
	}},
	source.Field[Auth]{Name: "password", Form: credentialForm, Doc: "the password, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		credential(&a.Value, n)
	}},
)

var authHeaderKeys = source.NewObject("auth.header",
	source.Field[Auth]{Name: "name", Form: source.Matching(tokenPattern), Doc: "the header's name", Required: true, Decode: func(a *Auth, n source.Node) {
		if s, ok := n.String(); ok && checkHeaderName(n, s, originHeaders) {
			a.Name = s
		}
	}},
	source.Field[Auth]{Name: "value", Form: source.Matching(`\$\{env\.`), Doc: "its value, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		prefixedCredential(&a.Value, n)
	}},
)

// decodeAuth reads auth:. No problem in it shows the source line, and none
// quotes a value: it may be a credential.
func decodeAuth(o *Origin, n source.Node) {
	o.Auth = new(Auth)
	n = n.Secretly()
	if !n.IsMapping() {
		n.Problem(`write {bearer: "${env.NAME}"}, {basic: {user, password}} or {header: {name, value}}`, "auth is a mapping")
		return
	}
	authKeys.Decode(n, o.Auth)
	if pairs, _ := n.Pairs(); len(pairs) != 1 {
		n.Problem("", "auth needs exactly one of bearer, basic and header")
	}
}

// decodeBasic reads {user, password}, or both in one text with a colon between.
func decodeBasic(a *Auth, n source.Node) {
	a.Scheme = "basic"
	if n.IsMapping() {
		basicKeys.Decode(n, a)
		return
	}
	s, ok := n.String()
	if !ok {
		return
	}
	user, password, found := strings.Cut(s, ":")
	if !found {
		n.Problem(`write "${env.USER}:${env.PASSWORD}", or {user: …, password: …}`, "basic needs a user and a password")
		return
	}
	var okUser, okPassword bool
	a.User, okUser = parseCredential(user, n.Pos())
	a.Value, okPassword = parseCredential(password, n.Pos())
	if !okUser || !okPassword {
		literalCredential(n)
	}
}

func decodeAuthHeader(a *Auth, n source.Node) {
	a.Scheme = "header"
	if !n.IsMapping() {
		n.Problem(`write {name: X-Api-Key, value: "${env.NAME}"}`, "auth.header is a mapping")
		return
	}
	authHeaderKeys.Decode(n, a)
}

// credential reads a value that is nothing but references to the environment.
func credential(into *source.Text, n source.Node) {
	s, ok := n.String()
	if !ok {
		return
	}
	if *into, ok = parseCredential(s, n.Pos()); !ok {
		literalCredential(n)
	}
}

// prefixedCredential also allows text around the reference, such as "Token
// ${env.NAME}".
func prefixedCredential(into *source.Text, n source.Node) {
	s, ok := n.String()
	if !ok {
		return
	}
	t, bad := source.ParseText(s, n.Pos())
	if bad != "" || !onlyEnv(t) || !isFieldValue(s) {
		literalCredential(n)
	}
	*into = t
}

func parseCredential(s string, pos source.Position) (source.Text, bool) {
	t, bad := source.ParseText(s, pos)
	literal, _ := t.Expand(noRefs)
	return t, bad == "" && literal == "" && onlyEnv(t)
}

// onlyEnv tells whether a text has references, all of them to the environment.
func onlyEnv(t source.Text) bool {
	refs := t.Refs()
	return len(refs) > 0 && !slices.ContainsFunc(refs, func(r source.Ref) bool { return r.Scope != "env" })
}

func literalCredential(n source.Node) {
	n.Problem("write ${env.NAME} and set the variable; a declaration is committed, a credential is not",
		"a credential comes from the environment only")
}
