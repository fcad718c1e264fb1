//go:build unix

package mcp

import (
	"os"
	"syscall"
)

// endGroup asks everything in the command's process group to end.
func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) }

// killGroup ends everything in the command's process group.
func killGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
