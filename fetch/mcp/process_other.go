//go:build !unix

package mcp

import (
	"os"
	"os/exec"
)

// setGroup has nothing to set where there are no process groups.
func setGroup(*exec.Cmd) {}

// endGroup ends the command: there is no polite signal here.
func endGroup(p *os.Process) { _ = p.Kill() }

// killGroup ends the command.
func killGroup(p *os.Process) { _ = p.Kill() }
