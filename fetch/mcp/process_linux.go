package mcp

import (
	"os/exec"
	"syscall"
)

// setGroup puts the command into a process group of its own, which ends with
// us: a killed parent leaves no command behind.
func setGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
