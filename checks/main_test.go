package checks

import (
	"testing"

	"go.uber.org/goleak"

	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

// TestMain holds that no run leaves a goroutine behind. The test binary also
// serves as the command of an MCP server.
func TestMain(m *testing.M) {
	faulty.RunIfAsked()
	goleak.VerifyTestMain(m)
}
