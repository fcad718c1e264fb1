// Package surface knows what an MCP server offers, as a file that a person
// accepts, and says how two of them differ: what breaks whoever calls it, and
// what is only new.
//
// It is pure: it asks nobody, and knows no probe and no report.
package surface
