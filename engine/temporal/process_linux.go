package temporal

import "syscall"

// dieWithUs ends a process whose worker was killed.
func dieWithUs() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
