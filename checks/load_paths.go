package checks

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/source"
)

// defaultFiles are looked for in the current folder, in this order.
var defaultFiles = []string{"fonteviva.yaml", "fonteviva.yml"}

// maxFiles bounds what one folder, named by mistake, makes us read.
const maxFiles = 1000

// expandPaths gives the files that paths name, each once, and remembers the paths.
func (l *loader) expandPaths(paths []string) []string {
	if len(paths) == 0 {
		l.d.Named = l.defaultPath()
		return l.d.Named
	}
	l.d.Named = paths
	var files []string
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			files = append(files, l.folder(path)...)
			continue
		}
		files = append(files, path)
	}
	return unique(files)
}

func unique(files []string) []string {
	var out []string
	for _, f := range files {
		if !slices.ContainsFunc(out, func(g string) bool { return filepath.Clean(f) == filepath.Clean(g) }) {
			out = append(out, f)
		}
	}
	return out
}

func (l *loader) defaultPath() []string {
	for _, name := range defaultFiles {
		if _, err := os.Stat(name); !errors.Is(err, fs.ErrNotExist) {
			return []string{name}
		}
	}
	l.broken = true
	l.c.Add(source.Position{File: defaultFiles[0]}, "name a declaration with -c FILE or -c FOLDER, or begin one here with: fonteviva init",
		"there is no %s in the current folder", defaultFiles[0])
	return nil
}

// folder lists the declarations directly in a folder, sorted; hidden files and
// folders in it are left alone.
func (l *loader) folder(path string) []string {
	entries, err := os.ReadDir(path)
	if err != nil {
		l.broken = true
		l.c.Add(source.Position{File: path}, "", "the folder cannot be read: %v", cause(err))
		return nil
	}
	var files []string
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || strings.HasPrefix(name, ".") {
			continue
		}
		if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" {
			files = append(files, filepath.Join(path, name))
		}
	}
	switch {
	case len(files) == 0:
		l.broken = true
		l.c.Add(source.Position{File: path}, "folders inside it are not looked into", "the folder holds no *.yaml or *.yml file")
	case len(files) > maxFiles:
		l.broken = true
		l.c.Add(source.Position{File: path}, "", "the folder holds %d declarations; at most %d are read", len(files), maxFiles)
		return nil
	}
	return files
}

// cause drops the path that an *os.PathError repeats.
func cause(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err
	}
	return err
}
