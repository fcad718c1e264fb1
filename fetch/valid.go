package fetch

// ValidJSON reports whether data is exactly one JSON value (RFC 8259) in valid
// UTF-8. Object names may repeat.
func ValidJSON(data []byte) bool { return checkJSON(data) == nil }
