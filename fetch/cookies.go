package fetch

import (
	"context"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
)

// The limits of what one place may store with us. RFC 6265 §6.1 asks for at
// least 50 cookies of 4096 bytes.
const (
	maxCookies     = 100
	maxCookieBytes = 4 << 10
)

// cookieTransport keeps what origins set (RFC 6265). Every scheme, host and
// port has a jar of its own, so that no Domain attribute takes a cookie
// anywhere else. Places that a redirect led away to have no part in it.
type cookieTransport struct {
	next idleCloser

	mu   sync.Mutex
	jars map[string]*placeJar
}

// placeJar is the jar of one place, and how much it was given.
type placeJar struct {
	jar  *cookiejar.Jar
	mu   sync.Mutex
	seen map[string]bool
}

func newCookieTransport(next idleCloser) *cookieTransport {
	return &cookieTransport{next: next, jars: map[string]*placeJar{}}
}

// RoundTrip sends r with the cookies of its place, behind those it declares.
func (t *cookieTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if isAway(r.Context()) {
		return t.next.RoundTrip(r)
	}
	jar := t.jarOf(r.URL)
	if kept := jar.jar.Cookies(r.URL); len(kept) > 0 {
		r = r.Clone(r.Context())
		for _, c := range kept {
			r.AddCookie(c)
		}
	}
	res, err := t.next.RoundTrip(r)
	if err == nil {
		jar.store(r.URL, res)
	}
	return res, err
}

// isAway reports a request whose place was chosen by another one.
func isAway(ctx context.Context) bool {
	t := trackerOf(ctx)
	return t != nil && t.away
}

// CloseIdleConnections closes those beneath.
func (t *cookieTransport) CloseIdleConnections() { t.next.CloseIdleConnections() }

func (t *cookieTransport) jarOf(u *url.URL) *placeJar {
	place := u.Scheme + "://" + strings.ToLower(u.Hostname()) + ":" + portOf(u)
	t.mu.Lock()
	defer t.mu.Unlock()
	p, ok := t.jars[place]
	if !ok {
		jar, _ := cookiejar.New(nil) // never fails; a list of public suffixes is of no use to a single place
		p = &placeJar{jar: jar, seen: map[string]bool{}}
		t.jars[place] = p
	}
	return p
}

// store keeps what an answer sets, within the limits. A known cookie can always
// be renewed or deleted.
func (p *placeJar) store(u *url.URL, res *http.Response) {
	set := res.Cookies()
	if len(set) == 0 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	keep := set[:0]
	for _, c := range set {
		key := c.Domain + ";" + c.Path + ";" + c.Name
		if len(c.Raw) > maxCookieBytes || !p.seen[key] && len(p.seen) == maxCookies {
			continue
		}
		p.seen[key] = true
		keep = append(keep, c)
	}
	p.jar.SetCookies(u, keep)
}
