package main

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// header parts a header of the command line into its name and value.
func header(line string) (name, value string) {
	name, value, _ = strings.Cut(line, ":")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

func isAuthorization(name string) bool { return strings.EqualFold(name, "authorization") }

// credentialName is what headers and variables that hold a credential are
// called: the registered ones (RFC 9110 §11, RFC 6265), and what services name
// theirs by.
var credentialName = regexp.MustCompile(`(?i)^(proxy-)?authorization$|^cookie2?$|(^|[-_])(auth|token|secret|passw(or)?d|pass|credentials?|session)([-_]|$)|(api|access|auth|private|secret|subscription|function|app)[-_]?(key|token)|^x-key$`)

// environment are the names of ${env.NAME} in a text.
var environment = regexp.MustCompile(`(?:^|[^$])\$\{env\.([^}]+)\}`)

// clearCredential refuses a header or a variable (NAME=VALUE) that is named as a
// credential and does not come from the environment: a declaration is a file
// that is shared.
func clearCredential(headers, variables []string) error {
	for _, h := range headers {
		if name, value := header(h); credentialName.MatchString(name) && value != "" && !environment.MatchString(value) {
			return fmt.Errorf("--header %s: a credential would stand in the declaration\n  put it into the environment, and write '%s: %s${env.NAME}'", name, name, scheme(name))
		}
	}
	for _, v := range variables {
		if name, value, _ := strings.Cut(v, "="); credentialName.MatchString(name) && value != "" && !environment.MatchString(value) {
			return fmt.Errorf("--env %s: a credential would stand in the declaration\n  put it into the environment, and write --env %s", name, name)
		}
	}
	return nil
}

func scheme(name string) string {
	if isAuthorization(name) {
		return "Bearer "
	}
	return ""
}

// declaredHeaders are the lines of an origin that send these headers, and the
// variables whose values they hold without auth:. What identifies us goes under
// auth:, which hides it in every output: Authorization, else the first header
// whose value comes from the environment.
func declaredHeaders(headers []string) (lines, variables []string) {
	credential := -1
	for i, h := range headers {
		name, value := header(h)
		if environment.MatchString(value) && (credential < 0 || isAuthorization(name)) {
			credential = i
		}
	}
	rest := map[string]string{}
	for i, h := range headers {
		switch name, value := header(h); {
		case i == credential:
			lines = append(lines, "auth: "+authOf(name, value))
		case strings.EqualFold(name, "user-agent"):
			lines = append(lines, "user_agent: "+inline(value))
		default:
			rest[name] = value
			for _, m := range environment.FindAllStringSubmatch(value, -1) {
				variables = append(variables, m[1])
			}
		}
	}
	if len(rest) > 0 {
		lines = append(lines, "headers: "+inline(rest))
	}
	slices.Sort(variables)
	return lines, slices.Compact(variables)
}

// declaredSecrets is the line that hides these variables in every output and
// binds them to the server at address.
func declaredSecrets(variables []string, address string) string {
	u, err := url.Parse(address)
	if err != nil || len(variables) == 0 {
		return ""
	}
	entries := make([]string, len(variables))
	for i, name := range variables {
		entries[i] = inline(name) + ": {hosts: [" + inline(u.Host) + "]}"
	}
	return "secrets: {" + strings.Join(entries, ", ") + "}"
}

// authOf is auth: for a header.
func authOf(name, value string) string {
	if token, ok := strings.CutPrefix(value, "Bearer "); ok && isAuthorization(name) && strings.HasPrefix(token, "${env.") && strings.Index(token, "}") == len(token)-1 {
		return "{bearer: " + inline(token) + "}"
	}
	return "{header: {name: " + inline(name) + ", value: " + inline(value) + "}}"
}
