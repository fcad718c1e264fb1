package checks

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxBodySize  = 8 << 20  // of one request
	maxBodiesAll = 64 << 20 // of all files together
	formType     = "application/x-www-form-urlencoded"
)

func decodeTextBody(d *probeDraft, n source.Node) {
	v, ok := textWith(n, d.needs)
	source.Optional(&d.Request.Text, v, ok)
}

func decodeFormBody(d *probeDraft, n source.Node) {
	d.Request.Type = formType
	d.decodeParams(&d.Request.Form, n)
}

// decodeJSONBody writes the declared value as JSON, keys in their order and
// numbers with their digits. References stay inside the strings.
func decodeJSONBody(d *probeDraft, n source.Node) {
	d.Request.Type = jsonType
	w := jsonWriter{note: d.needs}
	if !w.write(n) {
		return
	}
	d.Request.Text, _ = source.ParseText(string(w.out), n.Pos())
}

type jsonWriter struct {
	out  []byte
	note references
}

// write appends one value; false means that a problem was reported.
func (w *jsonWriter) write(n source.Node) bool {
	switch {
	case len(w.out) > maxBodySize:
		n.Problem("", "the body is larger than %d MiB", maxBodySize>>20)
		return false
	case n.IsMapping():
		return w.object(n)
	case n.IsList():
		items, _ := n.Items()
		w.out = append(w.out, '[')
		for i, item := range items {
			if i > 0 {
				w.out = append(w.out, ',')
			}
			if !w.write(item) {
				return false
			}
		}
		w.out = append(w.out, ']')
		return true
	case n.IsString():
		if _, ok := textWith(n, w.note); !ok {
			return false
		}
	}
	v, ok := n.Value()
	return ok && w.scalar(v)
}

func (w *jsonWriter) object(n source.Node) bool {
	pairs, _ := n.Pairs()
	w.out = append(w.out, '{')
	for i, p := range pairs {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		if !hasNoRef(p.KeyAt) || !w.scalar(p.Key) {
			return false
		}
		w.out = append(w.out, ':')
		if !w.write(p.Value) {
			return false
		}
	}
	w.out = append(w.out, '}')
	return true
}

// scalar appends a value as source.Node.Value gives it.
func (w *jsonWriter) scalar(v any) bool {
	switch v := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case bool:
		w.out = strconv.AppendBool(w.out, v)
	case json.Number:
		w.out = append(w.out, v...)
	case string:
		out, err := jsontext.AppendQuote(w.out, v)
		w.out = out
		return err == nil
	}
	return true
}

// bodyFiles are the files that requests send, each read once.
type bodyFiles struct {
	read  map[string][]byte
	total int
}

func decodeFileBody(d *probeDraft, n source.Node) {
	name, ok := n.NonEmpty()
	if !ok {
		return
	}
	switch {
	case d.file.dir == "":
		n.Problem("use body: or json:", "%s cannot name a file: it is none itself", d.file.name)
		return
	case !filepath.IsLocal(name):
		n.Problem("the path is relative to the declaration, and stays in its folder", "file %s is outside the declaration's folder", quoted(name))
		return
	}
	body, err := d.l.bodies.get(d.file.dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		n.Problem("the path is relative to the declaration, "+d.file.name, "there is no file %s", quoted(name))
	case err != nil:
		n.Problem("", "file %s cannot be read: %v", quoted(name), cause(err))
	default:
		d.Request.Body, d.Request.File, d.Request.FileAt = body, filepath.Join(d.file.dir, name), n.Pos()
	}
}

var (
	errOutside    = errors.New("it is outside the declaration's folder")
	errNotRegular = errors.New("it is not a plain file")
	errTooLarge   = errors.New("it is larger than 8 MiB")
	errAllLarge   = errors.New("all files of the declaration together are larger than 64 MiB")
)

// get reads a file below dir; symbolic links that leave dir are refused.
func (b *bodyFiles) get(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	if body, ok := b.read[path]; ok {
		return body, nil
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	// Looked at before it is opened: opening a pipe would wait for a writer.
	info, err := root.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errNotRegular
	}
	f, err := root.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	body, err := io.ReadAll(io.LimitReader(f, maxBodySize+1))
	switch {
	case err != nil:
		return nil, err
	case len(body) > maxBodySize:
		return nil, errTooLarge
	case b.total+len(body) > maxBodiesAll:
		return nil, errAllLarge
	}
	b.total += len(body)
	b.read[path] = body
	return body, nil
}
