package history

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain lets the test binary also be one of many processes that store runs
// in one history.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		os.Exit(child(dir))
	}
	goleak.VerifyTestMain(m)
}
