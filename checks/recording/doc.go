// Package recording keeps what origins answered in files that a person can
// read, one for each probe, and reads them again.
//
// It owns the form of those files and their folder, which no name and no link
// leads out of. It must never know how an answer was fetched, nor what is
// expected of it.
package recording
