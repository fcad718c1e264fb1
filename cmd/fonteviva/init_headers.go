package main

import (
	"errors"
	"strings"
)

// header parts a header of the command line into its name and value.
func header(line string) (name, value string) {
	name, value, _ = strings.Cut(line, ":")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

func isAuthorization(name string) bool { return strings.EqualFold(name, "authorization") }

// clearCredential refuses an Authorization that does not come from the
// environment: a declaration is a file that is shared.
func clearCredential(headers []string) error {
	for _, h := range headers {
		if name, value := header(h); isAuthorization(name) && !strings.Contains(value, "${env.") {
			return errors.New("--header: a credential would stand in the declaration\n  put it into the environment, and write 'Authorization: Bearer ${env.NAME}'")
		}
	}
	return nil
}

// declaredHeaders are the lines of an origin that send these headers. What
// identifies us goes under auth:, which hides it in every output: Authorization,
// else the first header whose value comes from the environment.
func declaredHeaders(headers []string) (lines []string) {
	credential := -1
	for i, h := range headers {
		name, value := header(h)
		if strings.Contains(value, "${env.") && (credential < 0 || isAuthorization(name)) {
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
		}
	}
	if len(rest) > 0 {
		lines = append(lines, "headers: "+inline(rest))
	}
	return lines
}

// authOf is auth: for a header.
func authOf(name, value string) string {
	if token, ok := strings.CutPrefix(value, "Bearer "); ok && isAuthorization(name) && strings.HasPrefix(token, "${env.") && strings.Index(token, "}") == len(token)-1 {
		return "{bearer: " + inline(token) + "}"
	}
	return "{header: {name: " + inline(name) + ", value: " + inline(value) + "}}"
}
