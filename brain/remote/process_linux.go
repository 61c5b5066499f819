package remote

import "syscall"

// processAttr puts a brain into its own group and lets the kernel kill it when we die.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
