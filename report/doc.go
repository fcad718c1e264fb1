// Package report turns findings into consequences and writes them.
//
// It owns the policy (dispositions per format and profile, exit codes), the
// report document, the formats and everything that keeps an origin's text from
// acting on the reader. It must never know how an answer was fetched: it reads
// results, and a result that came back from JSON is as good as a fresh one.
package report
