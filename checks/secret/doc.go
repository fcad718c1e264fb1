// Package secret hides the values of secrets in text that leaves the program,
// in every form that they take on the way: as they are, in hexadecimal, in
// base64 (alone or inside a longer text, as in basic authentication),
// percent-encoded, and escaped for JSON, XML, HTML or a Go string, up to three
// of these in each other; and where lines were broken, base64 was wrapped, or
// the hexadecimal digits of each byte stand apart.
//
// It must never know where a secret comes from or which output it protects.
// Text is hidden before it is cut short and before it is encoded: a secret
// that was cut in two is not found.
package secret
