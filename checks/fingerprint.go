package checks

import (
	"bytes"
	"crypto/sha256"
	"regexp"
	"sync"
)

// maxVarying is how much of a body is searched for what varies by itself; what
// follows is compared as it is.
const maxVarying = 256 << 10

// varying are the parts of a page that differ each time although it says the
// same: what a server adds so that its own people can find the request again.
// The order matters: a date is read before its numbers are. Most runs have no
// wrong bodies to compare, and need none of these compiled.
var varying = sync.OnceValue(func() []*regexp.Regexp {
	return []*regexp.Regexp{
		// Attributes and fields whose name says that the value is new each time.
		regexp.MustCompile(`(?i)\b(nonce|csrf[a-z_-]*|[a-z_-]*token|cf-?ray|ray[ _-]?id|(?:request|trace|correlation|support|incident|event|reference)[ _-]?(?:id|no|number)?|x-[a-z-]*id)("?\s*[:=#]\s*"?'?)[\w.+/=:|-]{4,}`),
		// Dates and times: ISO 8601, RFC 9110 §5.6.7, and as people write them.
		regexp.MustCompile(`\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?\b`),
		regexp.MustCompile(`\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? (?:\d{1,2} \w{3}|\w{3} {1,2}\d{1,2})(?: \d{4})?(?: \d\d:\d\d:\d\d)?(?: \w{3,4})?(?: \d{4})?`),
		regexp.MustCompile(`\b\d{1,2}/\d{1,2}/\d{4}(?:,? (?:às )?\d\d:\d\d(?::\d\d)?)?`),
		regexp.MustCompile(`\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?\b`),
		// How long something took.
		regexp.MustCompile(`(?i)\b\d+(?:[.,]\d+)? ?(?:ms|s|secs?|seconds?|segundos?)\b`),
		regexp.MustCompile(`\b\d{1,3}(?:\.\d{1,3}){3}\b`), // the node or the caller, as an address
		// UUIDs (RFC 9562 §4).
		regexp.MustCompile(`(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b`),
		regexp.MustCompile(`\b\d{8,}\b`), // support ids, Unix times
	}
})

// fingerprint tells whether two wrong bodies are the same one: equal for
// bodies that differ only in what varies by itself.
func fingerprint(body []byte) [sha256.Size]byte {
	head, tail := body[:min(len(body), maxVarying)], body[min(len(body), maxVarying):]
	head = bytes.Join(bytes.Fields(head), []byte(" "))
	for i, re := range varying() {
		if i == 0 {
			head = re.ReplaceAll(head, []byte("$1$2~"))
			continue
		}
		head = re.ReplaceAll(head, []byte("~"))
	}
	h := sha256.New()
	h.Write(withoutNonces(head))
	h.Write(tail)
	return [sha256.Size]byte(h.Sum(nil))
}

const (
	minHex   = 8  // of a hexadecimal id
	minNonce = 12 // of a text in base 32, 36, 62 or 64
)

// withoutNonces replaces words that no person would write: hexadecimal ids and
// letters mixed with digits.
func withoutNonces(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); {
		end := i
		for end < len(b) && isAlphanumeric(b[end]) {
			end++
		}
		if end == i {
			out = append(out, b[i])
			i++
			continue
		}
		if word := b[i:end]; isNonce(word) {
			out = append(out, '~')
		} else {
			out = append(out, word...)
		}
		i = end
	}
	return out
}

// isNonce judges a word of letters and digits by how they are mixed: names end
// in their digits (sha256, agregados6579), ids have them all over.
func isNonce(word []byte) bool {
	if len(word) < minHex {
		return false
	}
	digits, turns, hex := 0, 0, true
	for i, c := range word {
		isDigit := c >= '0' && c <= '9'
		if isDigit {
			digits++
		}
		hex = hex && isHex(c)
		if i > 0 && isDigit != (word[i-1] >= '0' && word[i-1] <= '9') {
			turns++
		}
	}
	if digits == 0 || turns < 2 {
		return false
	}
	return hex || len(word) >= minNonce && turns > 2
}
