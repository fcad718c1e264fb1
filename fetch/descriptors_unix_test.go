//go:build unix

package fetch

import (
	"errors"
	"net"
	"os"
	"syscall"
	"testing"
)

// TestStarvedFiles: no descriptor was left for the files of the resolver, which
// says then that there is no such name.
func TestStarvedFiles(t *testing.T) {
	d, missing := newDialer(nil, Way{}), &net.DNSError{Err: "no such host", Name: "origin.test", IsNotFound: true}
	if err := d.starvation(missing, 0); errors.Is(err, syscall.EMFILE) {
		t.Errorf("with files to spare: %v", err)
	}
	var was syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
		t.Fatal(err)
	}
	open, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Fatal(err)
	}
	few := was
	few.Cur = 4
	for range open { // the type of Cur is the system's
		few.Cur++
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &was); err != nil {
			t.Error(err)
		}
	}()
	if f := ClassifyError(d.starvation(missing, 0), PhaseDNS); f.Cause != CauseFDLimit || f.Detail != "" {
		t.Errorf("at the limit: %+v", f)
	}
	if err := d.starvation(nil, 0); err != nil {
		t.Errorf("a lookup that succeeded: %v", err)
	}
	if err := d.starvation(syscall.ECONNREFUSED, 0); !errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.EMFILE) {
		t.Errorf("what is no lookup's failure: %v", err)
	}
}
