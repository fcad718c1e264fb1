package report

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/fonteviva/fonteviva/checks"
)

// Output is one further report: a format and where it goes.
type Output struct {
	Format Format
	Path   string // "-" is standard output
}

// ParseOutput reads FORMAT=PATH.
func ParseOutput(s string) (Output, error) {
	name, path, ok := strings.Cut(s, "=")
	if !ok || path == "" {
		return Output{}, fmt.Errorf("--output %s: write FORMAT=PATH, such as --output junit=report.xml", strconv.Quote(s))
	}
	f, err := FormatNamed(name)
	if err != nil {
		return Output{}, fmt.Errorf("--output %s: %w", s, err)
	}
	return Output{Format: f, Path: path}, nil
}

// featureOutput names the degradation of a report that could not be written.
const featureOutput = "output"

// WriteAll writes the further reports, what goes beside a report, and then the
// main one to stdout. What cannot be written stops nothing: it becomes a
// degradation of the document, which the reports that come later say, and exit
// 74 where nothing worse failed. The document's exit code after the call is the one to leave with;
// the degradations are those of this call, for a caller to show.
func WriteAll(doc *Document, main Format, stdout io.Writer, outputs []Output, o Options) []checks.Degradation {
	var lost []checks.Degradation
	opened := make([]*target, len(outputs))
	for i, out := range outputs {
		var err error
		if opened[i], err = openTarget(out.Path, stdout, o.Watch); err != nil {
			lost = append(lost, doc.outputFailed(out.Format.Name, out.Path, err))
		} else if out.Format.Public {
			opened[i].publish()
		}
	}
	for i, out := range outputs {
		if opened[i] == nil {
			continue
		}
		// Colours are for the terminal that the main report goes to.
		plain := o
		plain.Color = false
		err := out.Format.Write(opened[i].w, doc, plain)
		if err = errors.Join(err, opened[i].close(err == nil)); err != nil {
			lost = append(lost, doc.outputFailed(out.Format.Name, out.Path, err))
		}
	}
	beside := map[string]bool{}
	for _, f := range append(formatsOf(outputs), main) {
		if f.Beside == nil || beside[f.Name] {
			continue
		}
		beside[f.Name] = true
		if err := f.Beside(doc, o); err != nil {
			lost = append(lost, doc.outputFailed(f.Name+" summary", o.SummaryPath, err))
		}
	}
	if err := writeMain(main, stdout, doc, o); err != nil && !errors.Is(err, syscall.EPIPE) {
		lost = append(lost, doc.outputFailed(main.Name, "-", err))
	}
	return lost
}

func formatsOf(outputs []Output) []Format {
	list := make([]Format, len(outputs))
	for i, out := range outputs {
		list[i] = out.Format
	}
	return list
}

func writeMain(f Format, stdout io.Writer, doc *Document, o Options) error {
	w := bufio.NewWriterSize(stdout, flushAt)
	if err := f.Write(w, doc, o); err != nil {
		return err
	}
	return w.Flush()
}

// outputFailed records a report that was not written.
func (d *Document) outputFailed(format, path string, err error) checks.Degradation {
	if path == "-" {
		path = "standard output"
	}
	reason := Inert(fmt.Sprintf("%s to %s: %v", format, path, rootCause(err, path)), 400)
	lost := checks.Degradation{Feature: featureOutput, Reason: reason, Count: 1}
	d.Run.Degraded = checks.Degrade(d.Run.Degraded, lost)
	d.Decision.Reasons = append(d.Decision.Reasons, Reason{Code: ExitOutput, Text: Text{
		EN: "a report could not be written: " + reason, PT: "um relatório não pôde ser gravado: " + reason,
	}})
	d.Decision.ExitCode = d.Decision.exitCode(d.Run.PolicyFormat)
	d.Run.ExitCode = d.Decision.ExitCode
	return lost
}

// rootCause drops the path that an *os.PathError repeats. One that names
// another file keeps it.
func rootCause(err error, path string) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		if strings.HasPrefix(pe.Path, path) {
			return pe.Err
		}
		return pe
	}
	if le, ok := errors.AsType[*os.LinkError](err); ok {
		return le.Err
	}
	return err
}

// target is an open report: a temporary file that replaces the old one when it
// is whole, or a device or pipe that is written through.
type target struct {
	w    *bufio.Writer
	file *os.File // nil for standard output
	path string   // where file is renamed to; "" when it is written through
}

// stdoutNames are the names under which a system knows our standard output. A
// second descriptor of it would have a position of its own and overwrite.
var stdoutNames = []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}

// ToStdout reports whether a report for this path goes to standard output.
func ToStdout(path string) bool { return path == "-" || slices.Contains(stdoutNames, path) }

// Behind is the file that a link leads to, whether or not it is there yet. Any
// other path is given back as it is, and a circle of links as far as it was
// followed.
func Behind(path string) string {
	const maxLinks = 40 // as many as Linux follows
	for range maxLinks {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			return path
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			dir := filepath.Dir(path)
			if real, err := filepath.EvalSymlinks(dir); err == nil {
				dir = real
			}
			to = filepath.Join(dir, to)
		}
		path = to
	}
	return path
}

func openTarget(path string, stdout io.Writer, watch func(io.Writer) io.Writer) (*target, error) {
	if ToStdout(path) {
		return &target{w: bufio.NewWriterSize(stdout, flushAt)}, nil
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, errors.New("it is a folder")
	case err == nil && (!info.Mode().IsRegular() || strings.HasPrefix(path, "/dev/")):
		// Without blocking: a pipe that nobody reads is an error at once.
		file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|syscall.O_NONBLOCK, 0)
		if err != nil {
			return nil, err
		}
		var through io.Writer = file
		if watch != nil {
			through = watch(file)
		}
		return &target{w: bufio.NewWriterSize(through, flushAt), file: file}, nil
	}
	// The file behind a link is replaced, and not the link.
	path = Behind(path)
	sweepSometimes(path)
	file, err := createBeside(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folder %s does not exist", filepath.Dir(path))
	}
	if err != nil {
		return nil, err
	}
	return &target{w: bufio.NewWriterSize(file, flushAt), file: file, path: path}, nil
}

// createBeside makes the temporary file in the folder of the report, with mode
// 0644 under the umask, as the report itself is to have. (os.CreateTemp makes
// 0600.)
func createBeside(path string) (*os.File, error) {
	for n := 0; ; n++ {
		name := fmt.Sprintf("%s.%d-%d%s", path, os.Getpid(), n, temporarySuffix)
		file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
		if err == nil || n == 100 || !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// publish lets every user of the machine read the file, whatever the umask. A
// file system without modes has nothing to allow.
func (t *target) publish() {
	if t.path != "" {
		_ = t.file.Chmod(0o644)
	}
}

// close ends a report. One that is not whole leaves the old file as it was.
func (t *target) close(whole bool) error {
	err := t.w.Flush()
	if t.file == nil {
		if errors.Is(err, syscall.EPIPE) {
			return nil
		}
		return err
	}
	err = errors.Join(err, t.file.Close())
	if t.path == "" {
		return err
	}
	if whole && err == nil {
		err = os.Rename(t.file.Name(), t.path)
	}
	if !whole || err != nil {
		return errors.Join(err, os.Remove(t.file.Name()))
	}
	return nil
}
