package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fonteviva/fonteviva/report"
)

// reports are what a run is written as: the format of stdout, which owns the
// exit code, and the further reports.
type reports struct {
	main    report.Format
	outputs []report.Output
	verbose bool
}

// formats resolves the reports. None may go where another one goes, or where
// something is read from.
func formats(c *config, f runFlags) (reports, error) {
	main, err := report.FormatNamed(cmp.Or(c.str("format"), "pretty"))
	if err != nil {
		return reports{}, err
	}
	r := reports{main: main, verbose: f.verbose}
	for _, spec := range f.outputs {
		o, err := report.ParseOutput(spec)
		if err != nil {
			return reports{}, err
		}
		if err := f.collides(o.Path, r.outputs); err != nil {
			return reports{}, fmt.Errorf("--output %s: %w", spec, err)
		}
		r.outputs = append(r.outputs, o)
	}
	return r, nil
}

// write writes every report and sets the exit code. What could not be written
// is said in the reports that could, and on stderr: stdout may be what failed.
// Once it has begun, a signal waits for whole reports.
func (a *app) write(c *config, doc *report.Document, r reports) {
	defer a.signals.hold()()
	dir, err := os.Getwd()
	if err != nil {
		dir = "" // paths then stay as they were declared
	}
	lost := report.WriteAll(doc, r.main, a.out, r.outputs, report.Options{
		Color: c.colored(a.outTTY), Lang: c.language(), Width: a.width, Verbose: r.verbose,
		SummaryPath: os.Getenv("GITHUB_STEP_SUMMARY"), Dir: dir, Root: cmp.Or(os.Getenv("GITHUB_WORKSPACE"), os.Getenv("CI_PROJECT_DIR")), Watch: func(w io.Writer) io.Writer { return a.signals.watched(w) },
	})
	for _, d := range lost {
		a.degraded(c, d)
	}
	a.lost = len(lost) > 0
	a.exit = doc.Run.ExitCode
	if sig := a.signals.received(); sig != 0 && r.main.Exit == nil {
		a.exit = exitOf(sig)
	}
}

// collides says why a further report cannot go to a path: another report goes
// there, or it would replace what is read or recorded.
func (f *runFlags) collides(path string, others []report.Output) error {
	if report.ToStdout(path) || writtenThrough(path) {
		return nil
	}
	here := placeOf(path)
	if here.same("/dev/stdout") {
		return errors.New("standard output goes to that file; the report would replace it")
	}
	for _, o := range others {
		if !report.ToStdout(o.Path) && here.same(o.Path) {
			return fmt.Errorf("two reports would go to %s; give each its own path", o.Path)
		}
	}
	for _, in := range f.inputs {
		if in == "-" {
			in = "/dev/stdin"
		}
		if here.same(in) {
			return errors.New("that file is read here; a report would replace it")
		}
	}
	for _, dir := range []string{f.replay, f.recordings} {
		if dir != "" && placeOf(filepath.Dir(realPath(path))).same(dir) {
			return errors.New("that is the folder of the recordings; a report could replace one")
		}
	}
	return nil
}

// writtenThrough reports whether what is written to a path is not kept there: a device
// or a pipe takes any number of reports.
func writtenThrough(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// place is where a path leads to, which may not be there yet.
type place struct {
	path string
	info os.FileInfo
	err  error
}

func placeOf(path string) place {
	info, err := os.Stat(path)
	return place{path, info, err}
}

// same reports whether another path names the same file.
func (p place) same(other string) bool {
	info, err := os.Stat(other)
	switch {
	case p.err == nil && err == nil:
		return os.SameFile(p.info, info)
	case p.err == nil && errors.Is(err, fs.ErrNotExist), errors.Is(p.err, fs.ErrNotExist) && err == nil:
		return false
	}
	return realPath(p.path) == realPath(other)
}

// realPath is the absolute path of a file, links followed as far as they lead.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = report.Behind(path)
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
