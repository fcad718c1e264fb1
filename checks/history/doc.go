// Package history keeps what runs found: one SQLite file in a state folder,
// with every run, every result (its trips included) and, for each probe, the
// state that ages, changes and streaks are read from.
//
// It owns the file, its schema and the pure transitions of a probe's state. It
// must never know formats, colours, exit codes or the network. A store that
// cannot be read or written is an error for its caller to tell; it never stops
// a run.
//
// Probes are kept per project: a word that the declaration says, or else what
// stands for the absolute paths of its files (see ProjectKey), so that two
// declarations on one machine never mix.
package history
