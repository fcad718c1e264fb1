package cel

import "regexp"

// Env says what an expression may use: the types of its variables.
type Env map[string]Type

// Program is a compiled predicate. It never changes: any number of goroutines
// may evaluate it.
type Program struct {
	text     string
	root     *node
	vars     int
	patterns map[string]*regexp.Regexp // those that are written down
	used     map[string]bool
	read     []Field
}

// Field is a field of a variable, as in captures.token.
type Field struct{ Variable, Name string }

// Compile reads and type-checks a predicate. The error is a *SyntaxError.
func Compile(text string, env Env) (*Program, error) {
	root, wrong := parse(text)
	if wrong != nil {
		return nil, wrong
	}
	p := &Program{text: text, root: root, patterns: map[string]*regexp.Regexp{}, used: map[string]bool{}}
	c := &checker{text: text, env: env, used: p.used}
	t := c.check(root)
	if c.err == nil && !t.fits(boolKind) {
		c.fail(root, "compare it with something", "a predicate is true or false, and this is "+article(t.String()))
	}
	p.prepare(c, root)
	if c.err != nil {
		return nil, c.err
	}
	p.read = c.read
	return p, nil
}

// prepare compiles the patterns that are written down, and counts variables.
func (p *Program) prepare(c *checker, n *node) {
	if n.op == opMacro {
		p.vars = max(p.vars, n.slot+1)
	}
	for _, arg := range n.args {
		p.prepare(c, arg)
	}
	if n.op != opCall || n.name != "matches" || len(n.args) != 2 || n.args[1].op != opLiteral {
		return
	}
	if pattern, ok := n.args[1].value.(string); ok {
		re, err := regexp.Compile(pattern)
		if err != nil {
			c.fail(n.args[1], "the syntax is RE2: no look-around, no back-references", "not a regular expression")
		}
		p.patterns[pattern] = re
	}
}

// String is the predicate as it was written.
func (p *Program) String() string { return p.text }

// Reads gives the fields of a variable that have to be there; has() asks for none.
func (p *Program) Reads(variable string) (names []string) {
	for _, f := range p.read {
		if f.Variable == variable {
			names = append(names, f.Name)
		}
	}
	return names
}

// Uses reports whether the predicate looks at a variable.
func (p *Program) Uses(variable string) bool { return p.used[variable] }
