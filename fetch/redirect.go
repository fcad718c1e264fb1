package fetch

import (
	"net/http"
	"net/url"
	"strings"
)

// maxHops is how many redirects of one attempt are followed.
const maxHops = 10

// leg is one request of an attempt: the declared one, or one that a redirect
// made of it.
type leg struct {
	method string
	url    *url.URL
	body   []byte
	// away is set for good by the first step to another scheme, host or port.
	// Even a redirect that leads back gets no declared header any more: the
	// place in between chose the path, and credentials are not spent on a
	// stranger's choice.
	away bool
}

// moved are the statuses whose Location is an instruction (RFC 9110 §15.4).
var moved = map[int]bool{
	http.StatusMovedPermanently: true, http.StatusFound: true, http.StatusSeeOther: true,
	http.StatusTemporaryRedirect: true, http.StatusPermanentRedirect: true,
}

// follow decides what an answer of class 3xx leads to: the next leg, or the
// detail of why it is not followed. The location is nil when there is no usable
// one.
func follow(policy RedirectPolicy, from leg, status int, h http.Header) (next leg, to *Location, why Detail) {
	target := locationOf(from.url, h)
	if target != nil {
		to = &Location{URL: target.String(), CrossHost: !samePlace(from.url, target)}
	}
	switch {
	case status == http.StatusNotModified:
		return next, to, NotModified
	case target == nil:
		return next, nil, RedirectNoLocation
	case !moved[status]:
		return next, to, ""
	case from.url.Scheme == "https" && target.Scheme == "http":
		return next, to, RedirectDowngrade
	case policy == RedirectsNone:
		return next, to, RedirectRefused
	case policy != RedirectsFollow && !sameHost(from.url, target):
		return next, to, RedirectCrossHost
	}
	next, ok := redirected(from, status, target)
	if !ok {
		return next, to, RedirectUnsafe
	}
	return next, to, ""
}

// redirected applies RFC 9110 §15.4.2 to §15.4.9: 303 becomes a GET without a
// body; 301 and 302 are followed only where no method would have to change; 307
// and 308 keep the method, and repeat a body only to the place it was declared
// for.
func redirected(from leg, status int, target *url.URL) (leg, bool) {
	next := leg{method: from.method, url: target, body: from.body, away: from.away || !samePlace(from.url, target)}
	safe := from.method == http.MethodGet || from.method == http.MethodHead
	switch status {
	case http.StatusSeeOther:
		next.body = nil
		if from.method != http.MethodHead {
			next.method = http.MethodGet
		}
		return next, true
	case http.StatusMovedPermanently, http.StatusFound:
		if !safe {
			return leg{}, false
		}
	}
	if next.away && len(from.body) > 0 {
		return leg{}, false
	}
	return next, true
}

// locationOf resolves Location (RFC 9110 §10.2.2). Userinfo in it is dropped,
// so that no stranger chooses credentials. Several lines that disagree, and
// schemes other than http and https, are no usable location.
func locationOf(base *url.URL, h http.Header) *url.URL {
	lines := h.Values("Location")
	if len(lines) == 0 || lines[0] == "" {
		return nil
	}
	for _, other := range lines[1:] {
		if other != lines[0] {
			return nil
		}
	}
	u, err := base.Parse(lines[0])
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || !validPort(u.Port()) {
		return nil
	}
	u.User, u.Fragment, u.RawFragment = nil, "", ""
	return u
}

// samePlace compares scheme, host and port: the place that credentials are
// declared for.
func samePlace(a, b *url.URL) bool { return a.Scheme == b.Scheme && sameAuthority(a, b) }

// sameHost is what the policy same-host follows: the same host and port, or the
// step from http to https on the same host name.
func sameHost(a, b *url.URL) bool {
	if samePlace(a, b) {
		return true
	}
	return a.Scheme == "http" && b.Scheme == "https" && strings.EqualFold(a.Hostname(), b.Hostname())
}

func sameAuthority(a, b *url.URL) bool {
	return strings.EqualFold(a.Hostname(), b.Hostname()) && portOf(a) == portOf(b)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	if u.Scheme == "https" {
		return "443"
	}
	return "80"
}

// travels are the headers that say nothing about the caller's rights and go to
// every place that a redirect leads to.
var travels = []string{"User-Agent", "Accept", "Accept-Encoding", "Accept-Language"}

// withheld gives the headers for a place that they were not declared for, and
// whether anything had to be left out.
func withheld(declared http.Header) (http.Header, bool) {
	out := make(http.Header, len(travels))
	for _, name := range travels {
		if v, ok := declared[name]; ok {
			out[name] = v
		}
	}
	return out, len(out) < len(declared)
}

// withoutContent drops what describes a body that is no longer sent.
func withoutContent(h http.Header) http.Header {
	out := h.Clone()
	for name := range out {
		if strings.HasPrefix(name, "Content-") {
			delete(out, name)
		}
	}
	return out
}
