package report

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema is the JSON Schema (2020-12) of the document that the json format
// writes; $defs/line is that of a line of ndjson.
func Schema() []byte { return append([]byte(nil), schema...) }
