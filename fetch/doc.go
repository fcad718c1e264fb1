// Package fetch gets an answer from a live origin and names what happened.
//
// It owns kinds and their classification, trips and attempts, waits, budgets,
// redirects, body decoding and the collector. It names facts only: it knows no
// expectation, no pass or fail, no declaration file and no report format.
package fetch
