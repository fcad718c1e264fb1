// Package fetch gets an answer from a live origin and names what happened.
//
// It owns kinds and their classification, trips and attempts, waits, budgets,
// redirects, body decoding and the collector. It names facts only: it knows no
// expectation, no pass or fail, no declaration file and no report format.
//
// A trip runs through small layers, each in its own file: the client's queue
// (client.go), the retry loop over a URL and its mirrors (retry.go, mirror.go),
// what each attempt has to pass (order.go: budget, rate limit, breaker), one
// attempt under its timeout (attempt.go, body.go), the requests of an attempt
// with their redirects (walk.go, redirect.go, depart.go) and what httptrace saw
// of each (timing.go). Code that is not ours runs beside the trip (aside.go).
// What went over the wire can be kept (record.go, recorder.go) and served again
// in place of the network, on a time of its own (replay.go, playback.go).
// What a failure is called, what a declared rule makes of it and how long is
// waited are pure functions (classify*.go, looks.go, rules.go, glob.go,
// backoff.go, retryafter.go).
package fetch
