// Command fonteviva probes declared contracts against live sources and tells
// whether a source changed or is down.
//
// This package owns flags, settings, wiring, signals, progress and the only
// os.Exit. It must never know a rule: what a failure means is decided by
// verdict, what a finding leads to by report.
package main
