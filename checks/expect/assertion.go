package expect

import (
	"encoding/json"
	"errors"
	"strconv"
	"sync"

	"github.com/fonteviva/fonteviva/checks/expect/bodies"
	"github.com/fonteviva/fonteviva/checks/expect/decimal"
	"github.com/fonteviva/fonteviva/checks/expect/jsonpath"
	"github.com/fonteviva/fonteviva/checks/source"
)

// assertion is one entry of json: or xpath: a path and the matchers that apply to what
// it selects.
type assertion struct {
	path     *jsonpath.Path // of json:
	xpath    *bodies.XPath  // of xpath:
	severity Severity
	optional bool
	exists   *bool
	min, max json.Number // "" where they are not declared
	matchers []named
}

// named is a matcher under the key that declares it. Exactly one of node and
// list is set: node looks at each node, list at the list of nodes.
type named struct {
	key  string
	want want // for a person
	node nodeMatcher
	got  describer // of a node that does not match
	list listMatcher
	// number says that what is declared is a number: text that is one is
	// compared as one, where texts are all there is (xpath:).
	number bool
}

// want says what is wanted. The value in it is written out where it is read:
// most declarations hold thousands that nobody ever reads.
type want struct {
	words string
	value *any // what the words end with
}

func (w want) String() string {
	if w.value == nil {
		return w.words
	}
	return w.words + showWanted(*w.value)
}

// nodeMatcher judges one node.
type nodeMatcher func(v jsonpath.Value) bool

// describer writes what is wrong with a node, for a person.
type describer func(v jsonpath.Value) string

// listMatcher judges a list: the nodes of a path that can select many, or the
// elements of the array that a singular path selects.
type listMatcher interface {
	// begin starts on one list.
	begin() listState
	// single judges the node of a singular path as it is; where it does not
	// (judged is false), an array is judged by its elements.
	single(v jsonpath.Value) (got string, ok, judged bool)
	// acceptsNone says that a list of no nodes is what was declared.
	acceptsNone() bool
}

// listState judges one list, element by element.
type listState interface {
	// next judges an element in its place; got is read where it is not ok.
	next(v jsonpath.Value) (got string, ok bool)
	end() (got string, ok bool)
}

func (a *assertion) addNode(key, words string, m nodeMatcher, got describer) {
	a.matchers = append(a.matchers, named{key: key, want: want{words: words}, node: m, got: got})
}

// addValue adds a matcher whose words end with a declared value.
func (a *assertion) addValue(key, words string, value any, m nodeMatcher, got describer) {
	a.matchers = append(a.matchers, named{key: key, want: want{words: words, value: &value}, node: m, got: got})
}

// numeric says that what the last matcher compares with are numbers, where all
// of them are.
func (a *assertion) numeric(wanted ...any) {
	numbers := true
	for _, w := range wanted {
		_, is := w.(json.Number)
		numbers = numbers && is
	}
	a.matchers[len(a.matchers)-1].number = numbers
}

func (a *assertion) addList(key, words string, m listMatcher) {
	a.matchers = append(a.matchers, named{key: key, want: want{words: words}, list: m})
}

var assertionTable = source.NewObject("a json assertion", assertionFields(source.Field[assertion]{
	Name: "path", Form: source.JSONPath, Doc: "an RFC 9535 path, such as $[0].data", Required: true, Decode: decodePath})...)

// assertionFields are the keys of an assertion; path is the one that says
// where it looks.
func assertionFields(path source.Field[assertion]) []source.Field[assertion] {
	fields := []source.Field[assertion]{
		path,
		{Name: "severity", Form: severityForm, Doc: "fail (default) or warn",
			Decode: func(a *assertion, n source.Node) { decodeSeverity(&a.severity, n) }},
		{Name: "optional", Form: source.Flag, Doc: "true: a path that selects nothing is fine",
			Decode: func(a *assertion, n source.Node) { v, ok := n.Bool(); source.Optional(&a.optional, v, ok) }},
		{Name: "exists", Form: source.Flag, Doc: "false: the path must select nothing", Decode: func(a *assertion, n source.Node) {
			if v, ok := n.Bool(); ok {
				a.exists = &v
			}
		}},
	}
	for _, m := range matchers {
		fields = append(fields, source.Field[assertion]{Name: m.key, Form: m.form, Doc: m.doc, Decode: m.decode})
	}
	return fields
}

// paths are the parsed paths of a process: a declaration of thousands of probes
// has a handful of them. A Path never changes.
var paths pathCache

type pathCache struct {
	mu     sync.Mutex
	parsed map[string]*jsonpath.Path
}

// maxCachedPaths bounds what a declaration of all different paths keeps.
const maxCachedPaths = 256

func (c *pathCache) parse(text string) (*jsonpath.Path, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if p := c.parsed[text]; p != nil {
		return p, nil
	}
	p, err := jsonpath.Parse(text)
	if err == nil && len(c.parsed) < maxCachedPaths {
		if c.parsed == nil {
			c.parsed = make(map[string]*jsonpath.Path)
		}
		c.parsed[text] = p
	}
	return p, err
}

func decodePath(a *assertion, n source.Node) { a.path = readPath(n) }

// readPath reads a JSON path; nil where a problem was reported.
func readPath(n source.Node) *jsonpath.Path {
	text, ok := n.NonEmpty()
	if !ok {
		return nil
	}
	path, err := paths.parse(text)
	if bad, isSyntax := errors.AsType[*jsonpath.SyntaxError](err); isSyntax {
		n.Problem(bad.Hint, "%s is not a JSON path: %v", strconv.Quote(text), bad)
		return nil
	}
	return path
}

func decodeAssertion(table *source.Object[assertion], n source.Node) *assertion {
	a := &assertion{severity: Fail}
	if table.Decode(n, a) {
		a.contradictions(n)
	}
	return a
}

// where is the path as it was written, and the key that it stands under.
func (a *assertion) where() (path, key string) {
	if a.xpath != nil {
		return a.xpath.String(), "xpath"
	}
	return a.path.String(), "json"
}

// singular reports whether it selects one node at most.
func (a *assertion) singular() bool {
	if a.xpath != nil {
		return a.xpath.Singular()
	}
	return a.path.Singular()
}

// contradictions reports matchers that no answer can satisfy together.
func (a *assertion) contradictions(n source.Node) {
	const hint = "remove one of them"
	if a.mustBeAbsent() && len(a.matchers) > 0 {
		n.Problem(hint, "exists: false contradicts %s: what is not there has no value", a.matchers[0].key)
	}
	if a.exists != nil && a.optional {
		n.Problem(hint, "exists: %t contradicts optional: true", *a.exists)
	}
	if a.min != "" && a.max != "" && decimal.Compare(string(a.min), string(a.max)) > 0 {
		n.Problem("", "min: %s is more than max: %s", a.min, a.max)
	}
}

func (a *assertion) mustBeAbsent() bool { return a.exists != nil && !*a.exists }
