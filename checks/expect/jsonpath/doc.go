// Package jsonpath selects nodes of a JSON text with RFC 9535 paths.
//
// It works on the text itself: a node is a range of bytes, so that numbers
// keep their digits, members keep their order, and only what is asked for is
// decoded. A path of names, indexes, wildcards and slices is evaluated while
// the text is scanned; one with filters or descendants uses an index of the
// text, built once per Document. Both give the same nodes in the same order.
//
// Comparisons in filters are exact (package decimal): that is why the paths
// are evaluated here, and a library serves the tests as the second opinion.
//
// The package must never know what is expected of a node.
package jsonpath
