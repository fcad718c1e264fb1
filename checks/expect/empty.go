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
	source.Field[emptyForm]{Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path that then selects nothing, or nothing but empty arrays, objects, strings and null; what the path goes through has to be there: where a member in its middle is missing, the format has changed", Decode: func(e *emptyForm, n source.Node) {
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

// Emptiness is what empty_when says of an answer.
type Emptiness struct {
	How string // in what way it is empty, for a person; "" where it is not
	// Lost is the mismatch of an answer without what the paths go through: it is
	// not empty, its format has changed. Where one of several forms finds its way,
	// nothing is lost.
	Lost *Mismatch
}

// Of finds out whether an answer is empty. A body that is no JSON is not: that
// is another matter. The error is the context's.
func (list EmptyWhen) Of(ctx context.Context, o *Observation) (Emptiness, error) {
	if len(list) == 0 || !o.JSON {
		return Emptiness{}, nil
	}
	doc, _ := o.json(Fail, &findings{})
	lost := 0
	for _, e := range list {
		how, fits, err := e.look(ctx, doc)
		if how != "" || err != nil {
			return Emptiness{How: how}, err
		}
		if !fits {
			lost++
		}
	}
	if lost < len(list) {
		return Emptiness{}, nil
	}
	path := list[0].path.String()
	return Emptiness{Lost: &Mismatch{Code: "empty_when", Path: &path, Severity: Fail, Want: "what the path goes through, data or none", Got: "it is not there, or is something else"}}, nil
}

var wholeBody, _ = jsonpath.Parse("$")

// look says how an answer is empty in this form, "" where it is not, and
// whether the path finds its way in it.
func (e emptyForm) look(ctx context.Context, doc *jsonpath.Document) (how string, fits bool, err error) {
	path := e.path
	if path == nil {
		path = wholeBody
	}
	nodes, empty := 0, true
	err = doc.Select(ctx, path, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		nodes++
		empty = e.isEmpty(v)
		return empty
	})
	if err != nil || !empty {
		return "", true, err
	}
	// Where the way to the data is missing, nothing says that there is none: the
	// format has changed.
	if fits, err = doc.Fits(ctx, path, e.isEmpty); err != nil || !fits {
		return "", false, err
	}
	switch {
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
