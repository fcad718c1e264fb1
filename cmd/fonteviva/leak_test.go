package main

import (
	"bytes"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// TestARunLeavesNoGoroutine runs commands that start goroutines (signals,
// progress, the simulated origin, the history) and looks for those that stay.
func TestARunLeavesNoGoroutine(t *testing.T) {
	before := goleak.IgnoreCurrent()
	for _, args := range [][]string{{"demo"}, {"demo", "--format", "json"}, {"version"}, {"run", "-c", "no-such-file.yaml"}} {
		var out, errs bytes.Buffer
		run(args, streams{in: strings.NewReader(""), out: &out, err: &errs})
		goleak.VerifyNone(t, before)
	}
}
