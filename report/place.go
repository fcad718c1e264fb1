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

// declaredAt is where a probe is declared: file:line.
func declaredAt(r *checks.Result, dir string) string {
	return Inert(relative(r.File, dir), 400) + ":" + strconv.Itoa(r.Line)
}
