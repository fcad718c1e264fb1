package expect

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/cel"
	"github.com/fonteviva/fonteviva/checks/source"
)

// celExpectation is the cel: list.
type celExpectation []predicate

// predicate is one entry of cel:.
type predicate struct {
	program  *cel.Program
	severity Severity
	at       source.Node // where it is declared
}

// celEnv is what a predicate may use.
var celEnv = cel.Env{
	"body": cel.Dyn, "status": cel.Int, "headers": cel.StringMap, "duration": cel.Duration, "captures": cel.DynMap, "request": cel.Record("method", "query", "url"),
}

var predicateTable = source.NewObject("a cel predicate",
	source.Field[predicate]{Name: "that", Form: source.SomeText, Doc: "a CEL expression that has to be true", Required: true, Decode: func(p *predicate, n source.Node) { p.read(n) }},
	source.Field[predicate]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn", Decode: func(p *predicate, n source.Node) { decodeSeverity(&p.severity, n) }},
)

func decodeCEL(s *Spec, n source.Node) {
	s.cel = true
	items, ok := n.Items()
	if !ok {
		return
	}
	if len(items) == 0 {
		n.Problem("such as - body.all(x, double(x.valor) > 0.0)", "the list of predicates is empty")
	}
	var list celExpectation
	for _, item := range items {
		p := predicate{severity: Fail}
		if item.IsMapping() {
			predicateTable.Decode(item, &p)
		} else {
			p.read(item)
		}
		list = append(list, p)
	}
	s.add(list)
}

func (p *predicate) read(n source.Node) {
	text, ok := n.NonEmpty()
	if !ok {
		return
	}
	program, err := cel.Compile(text, celEnv)
	if bad, wrong := errors.AsType[*cel.SyntaxError](err); wrong {
		n.Problem(bad.Hint, "%s is not a predicate: %v", strconv.Quote(text), bad)
		return
	}
	p.program, p.at = program, n
}

// CheckCaptures reports the captures that predicates read and the probe does not
// have: has says whether there is one, known names them all.
func (s *Spec) CheckCaptures(known []string) {
	for _, e := range s.list {
		list, _ := e.(celExpectation)
		for _, p := range list {
			if p.program == nil {
				continue
			}
			for _, name := range p.program.Reads("captures") {
				if !slices.Contains(known, name) {
					p.at.Problem(source.DidYouMean(name, known), "captures has no %s: it has what get: and request: use of other probes, as ${PROBE.CAPTURE}", strconv.Quote(name))
				}
			}
		}
	}
}

func (list celExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	vars, err := o.variables(f)
	if err != nil {
		f.add(Mismatch{Code: "cel", Severity: Fail, Want: "a text that can be searched", Got: err.Error()})
		return
	}
	for _, p := range list {
		m := Mismatch{Code: "cel", Severity: p.severity, Want: p.program.String()}
		result, err := p.program.Eval(ctx, vars, f.redact)
		switch {
		case ctx.Err() != nil:
			return
		case errors.Is(err, cel.ErrCost), errors.Is(err, cel.ErrLong):
			f.short(m, err)
			continue
		case err != nil:
			m.Got = err.Error()
		case result.Holds:
			continue
		default:
			m.Got = result.Why
			if !result.At.IsZero() {
				path := result.At.Location().String()
				m.Path = &path
			}
		}
		f.add(m)
	}
}

// variables are what a predicate may use of an answer: a body that is no JSON
// is text.
func (o *Observation) variables(f *findings) (map[string]any, error) {
	vars := map[string]any{
		"status": o.Status, "duration": o.Duration, "headers": cel.Strings(joined(o.Header)),
		"captures": cel.Values(o.Captures), "request": o.Request.values(), "body": string(o.Body),
	}
	if o.JSON {
		doc, _ := o.json(Fail, f)
		root, err := doc.Root()
		if err != nil {
			return nil, err
		}
		vars["body"] = root
	}
	return vars, nil
}

// joined gives headers by their name in lower case; several lines of one are a
// list (RFC 9110 §5.3).
func joined(h http.Header) map[string]string {
	m := make(map[string]string, len(h))
	for name, lines := range h {
		m[strings.ToLower(name)] = strings.Join(lines, ", ")
	}
	return m
}

// Request is what was asked, as predicates see it.
type Request struct {
	Method string
	URL    string // with its query
}

func (r Request) values() any {
	query := map[string]string{}
	if u, err := url.Parse(r.URL); err == nil {
		for name, list := range u.Query() {
			query[name] = list[len(list)-1]
		}
	}
	return cel.Values(map[string]any{"method": r.Method, "url": r.URL, "query": cel.Strings(query)})
}
