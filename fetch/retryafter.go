package fetch

import (
	"net/http"
	"strings"
	"time"
)

// MaxRetryAfter bounds what a Retry-After is converted to: seconds can overflow
// a time.Duration, and no budget is this long.
const MaxRetryAfter = 366 * 24 * time.Hour

// ParseRetryAfter reads Retry-After (RFC 9110 §10.2.3): a non-negative number
// of seconds, or an HTTP-date that is measured against the response's own Date
// (now where that is missing or unreadable). Anything else is false: a sign, a
// date in the past, several lines that disagree. The wait is at most a year.
func ParseRetryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	lines := h.Values("Retry-After")
	if len(lines) == 0 {
		return 0, false
	}
	v := trimOWS(lines[0])
	for _, other := range lines[1:] {
		if trimOWS(other) != v {
			return 0, false
		}
	}
	if d, ok := parseSeconds(v); ok {
		return d, true
	}
	at, err := http.ParseTime(v)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(trimOWS(h.Get("Date"))); err == nil {
		now = date
	}
	if at.Before(now) {
		return 0, false
	}
	return min(at.Sub(now), MaxRetryAfter), true
}

// parseSeconds reads 1*DIGIT (RFC 9110 §10.2.3 delay-seconds), of any length.
func parseSeconds(s string) (time.Duration, bool) {
	if s == "" {
		return 0, false
	}
	const most = int64(MaxRetryAfter / time.Second)
	var n int64
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = min(n*10+int64(s[i]-'0'), most)
	}
	return time.Duration(n) * time.Second, true
}

// trimOWS removes optional white space (RFC 9110 §5.6.3).
func trimOWS(s string) string { return strings.Trim(s, " \t") }
