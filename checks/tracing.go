package checks

import (
	"encoding/hex"
	"net/http"
	"strings"
)

// traced adds the declared trace headers to a request's own, which are not
// changed. run and probe are trace codes.
func traced(h http.Header, names []string, run, probe string) http.Header {
	if len(names) == 0 {
		return h
	}
	out := make(http.Header, len(h)+len(names))
	for name, values := range h {
		out[name] = values
	}
	for _, name := range names {
		if strings.EqualFold(name, "traceparent") {
			out.Set(name, traceparent(run, probe))
		} else {
			out.Set(name, probe)
		}
	}
	return out
}

// traceparent writes trace codes in the form of W3C Trace Context §3.2: the
// trace id is both codes, the parent id is the probe's, each character as two
// hexadecimal digits, so that a person can read them back.
func traceparent(run, probe string) string {
	return "00-" + hex.EncodeToString([]byte(run+probe)) + "-" + hex.EncodeToString([]byte(probe)) + "-01"
}
