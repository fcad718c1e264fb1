package checks

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain holds that no run leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
