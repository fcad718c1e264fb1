package checks

import (
	"net/url"
	"strings"

	"github.com/fonteviva/fonteviva/checks/secret"
	"github.com/fonteviva/fonteviva/checks/source"
)

// proxyVariables are those in which the environment names proxies.
var proxyVariables = []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"}

// HideProxies teaches a redactor the credentials of the environment's proxies,
// which anything between us and the proxy may repeat.
func HideProxies(r *secret.Redactor, lookup func(string) (string, bool)) {
	for _, name := range proxyVariables {
		if address, ok := lookup(name); ok {
			hideProxy(r, name, address)
		}
	}
}

// hideDeclaredProxy does so where a variable holds the address of a declared
// proxy, or an end of it, with the credentials inside.
func hideDeclaredProxy(r *secret.Redactor, proxy source.Text, lookup func(string) (string, bool)) {
	_, rest := splitProxy(proxy)
	for _, ref := range rest.Refs() {
		if address, ok := lookup(ref.Name); ok && ref.Scope == "env" {
			hideProxy(r, ref.Name, address)
		}
	}
}

// hideProxy finds the credentials of an address, one that is no URL, too: what
// stands before the last @. In a URL that may be part of its path, and what it
// says itself counts as well.
func hideProxy(r *secret.Redactor, name, address string) {
	if u, err := url.Parse(address); err == nil && u.User != nil {
		password, _ := u.User.Password()
		hideCredentials(r, name, u.User.Username(), password)
	}
	if _, after, ok := strings.Cut(address, "://"); ok {
		address = after
	}
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return
	}
	user, password, _ := strings.Cut(address[:at], ":")
	hideCredentials(r, name, unescaped(user), unescaped(password))
}

// hideCredentials hides the password alone, and both as basic authentication
// writes them (RFC 7617 §2); a user without a password is a token.
func hideCredentials(r *secret.Redactor, name, user, password string) {
	if password == "" {
		r.Learn(name, user)
		return
	}
	r.Learn(name, password)
	r.Learn(name, user+":"+password)
}

func unescaped(s string) string {
	if plain, err := url.PathUnescape(s); err == nil {
		return plain
	}
	return s
}
