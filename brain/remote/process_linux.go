package remote

import "syscall"

// processAttr puts a brain into its own process group and lets the kernel kill it if this process dies. The
// same is done for browsers in browser/internal/cdp: neither may import the other, and cua, which both may
// import, has no system calls.
func processAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
