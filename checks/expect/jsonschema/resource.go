package jsonschema

import (
	"errors"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// file is one schema document.
type file struct {
	name string // as people know it
	id   int    // among the files of a compiler
	root jsonpath.Node
}

// key names a place in a file.
type key struct {
	file int
	node uint32
}

func (f *file) key(n jsonpath.Node) key { return key{f.id, n.ID()} }

// where is a place for a person.
func (f *file) where(n jsonpath.Node) string { return f.name + "#" + n.Location().Pointer() }

// resource is a schema with an identifier of its own (2020-12 §9.1.1): a whole
// file, or a part of one that has $id.
type resource struct {
	*file
	base    *url.URL // without a fragment
	root    jsonpath.Node
	dialect dialect
	anchors map[string]jsonpath.Node
	dynamic map[string]*schema // by $dynamicAnchor; filled when they are compiled
}

// dialect is what the keywords of a resource mean.
type dialect struct {
	draft       draft
	annotations bool // its vocabularies hold no assertions: type, minimum and so on say nothing
	formats     bool // they make format an assertion
}

// open reads a file, once, and registers all resources in it. The dialect is
// that of a file that says none.
func (c *compiler) open(u *url.URL, d dialect) (*resource, bool) {
	if r, known := c.resources[u.String()]; known {
		return r, r != nil
	}
	c.resources[u.String()] = nil
	data, name, err := c.load(u)
	if err != nil {
		c.problem(name, err.Error())
		return nil, false
	}
	if !jsontext.Value(data).IsValid() {
		c.problem(name, notJSON(data))
		return nil, false
	}
	root, err := jsonpath.NewDocument(data).Root()
	if err != nil {
		c.problem(name, err.Error())
		return nil, false
	}
	f := &file{name: name, id: len(c.files), root: root}
	c.files = append(c.files, f)
	r := c.register(f, root, u, d, true)
	c.resources[u.String()] = r
	malformed(root, r.dialect.draft, func(at jsonpath.Node, message string) { c.problem(f.where(at), message) })
	c.scan(r, root)
	return r, true
}

func notJSON(data []byte) string {
	dec := jsontext.NewDecoder(strings.NewReader(string(data)))
	err := dec.SkipValue()
	if err == nil {
		return "it holds more than one JSON value"
	}
	line := 1 + strings.Count(string(data[:min(int(dec.InputOffset()), len(data))]), "\n")
	what := "it is not valid JSON"
	if errors.Is(err, jsontext.ErrDuplicateName) {
		what = "a key stands twice"
	}
	return what + ", near line " + strconv.Itoa(line)
}

// register makes a resource of a schema. Its base is where it was read from,
// and, where it has one, what its $id says.
func (c *compiler) register(f *file, root jsonpath.Node, base *url.URL, d dialect, whole bool) *resource {
	r := &resource{file: f, root: root, base: base, dialect: d, anchors: map[string]jsonpath.Node{}, dynamic: map[string]*schema{}}
	if s, ok := member(root, "$schema", jsonpath.String); ok {
		r.dialect = c.dialect(f, s)
	}
	if id, ok := identifier(root, r.dialect.draft); ok {
		if u, err := base.Parse(id); err != nil {
			c.problem(f.where(root), "$id is not a URI reference: "+id)
		} else {
			u.Fragment = ""
			r.base = u
		}
	}
	if whole && r.base.String() != base.String() {
		c.mirrors = append(c.mirrors, mirror{from: folder(r.base), to: folder(base)})
	}
	c.owners[f.key(root)] = r
	if _, known := c.resources[r.base.String()]; !known || whole {
		c.resources[r.base.String()] = r
	}
	return r
}

// identifier is a schema's $id, where it makes a resource of it: not what
// draft-07 has beside $ref, and not an anchor.
func identifier(schema jsonpath.Node, d draft) (string, bool) {
	id, ok := member(schema, "$id", jsonpath.String)
	if !ok {
		return "", false
	}
	if d == draft7 {
		if _, isRef := schema.Member("$ref"); isRef {
			return "", false
		}
	}
	text := id.Value().Text()
	return text, text != "" && !strings.HasPrefix(text, "#")
}

func member(n jsonpath.Node, name string, k jsonpath.Kind) (jsonpath.Node, bool) {
	m, ok := n.Member(name)
	return m, ok && m.Kind() == k
}

// scan finds the resources and anchors in a schema, only where schemas stand.
func (c *compiler) scan(r *resource, schema jsonpath.Node) {
	if schema.Kind() != jsonpath.Object {
		return
	}
	if id, ok := identifier(schema, r.dialect.draft); ok && schema.ID() != r.root.ID() && id != "" {
		r = c.register(r.file, schema, r.base, r.dialect, false)
	}
	c.owners[r.key(schema)] = r
	r.anchor(schema)
	subschemas(schema, r.dialect.draft, func(sub jsonpath.Node) { c.scan(r, sub) })
}

// anchor notes the names that a schema gives itself.
func (r *resource) anchor(schema jsonpath.Node) {
	if r.dialect.draft == draft7 {
		if id, ok := member(schema, "$id", jsonpath.String); ok {
			if name, ok := strings.CutPrefix(id.Value().Text(), "#"); ok {
				r.anchors[name] = schema
			}
		}
		return
	}
	if a, ok := member(schema, "$anchor", jsonpath.String); ok {
		r.anchors[a.Value().Text()] = schema
	}
	if a, ok := member(schema, "$dynamicAnchor", jsonpath.String); ok {
		r.anchors[a.Value().Text()] = schema
		r.dynamic[a.Value().Text()] = nil
	}
}

// dialect reads $schema: a draft, or a metaschema that says which vocabularies
// it has (2020-12 §8.1.2).
func (c *compiler) dialect(f *file, n jsonpath.Node) dialect {
	name := strings.TrimSuffix(n.Value().Text(), "#")
	if d, known := metaschemas[name]; known {
		return dialect{draft: d}
	}
	u, err := url.Parse(name)
	if err != nil {
		c.problem(f.where(n), "$schema is not a URI")
		return dialect{}
	}
	meta, ok := c.find(u, dialect{})
	if !ok {
		c.problem(f.where(n), "$schema names neither 2020-12 nor draft-07, and there is no file for it: "+name)
		return dialect{}
	}
	d := dialect{draft: meta.dialect.draft}
	if v, ok := member(meta.root, "$vocabulary", jsonpath.Object); ok {
		_, asserts := v.Member("https://json-schema.org/draft/2020-12/vocab/validation")
		d.annotations = !asserts
		_, d.formats = v.Member("https://json-schema.org/draft/2020-12/vocab/format-assertion")
	}
	return d
}

// mirror says that what would be asked of one address stands in a folder.
type mirror struct{ from, to string }

// folder is a URI without what follows its last slash.
func folder(u *url.URL) string {
	s := u.String()
	return s[:strings.LastIndexByte(s, '/')+1]
}

// find gives the resource of a URI without a fragment.
func (c *compiler) find(u *url.URL, d dialect) (*resource, bool) {
	if r, known := c.resources[u.String()]; known && r != nil {
		return r, true
	}
	for _, m := range c.mirrors {
		if rest, ok := strings.CutPrefix(u.String(), m.from); ok && m.from != "" && u.Scheme != "file" {
			if to, err := url.Parse(m.to + rest); err == nil {
				u = to
				break
			}
		}
	}
	return c.open(u, d)
}
