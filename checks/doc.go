// Package checks loads declarations, plans and runs their probes, and turns
// every trip into a result.
//
// It owns the declaration, the plan, re-trips, sharing and the Result. It must
// never know colours, exit codes or flags: what a finding leads to is decided
// by package report.
package checks
