// Package source reads strict YAML and keeps the place of everything.
//
// It owns files, positions, problems with their excerpt and suggestion, the
// cursor (Node) that declarations are decoded with, units (durations, sizes)
// and templates (${env.X}). It must never know what any key means.
package source
