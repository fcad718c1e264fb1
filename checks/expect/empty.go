package expect

import (
	"context"
	"math"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// EmptyWhen is the empty_when: key of a probe: what an answer without data
// looks like. A nil one never holds.
type EmptyWhen []emptyForm

// emptyForm is one look of an empty answer.
type emptyForm struct {
	path *jsonpath.Path // nil for the whole body
	rows int            // what as many rows, or fewer, are; -1 where it is not declared
}

var emptyTable = source.NewObject("empty_when",
	source.Field[emptyForm]{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path that then selects nothing, or nothing but empty arrays, objects, strings and null", Decode: func(e *emptyForm, n source.Node) {
		e.path = readPath(n)
	}},
	source.Field[emptyForm]{Name: "rows", Form: source.Whole(0, math.MaxInt32), Doc: "how many elements the array (at path, or the whole body) then has at most: 1 for a lone header row", Decode: func(e *emptyForm, n source.Node) {
		v, ok := n.Int(0, math.MaxInt32)
		source.Optional(&e.rows, v, ok)
	}},
)

// DecodeEmptyWhen reads empty_when: a mapping, or a list of them of which one
// has to hold.
func DecodeEmptyWhen(n source.Node) EmptyWhen {
	var list EmptyWhen
	for _, item := range n.ItemsOrOne() {
		e := emptyForm{rows: -1}
		if !emptyTable.Decode(item, &e) {
			continue
		}
		if pairs, _ := item.Pairs(); len(pairs) == 0 {
			item.Problem(`such as empty_when: {path: "$.value[*]"} or {rows: 1}`, "empty_when says nothing")
		}
		list = append(list, e)
	}
	return list
}

// Holds reports whether an answer is empty in this way, and says how, for a
// person. A body that is no JSON is not: that is another matter. The error is
// the context's.
func (list EmptyWhen) Holds(ctx context.Context, o *Observation) (how string, holds bool, err error) {
	if len(list) == 0 || !o.JSON {
		return "", false, nil
	}
	doc, _ := o.json(Fail, &findings{})
	for _, e := range list {
		if how, holds, err = e.holds(ctx, doc); holds || err != nil {
			return how, holds, err
		}
	}
	return "", false, nil
}

var wholeBody, _ = jsonpath.Parse("$")

func (e emptyForm) holds(ctx context.Context, doc *jsonpath.Document) (string, bool, error) {
	path := e.path
	if path == nil {
		path = wholeBody
	}
	nodes, empty := 0, true
	err := doc.Select(ctx, path, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		nodes++
		empty = e.isEmpty(v)
		return empty
	})
	switch {
	case err != nil || !empty:
		return "", false, err
	case nodes == 0:
		return path.String() + " selects nothing", true, nil
	case e.rows > 0:
		return path.String() + " has " + plural(e.rows, "row", "rows") + " at most", true, nil
	}
	return path.String() + " is empty", true, nil
}

func (e emptyForm) isEmpty(v jsonpath.Value) bool {
	switch v.Kind() {
	case jsonpath.Null:
		return true
	case jsonpath.Array:
		return v.Len() <= max(e.rows, 0)
	case jsonpath.String, jsonpath.Object:
		return v.Len() == 0
	}
	return false
}
