package checks

import (
	"errors"
	"maps"
	"path/filepath"
	"slices"

	"github.com/fonteviva/fonteviva/checks/source"
	"github.com/fonteviva/fonteviva/fetch"
)

// LoadOptions are what other rooms add to the reading of a declaration.
type LoadOptions struct {
	// Check looks at the parts that other rooms give a meaning to (Settings,
	// Formats, Profiles), so that their problems come together with all the
	// others. It is called once, even when the rest is wrong; nil checks nothing.
	Check func(*Declaration, *source.Collector)
	// Network gives the policy that defaults:, origins and probes are laid
	// over, from the settings: block; nil means fetch.DefaultPolicy.
	Network func(settings []Raw) fetch.Policy
	// Recording says that recorded files that are missing are about to be
	// written: they are no problem, and nothing is compared with them.
	Recording bool
}

// Load reads files and folders as one declaration; a folder stands for every
// *.yaml and *.yml file directly in it. Without a path it reads fonteviva.yaml
// (or fonteviva.yml) in the current folder. The error is a source.Problems
// that holds every problem of every file; the declaration is then nil.
func Load(paths []string, opt LoadOptions) (*Declaration, error) {
	l := newLoader(opt)
	for _, path := range l.expandPaths(paths) {
		if root, ok := source.ReadFile(path, l.c); ok {
			l.add(path, filepath.Dir(path), root)
		} else {
			l.broken = true
		}
	}
	return l.finish()
}

// LoadBytes reads one declaration that is no file, such as an embedded one;
// name stands for the file in positions. It can name no files of its own.
func LoadBytes(name string, data []byte, opt LoadOptions) (*Declaration, error) {
	l := newLoader(opt)
	l.d.Named = []string{name}
	if root, ok := source.Parse(name, data, l.c); ok {
		l.add(name, "", root)
	} else {
		l.broken = true
	}
	return l.finish()
}

// loader is one Load: it holds what the files say until all are read, because
// names may be used in another file than the one that declares them.
type loader struct {
	c      *source.Collector
	opt    LoadOptions
	d      *Declaration
	files  []*declared
	broken bool // a file was not read: names missing elsewhere may stand in it

	base        Origin             // what defaults: say, the start of every origin
	origins     map[string]*Origin // by lower-case name
	originNames []string
	probes      map[string]*Probe // by lower-case name
	uses        []use
	draft       probeDraft // of the probe that is being read
	bodies      bodyFiles
}

func newLoader(opt LoadOptions) *loader {
	return &loader{
		c: new(source.Collector), opt: opt, d: new(Declaration),
		origins: map[string]*Origin{}, probes: map[string]*Probe{},
		bodies: bodyFiles{read: map[string][]byte{}},
	}
}

// add takes a parsed file's top level apart.
func (l *loader) add(name, dir string, root source.Node) {
	f := &declared{name: name, dir: dir, root: root}
	l.d.Files = append(l.d.Files, name)
	l.files = append(l.files, f)
	fileKeys.Decode(root, f)
}

// finish decodes what the files hold, defaults before origins before probes,
// and gives the declaration only when nothing at all is wrong.
func (l *loader) finish() (*Declaration, error) {
	l.settings()
	l.defaults()
	l.connectivity()
	l.secrets()
	for _, f := range l.files {
		l.decodeOrigins(f)
	}
	for _, f := range l.files {
		l.decodeProbes(f)
	}
	l.settleNeeds()
	l.settleSentinels()
	l.d.bindSecrets(l.d.Probes, nil, false, l.c)
	l.knownFailures()
	if len(l.d.Probes) == 0 && !l.broken && l.c.Len() == 0 {
		l.c.Add(source.Position{File: l.d.Files[0]}, "a probe has a name, an origin, and get: or request:", "no probe is declared")
	}
	if l.opt.Check != nil {
		l.opt.Check(l.d, l.c)
	}
	if err := l.c.Err(); err != nil {
		return nil, hideLines(err)
	}
	l.d.Reads = slices.Collect(maps.Keys(l.bodies.read))
	for _, f := range l.files {
		l.d.Reads = append(l.d.Reads, f.reads...)
	}
	slices.Sort(l.d.Reads)
	l.d.Reads = slices.Compact(l.d.Reads)
	return l.d, nil
}

// hideLines drops the excerpt of every problem that stands on the same line as
// one reported without it: the line may hold a credential.
func hideLines(err error) error {
	ps, ok := errors.AsType[source.Problems](err)
	if !ok {
		return err
	}
	type line struct {
		file string
		n    int
	}
	hidden := map[line]bool{}
	for _, p := range ps {
		if p.Excerpt == "" {
			hidden[line{p.Pos.File, p.Pos.Line}] = true
		}
	}
	for i, p := range ps {
		if hidden[line{p.Pos.File, p.Pos.Line}] {
			ps[i].Excerpt = ""
		}
	}
	return ps
}
