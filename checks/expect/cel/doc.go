// Package cel compiles, type-checks and evaluates predicates in the Common
// Expression Language over the text of an answer.
//
// It has the language's operators, macros (has, all, exists, exists_one, map,
// filter), conversions and the standard functions on strings, lists, maps,
// timestamps and durations; it has no protocol buffers. It is our own because
// linking the reference implementation makes every start of the program half
// as long again, and because JSON numbers stay what the origin wrote: they
// compare as decimals, and take the type of the other operand in arithmetic.
// The reference implementation is the second opinion of the tests.
//
// What an evaluation looks at is counted and bounded. The package must never
// know where its variables come from.
package cel
