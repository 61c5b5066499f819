//go:build !linux

package remote

import "syscall"

// processAttr puts a brain into its own process group. There is no death signal on this system: a brain
// exits when its input ends.
func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
