package remote

import "syscall"

// processAttr puts a brain into its own process group and lets the kernel kill it if this process dies.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
