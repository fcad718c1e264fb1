// Package fetch gets an answer from a live origin and names what happened.
//
// It owns kinds and their classification, trips and attempts, waits, budgets,
// redirects, body decoding and the collector. It names facts only: it knows no
// expectation, no pass or fail, no declaration file and no report format.
//
// A trip runs through small layers, each in its own file: the client's queue
// (client.go), the retry loop under the budget (retry.go), one attempt under
// its timeout (attempt.go, body.go), the requests of an attempt with their
// redirects (walk.go, redirect.go) and what httptrace saw of each (timing.go).
// What a failure is called and how long is waited are pure functions
// (classify*.go, looks.go, backoff.go, retryafter.go).
package fetch
