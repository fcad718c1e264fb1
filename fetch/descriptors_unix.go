//go:build unix

package fetch

import (
	"errors"
	"os"
	"syscall"
)

// margin is how few free file descriptors are too few: a lookup and the
// connections beside it take some at a time, and have given them back by the
// time its failure is looked at.
const margin = 16

// shortOfFiles reports that this process is at its limit of open files.
func shortOfFiles() bool {
	var most syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &most); err != nil {
		return false
	}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
	}
	return uint64(len(open))+margin > uint64(most.Cur)
}
