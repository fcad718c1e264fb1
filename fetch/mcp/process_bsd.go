//go:build unix && !linux

package mcp

import (
	"os/exec"
	"syscall"
)

// setGroup puts the command into a process group of its own.
func setGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
