package livetest_test

import (
	"testing"

	"github.com/fonteviva/fonteviva/checks/livetest"
)

// TestSourcesAsRecorded asks nobody: what fonteviva record has kept in
// testdata/recordings answers.
func TestSourcesAsRecorded(t *testing.T) {
	livetest.Run(t, "testdata/fonteviva.yaml", livetest.Replay("testdata/recordings"))
}

// A test that runs on recordings, as every commit can; the live one is for a
// schedule.
func ExampleReplay() {
	_ = func(t *testing.T) {
		livetest.Run(t, "fonteviva.yaml", livetest.Replay("recordings"))
	}
}

// A test of one's own that asks the sources of a declaration. In a real file
// this is func TestSources(t *testing.T).
func Example() {
	_ = func(t *testing.T) {
		livetest.Run(t, "fonteviva.yaml", livetest.Tags("daily"))
	}
}
