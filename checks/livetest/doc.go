// Package livetest runs a declaration from a Go test: an outage of a source
// becomes a skipped test that says why, a broken contract a failed one. Recordings
// can answer in place of the sources.
//
// It owns the translation of findings into testing.TB calls. It must never know
// formats, exit codes or how an answer was fetched.
package livetest
