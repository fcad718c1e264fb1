package expect

import (
	"context"
	"net/http"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// jsonExpectation is the json: list.
type jsonExpectation []*assertion

// manyPaths is how many paths are worth an index of the text: each scan of it
// costs about a third of building the index.
const manyPaths = 4

func decodeJSON(s *Spec, n source.Node) {
	items, ok := n.Items()
	if !ok {
		return
	}
	if len(items) == 0 {
		n.Problem(`such as - {path: "$", type: array}`, "the list of assertions is empty")
	}
	var list jsonExpectation
	for _, item := range items {
		list = append(list, decodeAssertion(assertionTable, item))
	}
	s.json = true
	s.add(list)
}

func (list jsonExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	doc, ok := o.json(list.severity(), f)
	if !ok {
		return
	}
	if len(list) >= manyPaths {
		// What is too large for an index is scanned.
		_ = doc.Index()
	}
	for _, a := range list {
		if err := a.evaluate(a.selectFrom(ctx, doc), f); err != nil {
			if ctx.Err() == nil {
				f.add(Mismatch{Code: "json", Severity: Fail, Want: "a text that can be searched", Got: err.Error()})
			}
			return
		}
	}
}

// severity is that of the gravest assertion.
func (list jsonExpectation) severity() Severity {
	for _, a := range list {
		if a.severity == Fail {
			return Fail
		}
	}
	return Warn
}

// json is the body as JSON, made once for all who evaluate it. A body that is
// none is a mismatch, reported here.
func (o *Observation) json(severity Severity, f *findings) (*jsonpath.Document, bool) {
	if !o.JSON {
		f.add(Mismatch{Code: "json", Severity: severity, Want: "one JSON value", Got: describeBody(o)})
		return nil, false
	}
	o.once.Do(func() { o.doc = jsonpath.NewDocument(o.Body) })
	return o.doc, true
}

func describeBody(o *Observation) string {
	if len(o.Body) == 0 {
		return "an empty body"
	}
	if t := o.Header.Get("Content-Type"); t != "" {
		return "a body that is not JSON, of Content-Type " + t
	}
	return "a body that is not JSON, recognised as " + http.DetectContentType(o.Body)
}
