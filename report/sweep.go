package report

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A run that is killed while it writes a report leaves its temporary file. One
// in so many reports looks whether there are any that nobody can be writing any
// more, as looking through a large folder takes longer than writing a report.
const (
	sweepEvery = 16
	abandoned  = time.Hour
)

// temporarySuffix ends the name of a report that is being written:
// PATH.PROCESS-NUMBER.tmp.
const temporarySuffix = ".tmp"

// sweepSometimes is sweep, one time in many.
func sweepSometimes(path string) {
	if rand.IntN(sweepEvery) == 0 {
		sweep(path, time.Now())
	}
}

// sweep removes the temporary files of a report that were abandoned. What
// cannot be looked at or removed stays: it is in nobody's way.
func sweep(path string, now time.Time) {
	dir, base := filepath.Split(path)
	folder, err := os.Open(filepath.Join(dir, "."))
	if err != nil {
		return
	}
	defer folder.Close()
	names, _ := folder.Readdirnames(-1)
	for _, name := range names {
		if !isTemporary(name, base) {
			continue
		}
		full := filepath.Join(dir, name)
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() && now.Sub(info.ModTime()) > abandoned {
			_ = os.Remove(full)
		}
	}
}

// isTemporary tells whether createBeside gave name to a part of the report base.
func isTemporary(name, base string) bool {
	middle, ok := strings.CutPrefix(name, base+".")
	if !ok {
		return false
	}
	middle, ok = strings.CutSuffix(middle, temporarySuffix)
	process, number, two := strings.Cut(middle, "-")
	return ok && two && isNumber(process) && isNumber(number)
}

func isNumber(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}
