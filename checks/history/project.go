package history

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
)

// Project is whose probes a history is asked about.
type Project struct {
	Key   string // what tells projects apart
	Label string // for people
}

// NamedProject is a project that its declaration names: it is the same
// wherever its files lie.
func NamedProject(name string) Project { return Project{Key: "name:" + name, Label: name} }

// ProjectOf is the project of a declaration that names none: the absolute paths
// of the files and folders that it is read from, in any order, stand for it.
func ProjectOf(named []string) Project {
	paths := make([]string, len(named))
	for i, f := range named {
		paths[i] = f
		if abs, err := filepath.Abs(f); err == nil {
			paths[i] = abs
		}
		if real, err := filepath.EvalSymlinks(paths[i]); err == nil {
			paths[i] = real
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	h := sha256.New()
	for _, p := range paths {
		h.Write([]byte(p + "\x00"))
	}
	return Project{Key: "files:" + hex.EncodeToString(h.Sum(nil)), Label: strings.Join(paths, ", ")}
}

// Probe names a probe of a project, and one of its vantages ("" for none).
type Probe struct{ Name, Vantage string }
