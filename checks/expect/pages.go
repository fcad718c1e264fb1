package expect

import (
	"context"
	"fmt"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// PathCapture reads a path of which the first node is one value.
func PathCapture(n source.Node) *Capture { return &Capture{path: readPath(n)} }

// Address gives the address that a path selects in a page: "" where it selects
// nothing, null, false or an empty text, which is how a last page looks. What
// is no text is the mismatch. The error is the context's.
func (c *Capture) Address(ctx context.Context, o *Observation) (string, *Mismatch, error) {
	doc, _ := o.json(Fail, &findings{})
	var node jsonpath.Value
	err := doc.Select(ctx, c.path, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		node = v
		return false
	})
	if err != nil {
		return "", nil, err
	}
	switch {
	case node.Kind() == jsonpath.String:
		return node.Text(), nil, nil
	case node.Kind() == jsonpath.Null, string(node.Raw()) == "false":
		return "", nil, nil
	}
	path := c.path.String()
	return "", &Mismatch{Code: "next", Path: &path, Severity: Fail, Want: "the address of the next page", Got: (&findings{redact: o.Redact}).text(typed(node))}, nil
}

// Items is the array of each page of an answer.
type Items struct {
	path  *jsonpath.Path
	whole bool // the body is the array: nothing stands around it
}

// DecodeItems reads the path to the array; a zero node is the whole body.
func DecodeItems(n source.Node) *Items {
	if n.IsZero() {
		return &Items{path: wholeBody, whole: true}
	}
	return &Items{path: readPath(n)}
}

// Of gives the text between the brackets of a page's array, nil for an empty
// one, or the mismatch where there is none. The error is the context's.
func (i *Items) Of(ctx context.Context, o *Observation) ([]byte, *Mismatch, error) {
	doc, _ := o.json(Fail, &findings{})
	var node jsonpath.Value
	found := false
	err := doc.Select(ctx, i.path, func(v jsonpath.Value, _ *jsonpath.Location) bool {
		node, found = v, true
		return false
	})
	if err != nil {
		return nil, nil, err
	}
	if found && node.Kind() == jsonpath.Array {
		if node.Len() == 0 {
			return nil, nil, nil
		}
		raw := node.Raw()
		return raw[1 : len(raw)-1], nil, nil
	}
	path, got := i.path.String(), nothingSelected
	if found {
		got = (&findings{redact: o.Redact}).text(typed(node))
	}
	return nil, &Mismatch{Code: "next.items", Path: &path, Severity: Fail, Want: "an array in every page", Got: got}, nil
}

// Around gives the names that come twice in one object of a page, numbered from
// 1, outside its items, which are judged with those of the other pages: an
// address of a next page that stands there twice leads two ways, and one of them
// has what is missing then. The error is the context's.
func (i *Items) Around(ctx context.Context, o *Observation, page int) ([]Mismatch, error) {
	if i.whole {
		return nil, nil
	}
	f := &findings{}
	doc, _ := o.json(Fail, f)
	items := ""
	err := doc.Select(ctx, i.path, func(_ jsonpath.Value, at *jsonpath.Location) bool {
		items = at.String() + "["
		return false
	})
	if err != nil {
		return nil, err
	}
	c := duplicateKeysCheck()
	err = doc.Duplicates(ctx, func(at *jsonpath.Location) bool {
		if items == "" || !strings.HasPrefix(at.String(), items) {
			c.report(at.String, fmt.Sprintf("the key again in the same object, on page %d", page))
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	c.close("$", f)
	return f.list, nil
}
