package shape

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/source"
)

// Version is the version of the file.
const Version = 1

// MaxFile bounds the size of a file, in bytes.
const MaxFile = 4 << 20

// File is a shape as it was accepted: of which probe's answer, and when.
type File struct {
	Probe      string
	AcceptedAt time.Time // the day, in UTC
	Shape      *Shape
}

// FileError says what is wrong with a file.
type FileError struct{ Message string }

// Error is the message.
func (e *FileError) Error() string { return e.Message }

func problem(format string, args ...any) error { return &FileError{fmt.Sprintf(format, args...)} }

// layout of the file. The keys of an object are written in the order of their
// names, so that the same shape is always the same text.
type wireFile struct {
	Version    int    `json:"version"`
	Probe      string `json:"probe"`
	AcceptedAt string `json:"accepted_at"`
	Shape      *wire  `json:"shape"`
}

type wire struct {
	Type     Types            `json:"type"`
	Optional bool             `json:"optional,omitzero"`
	Format   Formats          `json:"format,omitzero"`
	Empty    bool             `json:"empty,omitzero"`
	Enum     Enum             `json:"enum,omitzero"`
	Keys     map[string]*wire `json:"keys,omitzero"`
	Size     *Length          `json:"size,omitzero"`
	Data     bool             `json:"data,omitzero"`
	Values   *wire            `json:"values,omitzero"`
	Length   *Length          `json:"length,omitzero"`
	Items    *wire            `json:"items,omitzero"`
}

// Marshal writes the file: the same shape is always the same bytes.
func (f *File) Marshal() ([]byte, error) {
	w := wireFile{Version: Version, Probe: f.Probe, AcceptedAt: f.AcceptedAt.UTC().Format(time.DateOnly), Shape: f.Shape.wire(false)}
	b, err := json.Marshal(w, json.Deterministic(true), jsontext.WithIndent("  "))
	b = source.VisibleJSON(b)
	if err == nil && len(b) > MaxFile {
		err = problem("the shape is larger than %d MiB", MaxFile>>20)
	}
	return append(b, '\n'), err
}

func (s *Shape) wire(optional bool) *wire {
	if s == nil {
		return nil
	}
	w := &wire{Type: s.Types, Optional: optional, Format: s.Formats, Empty: s.Empty, Enum: s.Enum}
	if o := s.Object; o != nil {
		if o.Map {
			w.Size, w.Data, w.Values = &o.Size, o.Data, o.Values.wire(false)
		}
		for name, k := range o.Keys {
			if w.Keys == nil {
				w.Keys = make(map[string]*wire, len(o.Keys))
			}
			w.Keys[name] = k.Shape.wire(k.Optional)
		}
	}
	if a := s.Array; a != nil {
		w.Length, w.Items = &a.Length, a.Items.wire(false)
	}
	return w
}

// Unmarshal reads a file. It refuses, with a *FileError, what Marshal did not
// write: an unknown key or word, another version, a shape that contradicts
// itself or is larger than any that is learnt.
func Unmarshal(b []byte) (*File, error) {
	if len(b) > MaxFile {
		return nil, problem("it is larger than %d MiB", MaxFile>>20)
	}
	var w wireFile
	if err := json.Unmarshal(b, &w, json.RejectUnknownMembers(true)); err != nil {
		return nil, unreadable(err)
	}
	if w.Version != Version {
		return nil, problem("its version is %d; this fonteviva reads version %d", w.Version, Version)
	}
	at, err := time.Parse(time.DateOnly, w.AcceptedAt)
	if err != nil || w.Shape == nil {
		return nil, problem("it has no date of acceptance, or no shape")
	}
	r := reader{}
	s, err := r.shape(w.Shape, "$", 0)
	if err != nil {
		return nil, err
	}
	return &File{Probe: w.Probe, AcceptedAt: at, Shape: s}, nil
}

// unreadable says where a text is wrong, and why, in a line.
func unreadable(err error) error {
	var ours *FileError
	var bad *jsontext.SyntacticError
	var semantic *json.SemanticError
	switch {
	case errors.As(err, &ours):
		return ours
	case errors.As(err, &bad):
		return problem("it is not JSON, at byte %d", bad.ByteOffset)
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return problem("it holds a key that no shape has: %s", semantic.JSONPointer.LastToken())
	case errors.As(err, &semantic):
		return problem("what stands at %s is not what a shape has there", semantic.JSONPointer)
	}
	return problem("it cannot be read as a shape")
}

// reader checks a shape while it takes it over from the file.
type reader struct{ places int }

func (r *reader) shape(w *wire, at string, depth int) (*Shape, error) {
	if r.places++; r.places > MaxPlaces {
		return nil, problem("it has more than %d places", MaxPlaces)
	}
	isObject, isArray, isString := w.Type&TypeObject != 0, w.Type&TypeArray != 0, w.Type&TypeString != 0
	switch {
	case depth > MaxDepth:
		return nil, problem("%s is deeper than %d levels", at, MaxDepth)
	case w.Type == 0:
		return nil, problem("%s has no type", at)
	case !isString && (w.Format != 0 || w.Empty), !isArray && (w.Items != nil || w.Length != nil),
		!isObject && (w.Keys != nil || w.Values != nil || w.Size != nil):
		return nil, problem("%s says more than its type has", at)
	case w.Values != nil && w.Keys != nil, (w.Values == nil) != (w.Size == nil), w.Data && w.Values == nil:
		return nil, problem("%s is a map and is not", at)
	case len(w.Keys) > MaxKeys:
		return nil, problem("%s has more than %d keys", at, MaxKeys)
	}
	s := &Shape{Types: w.Type, Formats: w.Format, Empty: w.Empty, Enum: w.Enum}
	if isObject {
		if err := r.object(w, s, at, depth); err != nil {
			return nil, err
		}
	}
	if isArray {
		return s, r.array(w, s, at, depth)
	}
	return s, nil
}

func (r *reader) object(w *wire, s *Shape, at string, depth int) (err error) {
	s.Object = &Object{}
	if w.Values != nil {
		s.Object.Map, s.Object.Data = true, w.Data
		if s.Object.Size, err = length(w.Size, at); err == nil {
			s.Object.Values, err = r.shape(w.Values, at+"[*]", depth+1)
		}
		return err
	}
	s.Object.Keys = make(map[string]*Key, len(w.Keys))
	for name, k := range w.Keys {
		if k == nil {
			return problem("%s has a key without a shape", at)
		}
		child, err := r.shape(k, at+memberOf(name), depth+1)
		if err != nil {
			return err
		}
		s.Object.Keys[name] = &Key{Optional: k.Optional, Shape: *child}
	}
	return nil
}

func (r *reader) array(w *wire, s *Shape, at string, depth int) (err error) {
	s.Array = &Array{}
	if s.Array.Length, err = length(w.Length, at); err == nil && w.Items != nil {
		s.Array.Items, err = r.shape(w.Items, at+"[*]", depth+1)
	}
	return err
}

func length(w *Length, at string) (Length, error) {
	if w == nil {
		return Length{}, problem("%s has no lengths", at)
	}
	return *w, nil
}

// MarshalText writes 3, or 1 to 20.
func (l Length) MarshalText() ([]byte, error) {
	if l.Min == l.Max {
		return fmt.Append(nil, l.Min), nil
	}
	return fmt.Appendf(nil, "%d to %d", l.Min, l.Max), nil
}

// UnmarshalText reads what MarshalText writes.
func (l *Length) UnmarshalText(b []byte) error {
	low, high, two := strings.Cut(string(b), " to ")
	if !two {
		high = low
	}
	var wrong [2]error
	l.Min, wrong[0] = strconv.Atoi(low)
	l.Max, wrong[1] = strconv.Atoi(high)
	if wrong != [2]error{} || l.Min < 0 || l.Max < l.Min {
		return problem("length %s is not known", strconv.Quote(string(b)))
	}
	return nil
}
