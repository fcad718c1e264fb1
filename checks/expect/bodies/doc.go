// Package bodies reads what is no JSON: CSV and NDJSON become the text of a
// JSON array, so that whatever judges JSON judges them too, and XML becomes a
// tree that XPath 1.0 selects from.
//
// Depth, size and time of each are bounded. The package must never know what
// is expected of a body.
package bodies
