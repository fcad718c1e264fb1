package report

import (
	"bufio"
	"bytes"
	_ "embed"
	"errors"
	"html/template"
	"io"
	"sync"

	"github.com/fonteviva/fonteviva/checks"
)

// The bounds of the page.
const (
	htmlBudget  = 9 << 20 // bytes of the whole page
	htmlRow     = 420     // bytes that are kept free for each row to come
	htmlWorst   = 20      // results named at the top
	htmlPlainOK = 500     // up to so many results a plainly ok one tells its attempts too
)

//go:embed html.tmpl
var htmlSource string

// htmlPage is parsed when it is first needed: a run that writes no page does
// not pay for it.
var htmlPage = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Parse(htmlSource))
})

// writeHTML writes one page that needs nothing else: no script, nothing to
// load, its style in itself, and a policy that forbids everything more.
// html/template escapes every text, which was made inert before.
func writeHTML(w io.Writer, doc *Document, o Options) error {
	h := &htmlWriter{out: &countingWriter{w: bufio.NewWriterSize(w, flushAt)}, doc: doc, o: o, page: htmlPage(), ids: map[*checks.Result]int{}}
	for i := range doc.Results {
		h.ids[&doc.Results[i]] = i + 1
	}
	h.write("head", h.head())
	left := len(doc.Results)
	for _, group := range byOrigin(doc.Results) {
		h.write("origin", h.heading(group))
		for _, r := range group.results {
			left--
			h.result(r, left)
		}
		h.write("close", nil)
	}
	h.write("foot", h.foot())
	return errors.Join(h.err, h.out.w.Flush())
}

// countingWriter knows how long the page is so far.
type countingWriter struct {
	w *bufio.Writer
	n int
}

func (c *countingWriter) Write(p []byte) (int, error) {
	c.n += len(p)
	return c.w.Write(p)
}

type htmlWriter struct {
	out    *countingWriter
	doc    *Document
	o      Options
	page   *template.Template
	ids    map[*checks.Result]int
	err    error
	buffer bytes.Buffer
	cut    int // results whose details found no room
}

func (h *htmlWriter) write(name string, data any) {
	if h.err == nil {
		h.err = h.page.ExecuteTemplate(h.out, name, data)
	}
}

// result writes one result: its row, and what else there is to say while the
// page has room for it.
func (h *htmlWriter) result(r *checks.Result, rowsLeft int) {
	v := h.row(r)
	if h.err == nil && (!plain(r) || len(h.doc.Results) <= htmlPlainOK) {
		v.Detail = h.detail(r)
		h.buffer.Reset()
		h.err = h.page.ExecuteTemplate(&h.buffer, "result", v)
		if h.out.n+h.buffer.Len()+rowsLeft*htmlRow <= htmlBudget {
			h.err = errors.Join(h.err, second(h.out.Write(h.buffer.Bytes())))
			return
		}
		h.cut++
		v.Detail = nil
	}
	h.write("result", v)
}

func second[T any](_ T, err error) error { return err }
