package livetest_test

import (
	"testing"

	"github.com/fonteviva/fonteviva/checks/livetest"
)

// A test of one's own that asks the sources of a declaration. In a real file
// this is func TestSources(t *testing.T).
func Example() {
	_ = func(t *testing.T) {
		livetest.Run(t, "fonteviva.yaml", livetest.Tags("daily"))
	}
}
