package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// Limits of a recorded file: its size, and how long another who writes it is
// waited for.
const (
	maxRecord = 8 << 20
	lockWait  = 5 * time.Second
	lockEvery = 20 * time.Millisecond
)

// errChanged says that the file is no longer what it was when it was opened.
var errChanged = errors.New("another run has written it meanwhile")

// record is a recorded file below the folder of a declaration, which no path
// and no symbolic link of it can leave.
type record struct {
	root    *os.Root
	name    string
	current []byte // nil for a file that is not there
}

// openRecord reads the file as it is.
func openRecord(dir, name string) (*record, error) {
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return nil, errors.New("it is outside the declaration's folder")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	r := &record{root: root, name: name}
	if r.current, err = r.read(); err != nil {
		root.Close()
		return nil, err
	}
	return r, nil
}

func (r *record) close() { r.root.Close() }

func (r *record) read() ([]byte, error) {
	info, err := r.root.Lstat(r.name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("it is not a plain file")
	}
	f, err := r.root.Open(r.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRecord+1))
	if err == nil && len(data) > maxRecord {
		err = fmt.Errorf("it is larger than %d MiB", maxRecord>>20)
	}
	return data, err
}

// write puts the file in place as a whole, or leaves it as it was. It fails
// with errChanged where the file is no longer the current one.
func (r *record) write(ctx context.Context, data []byte) error {
	if err := r.root.MkdirAll(path.Dir(r.name), 0o755); err != nil {
		return err
	}
	unlock, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	switch now, err := r.read(); {
	case err != nil:
		return err
	case (now == nil) != (r.current == nil) || !bytes.Equal(now, r.current):
		return errChanged
	}
	temporary := r.name + "." + rand.Text() + ".tmp"
	if err := r.put(temporary, data); err != nil {
		_ = r.root.Remove(temporary) // the first error is the one to tell
		return err
	}
	if err := r.root.Rename(temporary, r.name); err != nil {
		_ = r.root.Remove(temporary)
		return err
	}
	return r.syncFolder()
}

// put writes a new file to the disk. It is meant to be committed beside the
// declaration, so that all may read it.
func (r *record) put(name string, data []byte) error {
	f, err := r.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}

// syncFolder makes the new name last. Where folders cannot be synced, the
// system does it in its own time.
func (r *record) syncFolder() error {
	d, err := r.root.Open(path.Dir(r.name))
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}

// lock keeps others from writing the same file. The lock is a file beside it,
// which every system can create exclusively.
func (r *record) lock(ctx context.Context) (unlock func(), err error) {
	name := r.name + ".lock"
	for deadline := time.Now().Add(lockWait); ; {
		f, err := r.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			f.Close()
			return func() { _ = r.root.Remove(name) }, nil // one that stays is named to the next
		}
		switch {
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		case time.Now().After(deadline):
			return nil, fmt.Errorf("%s is there: another run writes it, or one was killed; remove it if none does", name)
		}
		select {
		case <-time.After(lockEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}
