package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/fonteviva/fonteviva/report"
)

// collides says why a further report cannot go to a path: another report goes
// there, or it would replace what is read or recorded.
func (f *runFlags) collides(path string, others []report.Output) error {
	if path == "-" || writtenThrough(path) {
		return nil
	}
	for _, o := range others {
		if o.Path != "-" && samePlace(path, o.Path) {
			return fmt.Errorf("two reports would go to %s; give each its own path", o.Path)
		}
	}
	for _, in := range f.inputs {
		if samePlace(path, in) {
			return errors.New("that file is read here; a report would replace it")
		}
	}
	for _, dir := range []string{f.replay, f.recordings} {
		if dir != "" && samePlace(filepath.Dir(realPath(path)), dir) {
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

// samePlace reports whether two paths name one file, which may not be there
// yet.
func samePlace(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	if errA == nil && errB == nil {
		return os.SameFile(infoA, infoB)
	}
	return realPath(a) == realPath(b)
}

// realPath is the absolute path of a file, links followed as far as they lead.
func realPath(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if whole, err := filepath.EvalSymlinks(path); err == nil {
		return whole
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		return filepath.Join(dir, filepath.Base(path))
	}
	return path
}
