package checks

import (
	"maps"
	"runtime"
	"slices"
	"sync"

	"github.com/fonteviva/fonteviva/checks/source"
)

// manyItems is how many probes in a list are worth the work of several cores.
const manyItems = 256

// decodeApart decodes a long list in parts, side by side. It reports false, and
// has then changed nothing, where the list is not long, where one probe stands
// for several, or where anything at all is wrong: what is wrong is said by those
// who decode the list in its order.
func (l *loader) decodeApart(f *declared, items []source.Node) bool {
	workers := runtime.GOMAXPROCS(0)
	if workers < 2 || len(items) < manyItems || l.broken || l.c.Len() > 0 {
		return false
	}
	size := (len(items) + workers - 1) / workers
	var parts []*partLoader
	for chunk := range slices.Chunk(items, size) {
		parts = append(parts, l.part(f, chunk))
	}
	var wg sync.WaitGroup
	for _, p := range parts {
		wg.Go(p.decode)
	}
	wg.Wait()
	return l.join(f, parts)
}

// partLoader decodes a part of a list: it reads what the loader knows, and
// keeps what it finds.
type partLoader struct {
	loader
	file   *declared
	items  []source.Node
	rejoin func()
	whole  bool // every probe of it was decoded
}

func (l *loader) part(f *declared, items []source.Node) *partLoader {
	file := *f
	file.files, file.reads = nil, nil
	p := &partLoader{file: &file, loader: loader{
		c: new(source.Collector), opt: l.opt, d: new(Declaration), base: l.base, files: l.files,
		origins: l.origins, originNames: l.originNames, probes: make(map[string]*Probe, len(items)),
		bodies: bodyFiles{read: map[string][]byte{}},
	}}
	p.items, p.rejoin = source.Apart(items, p.c)
	return p
}

func (p *partLoader) decode() {
	// A panic is left to the decoding in order, whose caller can catch it: here
	// it would end the program.
	defer func() { _ = recover() }()
	list := make([]Probe, len(p.items))
	p.d.Probes = make([]*Probe, 0, len(p.items))
	for i, item := range p.items {
		if variants(item) != nil || p.c.Len() > 0 {
			return
		}
		p.decodeProbe(p.file, &list[i], item, nil)
	}
	p.whole = p.c.Len() == 0
}

// join takes over what the parts found.
func (l *loader) join(f *declared, parts []*partLoader) bool {
	probes, bodies := maps.Clone(l.probes), bodyFiles{read: maps.Clone(l.bodies.read), total: l.bodies.total}
	for _, p := range parts {
		if !p.whole {
			return false
		}
		for name, probe := range p.probes {
			if probes[name] != nil {
				return false
			}
			probes[name] = probe
		}
		if !bodies.join(p.bodies) {
			return false
		}
	}
	l.probes, l.bodies = probes, bodies
	for _, p := range parts {
		p.rejoin()
		l.d.Probes = append(l.d.Probes, p.d.Probes...)
		l.uses = append(l.uses, p.uses...)
		f.reads = append(f.reads, p.file.reads...)
	}
	return true
}

// join adds the files that another has read, and reports whether all together
// are not too large.
func (b *bodyFiles) join(other bodyFiles) bool {
	for path, body := range other.read {
		if _, known := b.read[path]; !known {
			b.read[path] = body
			b.total += len(body)
		}
	}
	return b.total <= maxBodiesAll
}
