package mcp

import (
	"testing"

	"go.uber.org/goleak"

	faulty "github.com/fonteviva/fonteviva/fixtures/mcp"
)

func TestMain(m *testing.M) {
	faulty.RunIfAsked()
	goleak.VerifyTestMain(m)
}
