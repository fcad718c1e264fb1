//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package history

import (
	"errors"
	"os"
	"syscall"
)

// tryLock locks an open file against other processes if nobody has it locked.
// errors.ErrUnsupported where the system or the file system has no such locks.
func tryLock(f *os.File) (bool, error) {
	for {
		switch err := flock(f, syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.EINVAL), errors.Is(err, errors.ErrUnsupported):
			return false, errors.ErrUnsupported
		default:
			return false, os.NewSyscallError("flock", err)
		}
	}
}

// unlock gives a lock back; closing the file does as well.
func unlock(f *os.File) { _ = flock(f, syscall.LOCK_UN) }

// flock does without File.Fd, which costs four calls of the system.
func flock(f *os.File, how int) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var locked error
	if err := conn.Control(func(fd uintptr) { locked = syscall.Flock(int(fd), how) }); err != nil {
		return err
	}
	return locked
}
