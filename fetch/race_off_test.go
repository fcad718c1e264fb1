//go:build !race

package fetch

// shadow is how many times the memory of a program the race detector takes; it
// is not there.
const shadow = 1
