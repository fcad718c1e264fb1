package expect

import (
	"context"
	"errors"
	"io/fs"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/shape"
	"github.com/fonteviva/fonteviva/checks/source"
)

// shapeExpectation is the shape: key: the recorded shape of the body.
type shapeExpectation struct {
	file     string
	recorded *shape.Shape // nil for one that is yet to be recorded
	rules    shape.Rules
	enums    shape.Paths
	paths    shapePaths
	severity Severity
}

// shapePaths are the declared paths and where they stand.
type shapePaths struct{ reads, enums []shapePath }

type shapePath struct {
	text string
	at   source.Node
}

// shapeDraft is shape: while it is read.
type shapeDraft struct {
	*shapeExpectation
	node source.Node // of the file
}

var shapeTable = source.NewObject("shape",
	source.Field[shapeDraft]{Name: "file", Form: source.SomeText, Doc: "the recorded shape, relative to the declaration; fonteviva accept writes it", Required: true,
		Decode: func(d *shapeDraft, n source.Node) { d.node = n }},
	source.Field[shapeDraft]{Name: "reads", Form: source.OneOrList(0, source.JSONPath), Doc: "the paths that are read: what else changes is a warning",
		Decode: func(d *shapeDraft, n source.Node) { d.rules.Reads, d.paths.reads = decodeSteps(n) }},
	source.Field[shapeDraft]{Name: "enums", Form: source.OneOrList(0, source.JSONPath), Doc: "the paths of few values: a new one is drift",
		Decode: func(d *shapeDraft, n source.Node) { d.enums, d.paths.enums = decodeSteps(n) }},
	source.Field[shapeDraft]{Name: "bounds", Form: source.Flag, Doc: "true: fewer or more elements than were recorded are drift",
		Decode: func(d *shapeDraft, n source.Node) { v, ok := n.Bool(); source.Optional(&d.rules.Bounds, v, ok) }},
	source.Field[shapeDraft]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn",
		Decode: func(d *shapeDraft, n source.Node) { decodeSeverity(&d.severity, n) }},
)

// decodeSteps reads one path or a list of paths that say where, not which.
func decodeSteps(n source.Node) (steps shape.Paths, declared []shapePath) {
	for _, item := range n.ItemsOrOne() {
		a := &assertion{}
		if decodePath(a, item); a.path == nil {
			continue
		}
		s, ok := a.path.Steps()
		if !ok {
			item.Problem("names, indexes and wildcards are, such as $[*].valor", "a path with .. or a filter is not known here")
			continue
		}
		steps, declared = append(steps, s), append(declared, shapePath{a.path.String(), item})
	}
	return steps, declared
}

func decodeShape(s *Spec, n source.Node) {
	s.json = true
	d := shapeDraft{&shapeExpectation{severity: Fail}, n}
	if n.IsMapping() {
		d.node = source.Node{}
		shapeTable.Decode(n, &d)
	}
	if d.node.IsZero() {
		return
	}
	name, ok := s.files.name(d.node)
	if !ok {
		return
	}
	d.file = name
	if d.load(s.files) {
		s.add(d.shapeExpectation)
	}
}

// load reads the recorded shape; false means that a problem was reported.
func (d *shapeDraft) load(files *Files) bool {
	made, err := files.once("shape "+d.file, func() (any, error) {
		data, err := files.read(d.file)
		if err != nil {
			return nil, err
		}
		return shape.Unmarshal(data)
	})
	record := "record it with: fonteviva accept " + files.probe()
	var wrong *shape.FileError
	switch {
	case err == nil:
		d.recorded = made.(*shape.File).Shape
		return files.Recording || d.declared(record)
	case errors.As(err, &wrong):
		d.node.Problem("remove the file, then "+record, "file %s is no recorded shape: %v", strconv.Quote(d.file), wrong)
	case !errors.Is(err, fs.ErrNotExist):
		unreadable(d.node, d.file, err)
	case files.Recording:
		return true
	default:
		d.node.Problem(record, "there is no recorded shape %s", strconv.Quote(d.file))
	}
	return false
}

// declared checks that the declared paths lead somewhere in what was recorded:
// a misspelt one would make a warning of every difference.
func (d *shapeDraft) declared(record string) bool {
	text, at := d.nowhere(d.recorded)
	if text != "" {
		at.Problem(record+", or correct the path", "%s", text)
	}
	return text == ""
}

// nowhere names the first declared path that leads nowhere in a shape, or to
// no values where those were asked for.
func (e *shapeExpectation) nowhere(s *shape.Shape) (string, source.Node) {
	for i, p := range e.paths.reads {
		if len(s.At(e.rules.Reads[i])) == 0 {
			return "the recorded shape has nothing at " + p.text, p.at
		}
	}
	for i, p := range e.paths.enums {
		values := 0
		for _, at := range s.At(e.enums[i]) {
			values += len(at.Enum)
		}
		if values == 0 {
			return "the recorded shape has no values at " + p.text, p.at
		}
	}
	return "", source.Node{}
}

func (e *shapeExpectation) evaluate(ctx context.Context, o *Observation, f *findings) {
	doc, ok := o.json(e.severity, f)
	if !ok || e.recorded == nil {
		return
	}
	now, err := shape.Infer(ctx, doc.Text(), shape.Options{Enums: e.enums, Like: e.recorded})
	if err != nil {
		if ctx.Err() == nil {
			f.add(Mismatch{Code: "shape", Severity: e.severity, Want: "an answer that has a shape", Got: err.Error()})
		}
		return
	}
	shown, left := map[shape.Class]int{}, map[shape.Class]int{}
	for _, d := range shape.Compare(e.recorded, now, e.rules) {
		if shown[d.Class]++; shown[d.Class] > maxPerCheck {
			left[d.Class]++
			continue
		}
		f.add(Mismatch{Code: "shape." + d.Code, Path: &d.Path, Severity: e.severityOf(d.Class), Want: d.Was, Got: d.Is})
	}
	for _, class := range []shape.Class{shape.Breaking, shape.Additive} {
		if left[class] > 0 {
			whole := "$"
			f.add(Mismatch{Code: "shape", Path: &whole, Severity: e.severityOf(class), Want: "the recorded shape", Got: "and " + strconv.Itoa(left[class]) + " more"})
		}
	}
}

func (e *shapeExpectation) severityOf(c shape.Class) Severity {
	if c == shape.Breaking {
		return e.severity
	}
	return Warn
}

// Kind is the key of the expectation.
func (e *shapeExpectation) Kind() string { return "shape" }

// File is the path of the recorded shape.
func (e *shapeExpectation) File() string { return e.file }

// Record accepts the shape that the answers have together.
func (e *shapeExpectation) Record(ctx context.Context, current []byte, seen []*Observation, by Acceptance) ([]byte, []Change, error) {
	var was *shape.Shape
	if current != nil {
		f, err := shape.Unmarshal(current)
		if err != nil {
			return nil, nil, err
		}
		was = f.Shape
	}
	now, err := e.learn(ctx, was, seen)
	if err != nil {
		return nil, nil, err
	}
	var changes []Change
	if was != nil {
		for _, d := range shape.Compare(was, now, e.rules) {
			changes = append(changes, Change{Code: "shape." + d.Code, Path: d.Path, Was: d.Was, Is: d.Is, Breaking: d.Class == shape.Breaking && e.severity == Fail})
		}
		if len(changes) == 0 {
			return nil, nil, nil
		}
	}
	file, err := (&shape.File{Probe: by.Probe, AcceptedAt: by.At, Shape: shape.Update(was, now)}).Marshal()
	if err == nil {
		// What could not be read again must not be written.
		_, err = shape.Unmarshal(file)
	}
	if err == nil {
		err = secretIn(file, seen)
	}
	if err != nil {
		return nil, nil, err
	}
	return file, changes, nil
}

// learn gives the shape of all answers together, and refuses one that the
// declaration could then not be loaded with.
func (e *shapeExpectation) learn(ctx context.Context, was *shape.Shape, seen []*Observation) (*shape.Shape, error) {
	var now *shape.Shape
	for _, o := range seen {
		doc, ok := o.json(e.severity, &findings{})
		if !ok {
			return nil, errors.New("the answer is " + describeBody(o))
		}
		one, err := shape.Infer(ctx, doc.Text(), shape.Options{Enums: e.enums, Like: was})
		if err != nil {
			return nil, err
		}
		now = shape.Merge(now, one)
	}
	for i, p := range e.paths.enums {
		for _, at := range now.At(e.enums[i]) {
			if len(at.Enum) > shape.MaxEnum {
				return nil, errors.New("enums: there are more than " + strconv.Itoa(shape.MaxEnum) + " values at " + p.text)
			}
		}
	}
	if text, _ := e.nowhere(shape.Update(was, now)); text != "" {
		return nil, errors.New(text)
	}
	return now, nil
}

// secretIn refuses a file that would hold what is redacted everywhere else.
func secretIn(file []byte, seen []*Observation) error {
	for _, o := range seen {
		if o.Redact != nil && o.Redact(string(file)) != string(file) {
			return errors.New("the file would hold a secret: a key or a value of the answer is one")
		}
	}
	return nil
}
