package expect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/jsonschema"
	"github.com/fonteviva/fonteviva/checks/source"
)

// schemaExpectation is the schema: key: a JSON Schema that the body follows.
type schemaExpectation struct {
	schema   *jsonschema.Schema
	severity Severity
}

// schemaDraft is schema: while it is read.
type schemaDraft struct {
	file     source.Node
	severity Severity
	formats  bool
	refs     map[string]string
}

var schemaTable = source.NewObject("schema",
	source.Field[schemaDraft]{Name: "file", Form: source.SomeText, Doc: "a JSON Schema (2020-12 or draft-07), relative to the declaration", Required: true,
		Decode: func(d *schemaDraft, n source.Node) { d.file = n }},
	source.Field[schemaDraft]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn",
		Decode: func(d *schemaDraft, n source.Node) { decodeSeverity(&d.severity, n) }},
	source.Field[schemaDraft]{Name: "formats", Form: source.Flag, Doc: "true: format is asserted; else it is an annotation, as the standard has it",
		Decode: func(d *schemaDraft, n source.Node) { v, ok := n.Bool(); source.Optional(&d.formats, v, ok) }},
	source.Field[schemaDraft]{Name: "refs", Form: source.NamedMap(0, `://.*/$`, source.SomeText), Doc: "folders that stand for addresses: {https://example.org/schemas/: schemas/}", Decode: decodeRefs},
)

func decodeRefs(d *schemaDraft, n source.Node) {
	pairs, _ := n.Pairs()
	d.refs = map[string]string{}
	for _, p := range pairs {
		folder, ok := p.Value.NonEmpty()
		if !strings.Contains(p.Key, "://") || !strings.HasSuffix(p.Key, "/") {
			p.KeyAt.Problem("such as https://example.org/schemas/", "%s is not the beginning of an address, up to a slash", strconv.Quote(p.Key))
		} else if ok {
			d.refs[p.Key] = folder
		}
	}
}

func decodeSchema(s *Spec, n source.Node) {
	s.json = true
	d := schemaDraft{severity: Fail, file: n}
	if n.IsMapping() {
		d.file = source.Node{}
		schemaTable.Decode(n, &d)
	}
	if d.file.IsZero() {
		return
	}
	name, ok := s.files.name(d.file)
	if !ok {
		return
	}
	key := fmt.Sprint("schema ", d.formats, " ", name, " ", slices.Sorted(maps.Keys(d.refs)), slices.Sorted(maps.Values(d.refs)))
	made, err := s.files.once(key, func() (any, error) {
		if _, err := s.files.read(name); err != nil {
			return nil, err
		}
		return jsonschema.Compile(name, jsonschema.Options{Read: s.files.schemaPart, Mirrors: d.refs, Formats: d.formats})
	})
	var wrong jsonschema.Error
	switch {
	case errors.As(err, &wrong):
		d.file.Problem("", "not a JSON Schema: %v", wrong)
	case err != nil:
		unreadable(d.file, name, err)
	default:
		s.add(&schemaExpectation{schema: made.(*jsonschema.Schema), severity: d.severity})
	}
}

// schemaPart reads a file that a schema refers to.
func (f *Files) schemaPart(name string) ([]byte, error) {
	data, err := f.read(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, errors.New("there is no such file")
	case err != nil:
		return nil, cause(err)
	}
	return data, nil
}

func (e *schemaExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	doc, ok := o.json(e.severity, f)
	if !ok {
		return
	}
	found := 0
	err := e.schema.Validate(ctx, doc, func(fault jsonschema.Fault) bool {
		if found++; found > maxPerCheck {
			return true
		}
		path, got := fault.At.Location().String(), fault.Got
		if got == "" {
			got = typed(fault.At.Value())
		}
		f.add(Mismatch{Code: "schema", Path: &path, Severity: e.severity, Want: fault.Want + " (" + fault.Where + ")", Got: got})
		return true
	})
	if err != nil && ctx.Err() == nil {
		f.short(Mismatch{Code: "schema", Want: "an answer that the schema can judge"}, err)
	}
	if found > maxPerCheck {
		whole := "$"
		f.add(Mismatch{Code: "schema", Path: &whole, Severity: e.severity, Want: "what the schema says", Got: "and " + strconv.Itoa(found-maxPerCheck) + " more"})
	}
}
