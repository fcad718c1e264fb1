package jsonschema

import (
	"errors"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
)

// Options say where schemas are read from.
type Options struct {
	// Read gives a file by its slash-separated path, relative to the folder
	// that all files stand in.
	Read func(path string) ([]byte, error)
	// Mirrors give a folder of that kind for the beginning of an address, so
	// that references to it are read from there.
	Mirrors map[string]string
	// Formats makes format an assertion, for the formats that are known here.
	Formats bool
}

// Schema is a compiled schema. It never changes: any number of goroutines may
// validate with it.
type Schema struct{ root *schema }

// Compile reads the schema in a file and everything that it refers to. The
// error is an Error.
func Compile(name string, opt Options) (*Schema, error) {
	c := &compiler{opt: opt, resources: map[string]*resource{}, owners: map[key]*resource{}, schemas: map[key]*schema{}}
	for from, to := range opt.Mirrors {
		c.mirrors = append(c.mirrors, mirror{from: from, to: fileURL(strings.TrimSuffix(to, "/") + "/").String()})
	}
	// The longest beginning wins.
	slices.SortFunc(c.mirrors, func(a, b mirror) int { return len(b.from) - len(a.from) })
	var root *schema
	if r, ok := c.open(fileURL(name), dialect{}); ok && len(c.problems) == 0 {
		root = c.compile(r, r.root)
		c.finish()
		c.circles()
	}
	if len(c.problems) > 0 {
		return nil, c.problems
	}
	return &Schema{root: root}, nil
}

// compiler is one Compile.
type compiler struct {
	opt       Options
	files     []*file
	resources map[string]*resource // by URI without a fragment; nil for one that cannot be had
	owners    map[key]*resource    // the resource of every schema that scan has seen
	schemas   map[key]*schema
	mirrors   []mirror
	problems  Error
}

func (c *compiler) problem(where, message string) {
	c.problems = append(c.problems, Problem{where, message})
}

// fileURL is the address of a file of the folder.
func fileURL(name string) *url.URL { return &url.URL{Scheme: "file", Path: "/" + name} }

var errNetwork = errors.New("it is not a local file, and nothing is fetched from the network")

// load reads what an address stands for; it also gives its name for people.
func (c *compiler) load(u *url.URL) ([]byte, string, error) {
	if u.Scheme != "file" || u.Host != "" {
		return nil, u.String(), errNetwork
	}
	name := strings.TrimPrefix(path.Clean(u.Path), "/")
	data, err := c.opt.Read(name)
	return data, name, err
}

// finish compiles what only a dynamic reference can lead to.
func (c *compiler) finish() {
	for again := true; again; {
		again = false
		for _, r := range c.owners {
			for name, s := range r.dynamic {
				if s == nil {
					r.dynamic[name] = c.compile(r, r.anchors[name])
					again = true
				}
			}
		}
	}
}

// compile makes the schema of a place, once; one that refers to itself finds
// itself half done.
func (c *compiler) compile(r *resource, n jsonpath.Node) *schema {
	k := r.key(n)
	if s, known := c.schemas[k]; known {
		return s
	}
	if owner, known := c.owners[k]; known {
		r = owner
	}
	s := &schema{res: r, where: r.where(n)}
	c.schemas[k] = s
	if n.Kind() == jsonpath.Boolean {
		s.never = n.Value().Raw()[0] == 'f'
		return s
	}
	if ref, ok := member(n, "$ref", jsonpath.String); ok {
		s.ref = c.reference(r, ref)
		if r.dialect.draft == draft7 {
			return s
		}
	}
	b := builder{c: c, r: r, s: s}
	n.Members(func(name jsonpath.Value, v jsonpath.Node) bool {
		if build := keywordsOf(r.dialect.draft)[name.Text()]; build.make != nil && !(build.asserts && r.dialect.annotations) {
			build.make(&b, n, v)
		}
		return true
	})
	return s
}

// builder is one schema while its keywords are read.
type builder struct {
	c *compiler
	r *resource
	s *schema
}

func (b *builder) sub(n jsonpath.Node) *schema { return b.c.compile(b.r, n) }

func (b *builder) subs(n jsonpath.Node) []*schema {
	var list []*schema
	n.Elements(func(_ int, e jsonpath.Node) bool { list = append(list, b.sub(e)); return true })
	return list
}

func (b *builder) subMap(n jsonpath.Node) map[string]*schema {
	m := map[string]*schema{}
	n.Members(func(name jsonpath.Value, v jsonpath.Node) bool { m[name.Text()] = b.sub(v); return true })
	return m
}

// reference finds what a $ref leads to; it never gives nil.
func (c *compiler) reference(r *resource, n jsonpath.Node) *schema {
	text := n.Value().Text()
	u, err := r.base.Parse(text)
	if err != nil {
		c.problem(r.where(n), "not a URI reference: "+text)
		return &schema{res: r}
	}
	fragment := u.Fragment
	u.Fragment, u.RawFragment = "", ""
	if d, known := metaschema(u.String()); known && fragment == "" && c.resources[u.String()] == nil {
		return &schema{res: r, where: u.String(), meta: func(n jsonpath.Node) bool {
			ok := true
			malformed(n, d, func(jsonpath.Node, string) { ok = false })
			return ok
		}}
	}
	before := len(c.problems)
	target, ok := c.find(u, r.dialect)
	if ok {
		if at, in, found := c.locate(target, fragment); found {
			return c.compile(in, at)
		}
	}
	if len(c.problems) == before {
		c.problem(r.where(n), "there is nothing at "+text)
	} else {
		c.problems[before].Message += " (asked for by " + r.where(n) + ")"
	}
	return &schema{res: r}
}

// locate finds a fragment in a resource: nothing, a JSON Pointer or an anchor.
func (c *compiler) locate(r *resource, fragment string) (at jsonpath.Node, in *resource, ok bool) {
	if fragment == "" {
		return r.root, r, true
	}
	rest, pointer := strings.CutPrefix(fragment, "/")
	if !pointer {
		at, ok = r.anchors[fragment]
		return at, r, ok
	}
	at, in = r.root, r
	for token := range strings.SplitSeq(rest, "/") {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		if at, ok = step(at, token); !ok {
			return at, in, false
		}
		if owner, known := c.owners[in.key(at)]; known {
			in = owner
		}
	}
	return at, in, at.Kind() == jsonpath.Object || at.Kind() == jsonpath.Boolean
}

// step goes into a member or an element by a token of a JSON Pointer.
func step(n jsonpath.Node, token string) (jsonpath.Node, bool) {
	if n.Kind() == jsonpath.Object {
		return n.Member(token)
	}
	i := 0
	for _, c := range []byte(token) {
		if c < '0' || c > '9' || i > 1<<30 {
			return n, false
		}
		i = i*10 + int(c-'0')
	}
	if token == "" || (token[0] == '0' && len(token) > 1) {
		return n, false
	}
	return n.Element(i)
}
