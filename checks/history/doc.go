// Package history keeps what runs found, in a state folder: every run, every
// result (its trips included) and, for each probe, the state that ages, changes
// and streaks are read from.
//
// It is two files. Each run appends one record to a log, which also has the
// states of its probes, so that the next run needs nothing else; that takes a
// fraction of a millisecond. Now and then a run takes the log over into a SQLite
// database and begins a new one: when it has grown, and often enough for what is
// too old to go. Whoever looks at the history reads both, and changes neither.
// Where files cannot be locked (flock), runs go into SQLite at once.
//
// It owns the files, their forms and the pure transitions of a probe's state. It
// must never know formats, colours, exit codes or the network. A store that
// cannot be read or written is an error for its caller to tell; it never stops
// a run.
//
// Probes are kept per project: a word that the declaration says, or else what
// stands for the absolute paths that it is read from (see ProjectOf), so that two
// declarations on one machine never mix.
package history
