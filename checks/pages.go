package checks

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/fetch"
)

// walked is what a trip, or a walk over several pages, has brought.
type walked struct {
	answer *fetch.Answer // of the first page; nil with err
	err    error         // of the page that ended the walk
	before []fetch.Trip  // of the pages that came before the last one
	joined []byte        // the items of all pages, one JSON array; nil where there was no walk
	moved  *fetch.Answer // the first page after the first that another place gave; nil where none was
	broken []expect.Mismatch
}

// page is a walk in progress.
type page struct {
	*walked
	r       *runner
	probe   *Probe
	limit   int64
	places  []string        // where pages may be asked for: what was declared, and what redirects led to
	away    bool            // another place has chosen the way since: what was declared stays at home
	visited map[string]bool // addresses that were asked
	parts   [][]byte
	size    int64
}

// walk asks for an answer and, where the probe has next:, for all its pages.
// Every page is a trip of its own. A page that fails ends the walk with its
// error: an answer that is not whole is judged by no expectation.
func (r *runner) walk(ctx context.Context, o *originRun, p *Probe, req fetch.Request) walked {
	answer, err := o.client.Do(ctx, &req)
	w := walked{answer: answer, err: err}
	if err != nil || p.Next == nil || !isPage(answer) {
		return w
	}
	k := &page{walked: &w, r: r, probe: p, limit: o.origin.Policy.MaxBody, places: []string{place(req.URL)}, visited: map[string]bool{req.URL: true}}
	for _, m := range req.Mirrors {
		k.places = append(k.places, place(m))
	}
	last := answer
	for n := 1; ; n++ {
		next := k.read(ctx, last)
		if next == "" || n == p.Next.MaxPages {
			if next != "" {
				k.broke("next.max_pages", expect.Warn, fmt.Sprintf("the last page within %d", n), "one more")
			}
			break
		}
		w.before = append(w.before, last.Trip)
		k.turn(&req, next)
		if last, err = o.client.Do(ctx, &req); err != nil {
			w.answer, w.err = nil, err
			return w
		}
		if !isPage(last) {
			if last.Rule == nil || last.Rule.Means != fetch.MeansAbsent {
				w.answer = last // it is judged for itself
				return w
			}
			break // no further page
		}
		if w.moved == nil && moved(last.URL, last.FinalURL) {
			w.moved = last
		}
	}
	if w.err != nil {
		w.answer = nil
		return w
	}
	whole := *answer
	whole.Trip = last.Trip
	w.answer, w.joined = &whole, k.join()
	return w
}

// isPage reports whether an answer is a page, not something that a rule or the
// expected status says of it.
func isPage(a *fetch.Answer) bool {
	return a.Status/100 == 2 && (a.Rule == nil || a.Rule.Means == fetch.MeansOK)
}

func (k *page) broke(code string, severity expect.Severity, want, got string) {
	k.broken = append(k.broken, expect.Mismatch{Code: code, Severity: severity, Want: want, Got: k.r.shown(got)})
}

// read takes the items of a page and gives the address of the next; "" ends the
// walk.
func (k *page) read(ctx context.Context, a *fetch.Answer) string {
	o := &expect.Observation{Status: a.Status, Header: a.Header, Body: a.Body}
	if k.err = observeBody(o, k.probe, a); k.err != nil {
		return ""
	}
	items, m, err := k.probe.Next.Items.Of(ctx, o)
	if err != nil || m != nil {
		k.stop(ctx, a, m, err)
		return ""
	}
	around, err := k.probe.Next.Items.Around(ctx, o, len(k.before)+1)
	if err != nil {
		k.stop(ctx, a, nil, err)
		return ""
	}
	for _, m := range around {
		m.Path = some(k.r.shown(*m.Path))
		k.broken = append(k.broken, m)
	}
	if k.size += int64(len(items)) + 1; k.size > k.limit {
		k.err = &fetch.Error{Kind: fetch.Aborted, Outcome: fetch.OutcomeFatal, Cause: fetch.CauseMaxBody, Status: a.Status, Offset: -1,
			URL: a.URL, FinalURL: a.FinalURL, Trip: a.Trip, Err: &fetch.BodyTooLargeError{Limit: k.limit}}
		return ""
	}
	if items != nil {
		k.parts = append(k.parts, items)
	}
	if k.probe.Next.Link != "" {
		return k.linked(a)
	}
	address, m, err := k.probe.Next.Address.Address(ctx, o)
	if err != nil || m != nil {
		k.stop(ctx, a, m, err)
		return ""
	}
	if address == "" {
		return ""
	}
	return k.follow(a, address)
}

// linked is the next page by the Link header. A header that cannot be read is
// no last page: what it may have led to is missing.
func (k *page) linked(a *fetch.Answer) string {
	headers := a.Header.Values("Link")
	address, state := linkTo(headers, k.probe.Next.Link, cameFrom(a))
	switch state {
	case linkFound:
		return k.follow(a, address)
	case linkUnreadable:
		k.broke("next.link", expect.Fail, "a Link header that can be read (RFC 8288)", strings.Join(headers, ", "))
	}
	return ""
}

// stop ends the walk by what is wrong with a page, or by the end of the run.
func (k *page) stop(ctx context.Context, a *fetch.Answer, m *expect.Mismatch, err error) {
	switch {
	case m != nil:
		m.Got, m.Path = k.r.shown(m.Got), some(k.r.shown(*m.Path))
		k.broken = append(k.broken, *m)
	case ctx.Err() == nil:
		k.broke("next", expect.Fail, "a page that can be searched", err.Error())
	default:
		k.err = cancelledAt(ctx, a)
	}
}

// follow checks the address of a next page.
func (k *page) follow(a *fetch.Answer, address string) string {
	from := cameFrom(a)
	base, err := url.Parse(from)
	ref, bad := url.Parse(strings.TrimSpace(address))
	if err != nil || bad != nil {
		k.broke("next", expect.Fail, "the address of the next page", address)
		return ""
	}
	next := base.ResolveReference(ref)
	next.Fragment, next.RawFragment = "", ""
	text := next.String()
	k.arrive(a, from)
	switch {
	case next.User != nil || !k.open(base, next, text):
		k.broke("next.elsewhere", expect.Fail, "a next page at "+k.places[0], place(text))
		return ""
	case k.visited[text]:
		k.broke("next.cycle", expect.Fail, "pages that come to an end", "one that was there before: "+text)
		return ""
	}
	k.visited[text] = true
	return text
}

// cameFrom is the address that gave an answer.
func cameFrom(a *fetch.Answer) string {
	return cmp.Or(a.FinalURL, a.Mirror, a.URL)
}

// arrive notes where a page has come from. A redirect that the policy follows
// makes its place one where pages may be asked for; from then on what was
// declared is kept back for good, even where the way leads home again: a
// stranger chose it.
func (k *page) arrive(a *fetch.Answer, from string) {
	at := func(p string) bool { return samePlace(p, from) }
	if !slices.ContainsFunc(k.places, at) {
		k.places, k.away = append(k.places, from), true
	}
	k.away = k.away || a.Withheld || moved(cmp.Or(a.Mirror, a.URL), from)
}

// open reports whether a page may be asked for at an address that a page gave.
// One that another place chose takes none of our secrets along; what a recording
// holds in the place of one is the mask.
func (k *page) open(base, next *url.URL, text string) bool {
	if !slices.ContainsFunc(k.places, func(p string) bool { return samePlace(p, text) }) {
		return false
	}
	if !k.away {
		return true
	}
	down := base.Scheme == "https" && next.Scheme == "http"
	return !down && k.r.plan.redactor.String(text) == text && !(k.r.plan.opt.Replay != nil && strings.Contains(text, "[redacted:"))
}

// turn makes the request that of the next page. What was declared for an
// encrypted way leaves on no other.
func (k *page) turn(req *fetch.Request, next string) {
	req.Bare = req.Bare || k.away || strings.HasPrefix(k.places[0], "https:") && strings.HasPrefix(next, "http:")
	req.URL, req.Mirrors = next, nil
}

// samePlace reports whether two addresses have the same scheme, host and port,
// however they write them (RFC 3986 §6.2.2).
func samePlace(a, b string) bool {
	u, errA := url.Parse(a)
	v, errB := url.Parse(b)
	return errA == nil && errB == nil && u.Scheme == v.Scheme && strings.EqualFold(u.Hostname(), v.Hostname()) && portOf(u) == portOf(v)
}

func portOf(u *url.URL) string {
	if p := u.Port(); p != "" {
		return p
	}
	return map[string]string{"http": "80", "https": "443"}[u.Scheme]
}

// join makes one array of the items of all pages.
func (k *page) join() []byte {
	out := make([]byte, 0, k.size+2)
	out = append(out, '[')
	out = append(out, bytes.Join(k.parts, []byte{','})...)
	return append(out, ']')
}
