package checks

import (
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

var authKeys = source.NewObject("auth",
	source.Field[Auth]{Name: "bearer", Doc: "a token (RFC 6750)", Decode: func(a *Auth, n source.Node) {
		a.Scheme = "bearer"
		v, ok := credential(n)
		source.Optional(&a.Value, v, ok)
	}},
	source.Field[Auth]{Name: "basic", Doc: "a user and a password (RFC 7617)", Decode: decodeBasic},
	source.Field[Auth]{Name: "header", Doc: "a header of the origin's own", Decode: func(a *Auth, n source.Node) {
		a.Scheme = "header"
		authHeaderKeys.Decode(n, a)
	}},
)

var basicKeys = source.NewObject("auth.basic",
	source.Field[Auth]{Name: "user", Doc: "the user, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		v, ok := credential(n)
		source.Optional(&a.User, v, ok)
	}},
	source.Field[Auth]{Name: "password", Doc: "the password, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		v, ok := credential(n)
		source.Optional(&a.Value, v, ok)
	}},
)

var authHeaderKeys = source.NewObject("auth.header",
	source.Field[Auth]{Name: "name", Doc: "the header's name", Required: true, Decode: func(a *Auth, n source.Node) {
		if s, ok := n.String(); ok && checkHeaderName(n, s, originHeaders) {
			a.Name = s
		}
	}},
	source.Field[Auth]{Name: "value", Doc: "its value, from the environment", Required: true, Decode: func(a *Auth, n source.Node) {
		v, ok := prefixedCredential(n)
		source.Optional(&a.Value, v, ok)
	}},
)

func decodeAuth(o *Origin, n source.Node) {
	o.Auth = new(Auth)
	if !authKeys.Decode(n, o.Auth) {
		return
	}
	if pairs, _ := n.Pairs(); len(pairs) != 1 {
		problemUnquoted(n, "", "auth needs exactly one of bearer, basic and header")
	}
}

// decodeBasic reads {user, password}, or both in one text with a colon between.
func decodeBasic(a *Auth, n source.Node) {
	a.Scheme = "basic"
	if n.IsMapping() {
		basicKeys.Decode(n, a)
		return
	}
	t, ok := text(n.Secretly())
	if !ok {
		return
	}
	user, password, found := strings.Cut(t.Raw(), ":")
	if !found {
		problemUnquoted(n, `write "${env.USER}:${env.PASSWORD}", or {user: …, password: …}`, "basic needs a user and a password")
		return
	}
	a.User, _ = source.ParseText(user, n.Pos())
	a.Value, _ = source.ParseText(password, n.Pos())
	if !isCredential(a.User, false) || !isCredential(a.Value, false) {
		literalCredential(n)
	}
}

// credential reads a value that is nothing but references to the environment.
func credential(n source.Node) (source.Text, bool) { return readCredential(n, false) }

// prefixedCredential also allows text around the reference, such as "Token
// ${env.NAME}".
func prefixedCredential(n source.Node) (source.Text, bool) { return readCredential(n, true) }

func readCredential(n source.Node, prefix bool) (source.Text, bool) {
	t, ok := text(n.Secretly())
	if !ok {
		return t, false
	}
	if !isCredential(t, prefix) || !isFieldValue(t.Raw()) {
		literalCredential(n)
		return t, false
	}
	return t, true
}

func literalCredential(n source.Node) {
	problemUnquoted(n, "write ${env.NAME} and set the variable; a declaration is committed, a credential is not",
		"a credential comes from the environment only")
}

func isCredential(t source.Text, prefix bool) bool {
	if len(t.Refs()) == 0 {
		return false
	}
	for _, ref := range t.Refs() {
		if ref.Scope != "env" {
			return false
		}
	}
	literal, _ := t.Expand(noRefs)
	return prefix || literal == ""
}
