package source

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// Limits of one declaration file. They bound memory and time, not taste: ten
// thousand probes are about 2 MiB.
const (
	MaxFileSize = 16 << 20
	maxValues   = 1 << 20 // of commas, colons and lines: a value costs the parser 200 bytes
	maxDepth    = 64
	maxExpanded = 4 << 20 // nodes after every alias has been followed
)

// File is one YAML file that is being decoded.
type File struct {
	Name  string
	data  []byte
	text  string // data, so that excerpts share it; with lines, built when one is first needed
	lines []int  // byte offset of each line
	c     *Collector
	refs  bool // it may hold references
}

// ReadFile reads and parses a file. The second result is false when there is
// nothing to decode; the problems are then in the collector.
func ReadFile(path string, c *Collector) (Node, bool) {
	f, err := openPlain(path)
	if err != nil {
		hint := "check the path given with -c, or the current folder"
		if errors.Is(err, errNotPlain) {
			hint = "name a file or a folder, or a pipe to standard input as -c /dev/stdin"
		}
		c.Add(Position{File: path}, hint, "cannot be read: %v", reason(err))
		return Node{}, false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFileSize+1))
	if err != nil {
		c.Add(Position{File: path}, "", "cannot be read: %v", reason(err))
		return Node{}, false
	}
	return Parse(path, data, c)
}

// errNotPlain is a named pipe, a device or a socket.
var errNotPlain = errors.New("it is neither a file nor a folder")

// handedOver are the folders in which a system lists the files that whoever
// started the program has opened for it: standard input, or a shell's <(…).
var handedOver = []string{"/dev/fd/", "/proc/self/fd/"}

// openPlain opens a file, or what the program was handed over open. Any other
// pipe is refused before it is opened: that would wait for a writer.
func openPlain(path string) (*os.File, error) {
	given := path == "/dev/stdin" || slices.ContainsFunc(handedOver, func(dir string) bool { return strings.HasPrefix(path, dir) })
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if mode := info.Mode(); !mode.IsRegular() && !(given && mode&os.ModeNamedPipe != 0) {
		return nil, errNotPlain
	}
	return os.Open(path)
}

// reason drops the path that an *os.PathError repeats.
func reason(err error) error {
	if pe, ok := errors.AsType[*os.PathError](err); ok {
		return pe.Err
	}
	return err
}

// Parse parses one YAML document and checks what strictness asks of every
// document: size, UTF-8, a single document, no bomb of aliases, bounded depth,
// no duplicate key, no tag of its own.
func Parse(name string, data []byte, c *Collector) (Node, bool) {
	f := &File{Name: name, data: data, c: c, refs: bytes.Contains(data, []byte("${")) || bytes.IndexByte(data, '\\') >= 0}
	if len(data) > MaxFileSize {
		c.Add(Position{File: name}, "split it into several files; -c takes a folder, and can be repeated",
			"the file is larger than %d MiB", MaxFileSize>>20)
		return Node{}, false
	}
	if !f.checkEncoding() || !f.checkValues() {
		return Node{}, false
	}
	root, ok := f.document()
	if !ok {
		return Node{}, false
	}
	before := c.Len()
	(&strictness{file: f, sizes: map[*yaml.Node]int{}}).check(root, 0)
	return Node{y: root, f: f}, c.Len() == before
}

// checkEncoding refuses what is not UTF-8, at the first wrong byte.
func (f *File) checkEncoding() bool {
	if bytes.HasPrefix(f.data, []byte{0xff, 0xfe}) || bytes.HasPrefix(f.data, []byte{0xfe, 0xff}) {
		f.c.Add(Position{File: f.Name, Line: 1, Col: 1}, "save it as UTF-8", "the file is UTF-16, not UTF-8")
		return false
	}
	if utf8.Valid(f.data) {
		return true
	}
	line, start, at := 1, 0, 0
	for at < len(f.data) {
		r, n := utf8.DecodeRune(f.data[at:])
		if r == utf8.RuneError && n == 1 {
			break
		}
		if r == '\n' {
			line, start = line+1, at+1
		}
		at += n
	}
	f.c.Add(Position{File: f.Name, Line: line, Col: utf8.RuneCount(f.data[start:at]) + 1}, "save it as UTF-8",
		"the file is not UTF-8: byte 0x%02x", f.data[at])
	return false
}

// checkValues refuses a file that would cost far more memory than its size.
func (f *File) checkValues() bool {
	values := 0
	for _, separator := range []string{",", ":", "\n"} {
		values += bytes.Count(f.data, []byte(separator))
	}
	if values > maxValues {
		f.c.Add(Position{File: f.Name}, "split it into several files; -c takes a folder, and can be repeated",
			"the file holds more than %d values", maxValues)
	}
	return values <= maxValues
}

// document decodes the one document of the file.
func (f *File) document() (*yaml.Node, bool) {
	if root := f.inParts(); root != nil {
		return root, true
	}
	dec := yaml.NewDecoder(bytes.NewReader(f.data))
	var doc yaml.Node
	err := dec.Decode(&doc)
	if errors.Is(err, io.EOF) || (err == nil && (len(doc.Content) == 0 || Node{y: doc.Content[0]}.IsNull())) {
		f.c.Add(Position{File: f.Name}, "a declaration starts with version: 1", "the file is empty")
		return nil, false
	}
	if err != nil {
		f.syntax(err)
		return nil, false
	}
	var second yaml.Node
	if err := dec.Decode(&second); !errors.Is(err, io.EOF) {
		if err != nil {
			f.syntax(err)
		} else {
			f.problem(f.nodePos(&second), "put the second document into a file of its own", "several YAML documents in one file")
		}
		return nil, false
	}
	return doc.Content[0], true
}

func (f *File) problem(pos Position, hint, format string, args ...any) {
	f.c.add(Problem{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint, Excerpt: f.line(pos.Line)})
}

func (f *File) nodePos(y *yaml.Node) Position {
	return Position{File: f.Name, Line: y.Line, Col: y.Column}
}

func (f *File) index() {
	if f.lines != nil {
		return
	}
	f.text = string(f.data)
	f.lines = append(f.lines, 0)
	for i, b := range f.data {
		if b == '\n' {
			f.lines = append(f.lines, i+1)
		}
	}
}

func (f *File) lineCount() int { f.index(); return len(f.lines) }

// line is the text of a line (from 1) without its end, "" out of range.
func (f *File) line(n int) string {
	f.index()
	if n < 1 || n > len(f.lines) {
		return ""
	}
	end := len(f.text)
	if n < len(f.lines) {
		end = f.lines[n] - 1
	}
	return strings.TrimRight(f.text[f.lines[n-1]:end], "\r")
}

// strictness walks a whole document once, each anchored node once.
type strictness struct {
	file  *File
	sizes map[*yaml.Node]int // expanded size of a node that an alias names; 0 while it is being measured
	stop  bool
}

// check measures a node after alias expansion and reports what is not allowed.
func (s *strictness) check(y *yaml.Node, depth int) int {
	if s.stop {
		return 0
	}
	if depth > maxDepth {
		s.fatal(y, "no declaration needs that", "nested deeper than %d levels", maxDepth)
		return 0
	}
	if y.Anchor != "" {
		s.sizes[y] = 0
	}
	size := 1
	switch y.Kind {
	case yaml.AliasNode:
		return s.alias(y)
	case yaml.MappingNode:
		s.keys(y)
	}
	if y.Style&yaml.TaggedStyle != 0 && !strings.HasPrefix(y.Tag, "!!") {
		s.file.problem(s.file.nodePos(y), "remove the tag", "tag %s is not known here", y.Tag)
	}
	for _, child := range y.Content {
		size += s.check(child, depth+1)
	}
	if size > maxExpanded {
		s.fatal(y, "write out what is meant instead of anchors in anchors", "aliases expand to more than %d nodes", maxExpanded)
	}
	if y.Anchor != "" {
		s.sizes[y] = size
	}
	return size
}

func (s *strictness) alias(y *yaml.Node) int {
	size, known := s.sizes[y.Alias]
	if !known || size == 0 {
		s.fatal(y, "", "alias *%s contains itself", y.Value)
		return 0
	}
	return size
}

func (s *strictness) fatal(y *yaml.Node, hint, format string, args ...any) {
	if !s.stop {
		s.file.problem(s.file.nodePos(y), hint, format, args...)
	}
	s.stop = true
}

// keys reports keys that are no plain text and keys written twice.
func (s *strictness) keys(y *yaml.Node) {
	var seen map[string]int
	if len(y.Content) > 16 {
		seen = make(map[string]int, len(y.Content)/2)
	}
	for i := 0; i < len(y.Content); i += 2 {
		key := y.Content[i]
		if key.Kind != yaml.ScalarNode {
			s.file.problem(s.file.nodePos(key), "", "a key must be plain text")
			continue
		}
		first, dup := 0, false
		if seen != nil {
			first, dup = seen[key.Value]
			if !dup {
				seen[key.Value] = key.Line
			}
		} else {
			for j := 0; j < i; j += 2 {
				if y.Content[j].Value == key.Value {
					first, dup = y.Content[j].Line, true
					break
				}
			}
		}
		if dup {
			s.file.problem(s.file.nodePos(key), fmt.Sprintf("it stands on line %d already; remove one", first), "duplicate key %q", key.Value)
		}
	}
}
