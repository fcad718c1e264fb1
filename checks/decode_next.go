package checks

import (
	"net/http"

	"github.com/fonteviva/fonteviva/checks/expect"
	"github.com/fonteviva/fonteviva/checks/source"
)

const (
	defaultPages = 10
	mostPages    = 100
)

// Next is how an answer of several pages is walked.
type Next struct {
	Address  *expect.Capture // where the next page's address is: a path or the Link header
	Link     string          // the relation of the Link header (RFC 8288); "" with a path
	Items    *expect.Items   // the array of each page
	MaxPages int
}

// nextDraft is next: while it is read.
type nextDraft struct {
	*Next
	path, link, items source.Node
}

var nextKeys = source.NewObject("next",
	source.Field[nextDraft]{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path to the next page's address; the last page has none", Decode: func(d *nextDraft, n source.Node) { d.path = n }},
	source.Field[nextDraft]{Name: "link", Form: source.SomeText, Doc: "the relation of the Link header (RFC 8288) that leads to the next page, such as next; a header that cannot be read is drift", Decode: func(d *nextDraft, n source.Node) { d.link = n }},
	source.Field[nextDraft]{Name: "items", Form: source.JSONPath, Doc: "an RFC 9535 path to each page's array; the pages together are one array; default $", Decode: func(d *nextDraft, n source.Node) { d.items = n }},
	source.Field[nextDraft]{Name: "max_pages", Form: source.Whole(2, mostPages), Doc: "pages that are asked for at most", Decode: func(d *nextDraft, n source.Node) { decodeInt(&d.MaxPages, n, 2, mostPages) }},
)

func decodeNext(d *probeDraft, n source.Node) {
	d.Next, d.next = &Next{MaxPages: defaultPages}, n
	draft := &nextDraft{Next: d.Next}
	if !nextKeys.Decode(n, draft) {
		return
	}
	if draft.path.IsZero() == draft.link.IsZero() {
		n.Problem(`such as {path: "$.links.next", items: "$.results"}, or {link: next}`, "next has exactly one of path and link")
		return
	}
	if !draft.path.IsZero() {
		d.Next.Address = expect.PathCapture(draft.path)
	} else if rel, ok := draft.link.NonEmpty(); ok {
		d.Next.Link = rel
	}
	d.Next.Items = expect.DecodeItems(draft.items)
}

// checkNext reports a request whose further pages cannot be asked for.
func (d *probeDraft) checkNext() {
	if d.Next != nil && d.Request.Method != http.MethodGet {
		d.next.Problem("ask with get:", "the pages that follow are asked for with GET, and this is a %s", d.Request.Method)
	}
}
