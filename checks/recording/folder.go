package recording

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/fonteviva/fonteviva/fetch"
)

// maxFile bounds one file, in bytes.
const maxFile = 128 << 20

const extension = ".json"

// Folder is a folder of recordings, which no name and no symbolic link leads
// out of.
type Folder struct {
	root *os.Root
	name string
}

// Open opens a folder, and makes it where it is not there.
func Open(dir string) (*Folder, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &Folder{root: root, name: dir}, nil
}

// Close frees the folder.
func (f *Folder) Close() error { return f.root.Close() }

// devices are the names that Windows keeps for itself, whatever follows the
// first dot.
var devices = func() []string {
	list := []string{"con", "prn", "aux", "nul"}
	for _, n := range "123456789" {
		list = append(list, "com"+string(n), "lpt"+string(n))
	}
	return list
}()

// FileName is the file of a probe's recording. The grammar of probe names
// leaves nothing in them that leads elsewhere; what some system keeps for
// itself gets a low line in front, with which no name begins.
func FileName(probe string) string {
	stem, _, _ := strings.Cut(probe, ".")
	if slices.Contains(devices, strings.ToLower(stem)) {
		probe = "_" + probe
	}
	return probe + extension
}

// Write puts a probe's recording in the place of the one before, as a whole or
// not at all.
func (f *Folder) Write(probe string, list []fetch.Recorded) error {
	data, err := Encode(probe, list)
	if err != nil {
		return err
	}
	if len(data) > maxFile {
		return fmt.Errorf("it would be larger than %d MiB", maxFile>>20)
	}
	name := FileName(probe)
	temporary := name + "." + rand.Text() + ".tmp"
	if err = f.put(temporary, data); err == nil {
		err = f.root.Rename(temporary, name)
	}
	if err != nil {
		_ = f.root.Remove(temporary) // the first error is the one to tell
	}
	return err
}

// put writes a new file to the disk. It is meant to be read by all.
func (f *Folder) put(name string, data []byte) error {
	file, err := f.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	return errors.Join(err, file.Sync(), file.Close())
}

// Foreign names the files that stand where the recordings of these probes would
// go and are none: to write would destroy them. A recording of another version,
// or one that was edited since, is one.
func (f *Folder) Foreign(probes []string) ([]string, error) {
	var names []string
	for _, p := range probes {
		name := FileName(p)
		ours, err := f.replaceable(name)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", name, err)
		}
		if !ours && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// replaceable reports whether nothing is lost where a recording takes this name.
func (f *Folder) replaceable(name string) (bool, error) {
	info, err := f.root.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return true, nil
	case err != nil:
		return false, errors.Unwrap(err)
	case info.IsDir():
		return true, nil // no file can take its place
	case !info.Mode().IsRegular() || info.Size() > maxFile:
		return false, nil
	}
	data, err := f.root.ReadFile(name)
	if err != nil {
		return false, errors.Unwrap(err)
	}
	var head struct {
		Version int `json:"fonteviva_recording"`
	}
	return json.Unmarshal(data, &head) == nil && head.Version != 0, nil
}

// Has reports whether a probe has a recording.
func (f *Folder) Has(probe string) bool {
	_, err := f.root.Lstat(FileName(probe))
	return err == nil
}

// Others lists the recordings that belong to none of these probes.
func (f *Folder) Others(probes []string) ([]string, error) {
	names, err := f.files()
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, p := range probes {
		known[FileName(p)] = true
	}
	return slices.DeleteFunc(names, func(n string) bool { return known[n] }), nil
}

// files are the names of the recordings, sorted.
func (f *Folder) files() ([]string, error) {
	entries, err := fs.ReadDir(f.root.FS(), ".")
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), extension) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// Read reads every recording of a folder, by probe. Every *.json file in it
// has to be one; the error names all that are not.
func Read(dir string) (map[string][]fetch.Recorded, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{root: root, name: dir}
	defer f.Close()
	names, err := f.files()
	if err != nil {
		return nil, err
	}
	all := map[string][]fetch.Recorded{}
	var problems []error
	for _, name := range names {
		probe, list, err := f.read(name)
		if err == nil && FileName(probe) != name {
			err = fmt.Errorf("it is the recording of %q, which belongs in %q", probe, FileName(probe))
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%q: %w", name, err))
			continue
		}
		all[probe] = list
	}
	switch {
	case len(problems) > 0:
		return nil, errors.Join(problems...)
	case len(names) == 0:
		return nil, errors.New("there is no recording in it")
	}
	return all, nil
}

func (f *Folder) read(name string) (string, []fetch.Recorded, error) {
	info, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return "", nil, errors.Unwrap(err)
	case !info.Mode().IsRegular():
		return "", nil, errors.New("it is not a plain file")
	}
	file, err := f.root.Open(name)
	if err != nil {
		return "", nil, errors.Unwrap(err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", nil, err
	}
	if len(data) > maxFile {
		return "", nil, fmt.Errorf("it is larger than %d MiB", maxFile>>20)
	}
	return Decode(data)
}
