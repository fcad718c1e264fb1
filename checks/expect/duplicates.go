package expect

import (
	"context"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// duplicateKeys reports names that come twice in one object: readers disagree
// about which of the values counts (RFC 8259 §4). It stands behind the other
// expectations of every probe that reads JSON.
type duplicateKeys struct{}

func (duplicateKeys) evaluate(ctx context.Context, o *Observation, f *findings) {
	if !o.JSON {
		return
	}
	doc, _ := o.json(Fail, f)
	c := duplicateKeysCheck()
	err := doc.Duplicates(ctx, func(at *jsonpath.Location) bool {
		c.report(at.String, "the key again in the same object")
		return true
	})
	if err == nil {
		c.close("$", f)
	}
}

func duplicateKeysCheck() check {
	return check{code: "json.duplicate_key", severity: Fail, want: want{words: "every key once in its object"}}
}
