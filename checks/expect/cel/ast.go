package cel

// node is one part of an expression. It never changes after it was compiled.
type node struct {
	op         op
	start, end int    // in the text
	name       string // of an identifier, a field, a function, a macro
	value      value  // of a literal
	args       []*node
	member     bool // of a call: the first argument stands before the dot
	test       bool // of a field: has()
	slot       int  // of a variable of a macro; -1 for one of the environment
}

type op uint8

const (
	opLiteral op = iota
	opIdent
	opField // args[0].name
	opCall  // name(args…), operators included: _+_, !_, _?_:_, _[_]
	opList  // [args…]
	opMap   // {args[0]: args[1], …}
	opMacro // args[0].name(variable, args[1], …): all, exists, exists_one, map, filter
)
