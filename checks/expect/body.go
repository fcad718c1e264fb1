package expect

import (
	"context"

	"github.com/fonteviva/fonteviva/checks/source"
)

// bodyExpectation is the body: mapping. It looks at the bytes as they came.
type bodyExpectation struct{ textRules }

var bodyTable = source.NewObject("body", append(textFields(),
	source.Field[textRules]{Name: "min_size", Form: source.Bytes, Doc: "the smallest size, such as 1kB", Decode: decodeMinSize},
	source.Field[textRules]{Name: "max_size", Form: source.Bytes, Doc: "the largest size, such as 1MiB", Decode: decodeMaxSize},
)...)

func decodeBody(s *Spec, n source.Node) {
	s.text = true
	e := &bodyExpectation{textRules{severity: Fail}}
	if bodyTable.Decode(n, &e.textRules) {
		if pairs, _ := n.Pairs(); len(pairs) == 0 {
			n.Problem(`such as body: {contains: "valor", max_size: 1MiB}`, "body has no matcher")
		}
	}
	s.add(e)
}

func decodeMinSize(t *textRules, n source.Node) {
	if size, ok := n.Size(); ok {
		text, _ := n.String()
		t.add(textRule{key: "min_size", want: "at least " + text, got: sizeOf,
			holds: func(body []byte) bool { return int64(len(body)) >= size }})
	}
}

func decodeMaxSize(t *textRules, n source.Node) {
	if size, ok := n.Size(); ok {
		text, _ := n.String()
		t.add(textRule{key: "max_size", want: "at most " + text, got: sizeOf,
			holds: func(body []byte) bool { return int64(len(body)) <= size }})
	}
}

func sizeOf(body []byte) string { return plural(len(body), "byte", "bytes") }

func (e *bodyExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	for _, r := range e.rules {
		if ctx.Err() != nil {
			return
		}
		if !r.holds(o.Body) {
			f.add(Mismatch{Code: "body." + r.key, Severity: e.severity, Want: r.want, Got: r.got(o.Body)})
		}
	}
}
