package report

import (
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fonteviva/fonteviva/checks"
)

// relative makes a declaration's path relative to a folder, with slashes; a
// path outside of it stays as it is.
func relative(file, dir string) string {
	if filepath.IsAbs(file) && dir != "" {
		if rel, err := filepath.Rel(dir, file); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			file = rel
		}
	}
	return filepath.ToSlash(filepath.Clean(file))
}

// inRepository makes a declaration's path relative to the repository: a job may
// run in a folder of it. One outside of it is as relative has it.
func inRepository(file string, o Options) string {
	abs := file
	if !filepath.IsAbs(abs) && o.Dir != "" {
		abs = filepath.Join(o.Dir, file)
	}
	if rel := relative(abs, o.Root); filepath.IsAbs(abs) && !filepath.IsAbs(rel) {
		return rel
	}
	return relative(file, o.Dir)
}

// declaredAt is where a probe is declared: file:line.
func declaredAt(r *checks.Result, dir string) string {
	return Inert(relative(r.File, dir), 400) + ":" + strconv.Itoa(r.Line)
}
