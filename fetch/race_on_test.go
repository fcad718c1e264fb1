//go:build race

package fetch

// shadow is how many times the memory of a program the race detector takes: it
// keeps what every word was last touched by.
const shadow = 3
