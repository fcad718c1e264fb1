// Package shape learns what a JSON answer looks like, keeps it in a file, and
// says how a later answer differs.
//
// It owns the closed types of a shape, how one is learnt in a single pass over
// the text, the file, and the classes of differences: breaking, for what a
// reader of the recorded shape trips over, and additive, for the rest. It must
// never know probes' findings, severities, files on disk or a terminal.
//
// A comparison is a walk over those types by hand. The tests hold it against
// go-cmp, which goes where reflection leads it: linked into the program, it
// would make every start 0.3 ms longer, whether a shape is compared or not.
package shape
