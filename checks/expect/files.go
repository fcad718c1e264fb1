package expect

import (
	"errors"
	"io/fs"
	"path"
	"strconv"

	"github.com/fonteviva/fonteviva/checks/source"
)

// Files are the files that expectations name, relative to the declaration that
// names them. One serves every probe of a declaration, so that a schema that
// many name is compiled once. It is used by one goroutine, while declarations
// are read.
type Files struct {
	// Recording says that what is missing is about to be recorded: it is then
	// no problem, and nothing is compared with it.
	Recording bool
	// Probe is the one whose expectations are being read; "" when not known.
	Probe string

	read     func(name string) ([]byte, error)
	compiled map[string]any // by what it was made of; an error, or what it gave
}

// NewFiles makes Files of a function that reads a file by its path relative to
// the declaration. It refuses, with any error, what may not be read; a file
// that is not there is an fs.ErrNotExist. A nil function stands for a
// declaration that is no file itself and can name none.
func NewFiles(read func(name string) ([]byte, error)) *Files {
	return &Files{read: read, compiled: map[string]any{}}
}

// once gives what was made of a file, or makes it.
func (fs *Files) once(key string, make func() (any, error)) (any, error) {
	v, known := fs.compiled[key]
	if !known {
		made, err := make()
		if v = made; err != nil {
			v = err
		}
		fs.compiled[key] = v
	}
	if err, failed := v.(error); failed {
		return nil, err
	}
	return v, nil
}

// name reads the path of a file; it reports what is no path in the
// declaration's folder.
func (fs *Files) name(n source.Node) (string, bool) {
	name, ok := n.NonEmpty()
	switch {
	case !ok:
		return "", false
	case fs == nil || fs.read == nil:
		n.Problem("save the declaration as a file", "this declaration is no file, and can name none")
		return "", false
	}
	return path.Clean(name), true
}

// probe names the probe in what a person is told to run.
func (fs *Files) probe() string {
	if fs.Probe == "" {
		return "NAME"
	}
	return fs.Probe
}

// unreadable reports that a file cannot be read.
func unreadable(n source.Node, name string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		n.Problem("the path is relative to the declaration, "+n.Pos().File, "there is no file %s", strconv.Quote(name))
		return
	}
	n.Problem("the path is relative to the declaration, and stays in its folder", "file %s cannot be used: %v", strconv.Quote(name), cause(err))
}

// cause drops the path that an *fs.PathError repeats.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
