package expect

import (
	"context"
	"slices"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// MCP is what a server of the Model Context Protocol replied.
type MCP struct {
	IsError bool
	Text    string // of its text contents
	Result  []byte // the result, as it came
	Tool    []byte // the called tool as the server lists it; nil for one that is not listed
	Unknown *bool  // whether an argument that does not exist was taken; nil where that was not tried
}

// Asked is what the expectations of a probe want to be asked beside its own
// question, and what they are about.
type Asked struct {
	IsError bool // a failure of the tool is what is expected
	Unknown bool // an argument that does not exist is tried
	Surface bool // everything that the server offers
	// Call, List and Any name the first key that is about a call of a tool,
	// about what a server offers, or about any MCP reply; "" for none.
	Call, List, Any string
}

// MCP says what the expectations want of an MCP server.
func (s *Spec) MCP() Asked {
	if s.mcp == nil {
		return Asked{}
	}
	return *s.mcp
}

// JudgesBody reports whether a predicate looks at the body.
func (s *Spec) JudgesBody() bool {
	return slices.ContainsFunc(s.list, func(e expectation) bool {
		list, _ := e.(celExpectation)
		return slices.ContainsFunc(list, func(p predicate) bool { return p.program != nil && p.program.Uses("body") })
	})
}

func (s *Spec) asks() *Asked {
	if s.mcp == nil {
		s.mcp = &Asked{}
	}
	return s.mcp
}

// keepFirst keeps the first of several keys.
func keepFirst(into *string, key string) {
	if *into == "" {
		*into = key
	}
}

// isErrorExpectation is is_error:.
type isErrorExpectation bool

func decodeIsError(s *Spec, n source.Node) {
	if v, ok := n.Bool(); ok {
		a := s.asks()
		keepFirst(&a.Call, "is_error")
		a.IsError = v
		s.add(isErrorExpectation(v))
	}
}

func (e isErrorExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.MCP == nil || o.MCP.IsError == bool(e) {
		return
	}
	said := map[bool]string{true: "a tool that says that it failed", false: "a tool that says that it did not fail"}
	f.add(Mismatch{Code: "is_error", Severity: Fail, Want: said[bool(e)], Got: said[o.MCP.IsError]})
}

// mcpText is text:, matchers on the text contents.
type mcpText struct{ textRules }

var mcpTextTable = source.NewObject("text", textFields()...)

func decodeMCPText(s *Spec, n source.Node) {
	keepFirst(&s.asks().Any, "text")
	e := &mcpText{textRules{severity: Fail}}
	if mcpTextTable.Decode(n, &e.textRules) {
		if pairs, _ := n.Pairs(); len(pairs) == 0 {
			n.Problem(`such as text: {contains: "São Paulo"}`, "text has no matcher")
		}
	}
	s.add(e)
}

func (e *mcpText) evaluate(ctx context.Context, o *Observation, f *findings) {
	if o.MCP == nil {
		return
	}
	text := []byte(o.MCP.Text)
	for _, r := range e.rules {
		if ctx.Err() != nil {
			return
		}
		if !r.holds(text) {
			f.add(Mismatch{Code: "text." + r.key, Severity: e.severity, Want: r.want, Got: r.got(text)})
		}
	}
}

// unknownArgument is unknown_argument:, what a tool does with an argument that
// it does not know.
type unknownArgument Severity

var unknownTable = source.NewObject("unknown_argument",
	source.Field[unknownDraft]{Name: "must", Form: source.OneOf("refuse"), Doc: "refuse", Required: true, Decode: func(d *unknownDraft, n source.Node) { _, d.ok = n.Enum("refuse") }},
	source.Field[unknownDraft]{Name: "severity", Form: severityForm, Doc: "warn (default) or fail", Decode: func(d *unknownDraft, n source.Node) { decodeSeverity(&d.severity, n) }},
)

type unknownDraft struct {
	ok       bool
	severity Severity
}

func decodeUnknownArgument(s *Spec, n source.Node) {
	d := unknownDraft{severity: Warn}
	if n.IsMapping() {
		unknownTable.Decode(n, &d)
	} else if _, d.ok = n.Enum("refuse"); !d.ok {
		return
	}
	a := s.asks()
	keepFirst(&a.Call, "unknown_argument")
	a.Unknown = true
	s.add(unknownArgument(d.severity))
}

func (e unknownArgument) evaluate(_ context.Context, o *Observation, f *findings) {
	const want = "a tool that refuses an argument that does not exist"
	switch {
	case o.MCP == nil:
	case o.MCP.Unknown == nil:
		f.add(Mismatch{Code: "unknown_argument", Severity: Warn, Want: want, Got: "not tried: the server does not list the tool as one that may be called again"})
	case *o.MCP.Unknown:
		f.add(Mismatch{Code: "unknown_argument", Severity: Severity(e), Want: want, Got: "it was dropped silently, and another question answered"})
	}
}

// mcpCount is count:, how many elements a list has.
type mcpCount struct {
	min, max int // max below 0: no end
	want     string
	severity Severity
}

var countTable = source.NewObject("count",
	source.Field[mcpCount]{Name: "min", Form: source.Whole(0, maxListed), Doc: "at least so many", Decode: func(c *mcpCount, n source.Node) { v, ok := n.Int(0, maxListed); source.Optional(&c.min, v, ok) }},
	source.Field[mcpCount]{Name: "max", Form: source.Whole(0, maxListed), Doc: "at most so many", Decode: func(c *mcpCount, n source.Node) { v, ok := n.Int(0, maxListed); source.Optional(&c.max, v, ok) }},
	source.Field[mcpCount]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn", Decode: func(c *mcpCount, n source.Node) { decodeSeverity(&c.severity, n) }},
)

const maxListed = 1_000_000

func decodeCount(s *Spec, n source.Node) {
	c := &mcpCount{max: -1, severity: Fail}
	if n.IsMapping() {
		countTable.Decode(n, c)
		if pairs, _ := n.Pairs(); len(pairs) == 0 {
			n.Problem("such as count: {min: 22}", "count has no bound")
		}
	} else if v, ok := n.Int(0, maxListed); ok {
		c.min, c.max = v, v
	}
	switch {
	case c.max >= 0 && c.min > c.max:
		n.Problem("", "min: %d is more than max: %d", c.min, c.max)
	case c.max == c.min:
		c.want = "exactly " + strconv.Itoa(c.min)
	case c.max < 0:
		c.want = "at least " + strconv.Itoa(c.min)
	default:
		c.want = "from " + strconv.Itoa(c.min) + " to " + strconv.Itoa(c.max)
	}
	keepFirst(&s.asks().List, "count")
	s.add(c)
}

func (c *mcpCount) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.MCP == nil {
		return
	}
	n := len(listed(o))
	if n < c.min || c.max >= 0 && n > c.max {
		f.add(Mismatch{Code: "count", Severity: c.severity, Want: c.want, Got: strconv.Itoa(n)})
	}
}
