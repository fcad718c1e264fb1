package expect

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/checks/surface"
)

// element is one of a list, as far as it is looked at.
type element struct {
	Name        string
	URI         string
	URITemplate string
	Title       string
	Annotations struct{ Title string }
}

// name is what an element is called.
func (e *element) name() string {
	for _, s := range []string{e.Name, e.URI, e.URITemplate} {
		if s != "" {
			return s
		}
	}
	return "without a name"
}

// listed are the elements of the list that the probe asks for.
func listed(o *Observation) []element {
	var all map[string]json.RawMessage
	var list []element
	if json.Unmarshal(o.Body, &all) == nil {
		_ = json.Unmarshal(all[o.List], &list)
	}
	return list
}

// titlesExpectation is titles:, that everything listed has a title.
type titlesExpectation Severity

func decodeTitles(s *Spec, n source.Node) {
	if v, ok := n.Bool(); ok && !v {
		n.Problem("remove it", "titles: false expects nothing")
		return
	}
	keepFirst(&s.asks().List, "titles")
	s.add(titlesExpectation(Fail))
}

func (e titlesExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.MCP == nil {
		return
	}
	c := check{code: "titles", severity: Severity(e), want: want{words: "a title"}}
	for _, t := range listed(o) {
		if t.Title == "" && t.Annotations.Title == "" {
			c.report(func() string { return o.List + "." + t.name() }, "none")
		}
	}
	c.close(o.List, f)
}

// surfaceExpectation is surface:, what a server offers, as it was accepted.
type surfaceExpectation struct {
	file     string
	recorded *surface.Surface // nil for one that is yet to be recorded
	severity Severity
}

type surfaceDraft struct {
	node     source.Node
	severity Severity
}

var surfaceTable = source.NewObject("surface",
	source.Field[surfaceDraft]{Name: "file", Form: source.SomeText, Doc: "the accepted surface, relative to the declaration; fonteviva accept writes it", Required: true,
		Decode: func(d *surfaceDraft, n source.Node) { d.node = n }},
	source.Field[surfaceDraft]{Name: "severity", Form: severityForm, Doc: "fail (default) or warn",
		Decode: func(d *surfaceDraft, n source.Node) { decodeSeverity(&d.severity, n) }},
)

func decodeSurface(s *Spec, n source.Node) {
	d := surfaceDraft{node: n, severity: Fail}
	if n.IsMapping() {
		d.node = source.Node{}
		surfaceTable.Decode(n, &d)
	}
	if d.node.IsZero() {
		return
	}
	name, ok := s.files.name(d.node)
	if !ok {
		return
	}
	a := s.asks()
	keepFirst(&a.List, "surface")
	a.Surface = true
	e := &surfaceExpectation{file: name, severity: d.severity}
	if e.load(s.files, d.node) {
		s.add(e)
	}
}

// load reads the accepted surface; false means that a problem was reported.
func (e *surfaceExpectation) load(files *Files, at source.Node) bool {
	made, err := files.once("surface "+e.file, func() (any, error) {
		data, err := files.read(e.file)
		if err != nil {
			return nil, err
		}
		f, err := surface.Unmarshal(data)
		if err != nil {
			return nil, notSurface{err}
		}
		return f, nil
	})
	record := "record it with: fonteviva accept " + files.probe()
	var wrong notSurface
	switch {
	case err == nil:
		e.recorded = &made.(*surface.File).Surface
		return true
	case errors.As(err, &wrong):
		at.Problem("remove the file, then "+record, "file %s is no accepted surface: %v", strconv.Quote(e.file), wrong)
	case !errors.Is(err, fs.ErrNotExist):
		unreadable(at, e.file, err)
	case files.Recording:
		return true
	default:
		at.Problem(record, "there is no accepted surface %s", strconv.Quote(e.file))
	}
	return false
}

// notSurface is a file that holds something else.
type notSurface struct{ error }

func (e *surfaceExpectation) evaluate(_ context.Context, o *Observation, f *findings) {
	if o.MCP == nil || e.recorded == nil {
		return
	}
	now, err := surface.Read(o.Body)
	if err != nil {
		f.add(Mismatch{Code: "surface", Severity: e.severity, Want: "what a server offers", Got: err.Error()})
		return
	}
	shown := map[bool]int{}
	left := map[bool]int{}
	for _, d := range surface.Compare(e.recorded, now) {
		if shown[d.Breaking]++; shown[d.Breaking] > maxPerCheck {
			left[d.Breaking]++
			continue
		}
		f.add(Mismatch{Code: "surface." + d.Code, Path: &d.Path, Severity: e.severityOf(d.Breaking), Want: d.Was, Got: d.Is})
	}
	for _, breaking := range []bool{true, false} {
		if left[breaking] > 0 {
			f.add(Mismatch{Code: "surface", Severity: e.severityOf(breaking), Want: "the accepted surface", Got: "and " + strconv.Itoa(left[breaking]) + " more"})
		}
	}
}

func (e *surfaceExpectation) severityOf(breaking bool) Severity {
	if breaking {
		return e.severity
	}
	return Warn
}

// Kind is the key of the expectation.
func (e *surfaceExpectation) Kind() string { return "surface" }

// File is the path of the accepted surface.
func (e *surfaceExpectation) File() string { return e.file }

// Record accepts what the server offers now.
func (e *surfaceExpectation) Record(_ context.Context, current []byte, seen []*Observation, by Acceptance) ([]byte, []Change, error) {
	var now *surface.Surface
	for _, o := range seen {
		s, err := surface.Read(o.Body)
		if err != nil {
			return nil, nil, err
		}
		if now != nil && len(surface.Compare(now, s)) > 0 {
			return nil, nil, errors.New("the probes that name it saw different surfaces")
		}
		now = s
	}
	var changes []Change
	if current != nil {
		was, err := surface.Unmarshal(current)
		if err != nil {
			return nil, nil, err
		}
		for _, d := range surface.Compare(&was.Surface, now) {
			changes = append(changes, Change{Code: "surface." + d.Code, Path: d.Path, Was: d.Was, Is: d.Is, Breaking: d.Breaking && e.severity == Fail})
		}
		if len(changes) == 0 {
			return nil, nil, nil
		}
	}
	file, err := (&surface.File{Probe: by.Probe, AcceptedAt: by.At, Surface: *now}).Marshal()
	if err == nil {
		err = secretIn(file, seen)
	}
	if err != nil {
		return nil, nil, err
	}
	return file, changes, nil
}
