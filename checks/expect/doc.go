// Package expect holds the expectations of a probe: how each is declared and
// what it finds in an answer.
//
// Every expectation is a pure function of an Observation; one that is added is
// a file, its test and a row in the table. The package must never know the
// network, a verdict, a policy or a format.
package expect
