//go:build !linux

package remote

import "syscall"

// processAttr puts a brain into its own group. There is no death signal here: a brain leaves when its input
// ends.
func processAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
