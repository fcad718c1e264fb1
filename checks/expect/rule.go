package expect

import (
	"context"
	"time"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// Statuses reads what status: reads: a number, a class or a list of them. The
// result tells whether a status is one of those.
func Statuses(n source.Node) func(status int) bool {
	s := &Spec{}
	decodeStatus(s, n)
	return s.StatusExpected
}

// selectWithin bounds the search of one body: a path with several descendant
// segments can take time that grows with a power of the body's depth.
const selectWithin = 2 * time.Second

// Selects reads a JSON path. The result tells whether the path selects
// something in a body, which has to be one valid JSON value; a search that
// does not end in two seconds selects nothing. It is nil where the path is
// wrong, which has been reported then.
func Selects(n source.Node) func(body []byte) bool {
	a := &assertion{}
	if decodePath(a, n); a.path == nil {
		return nil
	}
	return func(body []byte) bool {
		ctx, cancel := context.WithTimeout(context.Background(), selectWithin)
		defer cancel()
		found := false
		err := jsonpath.NewDocument(body).Select(ctx, a.path, func(jsonpath.Value, *jsonpath.Location) bool {
			found = true
			return false
		})
		return err == nil && found
	}
}
